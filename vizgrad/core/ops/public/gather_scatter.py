"""Reading and writing along a dimension by index tensors (spec T-38, T-85)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.errors import wrap_dim
from vizgrad.core.function.inplace import check_placing, write
from vizgrad.core.ops import indexing, scattering
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public import broadcasting, creation, reshape
from vizgrad.core.ops.public.arguments import check_kind, check_number, element
from vizgrad.core.ops.public.keywords import takes_axis, takes_out, takes_tensors
from vizgrad.core.tensor.tensor import Tensor


def _check_integers(name: str, index: Tensor) -> None:
    if index._array.dtype not in (xp.int64, xp.int32):
        raise RuntimeError(
            f"{name}(): Expected dtype int32/int64 for index, got {index.dtype.name}"
        )


def _check_index(name: str, input: Tensor, index: Tensor, dim: int) -> int:
    a, b = input._array, index._array
    at = wrap_dim(dim, a.ndim)
    if b.size:  # an index of nothing may be of any type
        _check_integers(name, index)
    if b.size and max(a.ndim, 1) != max(b.ndim, 1):
        raise RuntimeError(
            f"Index tensor must have the same number of dimensions as input tensor: {b.ndim} "
            f"and {a.ndim} in {name}()"
        )
    return at


def _check_fit(
    name: str, index: Tensor, input: Tensor, dim: int, src: Tensor | None = None
) -> None:
    """`index` is no larger than `input` outside `dim`, and nowhere larger than `src`."""
    wanted, have = index._array, input._array
    if not wanted.size:
        return
    if src is not None and src._array.ndim:
        wrap_dim(dim, src._array.ndim)
    if src is not None and max(wanted.ndim, 1) != max(src._array.ndim, 1):
        raise RuntimeError(
            "Index tensor must have the same number of dimensions as src tensor: "
            f"{wanted.ndim} and {src._array.ndim} in {name}()"
        )
    fits = all(n <= m or d == dim for d, (n, m) in enumerate(_pairs(wanted, have)))
    if src is not None:
        fits = fits and all(n <= m for n, m in _pairs(wanted, src._array))
    if not fits:
        also = "" if src is None else f" and to be no larger size than src {list(src._array.shape)}"
        raise RuntimeError(
            f"Expected index {list(wanted.shape)} to be no larger than self {list(have.shape)} apart "
            f"from dimension {dim}{also} in {name}()"
        )


def _existing_dim(dim: int, ndim: int) -> int:
    """As `wrap_dim`, but a tensor without dimensions has none that could be meant."""
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, ndim)


def _pairs(a: Any, b: Any) -> Any:
    return zip(a.shape or (1,), b.shape or (1,), strict=True)


def _check_sizes(name: str, index: Tensor, other: Tensor, dim: int, what: str) -> None:
    if not index._array.size:
        return
    for d, (n, m) in enumerate(zip(index._array.shape, other._array.shape, strict=False)):
        if n > m and d != dim:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index "
                f"{list(index._array.shape)} to be no larger than "
                f"{what} {list(other._array.shape)} apart from dimension {dim} in {name}()"
            )


@public(method=True)
@takes_axis
@takes_out
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """result[i][j] = input[index[i][j]][j] for dim 0, and so on."""
    at = _check_index("gather", input, index, dim)
    _check_sizes("gather", index, input, at, "self")
    return indexing.gather.record(input, index, dim=at)


@public(method=True)
@takes_axis
@takes_out
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather`, with input and indices broadcast against each other outside `dim`, and negative indices."""
    if dim is None:
        return gather(reshape.flatten(input), 0, reshape.flatten(indices))
    if indices._array.dtype != xp.int64:
        raise RuntimeError(
            f"take_along_dim(): dtype of indices should be Long but got {indices.dtype.name}"
        )
    if input._array.ndim != indices._array.ndim:
        raise RuntimeError(
            "take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input._array.ndim} dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    at = _existing_dim(dim, input._array.ndim)
    a, b = list(input._array.shape), list(indices._array.shape)
    both = broadcasting.broadcast_shapes(
        [1 if d == at else n for d, n in enumerate(a)],
        [1 if d == at else n for d, n in enumerate(b)],
    )
    wide = broadcasting.expand(input, [a[at] if d == at else n for d, n in enumerate(both)])
    index = broadcasting.expand(indices, [b[at] if d == at else n for d, n in enumerate(both)])
    return gather(wide, at, index % a[at] if a[at] else index)


@public(method=True)
@takes_axis
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Any = None,
    *,
    value: Any = None,
    reduce: str | None = None,
) -> Tensor:
    """A copy of `input` with src[i][j] written at [index[i][j]][j] for dim 0, and so on."""
    op, operands, attributes = _scatter(input, dim, index, src, value, reduce)
    return op.record(input, *operands, **attributes)


