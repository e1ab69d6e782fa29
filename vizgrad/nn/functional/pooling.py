"""Pooling."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Annotated, Any

from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.arrays.kernels import places as places_kernel
from vizgrad.core.arrays.kernels import pooling as kernel
from vizgrad.core.arrays.kernels.pooling import Pool
from vizgrad.core.errors import index_of, wrap_dim
from vizgrad.core.function.bfloat16 import wide
from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.ops import pooling, shape
from vizgrad.core.ops.constants import place_of
from vizgrad.core.ops.public.arguments import check_kind, per_dim, product, takes_tensors
from vizgrad.core.ops.public.random_sampling import rand
from vizgrad.core.ops.reduce import mean_dims
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.requirements import Rank
from vizgrad.core.tensor.tensor import Tensor, new_tensor

Sizes = int | tuple[int, ...]
#: The input of a pool of one dimension.
RowInput = Annotated[Tensor, Rank((2, 3), "Expected 2D or 3D input to {function}, but got {shape}")]


def _geometry(
    input: Tensor, dims: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil: bool
) -> Pool:
    """The geometry, checked against the input; RuntimeError when nothing would come out."""
    x = input._array
    if x.dtype.kind in "bc":
        raise NotImplementedError(f'"pool{dims}d" not implemented for {input.dtype.name}')
    if x.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D or {dims + 2}D input for pooling, but got {list(x.shape)}"
        )
    if 0 in x.shape[x.ndim - dims - 1 :]:
        raise RuntimeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch size for "
            "input: Expected input's non-batch dimensions to have positive length, but got "
            f"{list(x.shape)}"
        )
    window = per_dim(kernel_size, dims, "kernel_size")
    steps = window if _not_given(stride) else per_dim(stride, dims, "stride")
    pool = Pool(
        window, steps, per_dim(padding, dims, "padding"), per_dim(dilation, dims, "dilation"), ceil
    )
    if min(steps) < 1:
        raise RuntimeError(f"stride must be greater than zero, but got {steps}")
    if min(window) < 1:
        raise RuntimeError(f"kernel size should be greater than zero, but got {window}")
    if min(pool.dilation) < 1:
        raise RuntimeError(f"dilation should be greater than zero, but got {pool.dilation}")
    reach = [d * (k - 1) + 1 for k, d in zip(window, pool.dilation, strict=True)]
    if any(p < 0 or p > r // 2 for p, r in zip(pool.padding, reach, strict=True)):
        raise RuntimeError(
            f"pad should be at most half of effective kernel size, but got pad={pool.padding}, "
            f"kernel_size={window} and dilation={pool.dilation}"
        )
    size = x.shape[x.ndim - dims :]
    if min(pool.out(size)) < 1:
        raise RuntimeError(
            f"Given input size: ({product(x.shape[-dims - 1 :])}). Calculated output size: "
            f"({product((x.shape[-dims - 1], *pool.out(size)))}). Output size is too small"
        )
    return pool


def _max_pool(
    input: Tensor, dims: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
    ceil_mode: bool, return_indices: bool,
) -> Any:  # fmt: skip
    pool = _geometry(input, dims, kernel_size, stride, padding, dilation, ceil_mode)
    out = pooling.MAX_POOL[dims].record(input, pool=pool)
    if not return_indices:
        return out
    return out, _places(input, out, dims, pool)


@of_examples
def _places(input: Tensor, out: Tensor, dims: int, pool: Any) -> Tensor:
    """Where each largest element lies in its flattened plane."""
    x = input._array
    where = kernel.positions(wide(x), wide(out._array), pool)
    return new_tensor(kernel.flat_index(where, pool, x.shape[x.ndim - dims :]))


@takes_tensors
def max_pool1d(
    input: RowInput, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
    dilation: Sizes = 1, ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window of a (N, C, L) or (C, L) tensor; see `max_pool2d`."""
    kernel_size = (1, *per_dim(kernel_size, 1, "kernel_size"))
    stride = None if stride is None else (1, *per_dim(stride, 1, "stride"))
    padding = (0, *per_dim(padding, 1, "padding"))
    dilation = (1, *per_dim(dilation, 1, "dilation"))
    if not return_indices:
        check_kind("max_pool1d", input, "fcV")
    rows = with_rows(input)
    result = _max_pool(rows, 2, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
    if return_indices:
        return without_rows(result[0]), without_rows(result[1])
    if result.__class__ is Tensor and not result.requires_grad and not DUALS.on:
        # no view where nothing is recorded: what a checkpoint gives may be written in place, as in PyTorch
        plain = new_tensor(result._array.reshape(rows._array.shape[:-2] + result._array.shape[-1:]))
        plain._storage = result._storage
        return plain
    return without_rows(result)


def with_rows(input: Tensor) -> Tensor:
    """An image of one row, as PyTorch does for the pools of one dimension."""
    return shape.unsqueeze.record(input, dim=input._array.ndim - 1)


def without_rows(tensor: Tensor) -> Tensor:
    """The rows of images of one row."""
    return shape.squeeze_dim.record(tensor, dim=tensor._array.ndim - 2)


@takes_tensors
def max_pool2d(
    input: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
    dilation: Sizes = 1, ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window of a (N, C, H, W) or (C, H, W) tensor.

    The gradient goes to one element of each window, the first of equals. With
    `return_indices` also its place in the flattened plane. `stride` is `kernel_size` if not given.
    """
    # T-72
    return _max_pool(input, 2, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@takes_tensors
def max_pool3d(
    input: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
    dilation: Sizes = 1, ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """`max_pool2d` over three dimensions."""
    return _max_pool(input, 3, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def _avg_pool(
    input: Tensor, dims: int, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None,
) -> Tensor:  # fmt: skip
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    if input._array.dtype.kind in "iu" and input._array.dtype != "int64":
        check_kind(f"avg_pool{dims}d", input, "fcV")
    pool = _geometry(input, dims, kernel_size, stride, padding, 1, ceil_mode)
    return pooling.AVG_POOL[dims].record(
        input, pool=pool, count_include_pad=count_include_pad, divisor_override=divisor_override
    )


@takes_tensors
def avg_pool1d(
    input: RowInput, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
    ceil_mode: bool = False, count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    """The mean of each window of a (N, C, L) tensor; see `avg_pool2d`."""
    kernel_size = (1, *per_dim(kernel_size, 1, "kernel_size"))
    stride = None if _not_given(stride) else (1, *per_dim(stride, 1, "stride"))
    padding = (0, *per_dim(padding, 1, "padding"))
    rows = with_rows(input)
    out = _avg_pool(rows, 2, kernel_size, stride, padding, ceil_mode, count_include_pad, None)
    return without_rows(out)


@takes_tensors
def avg_pool2d(
    input: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window of a (N, C, H, W) or (C, H, W) tensor.

    Padding counts as zeros, unless `count_include_pad` is False; `divisor_override` replaces the
    number of elements.
    """
    return _avg_pool(
        input, 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


@takes_tensors
def avg_pool3d(
    input: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """`avg_pool2d` over three dimensions."""
    return _avg_pool(
        input, 3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def _not_given(stride: Any) -> bool:
    """An empty tuple is none, too."""
    return stride is None or (isinstance(stride, tuple) and not stride)


def one_output_size(name: str, output_size: Any) -> int:
    """The output size over one dimension: an int, or a sequence of one."""
    if isinstance(output_size, Sequence) and not isinstance(output_size, str):
        sizes = [index_of(n) for n in output_size]
        if len(sizes) != 1:
            raise RuntimeError(
                f"{name}() argument 'output_size' should contain one int (got {len(sizes)})"
            )
        return sizes[0]
    if isinstance(output_size, bool) or not isinstance(output_size, INTS):
        raise TypeError(
            f"{name}(): argument 'output_size' (position 2) must be tuple of ints, not "
            f"{type(output_size).__name__}"
        )
    return output_size


def output_size_of(
    input: Tensor, dims: int, output_size: Any, means: bool = False
) -> tuple[int, ...]:
    """The output size asked for, None standing for the input's."""
    size = input._array.shape[input._array.ndim - dims :]
    if isinstance(output_size, (bool, str)) or not isinstance(output_size, (INTS, Sequence)):
        raise TypeError(
            "adaptive pooling: argument 'output_size' (position 2) must be int or tuple of ints, not "
            f"{type(output_size).__name__}"
        )
    if isinstance(output_size, INTS):
        output_size = (output_size,) * dims
    elif input._array.ndim <= len(output_size):
        raise ValueError(
            f"Input dimension should be at least {len(output_size) + 1}, but its shape is "
            f"{list(input.shape)}"
        )
    rank = input._array.ndim
    if dims > 1 and means and rank >= dims and tuple(output_size) == (1,) * dims:
        return (1,) * dims  # a mean, of whatever lies before
    if len(output_size) != dims or rank not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"adaptive pooling over {dims} dimensions got input of shape {list(input.shape)} and "
            f"output_size {output_size!r}"
        )
    if any(n is not None and index_of(n) < 0 for n in output_size):
        raise RuntimeError(
            "adaptive pooling: elements of output_size must be greater than or equal to 0 but received "
            f"{output_size}"
        )
    if 0 in (size if means else input._array.shape[1:]):
        if means and all(n == 1 for n in output_size):
            return (1,) * dims  # the mean of nothing
        raise RuntimeError(
            "adaptive pooling: Expected input to have non-zero size for non-batch dimensions, but input has "
            f"sizes {list(input.shape)}"
        )
    return tuple(n if o is None else int(o) for n, o in zip(size, output_size, strict=True))


def _adaptive_mean(input: Tensor, dims: int, output_size: Any) -> Tensor:
    check_kind(f"adaptive_avg_pool{dims}d", input, "fcV")
    out = output_size_of(input, dims, output_size, means=True)
    x = input._array
    if all(n == 1 for n in out):
        return mean_dims.record(input, dims=tuple(range(x.ndim - dims, x.ndim)), keepdim=True)
    check_kind(f"adaptive_avg_pool{dims}d", input)
    matrices = tuple(
        kernel.adaptive_matrix(wide(place_of(input)), n, o)
        for n, o in zip(x.shape[x.ndim - dims :], out, strict=True)
    )
    return pooling.ADAPTIVE[dims].record(input, matrices=matrices)


@takes_tensors
def adaptive_avg_pool1d(input: RowInput, output_size: int | tuple[int]) -> Tensor:
    """The means of `output_size` windows that cover the last dimension."""
    rows = with_rows(input)
    size = one_output_size("adaptive_avg_pool1d", output_size)
    return without_rows(_adaptive_mean(rows, 2, (1, size)))


@takes_tensors
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of windows that cover the image; None in `output_size` keeps a size.

    Window i goes from floor(i n / out) to ceil((i + 1) n / out): they may overlap.
    """
    return _adaptive_mean(input, 2, output_size)


@takes_tensors
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """`adaptive_avg_pool2d` over three dimensions."""
    return _adaptive_mean(input, 3, output_size)


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: int, stride: int | None = None,
    ceil_mode: bool = False,
) -> Tensor:  # fmt: skip
    """(sum of x ** norm_type over each window) ** (1 / norm_type)."""
    return _lp_pool(input, 1, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:  # fmt: skip
    """`lp_pool1d` over two dimensions."""
    return _lp_pool(input, 2, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:  # fmt: skip
    """`lp_pool1d` over three dimensions."""
    return _lp_pool(input, 3, norm_type, kernel_size, stride, ceil_mode)


def _lp_pool(
    input: Any, dims: int, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool
) -> Tensor:
    from vizgrad.nn.functional.activation import relu

    if dims == 1 and not isinstance(kernel_size, INTS):
        raise TypeError(
            f"lp_pool1d(): argument 'kernel_size' must be int, not {type(kernel_size).__name__}"
        )
    if dims > 1 and not isinstance(kernel_size, INTS) and len(kernel_size) != dims:
        raise ValueError(
            f"lp_pool{dims}d needs a kernel size for each dimension, got {kernel_size}"
        )
    window = prod(per_dim(kernel_size, dims, "kernel_size"))
    average = (avg_pool1d, avg_pool2d, avg_pool3d)[dims - 1]
    mean: Any = average(input**norm_type, kernel_size, stride, 0, ceil_mode)
    return (mean.sign() * relu(mean.abs()) * window) ** (1.0 / norm_type)


# Max pooling over windows whose steps are drawn.


@takes_tensors
def fractional_max_pool2d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Any = None,
) -> Any:  # fmt: skip
    """The largest of each of `output_size` overlapping windows, whose places are drawn.

    Shapes: input (N, C, H, W) or (C, H, W); `_random_samples` (N, C, 2), in [0, 1), fixes the draws.
    `output_ratio`, in (0, 1), gives the size as a part of the input's. ValueError without either,
    RuntimeError when a window does not fit. B. Graham, Fractional Max-Pooling (2014).
    """
    # T-41
    return _pool(input, 2, kernel_size, output_size, output_ratio, return_indices, _random_samples)


@takes_tensors
def fractional_max_pool3d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Any = None,
) -> Any:  # fmt: skip
    """`fractional_max_pool2d` over three dimensions."""
    return _pool(input, 3, kernel_size, output_size, output_ratio, return_indices, _random_samples)


@of_examples
def _pool(
    input: Any, dims: int, kernel_size: Any, output_size: Any, output_ratio: Any,
    return_indices: bool, samples: Any,
) -> Any:  # fmt: skip
    name = f"fractional_max_pool{dims}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if input.ndim not in (dims + 1, dims + 2):
        if 0 < input.ndim <= dims:
            wrap_dim(-dims - 1, input.ndim)
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(input.shape)}"
        )
    check_kind(name, input)
    x = input._array
    size = x.shape[x.ndim - dims :]
    window = per_dim(kernel_size, dims, "kernel_size")
    if output_size is None:
        alone = isinstance(output_ratio, float) and dims == 3
        ratios: Any = (output_ratio,) * dims if alone else output_ratio
        if len(ratios) != dims:
            raise (ValueError if len(ratios) > dims else IndexError)(
                f"{name} requires output_ratio to be a tuple, a part for each of the {dims} dimensions: got "
                f"{output_ratio}"
            )
        output_size = tuple(int(n * r) for n, r in zip(size, ratios, strict=True))
    out = per_dim(output_size, dims, "output_size")
    for axis, n, k, o in zip(("time", "height", "width")[-dims:], size, window, out, strict=True):
        if o + k - 1 > n - (dims == 3):  # PyTorch asks for one more in three dimensions
            raise RuntimeError(
                f"{name}(): pool {axis} {k} too large relative to input {axis} {n}, for {o} windows"
            )
    lead = x.shape[: x.ndim - dims]
    batch = (1, *lead)[-2:]
    if samples is None:
        samples = rand(*batch, dims, dtype=input.dtype, device=input.device)
    elif (
        samples.ndim != 3
        or samples.shape[0] < batch[0]
        or tuple(samples.shape[1:]) != (batch[1], dims)
    ):
        raise RuntimeError(
            f"Expect _random_samples.size(0) no less then input batch size, in shape "
            f"{[*batch, dims]}, got {list(samples.shape)}"
        )
    draws = samples._array[: batch[0]].reshape(*lead, dims)
    # For an image the first draw is the width's, for a block it is the first axis's.
    order = range(dims) if dims == 3 else reversed(range(dims))
    starts = [
        places_kernel.window_starts(draws[..., i], *geometry)
        for i, geometry in zip(order, zip(size, window, out, strict=True), strict=True)
    ]
    index = new_tensor(places_kernel.window_maxima(wide(x), starts, window))
    result = pooling.FRACTIONAL_MAX[dims].record(input, index)
    return (result, index) if return_indices else result
