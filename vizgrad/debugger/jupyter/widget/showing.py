"""Displays the view of a session below the current cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core.errors import warn_once
from vizgrad.debugger.session.opening import Cell
from vizgrad.debugger.session.session import Session

if TYPE_CHECKING:
    from vizgrad.debugger.explain.watch_block import Watch

#: The packages of the live view. The rest of vizgrad does without them.
_WIDGETS = frozenset({"anywidget", "ipywidgets", "traitlets", "comm", "psygnal"})


def show(session: Session, cell: Cell | None = None) -> None:
    """Displays a (further) live view of a session below the current cell, `cell` where that has ended.

    Where a program runs the notebook (nbconvert, papermill), and nobody could step it, a picture. Where the
    packages of the live view are not installed, a picture and a warning with the command that installs them.
    """
    from IPython.display import display  # pyright: ignore[reportUnknownVariableType]

    from vizgrad.debugger.jupyter.widget import still_frames
    from vizgrad.debugger.jupyter.widget.commtarget import run_by_program, running_cell
    from vizgrad.debugger.jupyter.widget.query_answers import SessionPicture

    cell = running_cell() if cell is None else cell
    if run_by_program():
        display(SessionPicture(session))
        still_frames.shown(session, cell, show)
        return
    try:
        from vizgrad.debugger.jupyter.widget.debugview import DebugView
    except ModuleNotFoundError as missing:
        if missing.name not in _WIDGETS:
            raise
        warn_once(
            f"The live view needs {missing.name}, which is not installed: pip install 'vizgrad[notebook]'. "
            "This is a picture of the session."
        )
        display(SessionPicture(session))
        still_frames.shown(session, cell, show)
        return
    view = DebugView(session)
    display(view, display_id=view.view_id)
    still_frames.shown(session, cell, show, view)


def show_course(watch: Watch, cell: str) -> None:
    """Displays the course of the training in a watched block that has not begun, while it runs; where a
    program runs the notebook, once it has ended. `cell` is the id of the cell.
    """
    from vizgrad.debugger.jupyter.widget.commtarget import run_by_program
    from vizgrad.debugger.jupyter.widget.live_course import LiveCourse

    live = LiveCourse(watch, cell, _display_raw, live=not run_by_program())
    watch.on_progress, watch.on_end = live.progress, live.ended


def _display_raw(data: dict[str, Any], display_id: str, update: bool) -> None:
    from IPython.display import publish_display_data  # pyright: ignore[reportUnknownVariableType]  untyped

    publish_display_data(data, transient={"display_id": display_id}, update=update)