@method
@takes_tensors
def scatter_(
    self: Tensor,
    dim: int,
    index: Tensor,
    src: Any = None,
    *,
    value: Any = None,
    reduce: str | None = None,
) -> Tensor:
    """`scatter`, in place."""
    check_placing(self, index, src)
    op, operands, attributes = _scatter(self, dim, index, src, value, reduce)
    return write(op, self, *operands, name="scatter_", **attributes)


def _scatter(
    input: Tensor, dim: int, index: Tensor, src: Any, value: Any, reduce: str | None
) -> Any:
    at = _check_index("scatter", input, index, dim)
    if src is None:
        src = _number(value)
    if reduce is not None:
        return _scatter_reduced(input, at, index, src, reduce)
    if not isinstance(src, Tensor):
        check_number("scatter", "value", src)
        _check_fit("scatter", index, input, at)
        src = element(src, input._array.dtype)
        return indexing.scatter_number, (index,), {"dim": at, "value": src}
    _check_fit("scatter", index, input, at, src)
    _check_same("scatter", input, src)
    return indexing.scatter, (index, src), {"dim": at}


def _number(value: Any) -> Any:
    """`value=` is a number: also that of a tensor without dimensions, whose history nobody asks for."""
    if isinstance(value, Tensor):
        if value._array.ndim or value.requires_grad:
            raise TypeError(
                "scatter() received an invalid combination of arguments: value= takes a number, not a tensor "
                "with dimensions or one that requires grad: hand it as src"
            )
        return value.item()
    return value


def _scatter_reduced(input: Tensor, at: int, index: Tensor, src: Any, reduce: str) -> Any:
    """The older spelling of `scatter_reduce`, which has a derivative here ([D]; in PyTorch it has none)."""
    if reduce not in _OLDER:
        raise RuntimeError(f"reduce argument must be either add or multiply, but got {reduce!r}")
    if not isinstance(src, Tensor):
        check_number("scatter", "value", src)
        src = creation.full(index.shape, src, dtype=input.dtype, device=input.device)
    _check_fit("scatter", index, input, at, src)
    _check_same("scatter", input, src)
    attributes = {"dim": at, "reduce": _OLDER[reduce], "include_self": True}
    return scattering.scatter_reduce, (index, src), attributes


_OLDER = {"add": "sum", "multiply": "prod"}


def _check_same(name: str, input: Tensor, src: Tensor) -> None:
    if input._array.dtype != src._array.dtype:
        raise RuntimeError(
            f"{name}(): Expected self.dtype to be equal to src.dtype, got {input.dtype.name} "
            f"and {src.dtype.name}"
        )


@public(method=True)
@takes_axis
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy of `input` with src[i][j] added at [index[i][j]][j] for dim 0, and so on."""
    at = _check_index("scatter_add", input, index, dim)
    _check_fit("scatter_add", index, input, at, src)
    _check_same("scatter_add", input, src)
    return indexing.scatter_add.record(input, index, src, dim=at)


@method
@takes_tensors
def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`scatter_add`, in place."""
    check_placing(self, index, src)
    at = _check_index("scatter_add", self, index, dim)
    _check_fit("scatter_add", index, self, at, src)
    _check_same("scatter_add", self, src)
    return write(indexing.scatter_add, self, index, src, name="scatter_add_", dim=at)


@public(method=True)
@takes_tensors
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """A copy of `input` with the groups of `src` that `index` names reduced into it.

    `reduce`: "sum", "prod", "mean", "amax", "amin"; with `include_self` what is there takes part.
    """
    at = _check_reduce(input, dim, index, src, reduce)
    return scattering.scatter_reduce.record(
        input, index, src, dim=at, reduce=reduce, include_self=include_self
    )


@method
@takes_tensors
def scatter_reduce_(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """`scatter_reduce`, in place."""
    check_placing(self, index, src)
    at = _check_reduce(self, dim, index, src, reduce)
    return write(
        scattering.scatter_reduce, self, index, src, name="scatter_reduce_", dim=at, reduce=reduce,
        include_self=include_self,
    )  # fmt: skip


#: Kinds of elements that have an order, and that have a mean.
_REDUCES = {"amax": "biufV", "amin": "biufV", "mean": "iufcV"}


def _check_reduce(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str) -> int:
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}."
        )
    check_kind("scatter_reduce", input, _REDUCES.get(reduce, "biufcV"))
    at = _check_index("scatter_reduce", input, index, dim)
    _check_fit("scatter_reduce", index, input, at, src)
    _check_same("scatter_reduce", input, src)
    return at
