"""Differences and integrals along a dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.errors import existing_dim, index_of, wrap_dim
from vizgrad.core.ops import arithmetic, copying, extremes, joining, products, statistics
from vizgrad.core.ops.copying import without_history
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import joining as public_joining
from vizgrad.core.ops.public import reduction, reshape, slicing
from vizgrad.core.ops.public.arguments import (
    ValuesIndices,
    dims_of,
    one_dim,
    refuse_gradients,
    takes_axis,
    takes_out,
    takes_tensors,
    written,
)
from vizgrad.core.ops.public.reduction import _as_asked, _in_dtype, numpys_float
from vizgrad.core.tensor.requirements import AtLeast, DtypeKind, OneOf, RankAtLeast
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor

# Running totals along a dimension with PyTorch's signatures.


def _running(op: Any, input: Tensor, dim: int, dtype: Any, widen: bool = True) -> Any:
    if dtype is dtypes.bool_:
        if not (input._array.ndim and input._array.size):  # one bool is its own sum and product
            one_dim(dim, input._array.ndim)
            return without_history(_in_dtype(input, dtype).clone(), dtype.np)
        raise NotImplementedError(f'"{op.name}" not implemented for bool: True and True are 2')
    own = numpys_float(input, dtype) if op is products.cumprod else None
    if own is None or dtype.category < input.dtype.category:
        input, own = _in_dtype(input, dtype), None
    if widen and dtype is None and input._array.dtype.kind in "biu":
        input = _in_dtype(input, dtypes.int64)
    only = one_dim(dim, input._array.ndim)
    settings = {"dtype": own} if op is products.cumprod else {}
    result = op.record(input, dim=only, **settings)
    return result if dtype is None else _as_asked(result, dtype)


def _of_out(out: Tensor, dtype: Any) -> Any:
    """The type asked for, which `out` must have."""
    if out.dtype is not dtype:
        raise wrong_call(
            RuntimeError(
                f"Expected out tensor to have dtype {dtype.name}, but got {out.dtype.name} instead"
            ),
            "leave `dtype` out: the result is computed in the type of `out`",
            "cut-dtype",
        )
    return dtype


@public(method=True)
@takes_axis
def cumsum(input: Tensor, dim: int, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """Running sums along `dim`."""
    if out is not None:
        refuse_gradients("cumsum", input)
        dtype = out.dtype if dtype is None else _of_out(out, dtype)
    result = _running(joining.cumsum, input, dim, dtype)
    return result if out is None else written(out, result, "cumsum", input)


@public(method=True)
@takes_axis
def cumprod(input: Tensor, dim: int, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """Running products along `dim`."""
    if out is not None:
        refuse_gradients("cumprod", input)
        dtype = out.dtype if dtype is None else _of_out(out, dtype)
    result = _running(products.cumprod, input, dim, dtype)
    return result if out is None else written(out, result, "cumprod", input)


@public(method=True)
@takes_axis
@takes_out
def cummax(input: Tensor, dim: int) -> ValuesIndices:
    """Running maxima along `dim` and where they are."""
    return ValuesIndices(*_running(extremes.cummax, input, dim, None, widen=False))


@public(method=True)
@takes_axis
@takes_out
def cummin(input: Tensor, dim: int) -> ValuesIndices:
    """Running minima along `dim` and where they are."""
    return ValuesIndices(*_running(extremes.cummin, input, dim, None, widen=False))


@public(method=True)
@takes_axis
@takes_tensors
def logcumsumexp(
    input: Annotated[Tensor, DtypeKind("fcV", '"{function}" not implemented for {dtype}')],
    dim: int,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """log of running sums of exp along `dim`."""
    if out is not None:
        _of_out(out, input.dtype)
    result = _running(statistics.logcumsumexp, input, dim, None)
    return result if out is None else written(out, result, "logcumsumexp", input)


@public(method=True)
@takes_axis
@takes_out
def diff(
    input: Annotated[Tensor, RankAtLeast(1, "diff expects input to be at least one-dimensional")],
    n: Annotated[int, AtLeast(0, "order must be non-negative but got {value}")] = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Differences of neighbours along `dim`, n times; where there is nothing, `input` itself."""
    for beside in (prepend, append):
        if beside is not None:
            _check_beside(input, beside, wrap_dim(dim, input._array.ndim))
    if n == 0:
        return copying.clone.record(input)
    pieces = [p for p in (prepend, input, append) if p is not None]
    result: Any = public_joining.cat(pieces, dim) if len(pieces) > 1 else input
    for _ in range(min(n, result.shape[dim])):
        length = result.shape[dim]
        left = length - 1
        later = slicing.narrow(result, dim, length - left, left)
        earlier = slicing.narrow(result, dim, 0, left)
        result = later ^ earlier if result._array.dtype.kind == "b" else later - earlier
    return result


