"""Elements by index. Beside one that differs between examples goes another: the example's number."""

from __future__ import annotations

from math import prod
from typing import Any

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import beside
from vizgrad.core.batching.rules import Call, rule
from vizgrad.core.batching.values import alike, filled, reshaped, unwrapped, with_ndim
from vizgrad.core.function.transform_tensor import stands_for_others
from vizgrad.core.ops import copying, indexing, select, shape
from vizgrad.core.ops.constants import constant, zeros_beside
from vizgrad.core.ops.indices import Indices
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor

# --- x[i, j] -------------------------------------------------------------------------------------------


class Places:
    """The advanced index of one example, for the batch.

    The dimensions that are indexed are moved to the front, behind that of the batch: then the result has the
    index's dimensions first, and after them the others. `before` and `after` undo that.
    """

    def __init__(self, call: Call, indices: Indices, ndim: int, of_source: bool) -> None:
        tensors = [
            (None, False) if t is None else unwrapped(call.level, t) for t in indices.tensors
        ]
        numbers: list[tuple[int, Tensor, bool]] = []
        dim = 0
        for tensor, batched in tensors:
            if tensor is None:
                dim += 1
                continue
            if tensor._array.dtype.kind != "b":
                numbers.append((dim, tensor, batched))
                dim += 1
                continue
            if batched:
                raise dynamic("indexing with a boolean mask")
            for found in tensor._array.nonzero():
                numbers.append((dim, new_tensor(found), False))
                dim += 1
            if not tensor.ndim:
                raise dynamic("indexing with a boolean mask")
        self.level, self.size = call.level, call.size
        self.of_source = of_source
        #: Dimensions of one example that are indexed, and the others.
        self.dims = [dim for dim, _, _ in numbers]
        self.others = [dim for dim in range(ndim) if dim not in self.dims]
        self.width = max([t.ndim - b for _, t, b in numbers])
        self.of_index = any(batched for _, _, batched in numbers)
        # numpy puts the index's dimensions where the first indexed one was, if they lie together
        together = self.dims == list(range(self.dims[0], self.dims[-1] + 1)) and _beside(indices)
        self.first = self.dims[0] if together else 0
        self.tensors = [self._laid(tensor, batched) for _, tensor, batched in numbers]

    def _laid(self, tensor: Tensor, batched: bool) -> Tensor:
        if not batched:
            return tensor
        return reshaped(
            tensor, self.size, *(1,) * (self.width - tensor.ndim + 1), *tensor.shape[1:]
        )

    def indices(self) -> Indices:
        """For a source in the order of `front`."""
        if not self.of_source:
            return Indices(self.tensors)
        if not self.of_index:
            return Indices([None, *self.tensors])
        like = self.tensors[0]._array
        rows = beside(like, xp.arange(self.size).reshape(self.size, *(1,) * self.width))
        return Indices([new_tensor(rows), *self.tensors])

    def front(self, source: Tensor) -> Tensor:
        """The source with the indexed dimensions first, after that of the batch."""
        front = shape.permute.record(source, dims=self._order())
        return front if self.of_source else alike(self.level, front)

    def back(self, source: Tensor) -> Tensor:
        """Undoes `front`."""
        return shape.permute.record(source, dims=shape.inverse_order(self._order()))

    def _order(self) -> tuple[int, ...]:
        shift = int(self.of_source)
        return (*range(shift), *(d + shift for d in (*self.dims, *self.others)))

    def _result_order(self) -> tuple[int, ...]:
        """(batch, index's, others) as one example has them."""
        before = sum(dim < self.first for dim in self.others)
        index = range(1, 1 + self.width)
        others = range(1 + self.width, 1 + self.width + len(self.others))
        return (0, *others[:before], *index, *others[before:])

    def as_example(self, result: Tensor) -> Tensor:
        """The values found at `indices`, in the order of one example's result."""
        return shape.permute.record(result, dims=self._result_order())

    def as_found(self, values: Tensor) -> Tensor:
        """Undoes `as_example`, for values to be put there."""
        return shape.permute.record(values, dims=shape.inverse_order(self._result_order()))


