"""Where a run that a debugger drives was cut off, read off the traceback of what was raised.

The loops tell nobody when they raise: their local variables say it. This is a file of its own because
`noted_loop.py` is loaded only where a debugger is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core.engine.noted_loop import noted_loop
from vizgrad.core.engine.reference_loop import reference_loop
from vizgrad.core.engine.visit import VISITS
from vizgrad.core.interpreter import locals_of

if TYPE_CHECKING:
    from types import TracebackType

    from vizgrad.core.graph.node import Node


def where_raised(traceback: TracebackType | None) -> tuple[Node | None, Any, int]:
    """Where a run was cut off: the node, the gradient that had arrived there, and the index of the edge over
    which it was delivering. None, None and -1 where the traceback does not lead through the loop.
    """
    node, index = None, -1
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code is noted_loop.__code__:
            found = locals_of(frame)
            return found["node"], found.get("arrived"), found.get("index", -1)
        if node is None and frame.f_code is reference_loop.__code__:
            found = locals_of(frame)
            node, index = found.get("node"), found.get("index", -1)
        elif node is not None and frame.f_code in VISITS:
            found = locals_of(frame)
            if "grads" in found:
                grads = found["grads"]
                return node, grads[0] if node.outputs == 1 else grads, index
            if "arrived" in found:  # `observed_visit` that left the stages to `visit` has none
                return node, found["arrived"], index
        traceback = traceback.tb_next
    return node, None, index
