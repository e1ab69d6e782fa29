"""Changes at a pause: of what waits at a node, of what it has saved, and of a leaf's values."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.backend import writeable
from vizgrad.core.arrays.chunks import kept_copy
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.saved import Freed, KeptSelf, SavedResult, bare
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.engines.api.abilities import Change
from vizgrad.debugger.engines.common.new_values import gradient_change
from vizgrad.debugger.engines.vizgrad.edit_effects import SavedEffect, WriteEffect
from vizgrad.debugger.engines.vizgrad.new_values import new_value

if TYPE_CHECKING:
    from vizgrad.core.engine.task import GraphTask
    from vizgrad.core.graph.node import Node
    from vizgrad.debugger.engines.vizgrad.steplog import StepLog


def put_grad(task: GraphTask, log: StepLog, node: Node, number: int, nr: int, value: Any) -> Change:
    """Of what waits at slot `nr` of a node. With create_graph the new one is a constant."""
    waiting: Any = task.buffers.get(node)
    if not 0 <= nr < node.outputs:
        raise ValueError(f"{node.name()} has {node.outputs} slots, there is none with number {nr}")
    grad = waiting if node.outputs == 1 or waiting is None else waiting[nr]
    if grad is None:
        raise ValueError(
            f"no gradient waits at {node.name()} (node {number}): go to where one has arrived"
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
    """Of what a node has saved: a tensor, or a number that its formula uses."""
    text = f"{name} of {node.name()}"
    if name in node.plain_names:
        before: Any = getattr(node, "_" + name)
        if type(before) not in (int, float) or not isinstance(value, int | float):
            raise ValueError(f"{text} is {before!r}: only a number can be changed, to a number")
        return Change(f"{text} = {value}", number, (SavedEffect(node, name, before, value),))
    values = node.saved_values()
    if name not in values or values[name] is None:
        known = ", ".join([*(n for n, v in values.items() if v is not None), *node.plain_names])
        raise ValueError(f"{node.name()} has saved no {name!r}, but {known or 'nothing'}")
    there = bare(values[name])
    if isinstance(there, Freed):
        raise ValueError(f"{text} is not there any more: the node has been run")
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
    """Of the memory of a leaf: what saved it computes with that, and no version is counted."""
    if not isinstance(node, AccumulateGrad):
        raise ValueError(f"{node.name()} (node {number}) is no leaf")
    tensor = node.variable
    if not writeable(tensor._array):
        raise ValueError(f"{label or 'this leaf'} is read-only memory")
    array, words = new_value(kept_copy(tensor._array)[0], value)
    effect = WriteEffect(tensor)
    tensor._array[...] = array
    effect.done()
    return Change(f"{label or 'leaf ' + str(number)} = {words}", number, (effect,))
