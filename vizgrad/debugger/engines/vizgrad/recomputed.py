"""What checkpoints compute again while nodes are visited: a lane beside the run."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.modes import add_listener, remove_listener
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.vizgrad.captured_value import CapturedArray
from vizgrad.debugger.engines.vizgrad.second_order_graph import Grown, Growth

Tell = Callable[[Iterable[Grown]], None]


def _frames() -> Any:
    """The module of checkpoints, if this program has used any."""
    return sys.modules.get("vizgrad.utils.checkpoint.hooks_based")


def will_recompute(nodes: Iterable[Node]) -> bool:
    """Has a node saved a value that a checkpoint will compute again?"""
    frames = _frames()
    if frames is None or not frames.any_alive():
        return False
    return any(frames.recomputes(v) for node in nodes for v in node.saved_values().values())


def telling(lane: Growth, tell: Tell) -> AbstractContextManager[None]:
    """While this is open, `tell` is told what this thread computes again, as entries of `lane`."""
    if _frames() is None:
        return nullcontext()
    from vizgrad.utils.checkpoint.hooks_based import watching

    return watching(lambda: _noting(lane, tell))


@contextmanager
def _noting(lane: Growth, tell: Tell) -> Iterator[None]:
    """One recomputation."""
    found: list[tuple[Node, CapturedArray | None]] = []

    def note(node: Node, outputs: Any) -> None:
        first = outputs[0] if outputs else None
        held = None
        if isinstance(first, Tensor):
            held = CapturedArray(first, copy=False)
            held.forget()  # of its value only the numbers are kept
        found.append((node, held))

    add_listener(note)
    try:
        yield
    finally:
        remove_listener(note)
        for node, held in found:
            tell(lane.again(node, held))