def _beside(indices: Indices) -> bool:
    """Is there nothing between the index tensors?"""
    given = [place for place, t in enumerate(indices.tensors) if t is not None]
    return given[-1] - given[0] + 1 == len(given)


def dynamic(what: str) -> RuntimeError:
    """The error for results whose shape depends on elements."""
    return wrong_call(
        RuntimeError(
            f"vmap: We do not support batching operators that can output dynamic shape: {what} gives as many "
            "elements as there are True ones, which differ between examples."
        ),
        "use vizgrad.where, or do it outside of vmap",
    )


@rule("index")
def index(call: Call, *, indices: Indices) -> Any:
    (source,), (batched,) = call.values, call.batched
    places = Places(call, indices, source.ndim - batched, batched)
    found = _recorded(indexing.index, places, source)
    return places.as_example(filled(found, batched or places.of_index, call.size))


@rule("index_put")
def index_put(call: Call, *, indices: Indices, accumulate: bool) -> Any:
    source = filled(call.values[0], call.batched[0], call.size)
    places = Places(call, indices, source.ndim - 1, of_source=True)
    values = _values(call, places, source)
    return places.back(_recorded(indexing.index_put, places, source, values, accumulate=accumulate))


def _recorded(op: Any, places: Places, source: Tensor, *values: Tensor, **attributes: Any) -> Any:
    """`op` at these places of the source; a vmap further out, of which only an index may be, is told."""
    indices = places.indices()
    front = indices.seen_by_levels(places.front(source))
    return op.record(front, *values, indices=indices, **attributes)


def _values(call: Call, places: Places, source: Tensor) -> Tensor:
    """The values to put, in the order in which they are found."""
    values = filled(call.values[1], call.batched[1], call.size)
    width = xp.broadcast_shapes(*[t.shape for t in places.tensors])
    index_shape = tuple(width[1:]) if places.of_index else tuple(width)
    other = [source.shape[1 + d] for d in places.others]
    before = sum(d < places.first for d in places.others)
    sizes = (*other[:before], *index_shape, *other[before:])
    while values.ndim - 1 < len(sizes):
        values = shape.unsqueeze.record(values, dim=1)
    while values.ndim - 1 > len(sizes):
        if values.shape[1] != 1:
            raise RuntimeError(
                f"shape mismatch: value tensor of shape {list(values.shape[1:])} cannot be broadcast to "
                f"indexing result of shape {list(sizes)}"
            )
        values = shape.squeeze_dim.record(values, dim=1)
    return places.as_found(shape.expand.record(values, shape=(call.size, *sizes)))


@rule("index_add_into")
def index_add_into(call: Call, *, indices: Indices, shape: Any) -> Any:
    zeros = zeros_beside(call.values[0], (call.size, *shape))
    whole = call.of(indexing.index_put, (zeros, *call.values), (True, *call.batched))
    return index_put(whole, indices=indices, accumulate=True)


@rule("index_zero")
def index_zero(call: Call, *, indices: Indices) -> Any:
    source = filled(call.values[0], call.batched[0], call.size)
    places = Places(call, indices, source.ndim - 1, of_source=True)
    return places.back(_recorded(indexing.index_zero, places, source))


# --- along one dimension -------------------------------------------------------------------------------


@rule("gather", "spread", "scatter", "scatter_number", "scatter_add", "scatter_reduce")
def along(call: Call, *, dim: int, **attributes: Any) -> Any:
    """The operands have as many dimensions as each other: they become batches, all of them."""
    values = [filled(v, b, call.size) for v, b in zip(call.values, call.batched, strict=True)]
    scalar = attributes.get("shape") == () or ("shape" not in attributes and values[0].ndim == 1)
    values = [shape.unsqueeze.record(v, dim=1) if v.ndim == 1 else v for v in values]
    if "shape" in attributes:
        attributes["shape"] = (call.size, *(attributes["shape"] or (1,)))
    found = call.op.record(*values, dim=dim + 1, **attributes)
    if call.op.name == "gather":
        return reshaped(found, *filled(call.values[1], call.batched[1], call.size).shape)
    return shape.squeeze_dim.record(found, dim=1) if scalar else found


