"""Arithmetic on gradients, so that the engine knows nothing of ops.

There are three domains: plain arrays (the usual backward), Tensors (``create_graph=True``, so that the
backward is itself recorded), and Tensors with tangents (a backward in forward mode). The tests add a fourth:
Python floats.
"""

from __future__ import annotations

from typing import Any, Protocol

from vizgrad.core.arrays import layout, xp
from vizgrad.core.arrays.backend import (
    Device,
    as_array,
    device_of,
    is_array,
    is_on_host,
    to_device,
    writeable,
)
from vizgrad.core.arrays.dtypes import from_numpy
from vizgrad.core.arrays.sparse import is_sparse, stored
from vizgrad.core.engine import leaf
from vizgrad.core.engine.explain import (
    complex_error,
    device_error,
    explain_node,
    validation_error,
)
from vizgrad.core.graph.node import Meta, Node
from vizgrad.core.tensor.tensor import Tensor, new_tensor

_ndarray = xp.ndarray


class Domain(Protocol):
    """Arithmetic on gradients of one kind."""

    #: True for plain arrays: nodes run with `Node.run`, else with `Node.run_tensors`.
    raw: bool
    #: Is the backward recorded itself?
    records: bool

    def add(self, a: Any, b: Any) -> Any:
        """a + b, out of place."""
        ...

    def can_add_in_place(self, total: Any, grad: Any) -> bool:
        """May ``total += grad`` be done, given that nobody but the engine holds `total`?"""
        ...

    def share_memory(self, view: Any, other: Any) -> bool:
        """Are two gradients in one block of memory? Asked only where `raw`, of a `view` that has a base."""
        ...

    def fit(self, grad: Any, meta: Meta, node: Node, index: int) -> Any:
        """`grad`, output `index` of `node`, made to match `meta` (F-64 ... F-66), or RuntimeError."""
        ...

    def fit_device(self, grad: Any, device: Any, node: Node, index: int) -> Any:
        """`grad`, output `index` of a custom `node`, on `device`, or RuntimeError (F-66)."""
        ...

    def to_tensor(self, grad: Any) -> Any:
        """As hooks and custom Functions see it."""
        ...

    def from_tensor(self, tensor: Any) -> Any: ...

    def zeros(self, meta: Meta) -> Any: ...

    def accumulate(self, variable: Any, grad: Any, borrowed: bool) -> tuple[str, str]:
        """Puts `grad` into `variable.grad`; returns the decision and its reason (E-60, E-61)."""
        ...

    def retain(self, tensor: Any, grad: Any) -> None:
        """Stores `grad` in `tensor.grad` (E-71)."""
        ...

    def has_nan(self, grad: Any) -> bool: ...

    def explain(self, error: Exception, node: Node) -> None:
        """Adds to `error` which node was being run and who recorded it."""
        ...


class ArrayDomain:
    """Gradients as plain arrays; see `Domain`."""

    raw = True
    records = False

    def add(self, a: Any, b: Any) -> Any:
        # dense + sparse is dense; there is no sparse + dense
        return b + a if is_sparse(getattr(a, "_array", a)) else a + b

    def can_add_in_place(self, total: Any, grad: Any) -> bool:
        if total.__class__ is _ndarray:
            return total.base is None and total.ndim > 0 and total.flags.writeable
        return (
            is_array(total)
            and total.base is None
            and writeable(total)
            and total.ndim > 0
            # Memory of its own has each element once; an array of a device may look as if it had some.
            and (is_on_host(total) or not layout.overlaps_itself(total))
        )

    share_memory = staticmethod(layout.share_block)

    def fit(self, grad: Any, meta: Meta, node: Node, index: int) -> Any:
        shape = grad.shape
        if shape != meta.shape:
            if not layout.can_sum_to(shape, meta.shape):
                raise validation_error(node, index, shape, meta.shape)
            grad = layout.sum_to(grad, meta.shape)
        if grad.dtype is not meta.dtype and grad.dtype != meta.dtype:
            if grad.dtype.kind == "c" and meta.dtype.kind != "c":
                grad = _real_part(grad, node, index)
            grad = grad.astype(meta.dtype)
        return grad

    def fit_device(self, grad: Any, device: Device, node: Node, index: int) -> Any:
        here = device_of(grad)
        if here == device:
            return grad
        if grad.ndim:
            raise device_error(node, index, here, device)
        return to_device(grad, device)  # a number is moved

    def to_tensor(self, grad: Any) -> Tensor:
        return new_tensor(grad)

    def from_tensor(self, tensor: Any) -> Any:
        return tensor._array

    def zeros(self, meta: Meta) -> Any:
        return xp.zeros(meta.shape, meta.dtype)

    accumulate = staticmethod(leaf.accumulate_array)

    def retain(self, tensor: Tensor, grad: Any) -> None:
        earlier = tensor._grad  # a new object each time: the earlier one keeps its value
        array = as_array(grad)
        tensor._grad = new_tensor(
            array.copy() if earlier is None else self.add(earlier._array, array)
        )

    def has_nan(self, grad: Any) -> bool:
        grad = stored(grad)
        return bool((grad != grad).any())  # only a NaN differs from itself

    def explain(self, error: Exception, node: Node) -> None:
        explain_node(error, node)


class TensorDomain(ArrayDomain):
    """Gradients as Tensors: with create_graph=True the backward is recorded like a forward."""

    raw = False
    records = True

    def can_add_in_place(self, total: Any, grad: Any) -> bool:
        return False

    def fit(self, grad: Any, meta: Meta, node: Node, index: int) -> Any:
        array = grad._array
        if array.shape != meta.shape:
            if not layout.can_sum_to(array.shape, meta.shape):
                raise validation_error(node, index, array.shape, meta.shape)
            grad = grad.sum_to_size(meta.shape)
        if array.dtype != meta.dtype:
            if array.dtype.kind == "c" and meta.dtype.kind != "c":
                grad = _real_part(grad, node, index)
            grad = grad.to(from_numpy(meta.dtype))
        return grad

    def fit_device(self, grad: Any, device: Device, node: Node, index: int) -> Any:
        here = grad.device
        if here == device:
            return grad
        if grad.ndim:
            raise device_error(node, index, here, device)
        return grad.to(device)

    def to_tensor(self, grad: Any) -> Any:
        return grad

    def from_tensor(self, tensor: Any) -> Any:
        return tensor

    def zeros(self, meta: Meta) -> Any:
        return new_tensor(super().zeros(meta))

    @staticmethod
    def accumulate(variable: Tensor, grad: Any, borrowed: bool) -> tuple[str, str]:
        return leaf.accumulate_tensor(variable, grad)

    def retain(self, tensor: Tensor, grad: Any) -> None:
        tensor._grad = grad.clone() if tensor._grad is None else self.add(tensor._grad, grad)

    def has_nan(self, grad: Any) -> bool:
        return super().has_nan(grad._array)


def _real_part(grad: Any, node: Node, index: int) -> Any:
    """The gradient of a real operand of a complex operation; from a custom Function it is a mistake
    (F-65).
    """
    if node.wants_tensors:
        raise complex_error(node, index)
    return grad.real


class DualDomain(TensorDomain):
    """Gradients as Tensors that are not recorded, but may have tangents: the backward in forward mode."""

    records = False

    @staticmethod
    def accumulate(variable: Tensor, grad: Any, borrowed: bool) -> tuple[str, str]:
        """A leaf's `.grad` has no tangent, as in PyTorch."""
        return leaf.accumulate_array(variable, grad._array, True)


ARRAYS = ArrayDomain()
TENSORS = TensorDomain()
DUALS = DualDomain()
