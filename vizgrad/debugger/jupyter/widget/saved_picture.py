"""What a notebook keeps of a session: a picture and a text of where it stands, and which session that was.

`MIME` is read by the labextension (`extension/src/mime`): it shows the living session if there is one, else
the picture. Others show what they know: the widget, the picture or the text.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from vizgrad.debugger.drawing.static import svg_of_session, text_of_session
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.session.session import Session

MIME = "application/vnd.vizgrad.session+json"

#: Larger graphs are said in words only, to those who read a notebook without a kernel.
MOST_PICTURED = 20_000
#: Of larger graphs the picture is not made anew while they are stepped: it takes too long.
MOST_PICTURED_AGAIN = 2_000


def saved_view(session: Session, view: str = "") -> p.SavedView:
    return p.SavedView(
        session.id, session.name, session.status, session.position, session.total, view
    )


def bundle(session: Session, view: str = "") -> dict[str, Any]:
    """As mime types."""
    data: dict[str, Any] = {MIME: asdict(saved_view(session, view))}
    if session.nodes > MOST_PICTURED:
        data["text/plain"] = repr(session)
    else:
        data["text/plain"] = text_of_session(session)
        data["image/svg+xml"] = svg_of_session(session)
    return data


def picture(request: int, session: Session) -> p.Picture:
    small = session.nodes <= MOST_PICTURED_AGAIN
    return p.Picture(
        request,
        session.id,
        saved_view(session),
        svg_of_session(session) if small else "",
        text_of_session(session) if small else "",
    )


class SessionPicture:
    """A session in a notebook that a program runs: nobody is there who could step it."""

    def __init__(self, session: Session) -> None:
        self._data = bundle(session)

    def __repr__(self) -> str:
        return self._data["text/plain"]

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return self._data
