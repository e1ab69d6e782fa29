"""Displays the view of a session below the current cell."""

from __future__ import annotations

from vizgrad.debugger.session.session import Session


def show(session: Session) -> None:
    """Displays a (further) live view of a session below the current cell.

    Where a program runs the notebook (nbconvert, papermill), and nobody could step it, a picture.
    """
    from IPython.display import display  # pyright: ignore[reportUnknownVariableType]

    from vizgrad.debugger.jupyter.widget.commtarget import run_by_program

    if run_by_program():
        from vizgrad.debugger.jupyter.widget.query_answers import SessionPicture

        display(SessionPicture(session))
    else:
        from vizgrad.debugger.jupyter.widget.debugview import DebugView

        display(DebugView(session))
