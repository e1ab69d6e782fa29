"""Changes at a pause: of what waits at a node, of what it has saved, and of a leaf's values."""

# Underscored slots of a tensor are hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.arrays.backend import on_device_of, writeable
from vizgrad.core.arrays.chunks import kept_copy
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.layout import empty_like_strides
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.saved import Freed, KeptSelf, SavedResult, bare, is_absent
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.engines.api.abilities import Change
from vizgrad.debugger.engines.common import new_values
from vizgrad.debugger.engines.common.new_values import gradient_change
from vizgrad.debugger.engines.vizgrad.effects import SavedEffect, WriteEffect

if TYPE_CHECKING:
    from vizgrad.core.engine.task import GraphTask
    from vizgrad.core.graph.node import Node
    from vizgrad.debugger.engines.vizgrad.steplog import StepLog


class ArrayFitting:
    """See `vizgrad.debugger.engines.common.new_values.Fitting`."""

    def is_sparse(self, there: Any) -> bool:
        return is_sparse(there)

    @quiet
    def fit(self, given: Any, there: Any) -> Any:
        with no_grad():
            tensor = given if isinstance(given, Tensor) else _tensor(given, there)
            if tensor._array.dtype.kind == "c" and there.dtype.kind != "c":
                raise ValueError(new_values.COMPLEX)
            made = empty_like_strides(there, there)
            made[...] = tensor.to(new_tensor(there).device)._array
            return made


def new_value(there: Any, value: Any) -> tuple[Any, str]:
    """See `vizgrad.debugger.engines.common.new_values.new_value`."""
    with on_device_of(there):
        return new_values.new_value(ArrayFitting(), there, value)


def _tensor(value: Any, there: Any) -> Tensor:
    from vizgrad.core.ops.public.from_values import tensor

    made = tensor(value)
    like = new_tensor(there)
    return made.to(like.device, like.dtype) if isinstance(value, int | float) else made


def put_grad(task: GraphTask, log: StepLog, node: Node, number: int, nr: int, value: Any) -> Change:
    """Replaces the gradient that waits at slot `nr` of a node. With create_graph the new one is a
    constant.
    """
    waiting: Any = task.buffers.get(node)
    if not 0 <= nr < node.outputs:
        raise ValueError(f"{node.name()} has {node.outputs} slots, there is none with number {nr}")
    grad = waiting if node.outputs == 1 or waiting is None else waiting[nr]
    if grad is None:
        raise ValueError(
            f"no gradient has arrived at {node.name()} yet: go to where one has arrived"
        )
    tensor = isinstance(grad, Tensor)
    array, words = new_value(grad._array if tensor else grad, value)
    made = new_tensor(array) if tensor else array
    if node.outputs == 1:
        task.buffers[node] = made
    else:
        task.buffers[node][nr] = made
    task.borrowed.add(node)
    summary = log.put(number, nr, array).summary
    return gradient_change(node.name(), number, nr, node.outputs, words, summary)


def put_saved(node: Node, number: int, name: str, value: Any) -> Change:
    """Replaces a saved value of a node: a tensor, or a number that its formula uses."""
    text = f"{name} of {node.name()}"
    if name in node.plain_names:
        before: Any = getattr(node, "_" + name)
        if type(before) not in (int, float) or not isinstance(value, int | float):
            raise ValueError(f"{text} is {before!r}: only a number can be changed, to a number")
        return Change(f"{text} = {value}", number, (SavedEffect(node, name, before, value),))
    values = {n: v for n, v in node.saved_values().items() if v is not None and not is_absent(v)}
    if name not in values:
        known = ", ".join([*values, *node.plain_names])
        raise ValueError(f"{node.name()} has saved no {name!r}; it has saved: {known or 'nothing'}")
    there = bare(values[name])
    if isinstance(there, Freed):
        raise ValueError(f"{text} is released: the node has run")
    if isinstance(there, Tensor | SavedResult | KeptSelf):
        array, words = new_value(there._array, value)
    else:
        raise ValueError(f"{text} cannot be changed: it is kept as {type(there).__name__}")
    made: Any = new_tensor(array)
    if isinstance(there, SavedResult):
        made = SavedResult(array, made._storage, there.output_nr)
    elif isinstance(there, KeptSelf):
        made = KeptSelf(array, there.edge)
    return Change(f"{text} = {words}", number, (SavedEffect(node, name, values[name], made),))


def put_leaf(node: Node, number: int, label: str, value: Any) -> Change:
    """Writes to the memory of a leaf: nodes that saved it compute with the new values, and no version
    is counted.
    """
    if not isinstance(node, AccumulateGrad):
        raise ValueError(f"{node.name()} is no leaf")
    tensor = node.variable
    if not writeable(tensor._array):
        raise ValueError(f"{label or 'this leaf'} is read-only memory")
    array, words = new_value(kept_copy(tensor._array)[0], value)
    effect = WriteEffect(tensor)
    with on_device_of(tensor._array):
        tensor._array[...] = array
    effect.done()
    return Change(f"{label or f'leaf {list(tensor.shape)}'} = {words}", number, (effect,))
