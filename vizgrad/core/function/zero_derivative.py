"""Derivatives that do not change with a value, and depend on it all the same (X-42).

The gradient of `hardtanh` is the one that arrives where the input lies within bounds, and 0 elsewhere: as
a function of the input it is flat. With ``create_graph=True`` it requires grad where the input does, and
its own derivative by the input is zeros, not None. A declaration names such values in `flat=`; the
gradient is then the output of one more node, which leads to them and to the history of the formula. Those
in `undefined=` are led to as well, but nothing is sent there: the gradient of a bias of a convolution
requires grad where the image does, and has no derivative by it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays import xp
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.graph.edges import edge_of
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.tensor.modes import GUARD, MODES, noted
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import RESULT, Tensor, new_tensor

if TYPE_CHECKING:
    from vizgrad.core.function.declared import Declared


class Flat(Node):
    """Hands a gradient on over its first edge, zeros over the next ones (`zeros` of them), else nothing."""

    __slots__ = ("zeros",)

    zeros: int

    def run(self, grad: Any) -> tuple[Any, ...]:
        return grad, *self._others(grad)

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        (grad,) = grads
        if grad is None:
            return (None,) * len(self.edges)
        zeros = self._others(grad._array)
        return grad, *(None if array is None else new_tensor(array) for array in zeros)

    def _others(self, grad: Any) -> list[Any]:
        zeros = [_zeros(grad, edge) for edge in self.edges[1 : 1 + self.zeros]]
        return zeros + [None] * (len(self.edges) - 1 - self.zeros)


def _zeros(grad: Any, edge: Node | Edge | None) -> Any:
    assert edge is not None
    meta = edge.node.meta(edge.input_nr) if isinstance(edge, Edge) else edge.meta(0)
    return xp.zeros_like(grad, shape=meta.shape, dtype=meta.dtype)


@cache
def _node_class(differentiated: str) -> type[Flat]:
    """``HardtanhBackward0`` gives ``HardtanhBackwardBackward0``."""
    return type(differentiated.removesuffix("0") + "Backward0", (Flat,), {})


def dependent(node: Node, op: Declared, grad: Tensor, results: list[Any]) -> list[Any]:
    """The gradients that the formulas of `op` gave, as functions of the values it names."""
    if not MODES.grad:
        return results
    by_name = dict(zip(op.differentiable, node.edges, strict=True)) | {"result": node}
    flat = [edge for name in op.flat if (edge := by_name[name]) is not None]
    undefined = [edge for name in op.undefined if (edge := by_name[name]) is not None]
    if not flat and not undefined:
        return results
    return [
        r if r is None or isinstance(r, Wrapped) else _dependent(node, grad, r, flat, undefined)
        for r in results
    ]


def _dependent(
    node: Node, grad: Tensor, result: Tensor, flat: list[Any], undefined: list[Any]
) -> Tensor:
    made = _node_class(node.name())()
    made.edges = (edge_of(result), *flat, *undefined)
    made.zeros = len(flat)
    # an array that the formula passed on unchanged has another owner
    fresh = result is not grad and result._view is None
    out = new_tensor(result._array if fresh else result._array.copy())
    made.sequence_nr = tick()
    made.hooks = None
    made.shape, made.dtype = out._array.shape, out._array.dtype
    made.code, made.lasti = caller() or (None, 0)
    made.scope = noted(made) if GUARD.scoped else None
    out._edge, out._tracked = made, RESULT
    return out
