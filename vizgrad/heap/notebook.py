"""The variables of the notebook that this process runs, if it runs one."""

from __future__ import annotations

import sys
from typing import Any

from vizgrad.heap.roots import Notebook


def current() -> Notebook | None:
    """Of the running IPython, in a kernel or a terminal; None outside of one."""
    ipython = sys.modules.get("IPython")
    shell: Any = None if ipython is None else ipython.get_ipython()
    if shell is None:
        return None
    hidden = shell.user_ns_hidden
    return Notebook(
        shell.user_ns, hidden if isinstance(hidden, dict) else {}, shell.user_ns.get("Out", {})
    )
