"""The view of a session in an output of a page that has the labextension: no widget, and no picture yet of a
larger graph.

The labextension shows our own type (`saved_data.MIME`) and passes a widget over: one that nobody shows
would still be sent to the page with all its code, and run there. The page asks for the picture when the view
is drawn and the kernel is idle (`extension/src/lab/liveOutput.ts`); the next cell makes it before it begins,
if the page has not (`still_frames.py`). Until then the output has a text that says where the session stands.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from vizgrad.debugger.jupyter.widget.controller import Controller
from vizgrad.debugger.jupyter.widget.saved_data import bundle_at_once
from vizgrad.debugger.session.session import Session


class LabextensionView:
    """Displayed, it is a live view of a session. It holds the session until the page shows it."""

    #: The output is given a picture later.
    pictured_later = True

    def __init__(self, session: Session) -> None:
        self.view_id = uuid4().hex
        #: The data of its output, by mime types.
        self.frame = bundle_at_once(session, self.view_id)
        self._controller = Controller(_to_nobody, session, view=self.view_id)

    def end(self) -> None:
        """It is not displayed any more: it need not hold its session."""
        self._controller.end()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return self.frame


def _to_nobody(_: dict[str, Any]) -> None:
    """The page has a connection of its own."""
