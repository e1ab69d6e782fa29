"""The live view of a session, as a notebook widget (anywidget).

The widget has no synced state but its session's id: all else goes as messages, see `protocol`.
"""

from __future__ import annotations

from typing import Any, cast
from weakref import ref

import anywidget
import traitlets

from vizgrad.debugger.jupyter.widget.controller import Controller
from vizgrad.debugger.jupyter.widget.query_answers import bundle
from vizgrad.debugger.jupyter.widget.request_worker import listen_where_asked
from vizgrad.debugger.jupyter.widget.static_files import STATIC
from vizgrad.debugger.session.session import Session


class DebugView(anywidget.AnyWidget):
    """One view of one session; several views of a session follow each other."""

    _esm = STATIC / "widget.js"
    session_id = traitlets.Unicode().tag(sync=True)

    def __init__(self, session: Session) -> None:
        super().__init__(session_id=session.id)
        #: ipywidgets keeps every widget for the life of the kernel: it must not keep its session.
        self._session = ref(session)
        #: The data that its output shows without a kernel, by mime types, once it was displayed.
        self.frame: dict[str, Any] = {}
        base = cast("Any", self)  # anywidget gives its methods no types
        listen_where_asked(base.comm)
        self._controller = Controller(base.send, session, view=base.model_id, at_desk=True)
        base.on_msg(self._received)

    def _received(self, _: Any, content: object, __: Any) -> None:
        self._controller.receive(content)

    @property
    def view_id(self) -> str:
        """By which outputs and messages name it."""
        return cast("Any", self).model_id

    def end(self) -> None:
        """It is not displayed any more: it need not hold its session."""
        self._controller.end()

    def close(self) -> None:
        self._controller.close()
        super().close()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live view with a picture and a text beside it, for notebooks read without a kernel."""
        shown = cast("Any", super())._repr_mimebundle_(**kwargs)
        data, metadata = cast("Any", shown if isinstance(shown, tuple) else (shown, {}))
        session = self._session()
        if data is not None and session is not None:
            self.frame = bundle(session, self.view_id)
            data.update(self.frame)
        return data, metadata
