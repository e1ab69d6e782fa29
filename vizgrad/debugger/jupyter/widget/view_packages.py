"""A live view of a session, where its packages are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vizgrad.core.errors import warn_once
from vizgrad.debugger.session.session import Session

if TYPE_CHECKING:
    from vizgrad.debugger.jupyter.widget.debugview import DebugView

#: The packages of the live view. The rest of vizgrad does without them.
_WIDGETS = frozenset({"anywidget", "ipywidgets", "traitlets", "comm", "psygnal"})


def view_or_none(session: Session) -> DebugView | None:
    """A live view; None, after a warning, where its packages are not installed."""
    try:
        from vizgrad.debugger.jupyter.widget.debugview import DebugView
    except ModuleNotFoundError as missing:
        warn_missing(missing)
        return None
    return DebugView(session)


def warn_missing(missing: ModuleNotFoundError) -> None:
    """Raises what is none of the packages of the live view."""
    if missing.name not in _WIDGETS:
        raise missing
    warn_once(
        f"The live view needs {missing.name}, which is not installed: pip install 'vizgrad[notebook]'. "
        "This is a picture of the session."
    )
