"""Broadcasting and repeating, with PyTorch's signatures and errors (spec T-10, T-12)."""

from __future__ import annotations

from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.errors import index_of, warn_outside, wrap_dim
from vizgrad.core.function.failing import broadcast_error
from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.ops import indexing, shape
from vizgrad.core.ops import shape as ops
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import sizes_of, takes_axis, takes_tensors
from vizgrad.core.ops.public.dimensions import unsqueeze
from vizgrad.core.ops.public.reshape import flatten, view
from vizgrad.core.tensor.requirements import Dtype, Each, RankAtMost, checked
from vizgrad.core.tensor.tensor import Size, Tensor, new_tensor


@method
def expand(self: Tensor, *given: Any, size: Any = None, implicit: bool = False) -> Tensor:
    """Dimensions of size 1, and new leading ones, repeated without memory; -1 keeps a size (a view)."""
    if implicit.__class__ is not bool:
        raise TypeError(
            f"expand(): argument 'implicit' must be bool, not {type(implicit).__name__}"
        )
    want = sizes_of("expand", given if size is None else (size,))
    have = self._array.shape
    extra = len(want) - len(have)
    if extra < 0:
        raise RuntimeError(
            f"expand(tensor of shape {list(have)}, size={list(want)}): the number of sizes "
            f"provided ({len(want)}) must be greater or equal to the number of dimensions in the "
            f"tensor ({len(have)})"
        )
    full = list(want)
    for position, n in enumerate(want):
        old = have[position - extra] if position >= extra else None
        if n == -1:
            if old is None:
                raise RuntimeError(
                    f"The expanded size of the tensor ({n}) isn't allowed in a leading, "
                    f"non-existing dimension {position}"
                )
            full[position] = old
        elif old is not None and old not in (1, n):
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({old}) at "
                f"non-singleton dimension {position}.  Target sizes: {list(want)}.  Tensor sizes: "
                f"{list(have)}"
            )
    return ops.expand.record(self, shape=tuple(full))


@method
@takes_tensors
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    return expand(self, other._array.shape)


@public(method=True)
@takes_tensors
def broadcast_to(input: Tensor, *given: Any, size: Any = None) -> Tensor:
    """`expand`, as a function."""
    return expand(input, *given, size=size)


@public
def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that the given shapes broadcast to; RuntimeError if they do not."""
    result: tuple[int, ...] = ()
    for each in shapes:
        sizes = (each,) if isinstance(each, INTS) else tuple(map(index_of, each))
        error = broadcast_error(result, sizes)
        if error is not None:
            raise RuntimeError(
                f"Shape mismatch: objects cannot be broadcast to a single shape. {error}"
            )
        n = max(len(result), len(sizes))
        a, b = (1,) * (n - len(result)) + result, (1,) * (n - len(sizes)) + sizes
        result = tuple(y if x == 1 else x for x, y in zip(a, b, strict=True))
    return Size(result)


@public
@takes_tensors
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """All tensors expanded to their common shape; those that have it are given back themselves."""
    if len(tensors) == 1 and not isinstance(tensors[0], Tensor):
        tensors = tuple(tensors[0])
    shape: tuple[int, ...] = ()
    for each in tensors:
        error = broadcast_error(shape, each._array.shape)
        if error is not None:
            raise error
        shape = broadcast_shapes(shape, each._array.shape)
    return tuple(each if each._array.shape == shape else expand(each, shape) for each in tensors)


@method
def repeat(self: Tensor, *given: Any, repeats: Any = None) -> Tensor:
    """The whole tensor repeated along each dimension; extra numbers make new leading ones."""
    counts = sizes_of("repeat", given if repeats is None else (repeats,))
    if len(counts) < self._array.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            f"tensor: {len(counts)} < {self._array.ndim}"
        )
    return shape.repeat.record(self, repeats=counts)


@public(method=True)
@takes_tensors
def tile(input: Tensor, *given: Any, dims: Any = None) -> Tensor:
    """Like `repeat`; too few numbers are filled up with ones in front."""
    counts = sizes_of("tile", given if dims is None else (dims,))
    return repeat(input, (1,) * (input._array.ndim - len(counts)) + counts)


@public(method=True)
@takes_axis
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element (or slice along `dim`) repeated, one after the other.

    `repeat_interleave(repeats)` alone: each place as often as it says. RuntimeError if `output_size` is not
    how many there are.
    """
    if isinstance(output_size, bool):
        raise TypeError("repeat_interleave(): argument 'output_size' must be int, not bool")
    if repeats is None:
        return _positions_of(input, output_size)
    if dim is None:
        input, dim = flatten(input), 0
    at = wrap_dim(dim, input._array.ndim)
    if isinstance(repeats, INTS):
        if repeats < 0:
            raise RuntimeError(f"Repeats must be non-negative, got {repeats}")
        shape = input._array.shape
        wide = expand(unsqueeze(input, at + 1), (*shape[: at + 1], repeats, *shape[at + 1 :]))
        length = shape[at] * repeats
        if output_size is not None and output_size != length:
            raise RuntimeError(
                f"repeat_interleave: Invalid output_size, expected {length} but got {output_size}"
            )
        copied = ops.contiguous_copy.record(wide)
        return view(copied, (*shape[:at], shape[at] * repeats, *shape[at + 1 :]))
    return _repeated(input, repeats, at, output_size)