def _check_beside(input: Tensor, beside: Tensor, dim: int) -> None:
    """RuntimeError unless `beside` is of the shape of `input`, but along `dim`."""
    shape, other = input._array.shape, beside._array.shape
    if len(shape) != len(other):
        raise RuntimeError(
            "diff expects prepend or append to be the same dimension as input, got shapes "
            f"{list(other)} and {list(shape)}"
        )
    if any(a != b for at, (a, b) in enumerate(zip(shape, other, strict=True)) if at != dim):
        raise RuntimeError(
            "diff expects the shape of tensor to prepend or append to match that of input except along the "
            f"differencing dimension {dim}, got {list(other)} and {list(shape)}"
        )


def _neighbours(y: Tensor, at: int) -> Tensor:
    """The sum of each element and the next along dimension `at`."""
    n = y._array.shape[at]
    if not n:
        return y
    return slicing.narrow(y, at, 1, n - 1) + slicing.narrow(y, at, 0, n - 1)


def _refuse_bools(name: str, y: Tensor, x: Tensor | None) -> None:
    for argument, each in (("y", y), ("x", x)):
        if each is not None and each._array.dtype.kind == "b":
            raise RuntimeError(
                f"{name}: received a bool input for `{argument}`, but bool is not supported"
            )


def _check_step(name: str, dx: Any) -> None:
    if isinstance(dx, (bool, complex)):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number, not {dx}.")


def _times(value: Any, number: Any) -> Any:
    """`value * number`, which saves nothing that a backward frees."""
    return _by_number(arithmetic.mul_number, value, number, lambda: value * number)


def _by(value: Any, number: Any) -> Any:
    """`value / number`, which saves nothing that a backward frees."""
    return _by_number(arithmetic.div_number, value, number, lambda: value / number)


def _by_number(op: Any, value: Any, number: Any, other: Callable[[], Any]) -> Any:
    """`op` of floating point numbers and a real one, which keeps its digits beside halves; else `other()`."""
    if isinstance(number, (Tensor, complex)) or value.dtype.category < 2:
        return other()
    if value.dtype is not dtypes.float16:
        return op.record(value, other=number)
    return op.record(value.float(), other=number).to(value.dtype)