@rule("combinations")
def combinations(call: Call, *, size: int, with_replacement: bool) -> Any:
    value = call.values[0]
    places = indexing.chosen_places(value.shape[1], size, with_replacement)
    found = indexing.index_select.record(value, constant(places.reshape(-1), value), dim=1)
    return reshaped(found, call.size, *places.shape)


@rule("index_select", "index_spread")
def index_select(call: Call, *, dim: int, **attributes: Any) -> Any:
    (source, index), (of_source, of_index) = call.values, call.batched
    sizes = attributes.get("shape")
    ndim = source.ndim - of_source
    if ndim == 0:
        source, flat = filled(source, of_source, call.size), filled(index, of_index, call.size)
        if sizes is not None:
            return reshaped(source, call.size, *sizes)
        return reshaped(source, *flat.shape) if flat.ndim < 2 else source
    if not of_index:
        if sizes is not None:
            attributes["shape"] = (call.size, *sizes)
        return call.op.record(source, index, dim=dim + 1, **attributes)
    source = filled(source, of_source, call.size)
    if sizes is None:
        return indexing.gather.record(source, _spread_out(index, source, dim), dim=dim + 1)
    return indexing.spread.record(
        source, _spread_out(index, source, dim), dim=dim + 1, shape=(call.size, *sizes)
    )


def _spread_out(index: Tensor, like: Tensor, dim: int) -> Tensor:
    """A batch of index vectors, as indices for each element of slices of `like`."""
    index = reshaped(index, index.shape[0], prod(index.shape[1:]))
    index = copying.converted(index, xp.dtype("int64"))
    length = like.shape[dim + 1]
    index = select.where.record(index + length, index, index.lt(0))  # counted from the end
    count = index.shape[1]
    ones = [1] * (like.ndim - 1)
    ones[dim] = count
    sizes = [*like.shape]
    sizes[dim + 1] = count
    return shape.expand.record(reshaped(index, index.shape[0], *ones), shape=tuple(sizes))


@rule("index_add", "index_copy")
def index_add(call: Call, *, dim: int, **attributes: Any) -> Any:
    values = list(call.values)
    of_index = call.batched[1]
    for place in (0, 2):
        values[place] = filled(values[place], call.batched[place], call.size)
    target, index, source = values
    if target.ndim == 1:
        wide = [shape.unsqueeze.record(v, dim=1) if v.ndim == 1 else v for v in (target, source)]
        inner = call.of(call.op, (wide[0], index, wide[1]), (True, of_index, True))
        return shape.squeeze_dim.record(index_add(inner, dim=0, **attributes), dim=1)
    if source.ndim < target.ndim:
        source = shape.unsqueeze.record(source, dim=dim + 1)
    if not of_index:
        return call.op.record(target, index, source, dim=dim + 1, **attributes)
    places = _spread_out(index, source, dim)
    alpha = attributes.get("alpha", 1)
    if call.op.name == "index_copy":
        return indexing.scatter.record(target, places, source, dim=dim + 1)
    source = source if alpha == 1 else source * alpha
    return indexing.scatter_add.record(target, places, source, dim=dim + 1)


@rule("index_fill")
def index_fill(call: Call, *, dim: int, value: Any) -> Any:
    target = filled(call.values[0], call.batched[0], call.size)
    index = call.values[1]
    if target.ndim == 1:
        wide = shape.unsqueeze.record(target, dim=1)
        inner = call.of(call.op, (wide, index), (True, call.batched[1]))
        return shape.squeeze_dim.record(index_fill(inner, dim=0, value=value), dim=1)
    if not call.batched[1]:
        return call.op.record(target, index, dim=dim + 1, value=value)
    places = _spread_out(index, target, dim)
    return indexing.scatter_number.record(target, places, dim=dim + 1, value=value)


