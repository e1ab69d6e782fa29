"""Displays the view of a session below the current cell."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from vizgrad.debugger.jupyter.widget.view_packages import view_or_none, warn_missing
from vizgrad.debugger.session.opening import Cell
from vizgrad.debugger.session.session import Session

if TYPE_CHECKING:
    from vizgrad.debugger.explain.watch_block import Watch
    from vizgrad.debugger.jupyter.widget.joints import Joint


def show(session: Session, cell: Cell | None = None) -> None:
    """Displays a (further) live view of a session below the current cell, `cell` where that has ended.

    Where a program runs the notebook (nbconvert, papermill), and nobody could step it, a picture. Where the
    packages of the live view are not installed, a picture and a warning with the command that installs them.
    """
    if in_marimo():
        from vizgrad.debugger.jupyter.widget import marimo

        marimo.show(session)
        return
    from IPython.display import display  # pyright: ignore[reportUnknownVariableType]  untyped

    from vizgrad.debugger.jupyter.widget import still_frames
    from vizgrad.debugger.jupyter.widget.commtarget import (
        run_by_program,
        run_in_labextension,
        running_cell,
    )
    from vizgrad.debugger.jupyter.widget.labextension_view import LabextensionView
    from vizgrad.debugger.jupyter.widget.saved_data import SessionPicture

    where = running_cell() if cell is None else cell
    session.shows = lambda: where.name != "" and running_cell() == where
    if run_by_program():
        view = None
    else:
        view = LabextensionView(session) if run_in_labextension() else view_or_none(session)
    if view is None:
        display(SessionPicture(session))
        still_frames.shown(session, where, show)
        return
    session.shown_live()
    display(view, display_id=view.view_id)
    still_frames.shown(session, where, show, view)


def in_marimo() -> bool:
    """Is the program a marimo notebook that is being run there (and not as a script)?"""
    marimo = sys.modules.get("marimo")
    return marimo is not None and bool(marimo.running_in_notebook())


def show_joint(joint: Joint) -> None:
    """Displays a view of all ranks below the current cell; a picture where its packages are not installed."""
    from IPython.display import display  # pyright: ignore[reportUnknownVariableType]  untyped

    try:
        from vizgrad.debugger.jupyter.widget.debugview import JointView
    except ModuleNotFoundError as missing:
        warn_missing(missing)
        from vizgrad.debugger.jupyter.widget.saved_data import bundle_of

        display(bundle_of(joint.picture_at(joint.first)), raw=True)
        return
    view = JointView(joint)
    display(view, display_id=view.view_id)


def show_course(watch: Watch, cell: str) -> None:
    """Displays the course of the training in a watched block that has not begun, while it runs; where a
    program runs the notebook, once it has ended. `cell` is the id of the cell.
    """
    from vizgrad.debugger.jupyter.widget.commtarget import run_by_program, running_cell
    from vizgrad.debugger.jupyter.widget.live_course import LiveCourse

    live = LiveCourse(
        watch,
        cell,
        _display_raw,
        live=not run_by_program(),
        running=lambda: running_cell().name,
    )
    watch.on_progress, watch.on_end, watch.shows = live.progress, live.ended, live.shows


def _display_raw(data: dict[str, Any], display_id: str, update: bool) -> None:
    from IPython.display import publish_display_data  # pyright: ignore[reportUnknownVariableType]  untyped

    publish_display_data(data, transient={"display_id": display_id}, update=update)
