"""Recording by hand, for operations with any number of inputs or outputs (`cat`, `split`).

An operation with one output and named inputs is declared as a `primitive` instead.

Operations with several results that are one node, each result having a derivative of its own (X-12).

They are declared by naming the primitives that give the results. The gradient is the sum of what their
formulas give for the results at which something arrived.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any, ClassVar

from vizgrad.core.arrays.backend import DEVICES, elsewhere
from vizgrad.core.function.compile_node import save_result
from vizgrad.core.function.declared import formula_parameters
from vizgrad.core.function.primitive import Primitive
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.function.typing import refuse_complex
from vizgrad.core.graph.edges import cut_off, edge_of
from vizgrad.core.graph.node import Edge, Meta, Node
from vizgrad.core.graph.saved import unpack_array, unpack_tensor
from vizgrad.core.ops.constants import zeros_beside
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.modes import GUARD, MODES, noted
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import RESULT, Tensor, new_tensor


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

    To be called when the saved values are in place: the listeners for new nodes read them.
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

    def combine(self, grads: Sequence[Any]) -> tuple[Any, ...]:
        """One gradient per edge."""
        raise NotImplementedError

    def run(self, grad: Any) -> tuple[Any, ...]:
        return self._run([grad])  # a split into one piece

    def run_all(self, grads: list[Any]) -> tuple[Any, ...]:
        return self._run(grads)

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        return self._run(grads)

    def _run(self, grads: Sequence[Any]) -> tuple[Any, ...]:
        for grad in grads:
            if grad is None:
                break
        else:  # the usual case: something arrived everywhere
            return self.combine(grads)
        given = next((g for g in grads if g is not None), None)
        if given is None:
            return (None,) * len(self.edges)
        return self.combine(
            [
                zeros_beside(given, meta.shape) if g is None else g
                for g, meta in zip(grads, self.metas, strict=True)
            ]
        )


# Operations with several results that are one node, each result having a derivative of its own.


class Several(ManyOutputs):
    """The backward of the results that `parts` give of one tensor."""

    __slots__ = ("_result0", "_result1", "_self", "attributes")

    input_names = ("self",)
    parts: ClassVar[tuple[Primitive, ...]]

    attributes: dict[str, Any]

    def run_all(self, grads: list[Any]) -> tuple[Any, ...]:
        return self._sum(grads, unpack_array)

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        return self._sum(grads, unpack_tensor)

    def _sum(self, grads: Any, unpack: Any) -> tuple[Any, ...]:
        arrived = [(nr, grad) for nr, grad in enumerate(grads) if grad is not None]
        saved = {name: unpack(self, name) for name in self.saved_names} if arrived else {}
        slopes = [self._slope(nr, grad, saved) for nr, grad in arrived]
        defined = [slope for slope in slopes if slope is not None]
        return (reduce(add, defined) if defined else None,)

    def _slope(self, nr: int, grad: Any, saved: dict[str, Any]) -> Any:
        known = {"grad": grad, "result": saved.get(f"result{nr}"), "self_meta": saved["self"]}
        known |= saved | self.attributes
        formula = self.parts[nr].formulas["self"]
        return formula(*(known[name] for name in formula_parameters(formula)))

    def release(self, token: object) -> None:
        for name in self.saved_names:
            setattr(self, "_" + name, token)


def several(node_name: str, *parts: Primitive) -> type[Several]:
    """The class of the nodes of one operation that gives the results of `parts`, in this order."""
    results = [
        f"result{nr}"
        for nr, part in enumerate(parts)
        if "result" in formula_parameters(part.formulas["self"])
    ]
    body = {"__slots__": (), "parts": parts, "saved_names": ("self", *results)}
    return type(node_name, (Several,), body)


def record(node_class: type[Several], source: Tensor, **attributes: Any) -> tuple[Tensor, ...]:
    """The results for `source`; a part gets those of the attributes that it takes."""
    if DEVICES.several and (place := elsewhere(source)) is not None:
        with place:
            return record(node_class, source, **attributes)
    if source.__class__ is Wrapped:
        return tuple(
            part.record(source, **{name: attributes[name] for name in part.attributes})
            for part in node_class.parts
        )
    for part in node_class.parts:
        if part.real_only and source._array.dtype.kind == "c":
            raise refuse_complex(part, source._array)
    arrays = [
        part.forward(source._array, **{name: attributes[name] for name in part.attributes})
        for part in node_class.parts
    ]
    return recorded(node_class, source, arrays, attributes)


def recorded(
    node_class: type[Several], source: Tensor, arrays: Sequence[Any], attributes: dict[str, Any]
) -> tuple[Tensor, ...]:
    """The same for results that are known already."""
    outputs = tuple(map(new_tensor, arrays))
    edges = edges_of((source,))
    if edges is not None:
        node: Any = object.__new__(node_class)
        node.outputs = len(outputs)
        node.metas = tuple(Meta(out._array.shape, out._array.dtype) for out in outputs)
        node.attributes = attributes
        node._self = source
        for nr, out in enumerate(outputs):
            if f"result{nr}" in node_class.saved_names:
                saved = save_result(out)
                saved.output_nr = nr
                setattr(node, f"_result{nr}", saved)
        start(node, edges, outputs[0]._array)
        produced_by(node, outputs)
    if DUALS.on:
        DUALS.by_hand.carry_parts(node_class.parts, source, outputs, attributes)
    return outputs
