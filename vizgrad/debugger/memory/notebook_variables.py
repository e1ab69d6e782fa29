"""The variables of the notebook that this process runs, if it runs one."""

from __future__ import annotations

import sys
from typing import Any

from vizgrad.debugger.memory.roots import Notebook


def current() -> Notebook | None:
    """Of the running IPython, in a kernel or a terminal; None outside of one."""
    ipython = sys.modules.get("IPython")
    shell: Any = None if ipython is None else ipython.get_ipython()
    if shell is None:
        return None
    hidden = shell.user_ns_hidden
    # the latest results once more, under names of the shell's own
    holders = (getattr(shell, name, None) for name in ("displayhook", "last_execution_result"))
    also = tuple(
        part for each in holders if hasattr(each, "__dict__") for part in (each, vars(each))
    )
    return Notebook(
        shell.user_ns,
        hidden if isinstance(hidden, dict) else {},
        shell.user_ns.get("Out", {}),
        also,
    )
