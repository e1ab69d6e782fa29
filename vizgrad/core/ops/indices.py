"""The index in the brackets of `x[...]`, taken apart (spec 06 C).

Integers, slices, None and `...` are views, done one after the other as PyTorch does; what is left are
index tensors and masks, which make one copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside, is_array
from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.errors import place_of, warn_once, warn_outside
from vizgrad.core.function.transform_tensor import Wrapped, innermost
from vizgrad.core.ops import shape as shape_ops
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor, new_tensor

_FULL = slice(None, None, None)


#: PyTorch takes only shorter lists as tuples.
_TUPLE_LIMIT = 32


class Indices:
    """Index tensors, one for each dimension from the first on; None where all is taken.

    `key` is the same for numpy. `unique`: no element is named twice (there are only masks).
    """

    __slots__ = ("key", "tensors", "unique")

    def __init__(self, tensors: Sequence[Tensor | None]) -> None:
        self.tensors = tuple(tensors)
        self.key = tuple([_FULL if t is None else t._array for t in self.tensors])
        self.unique = all(k is _FULL or k.dtype.kind == "b" for k in self.key)

    def seen_by_levels(self, source: Tensor) -> Tensor:
        """`source`, wrapped if an index is: operations find their level by their operands."""
        for tensor in self.tensors:
            if tensor.__class__ is Wrapped:
                level = innermost((source, *self.tensors))
                return source if level is None else level.lift(source)
        return source

    def __repr__(self) -> str:
        return f"Indices({', '.join(':' if k is _FULL else str(k.shape) for k in self.key)})"


class Parsed(NamedTuple):
    """`view` after all basic steps; `indices` is None when there are no advanced ones."""

    view: Tensor
    indices: Indices | None


# One branch for each kind of index: together they are the rule.
def parse(source: Tensor, key: Any, *, alias: bool = True) -> Parsed:  # noqa: C901
    """Does the basic steps of `source[key]`; IndexError for what is no index, or out of range.

    When there is nothing to do, the view is an alias of `source`, or itself without `alias`.
    """
    if key.__class__ is int:
        return Parsed(_select(source, 0, key), None)
    if key.__class__ is slice:
        # a write to everything is one to `source`, whose history has no view then (a read gives a view)
        return Parsed(_slice(source, 0, key, among_others=not alias), None)
    if key.__class__ is list and any(e is None or e is ... or isinstance(e, slice) for e in key):
        key = tuple(key)  # it can mean nothing else
    elif key.__class__ is list and 0 < len(key) < _TUPLE_LIMIT:
        _warn_of_nested(key)
    entries = key if isinstance(key, tuple) else (key,)
    entries = tuple([_entry(e) for e in entries])
    view, dim = source, 0
    advanced: dict[int, Tensor] = {}
    covered = sum(_dims_covered(e) for e in entries)
    if covered > source._array.ndim:
        if source._array.ndim == 0:
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert it "
                "to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {source._array.ndim}")
    for entry in entries:
        if entry is Ellipsis:
            dim += source._array.ndim - covered
        elif entry is None:
            view = shape_ops.unsqueeze(view, dim=dim)
            dim += 1
        elif isinstance(entry, bool):
            view = shape_ops.unsqueeze(view, dim=dim)
            places = xp.zeros(int(entry), xp.int64)  # True takes all of the new dimension
            advanced[dim] = new_tensor(beside(source._array, places))
            dim += 1
        elif isinstance(entry, INTS):
            view = _select(view, dim, entry)
        elif isinstance(entry, slice):
            if entry != _FULL:
                view = _slice(view, dim, entry, among_others=True)
            dim += 1
        else:
            advanced[dim] = index = index_beside(source, entry)
            array = index._array
            if array.dtype.kind == "b":
                check_mask(array.shape, view._array.shape, dim)
            dim += array.ndim if array.dtype.kind == "b" else 1
    if not advanced:
        if view is source and alias:
            view = shape_ops.alias(view)
        return Parsed(view, None)
    indices: list[Tensor | None] = []
    position = 0
    last = max(advanced)
    while position <= last:
        found = advanced.get(position)
        indices.append(found)
        mask = None if found is None or found._array.dtype.kind != "b" else found._array
        position += 1 if mask is None else max(mask.ndim, 1)
    return Parsed(view, Indices(indices))


def _warn_of_nested(key: list[Any]) -> None:
    """A list of lists is one index tensor, as in numpy; PyTorch still takes it as a tuple (T-24)."""
    if not any(isinstance(e, (Tensor, list, tuple, range)) or is_array(e) for e in key):
        return
    place = place_of(caller())
    warn_once(
        (f"{place}: " if place else "")
        + "a list of lists (or of tensors) is one index tensor here, as in numpy; PyTorch takes it as a "
        "tuple, one index for each dimension. Say which is meant: x[tuple(index)] or x[tensor(index)].",
    )


def index_beside(source: Tensor, index: Tensor) -> Tensor:
    """An index tensor on the device of what it indexes."""
    if index.__class__ is Wrapped:
        return index
    array = beside(source._array, index._array)
    return index if array is index._array else new_tensor(array)


def _entry(entry: Any) -> Any:
    """One index as int, bool, slice, None, Ellipsis or an index Tensor."""
    if entry is None or entry is Ellipsis or isinstance(entry, (bool, int, slice)):
        return entry
    if isinstance(entry, Tensor):
        return _index_tensor(entry)
    if isinstance(entry, xp.bool_):
        return bool(entry)
    if isinstance(entry, xp.integer):
        return int(entry)
    if is_array(entry) or isinstance(entry, (list, tuple, range)):
        return _index_tensor(new_tensor(_array_of(entry)))
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
        f"indices (got {type(entry).__name__})"
    )


def _array_of(entry: Any) -> Any:
    """A list (also of Tensors) as an array of indices."""
    if is_array(entry):
        return entry
    try:
        array = xp.asarray([e.tolist() if isinstance(e, Tensor) else e for e in entry])
    except (ValueError, TypeError) as error:
        raise IndexError(
            f"a list used as an index must hold whole numbers or bools: {entry!r}"
        ) from error
    return array if array.size else array.astype(xp.int64)


def _index_tensor(tensor: Tensor) -> Any:
    array = tensor._array
    if array.dtype == xp.uint8:
        return mask_of_bytes(tensor)
    check_index_type(tensor)
    if array.ndim == 0 and tensor.__class__ is not Wrapped:
        return array.item()
    return tensor


def check_index_type(tensor: Tensor) -> None:
    """Raises IndexError for what is neither whole numbers of 32 or 64 bits nor a mask."""
    if tensor._array.dtype not in (xp.int64, xp.int32, xp.uint8, xp.bool_):
        raise IndexError(
            f"tensors used as indices must be long, int, byte or bool tensors, got {tensor.dtype}"
        )


def mask_of_bytes(tensor: Tensor) -> Tensor:
    """The mask that a tensor of uint8 stands for as an index, with PyTorch's warning."""
    warn_outside(
        "indexing with dtype vizgrad.uint8 is now deprecated, please use a dtype "
        "vizgrad.bool instead."
    )
    return new_tensor(tensor._array.astype(bool))