@rule("index_fill_tensor")
def index_fill_tensor(call: Call, *, dim: int) -> Any:
    target = filled(call.values[0], call.batched[0], call.size)
    index = call.values[1]
    if target.ndim == 1:
        wide = shape.unsqueeze.record(target, dim=1)
        inner = call.of(call.op, (wide, index, call.values[2]), (True, *call.batched[1:]))
        return shape.squeeze_dim.record(index_fill_tensor(inner, dim=0), dim=1)
    if not any(call.batched[1:]):
        return call.op.record(target, *call.values[1:], dim=dim + 1)
    places = _spread_out(filled(index, call.batched[1], call.size), target, dim)
    value = filled(
        copying.converted(call.values[2], target._array.dtype), call.batched[2], call.size
    )
    value = reshaped(value, call.size, *(1,) * (target.ndim - 1))
    none = target.new_zeros(target.shape, dtype=dtypes.bool_)
    named = indexing.scatter_number.record(none, places, dim=dim + 1, value=True)
    return select.where.record(value, target, named)  # what is named twice is written once


# --- in C order ----------------------------------------------------------------------------------------


def _flat(value: Tensor) -> Tensor:
    return reshaped(value, value.shape[0], prod(value.shape[1:]))


@rule("take_flat")
def take_flat(call: Call) -> Any:
    source = _flat(filled(call.values[0], call.batched[0], call.size))
    index = filled(call.values[1], call.batched[1], call.size)
    found = indexing.gather.record(source, _counted(_flat(index), source), dim=1)
    return reshaped(found, *index.shape)


@rule("put_flat")
def put_flat(call: Call, *, shape: Any) -> Any:
    values = _flat(filled(call.values[0], call.batched[0], call.size))
    index = _flat(filled(call.values[1], call.batched[1], call.size))
    count = prod(shape)
    whole = indexing.spread.record(
        values, _counted(index, values, count), dim=1, shape=(call.size, count)
    )
    return reshaped(whole, call.size, *shape)


def _counted(index: Tensor, source: Tensor, count: int | None = None) -> Tensor:
    """Element numbers counted from the start."""
    return index.remainder(source.shape[1] if count is None else count)


@rule("masked_scatter")
def masked_scatter(call: Call) -> Any:
    """Where the mask holds for the n-th time in an example there is the n-th element of its source."""
    target, mask, source = (
        filled(v, b, call.size) for v, b in zip(call.values, call.batched, strict=True)
    )
    ndim = max(target.ndim, mask.ndim) - 1
    target, mask = with_ndim(target, ndim), with_ndim(mask, ndim)
    sizes = tuple(xp.broadcast_shapes(target.shape, mask.shape))
    mask = shape.expand.record(mask, shape=sizes)
    source = _flat(source)
    if not source.shape[1]:  # an element to read, where none is taken
        source = source.new_zeros((call.size, 1))
    held = _flat(mask)
    _enough(call, held, prod(call.values[2].shape[call.batched[2] :]))
    nth = held.cumsum(1) - 1
    found = indexing.gather.record(source, nth.clamp(0, source.shape[1] - 1), dim=1)
    return select.where.record(
        reshaped(found, *sizes), shape.expand.record(target, shape=sizes), mask
    )


def _enough(call: Call, held: Tensor, given: int) -> None:
    plain: Any = held
    while stands_for_others(plain):
        plain = plain.value
    wanted = int(plain._array.sum(-1).max()) if plain._array.size else 0
    if wanted > given:
        raise wrong_call(
            RuntimeError(
                "masked_scatter: expected self and source to have enough elements: "
                f"{wanted} are wanted, source has {given}"
            ),
            "give a source with an element for each True of the mask",
        )


@rule("masked_select", "masked_put")
def masked(call: Call) -> Any:
    (source, mask), (_, of_mask) = call.values, call.batched
    if of_mask:
        raise dynamic("masked_select")
    places = new_tensor(mask._array.reshape(-1).nonzero()[0])
    if call.op.name == "masked_select":
        return indexing.index_select.record(_flat(source), places, dim=1)
    whole = indexing.index_spread.record(source, places, dim=1, shape=(call.size, prod(mask.shape)))
    return reshaped(whole, call.size, *mask.shape)
