"""vizgrad in a marimo notebook: there is no IPython, and the value of a cell's last line replaces its output.

So a session that is such a value shows itself, by marimo's protocol (`_display_`), as the view that the cell
has of it already.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from vizgrad.debugger.jupyter.widget.saved_data import SessionPicture
from vizgrad.debugger.jupyter.widget.view_packages import view_or_none
from vizgrad.debugger.session.session import Session

if TYPE_CHECKING:
    from vizgrad.debugger.jupyter.widget.debugview import DebugView

_views: WeakKeyDictionary[Session, DebugView] = WeakKeyDictionary()


def show(session: Session) -> None:
    """Adds a view of a session to the output of the running cell."""
    sys.modules["marimo"].output.append(view_of(session, new=True))


def view_of(session: Session, *, new: bool = False) -> DebugView | SessionPicture:
    """The view that was shown last, or a `new` one; a picture where the packages of views are missing."""
    if not new and (known := _views.get(session)) is not None:
        return known
    view = view_or_none(session)
    if view is None:
        return SessionPicture(session)
    _views[session] = view
    return view


cast("Any", Session)._display_ = view_of