def _dims_covered(entry: Any) -> int:
    if entry is None or entry is Ellipsis or isinstance(entry, bool):
        return 0
    if isinstance(entry, Tensor) and entry._array.dtype.kind == "b":
        return entry._array.ndim
    return 1


def check_mask(mask: tuple[int, ...], shape: tuple[int, ...], dim: int) -> None:
    """Raises IndexError unless a mask of shape `mask` fits `shape` from dimension `dim` on."""
    for offset, length in enumerate(mask):
        if shape[dim + offset] != length:
            raise IndexError(
                f"The shape of the mask {list(mask)} at index {offset} does not match the shape of "
                f"the indexed tensor {list(shape)} at index {dim + offset}"
            )


def _select(source: Tensor, dim: int, index: int) -> Tensor:
    shape = source._array.shape
    if not shape:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert it to a "
            "number"
        )
    if not -shape[dim] <= index < shape[dim]:
        raise IndexError(
            f"index {index} is out of bounds for dimension {dim} with size {shape[dim]}"
        )
    return shape_ops.select.record(
        source, dim=dim, index=index if index >= 0 else index + shape[dim]
    )


def _slice(source: Tensor, dim: int, key: slice, *, among_others: bool = False) -> Tensor:
    """The view of a slice; of one that takes everything from 0 on, `among_others`, the source itself."""
    shape = source._array.shape
    if not shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if key.step is not None and _bound(key.step) <= 0:
        raise ValueError(f"step must be greater than zero, got {key.step}")
    given = None if key.start is None else _bound(key.start)
    start, end, step = slice(
        given,
        None if key.stop is None else _bound(key.stop),
        None if key.step is None else _bound(key.step),
    ).indices(shape[dim])
    if among_others and not given and start == 0 and end == shape[dim] and step == 1:
        return source
    return shape_ops.slice_dim.record(source, dim=dim, start=start, end=max(start, end), step=step)


def _bound(value: Any) -> int:
    try:
        return value.__index__()
    except (AttributeError, TypeError):
        raise TypeError(
            "slice indices must be integers or None or have an __index__ method, not "
            f"{type(value).__name__}"
        ) from None