@public(aliases="trapz")
@takes_tensors
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral along `dim` by the trapezoidal rule."""
    _refuse_bools("trapezoid", y, x)
    _check_step("trapezoid", dx)
    (at,) = dims_of(dim, y._array.ndim) or (0,)
    if not y._array.shape[at]:
        return reduction.sum(y.detach(), at)
    both: Any = _neighbours(y, at)
    if x is None:
        return _times(reduction.sum(both, at), dx / 2)
    step: Any = diff(x, dim=-1 if x._array.ndim == 1 else at)
    if x._array.ndim == 1:
        step = reshape.view(step, (-1,) + (1,) * (y._array.ndim - 1 - at))
    return _by(reduction.sum(both * step, at), 2)


@public
@takes_tensors
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1
) -> Tensor:
    """Running integrals along `dim` by the trapezoidal rule."""
    _refuse_bools("cumulative_trapezoid", y, x)
    _check_step("cumulative_trapezoid", dx)
    (at,) = dims_of(dim, y._array.ndim) or (0,)
    both: Any = _neighbours(y, at)
    if x is None:
        return cumsum(_times(both, dx / 2), at)
    step: Any = diff(x, dim=-1 if x._array.ndim == 1 else at)
    if x._array.ndim == 1:
        step = reshape.view(step, (-1,) + (1,) * (y._array.ndim - 1 - at))
    return cumsum(_by(both * step, 2), at)


@public
@takes_tensors
def gradient(
    input: Tensor,
    *,
    spacing: Any = 1,
    dim: Any = None,
    edge_order: Annotated[
        int,
        OneOf((1, 2), "torch.gradient only supports edge_order=1 and edge_order=2, got {value}"),
    ] = 1,
) -> tuple[Tensor, ...]:
    """Central differences along each of `dim` (all, unless given), one-sided ones at both ends.

    `spacing`: a number, one per dimension, or tensors of coordinates. `edge_order`: 1 or 2, how exact the
    ends are.
    """
    if isinstance(spacing, str):
        raise TypeError(
            "gradient(): argument 'spacing' must be a number, tensors or a list, not str"
        )
    spacing = 1 if spacing is None else spacing
    asked = dim if isinstance(dim, Sequence) else () if dim is None else (dim,)
    if asked:
        existing_dim(index_of(asked[0]), input._array.ndim)
    none = isinstance(dim, Sequence) and not dim
    dims = () if none else dims_of(dim, input._array.ndim)
    dims = tuple(range(input._array.ndim)) if dims is None else dims
    steps = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * len(dims)
    if len(steps) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
            f"'dim' ({len(dims)}), but got a list of length {len(steps)}"
        )
    return tuple(_slopes(input, at, step, edge_order) for at, step in zip(dims, steps, strict=True))


def _slopes(y: Tensor, at: int, step: Any, edge_order: int) -> Tensor:
    n = y._array.shape[at]
    if n <= edge_order:
        raise RuntimeError(
            "torch.gradient expected each dimension size to be at least edge_order+1, but got "
            f"{n} at dimension {at}"
        )

    def part(start: int, length: int) -> Any:
        return slicing.narrow(y, at, start, length)

    if isinstance(step, Tensor) and step._array.ndim:
        gaps: Any = reshape.view(diff(step), (-1,) + (1,) * (y._array.ndim - 1 - at))
    else:
        return _even_slopes(part, n, at, step, edge_order)
    before: Any = slicing.narrow(gaps, 0, 0, n - 2)
    after: Any = slicing.narrow(gaps, 0, 1, n - 2)
    middle = (
        part(2, n - 2) * (before / (after * (before + after)))
        + part(1, n - 2) * ((after - before) / (before * after))
        - part(0, n - 2) * (after / (before * (before + after)))
    )
    if edge_order == 1:
        first = (part(1, 1) - part(0, 1)) / gaps[:1]
        last = (part(n - 1, 1) - part(n - 2, 1)) / gaps[-1:]
    else:
        first = _end(part(0, 1), part(1, 1), part(2, 1), gaps[:1], gaps[1:2])
        last = -_end(part(n - 1, 1), part(n - 2, 1), part(n - 3, 1), gaps[-1:], gaps[-2:-1])
    return public_joining.cat([first, middle, last], at)


def _even_slopes(part: Any, n: int, at: int, step: Any, edge_order: int) -> Tensor:
    """For neighbours at equal distances: the element between two has no part."""
    middle = _by(part(2, n - 2) - part(0, n - 2), 2 * step)
    if edge_order == 1:
        first, last = part(1, 1) - part(0, 1), part(n - 1, 1) - part(n - 2, 1)
    else:
        first = _times(part(0, 1), -1.5) + _times(part(1, 1), 2) - _times(part(2, 1), 0.5)
        last = _times(part(n - 1, 1), 1.5) - _times(part(n - 2, 1), 2) + _times(part(n - 3, 1), 0.5)
    first, last = _by(first, step), _by(last, step)
    return public_joining.cat([first, middle, last], at)


def _end(y0: Any, y1: Any, y2: Any, near: Any, far: Any) -> Any:
    """The slope at y0 of the parabola through three points, `near` and `far` apart."""
    both = near + far
    return (
        y1 * (both / (near * far))
        - y0 * ((near + both) / (near * both))
        - y2 * (near / (far * both))
    )
