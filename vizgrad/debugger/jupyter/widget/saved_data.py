"""The data of a session in a notebook, by mime types: which session it is, and a picture and a text of where
it stands.

`MIME` is read by the labextension (`extension/src/mime`): it shows the living session if there is one, else
the picture. Others show what they know: the widget, the picture or the text.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from vizgrad.debugger.drawing.static import svg_of_session, text_of_session
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.session.session import Session

MIME = "application/vnd.vizgrad.session+json"

#: The picture of a larger graph takes longer than the rest of its opening.
MOST_PICTURED_AT_ONCE = 40
#: Larger graphs are said in words only, to those who read a notebook without a kernel.
MOST_PICTURED = 20_000
#: The picture of a larger graph is not made anew while it is stepped: it takes too long.
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


def bundle_at_once(session: Session, view: str) -> dict[str, Any]:
    """As `bundle`; of a larger graph in words, until there is time for its picture."""
    return (
        bundle(session, view)
        if session.nodes <= MOST_PICTURED_AT_ONCE
        else _in_words(session, view)
    )


def _in_words(session: Session, view: str) -> dict[str, Any]:
    return {MIME: asdict(saved_view(session, view)), "text/plain": repr(session)}


def bundle_of(picture: p.Picture, view: str = "") -> dict[str, Any]:
    """As mime types, of what was told of a picture."""
    saved = replace(picture.saved, view=view)
    return {MIME: asdict(saved), "text/plain": picture.text, "image/svg+xml": picture.svg}


def still_bundle(session: Session, view: str) -> dict[str, Any]:
    """As `bundle`, while the session is moved: of a larger graph in words."""
    if session.nodes > MOST_PICTURED_AGAIN:
        return _in_words(session, view)
    return bundle(session, view)


def picture(request: int, session: Session, *, first: bool = False) -> p.Picture:
    """`first`: the output has none yet."""
    small = session.nodes <= (MOST_PICTURED if first else MOST_PICTURED_AGAIN)
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
