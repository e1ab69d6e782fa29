"""Along which dimensions of what nodes have computed the examples of vmaps lie.

Where the result of an operation lies was noted when it became a batch (`vizgrad.core.batching.values`):
in front. On the way a rule moves it: it joins another dimension, or goes behind one. From a result that
follows for what it was computed of, node by node; so it is only computed when a view shows the graph.

A batch is a digit of the number of an element in C order: its place is the dimension, and how many elements
of it belong to one example (`rows`). A new shape changes the dimension, not the digit.
"""

# Attributes that a node has saved are hidden from users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.modes import BatchedScope, Mark, Scope
from vizgrad.debugger.model import Batch

Shape = tuple[int, ...]


class Place(NamedTuple):
    """Where the examples of one vmap lie: along dimension `dim`, each being so many `rows` of it."""

    mark: Mark
    dim: int
    rows: int = 1


#: By slot of a node.
Places = dict[int, list[Place]]
Found = dict[Node, Places]


def batches_of(node: Node, slot: int, found: Found) -> tuple[Batch, ...]:
    """The batch dimensions of a node: in the order of the vmaps, the outermost first."""
    places = sorted(found.get(node, {}).get(slot, ()), key=lambda place: place.mark.number)
    return tuple(Batch(place.dim, place.mark.size, place.rows) for place in places)


def find(nodes: Sequence[Node]) -> Found:
    """For the nodes of a graph, each before what it was computed of."""
    found: Found = {}
    for node in nodes:
        scope = node.scope
        if isinstance(scope, BatchedScope):
            for slot in range(node.outputs):
                for number, mark in enumerate(scope.marks):
                    dim = number if mark.dim < 0 else mark.dim
                    _note(found, node, slot, Place(mark, dim, mark.rows))
        if node in found and not (isinstance(scope, BatchedScope) and scope.closed):
            _hand_on(node, found)
    return found


def _note(found: Found, node: Node, slot: int, place: Place) -> None:
    places = found.setdefault(node, {}).setdefault(slot, [])
    if all(known.mark.frame is not place.mark.frame for known in places):
        places.append(place)


def _hand_on(node: Node, found: Found) -> None:
    """Says of the operands of a node, as far as rules have computed them on their way, where batches lie."""
    for slot, places in found[node].items():
        shape = node.meta(slot).shape
        for number, (target, nr) in enumerate(node.next_edges):
            if target is None or shape is None or (of := target.meta(nr).shape) is None:
                continue
            for place in places:
                if not _is_step(target, place.mark):
                    continue
                moved = _before(node, number, place, tuple(shape), tuple(of))
                if moved is not None:
                    _note(found, target, nr, moved)


def _is_step(node: Node, mark: Mark) -> bool:
    """Was it recorded within a vmap, and is not itself a result there, of which it is known?"""
    scope: Scope | None = node.scope
    if isinstance(scope, BatchedScope):
        if scope.knows(mark):
            return False
        scope = scope.around
    while scope is not None:
        if scope is mark.frame:
            return True
        scope = scope.parent
    return False


def _before(node: Node, number: int, place: Place, shape: Shape, of: Shape) -> Place | None:
    """Where in operand `number`, of shape `of`, a batch lies that is at `place` in the result; or None."""
    if place.mark.size == 0:
        return None
    op = getattr(node, "op", None)
    name = node.input_names[number] if number < len(node.input_names) else ""
    if op is None and node.name() == "StackBackward0":
        return _unstacked(place, node)
    if op is None:
        return None if node.wants_tensors else _in_front(place, shape, of)
    if op.name in _MOVED:
        return place._replace(dim=_MOVED[op.name](node, len(shape))[place.dim])
    if op.name in _SAME_ORDER:
        return _by_digit(place, shape, of)
    if op.name in _ROWS_AND_COLUMNS:
        rows, columns = _ROWS_AND_COLUMNS[op.name]
        wanted = {0: rows, 1: columns}.get(place.dim)
        return _at(place, place.dim, shape, of) if name == wanted else None
    if op.name in _TABLES:
        return None
    if op.name in _CHANNELS:
        return _by_channels(op.name, name, place, shape, of)
    if op.name == "expand" or "pointwise" in op.structure:
        dim = place.dim - (len(shape) - len(of))
        return place._replace(dim=dim) if dim >= 0 and of[dim] == shape[place.dim] else None
    return (
        _at(place, place.dim, shape, of)
        if op.name in _ALWAYS_IN_FRONT
        else _in_front(place, shape, of)
    )


