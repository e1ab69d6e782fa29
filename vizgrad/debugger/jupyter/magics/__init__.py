"""``%load_ext vizgrad``: the notebook magics. IPython is imported when they are loaded, not before."""

from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext vizgrad``."""
    from vizgrad.debugger.jupyter.magics.extension import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Called by ``%unload_ext vizgrad``."""
    from vizgrad.debugger.jupyter.magics.extension import unload

    unload(shell)