@of_examples
def _positions_of(repeats: Tensor, output_size: int | None) -> Tensor:
    return _repeated_positions(_counts(repeats), output_size)


@of_examples
def _repeated(input: Tensor, repeats: Tensor, at: int, output_size: int | None) -> Tensor:
    """Each slice along `at` as often as `repeats` says of it."""
    counts = _counts(repeats)
    if counts.size == 1:
        size = output_size if input._array.shape[at] else None
        return repeat_interleave(input, int(counts.reshape(()).item()), at, output_size=size)
    if input._array.shape[at] != counts.size:
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} "
            f"and input.size({at}) = {input._array.shape[at]}"
        )
    places = _repeated_positions(counts, output_size)
    return indexing.index_select.record(input, places, dim=at)


@checked
def _counts(
    repeats: Annotated[
        Tensor,
        RankAtMost(1, "repeats must be 0-dim or 1-dim tensor"),
        Dtype(
            ("int32", "int64"),
            '"repeat_interleave" not implemented for {dtype}: repeats are counts, of int32 or int64',
            NotImplementedError,
        ),
    ],
) -> Any:
    counts = repeats._array
    if counts.size and counts.min() < 0:
        raise RuntimeError("repeats can not be negative")
    return counts


def _repeated_positions(counts: Any, output_size: int | None) -> Tensor:
    if output_size is not None and counts.size and output_size != int(counts.sum()):
        raise RuntimeError(
            f"allocated size does not match required size: repeat_interleave gives {int(counts.sum())} "
            f"elements, not output_size={output_size}"
        )
    return new_tensor(xp.repeat(xp.arange(counts.size, dtype=counts.dtype, like=counts), counts))


@public
@takes_tensors
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinates of a grid from its axes; `indexing` "ij" or "xy"."""
    axes = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    if not axes:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for position, axis in enumerate(axes):
        if not isinstance(axis, Tensor):
            raise TypeError(
                f"meshgrid(): expected Tensor as element {position} in argument 0, but got "
                f"{type(axis).__name__}"
            )
    if indexing is None:
        warn_outside(
            "meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
        )
        indexing = "ij"
    if not isinstance(indexing, str):
        raise TypeError(
            f"meshgrid(): argument 'indexing' must be str, not {type(indexing).__name__}"
        )
    if indexing not in ("ij", "xy"):
        raise RuntimeError(
            f'meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    return _grids(list(axes), indexing == "xy" and len(axes) > 1)


@checked
def _grids(
    axes: Annotated[
        Any,
        Each(
            RankAtMost(
                1,
                "meshgrid: Expected 0D or 1D tensor in the tensor list but got one of shape {shape}",
            )
        ),
    ],
    swap: bool,
) -> tuple[Tensor, ...]:
    if any(axis._array.dtype != axes[0]._array.dtype for axis in axes):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if swap:
        axes[0], axes[1] = axes[1], axes[0]
    shape = tuple(a._array.size for a in axes)
    grids = [
        expand(view(a, (1,) * i + (-1,) + (1,) * (len(axes) - 1 - i)), shape)
        for i, a in enumerate(axes)
    ]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)