def _unstacked(place: Place, node: Any) -> Place | None:
    """The place in the parts of a stack; the examples of a loop have been stacked themselves."""
    if place.dim == node._dim:
        return None
    return place._replace(dim=place.dim - (place.dim > node._dim))


def _in_front(place: Place, shape: Shape, of: Shape) -> Place | None:
    """Operations on examples leave what lies before them where it is; what has fewer dimensions than the
    result is the same for all.
    """
    return _at(place, place.dim, shape, of) if len(of) >= len(shape) else None


def _at(place: Place, dim: int, shape: Shape, of: Shape) -> Place | None:
    """Along dimension `dim` of the operand, in as many parts as along its own in the result."""
    if dim >= len(of) or not shape[place.dim]:
        return None
    rows, rest = divmod(place.rows * of[dim], shape[place.dim])
    return None if rest else Place(place.mark, dim, rows)


def _by_digit(place: Place, shape: Shape, of: Shape) -> Place | None:
    """The same digit of the number of an element under another shape."""
    if shape == of:
        return place
    size = place.mark.size
    weight = place.rows * prod(shape[place.dim + 1 :])
    if not weight or prod(of) != prod(shape):
        return None
    for dim, length in enumerate(of):
        behind = prod(of[dim + 1 :])
        if length == size and behind == weight:
            return Place(place.mark, dim)
        if length == 1 or not behind:
            continue
        rows, rest = divmod(weight, behind)
        if rows and not rest and length % (rows * size) == 0:
            return Place(place.mark, dim, rows)
    return None


def _by_channels(op: str, name: str, place: Place, shape: Shape, of: Shape) -> Place | None:
    """A dimension that has joined the images has joined those of the operand; one that has joined
    the channels: those, and the filters.
    """
    if name == "input":
        return _at(place, place.dim, shape, of)
    if op == "convolution_weight":
        return _at(place, 1, shape, of)
    return _at(place, 0, shape, of) if place.dim == 1 else None


# --- what operations do with dimensions ---------------------------------------------------------------------


def _permuted(node: Any, ndim: int) -> Sequence[int]:
    return [dim % ndim for dim in node._dims]


def _exchanged(node: Any, ndim: int) -> Sequence[int]:
    order = [*range(ndim)]
    a, b = node._dim0, node._dim1
    order[a], order[b] = order[b], order[a]
    return order


#: For each dimension of the result, which of the operand it is.
_MOVED: dict[str, Callable[[Any, int], Sequence[int]]] = {
    "permute": _permuted,
    "transpose": _exchanged,
    "t": lambda _, ndim: range(ndim)[::-1],
}
#: The same elements in the same order.
_SAME_ORDER = frozenset({
    "view", "unsafe_view", "unsqueeze", "squeeze_all", "squeeze_dim", "squeeze_dims", "drop_dim", "alias",
    "clone", "clone_in", "contiguous_copy", "to_copy", "to_copy_in",
})  # fmt: skip
#: The operand that has the rows of the result, and that which has its columns.
_ROWS_AND_COLUMNS = {
    "mm": ("self", "mat2"),
    "mm_t": ("self", "mat2"),
    "addmm": ("mat1", "mat2"),
    "addmm_t": ("mat1", "mat2"),
    "sparse_mm": ("self", "mat2"),
    "mv": ("self", ""),
}
_CHANNELS = frozenset({
    "convolution", "convolution_transpose", "convolution_weight", "batch_norm", "batch_norm_fixed",
})  # fmt: skip
#: Whose operands are all batches, however many dimensions they have.
_ALWAYS_IN_FRONT = frozenset({
    "index", "index_put", "index_zero", "index_add_into", "fold_windows", "unfold_windows",
    "select_scatter", "slice_scatter", "diagonal_scatter", "householder_product", "ormqr",
})  # fmt: skip
#: One table is like a batch of them, of which a rule makes a single one: that is noted there.
_TABLES = frozenset({"embedding", "embedding_take", "embedding_sparse"})
