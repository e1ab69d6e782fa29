"""Outputs that keep the picture of where a session stood when their cell had run.

A notebook is read from top to bottom, but every cell can move a session. So the live view comes along to the
cell that moves the session, and the output that showed it before becomes a still frame: the picture as its
own cell left it, and a button that opens the session there. The text around a cell so stays true, also after
all cells were run. Moves that a view makes leave the outputs as they are: the user sees them. A cell that
displays a session where it stands leaves them, too: views of one session follow each other.

The picture of a larger graph is made when it is needed: when the page asks for it, or before the next cell,
which may move the session. The live view does not wait for it, and no frame is without it.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.handlers import answers
from vizgrad.debugger.jupyter.widget.saved_data import (
    MIME,
    MOST_PICTURED,
    MOST_PICTURED_AGAIN,
    bundle,
    bundle_at_once,
    bundle_of,
    picture,
    still_bundle,
)
from vizgrad.debugger.session.opening import Cell
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.session.session_reader import SessionClosed


class LiveView(Protocol):
    """A view that an output shows."""

    #: The data that the output shows where nothing is live, by mime types.
    frame: dict[str, Any]

    @property
    def view_id(self) -> str:
        """By which the output is replaced."""
        ...

    @property
    def pictured_later(self) -> bool:
        """Is the output displayed before its picture is made?"""
        ...

    def end(self) -> None:
        """Called when it is not displayed any more."""
        ...


@dataclass(eq=False)
class _Output:
    """An output of `cell` that shows a session live; `view.frame` is of this `revision`. `moved`: the session
    was moved after it was displayed.
    """

    cell: Cell
    view: LiveView
    revision: int
    moved: bool = False

    def waits(self, session: Session) -> bool:
        """Is its picture still to be made?"""
        if not self.view.pictured_later or PICTURE in self.view.frame:
            return False
        return session.nodes <= (MOST_PICTURED_AGAIN if self.moved else MOST_PICTURED)


PICTURE = "image/svg+xml"
#: Outputs that show one session live: each step is drawn in all of them.
MOST_LIVE = 4

Show = Callable[[Session, Cell], None]
#: `update(data, display_id=...)` replaces what was displayed before.
Replace = Callable[..., None]


@dataclass(eq=False)
class _Shown:
    """A session that an output shows, or has shown. `place`: where it stood when the last cell began."""

    show: Show
    place: object
    outputs: list[_Output] = field(default_factory=list[_Output])


_shown: WeakKeyDictionary[Session, _Shown] = WeakKeyDictionary()


def shown(session: Session, cell: Cell, show: Show, view: LiveView | None = None) -> None:
    """`session` is displayed in the output of `cell`; without `view` as a picture, which stays as it is.
    `show` displays it again, below a cell that has run.
    """
    with suppress(SessionClosed):
        known = _shown.setdefault(session, _Shown(show, _place(session)))
        if view is not None:
            known.outputs.append(_Output(cell, view, session.revision))


def before_cell(update: Replace) -> None:
    """A cell begins, which may move sessions: outputs of cells before are pictured."""
    for session, known in list(_shown.items()):
        if not session.closed and not session.is_moving:
            with suppress(SessionClosed):
                known.place = _place(session)
                for output in [each for each in known.outputs if each.waits(session)]:
                    output.view.frame = bundle(session, output.view.view_id)
                    update(output.view.frame, display_id=output.view.view_id)


@answers(p.GetPicture)
def _picture(session: Session, request: p.GetPicture) -> p.Picture:
    """The page keeps it in the output that it shows; so do we, for those that have none."""
    made = picture(request.request, session, first=request.first)
    known = _shown.get(session)
    for output in () if known is None or not made.svg else known.outputs:
        if output.waits(session):
            output.view.frame = bundle_of(made, output.view.view_id)
    return made


def after_cell(cell: Cell, by_views: Container[Session], update: Replace) -> None:
    """`cell` has run. `by_views`: sessions that views have moved meanwhile."""
    if not cell.id:  # code that no cell has run: no output belongs to it
        return
    for session, known in list(_shown.items()):
        if not session.closed and not session.is_moving:
            with suppress(SessionClosed):  # another thread may close it
                _keep(session, known, cell, session in by_views, update)


def _keep(session: Session, known: _Shown, cell: Cell, by_views: bool, update: Replace) -> None:
    """Brings the outputs of one session up to date, after `cell`."""
    moved = not by_views and _place(session) != known.place
    # outputs of an earlier run of this cell are gone
    known.outputs = [o for o in known.outputs if o.cell.id != cell.id or o.cell == cell]
    if moved and not any(output.cell == cell for output in known.outputs):
        known.show(session, cell)
    here = [output for output in known.outputs if output.cell == cell]
    others = [output for output in known.outputs if output.cell != cell]
    if here:
        spare = max(len(others) + len(here) - MOST_LIVE, 0)
        stay = [] if moved else others[spare:]
        for output in others:
            if output not in stay:
                _freeze(output.view, cell, update)
        known.outputs = stay + here
    for output in here:
        if output.revision != session.revision:
            # one that the page may have had made is of a place before
            later = output.view.pictured_later
            output.view.frame = (bundle_at_once if later else still_bundle)(
                session, output.view.view_id
            )
            output.revision, output.moved = session.revision, True


def _freeze(view: LiveView, by: Cell, update: Replace) -> None:
    if view.frame:
        saved = {**view.frame[MIME], "still": by.name}
        update({**view.frame, MIME: saved}, display_id=view.view_id)
    view.end()


def _place(session: Session) -> object:
    """Where it stands: two moves that cancel have not moved it. SessionClosed as for any move."""
    branch = next((each.name for each in session.branches if each.current), "")
    return session.position, session.status, session.within, branch
