"""Recording by hand, for operations with any number of inputs or outputs (`cat`, `split`).

What has one output and named inputs is declared as a `primitive` instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.core.graph.edges import cut_off, edge_of
from vizgrad.core.graph.node import Edge, Meta, Node
from vizgrad.core.ops.constants import zeros_beside
from vizgrad.core.tensor.clock import tick
from vizgrad.core.tensor.modes import GUARD, MODES, noted
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import RESULT, Tensor


def edges_of(tensors: Sequence[Tensor]) -> tuple[Any, ...] | None:
    """One edge per tensor; None when nothing is to be recorded."""
    if not MODES.grad:
        return None
    for tensor in tensors:
        if tensor._tracked:
            edges = tuple([edge_of(t) if t._tracked else None for t in tensors])
            return edges if any(e is not None for e in edges) or cut_off(*tensors) else None
    return None


def start(node: Node, edges: tuple[Any, ...], array: Any) -> None:
    """Fills the slots every node has; `array` is output 0.

    To be called when the saved values are in place: whoever listens for new nodes looks at them.
    """
    node.sequence_nr = tick()
    node.edges = edges
    node.hooks = None
    node.shape = array.shape
    node.dtype = array.dtype
    site = caller(3)
    node.code, node.lasti = (None, 0) if site is None else site
    node.scope = noted(node) if GUARD.scoped else None


def produced_by(node: Node, outputs: Sequence[Tensor]) -> None:
    """Makes the tensors outputs 0, 1, ... of the node."""
    for nr, out in enumerate(outputs):
        out._edge = Edge(node, nr) if nr else node
        if out._view is None:
            out._tracked = RESULT


class ManyOutputs(Node):
    """A node with several output slots. A subclass gives `combine(grads)` on arrays and Tensors alike.

    Slots that nothing arrived at are given as zeros.
    """

    __slots__ = ("metas", "outputs")

    metas: tuple[Meta, ...]

    def meta(self, nr: int) -> Meta:
        return self.metas[nr]

    def combine(self, grads: list[Any]) -> tuple[Any, ...]:
        """One gradient per edge."""
        raise NotImplementedError

    def run(self, grad: Any) -> tuple[Any, ...]:
        return self._run([grad])  # a split into one piece

    def run_all(self, grads: list[Any]) -> tuple[Any, ...]:
        return self._run(grads)

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        return self._run(grads)

    def _run(self, grads: Sequence[Any]) -> tuple[Any, ...]:
        given = next((g for g in grads if g is not None), None)
        if given is None:
            return (None,) * len(self.edges)
        return self.combine(
            [
                zeros_beside(given, meta.shape) if g is None else g
                for g, meta in zip(grads, self.metas, strict=True)
            ]
        )
