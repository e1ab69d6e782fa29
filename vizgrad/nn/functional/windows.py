"""Windows as columns and back; adaptive maxima; undoing a max pooling."""

from __future__ import annotations

from typing import Annotated, Any

from vizgrad.core.arrays.backend import is_on_host
from vizgrad.core.arrays.kernels import places as kernel
from vizgrad.core.arrays.kernels.convolution import out_sizes
from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.ops import convolution as op
from vizgrad.core.ops import pooling, shape
from vizgrad.core.ops.public.arguments import check_kind, per_dim, product, takes_tensors
from vizgrad.core.tensor.requirements import Long
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.nn.functional.pooling import (
    RowInput,
    one_output_size,
    output_size_of,
    with_rows,
    without_rows,
)

Sizes = int | tuple[int, ...]


def _pair(value: Any, name: str) -> tuple[int, ...]:
    """Two ints, of one or of a sequence of two: here a sequence of one does not stand for both."""
    if isinstance(value, (tuple, list)) and len(value) == 1:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size 1: {value!r}")
    return per_dim(value, 2, name)


@takes_tensors
def unfold(
    input: Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
) -> Tensor:
    """(N, C, H, W) -> (N, C kH kW, L): every window as a column."""
    if input._array.dtype.kind != "b":
        check_kind("im2col", input, "fcV")
    if input._array.ndim == 3:
        batch = shape.unsqueeze.record(input, dim=0)
        out = unfold(batch, kernel_size, dilation, padding, stride)
        return shape.squeeze_dim.record(out, dim=0)
    if input._array.ndim != 4 or 0 in input._array.shape[1:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions "
            f"for input of unfold, but got {list(input.shape)}"
        )
    sizes = [
        _pair(v, n)
        for v, n in (
            (kernel_size, "kernel_size"), (stride, "stride"), (padding, "padding"), (dilation, "dilation"),
        )
    ]  # fmt: skip
    window, step, edge, gap = sizes
    _check_positive(window, gap, step)
    out = out_sizes(input._array.shape[2:], window, step, edge, gap)
    if min(out) < 1:
        raise RuntimeError(
            f"Given input with spatial size ({product(input._array.shape[2:])}), kernel_size={window}, "
            f"calculated shape of the array of sliding blocks as ({product(out)}), which is too small"
        )
    return op.unfold_windows.record(
        input, kernel_size=window, stride=step, padding=edge, dilation=gap
    )


def _check_positive(window: tuple[int, ...], gap: tuple[int, ...], step: tuple[int, ...]) -> None:
    for name, size in (("kernel size", window), ("dilation", gap), ("stride", step)):
        if min(size) < 1:
            raise RuntimeError(f"{name} should be greater than zero, but got {name} {list(size)}")


@takes_tensors
def fold(
    input: Tensor, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:  # fmt: skip
    """(N, C kH kW, L) -> (N, C, *output_size): columns added back into images."""
    if input._array.ndim == 2:
        batch = shape.unsqueeze.record(input, dim=0)
        out = fold(batch, output_size, kernel_size, dilation, padding, stride)
        return shape.squeeze_dim.record(out, dim=0)
    check_kind("col2im", input, "fcVb")
    size, window = _pair(output_size, "output_size"), _pair(kernel_size, "kernel_size")
    step, edge = _pair(stride, "stride"), _pair(padding, "padding")
    gap = _pair(dilation, "dilation")
    _check_positive(window, gap, step)
    places_of_windows = out_sizes(size, window, step, edge, gap)
    count = places_of_windows[0] * places_of_windows[1]
    x = input._array
    if x.ndim != 3 or x.shape[1] % (window[0] * window[1]) or x.shape[2] != count:
        raise RuntimeError(
            f"fold() of columns of shape {list(x.shape)} into images of size {size} with kernel_size="
            f"{window}: expected dimension 1 to be divisible by {window[0] * window[1]}, and size "
            f"{count} in dimension 2 ({product(places_of_windows)} windows)"
        )
    return op.fold_windows.record(
        input, size=size, kernel_size=window, stride=step, padding=edge, dilation=gap
    )


@of_examples
def _adaptive_max(input: Tensor, dims: int, output_size: Any, return_indices: bool) -> Any:
    if input._array.dtype.kind == "c":
        raise NotImplementedError(
            f'"adaptive_max_pool{dims}d" not implemented for {input.dtype.name}: it has no order'
        )
    out = output_size_of(input, dims, output_size)
    index = new_tensor(kernel.adaptive_maxima(input._array, out))
    result = pooling.ADAPTIVE_MAX[dims].record(input, index)
    return (result, index) if return_indices else result


@takes_tensors
def adaptive_max_pool1d(input: RowInput, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of `output_size` windows that cover the last dimension."""
    check_kind("adaptive_max_pool1d", input, "fcV")
    rows = with_rows(input)
    size = one_output_size("adaptive_max_pool1d", output_size)
    result, index = _adaptive_max(rows, 2, (1, size), return_indices=True)
    return (without_rows(result), without_rows(index)) if return_indices else without_rows(result)


@takes_tensors
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of windows that cover the image; see `adaptive_avg_pool2d` for which."""
    check_kind("adaptive_max_pool2d", input, "fcV")
    return _adaptive_max(input, 2, output_size, return_indices)


@takes_tensors
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """`adaptive_max_pool2d` over three dimensions."""
    check_kind("adaptive_max_pool3d", input, "fcV")
    return _adaptive_max(input, 3, output_size, return_indices)


#: The places that the pool returned beside its maxima.
_Places = Annotated[
    Tensor, Long("{function}: elements in indices should be type int64 but got: {dtype}")
]


@of_examples
def _unpool(
    input: Tensor,
    indices: Tensor,
    dims: int,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    size: Any,
) -> Tensor:
    check_kind(f"max_unpool{dims}d", input)
    if input._array.ndim not in (dims + 1, dims + 2) or indices._array.shape != input._array.shape:
        raise RuntimeError(
            f"max_unpool{dims}d: Expected an input of {dims + 1} or {dims + 2} dimensions and indices of its "
            f"shape, but got {list(input.shape)} and {list(indices.shape)}"
        )
    window = per_dim(kernel_size, dims, "kernel_size")
    step = window if stride is None else per_dim(stride, dims, "stride")
    edge = per_dim(padding, dims, "padding")
    have = input._array.shape[input._array.ndim - dims :]
    usual = tuple(
        (n - 1) * s - 2 * p + k for n, s, p, k in zip(have, step, edge, window, strict=True)
    )
    size = usual if size is None else _unpooled_size(tuple(size), usual, step)
    index = indices._array
    area = 1
    for n in size:
        area *= n
    if is_on_host(index) and index.size and (int(index.min()) < 0 or int(index.max()) >= area):
        raise RuntimeError(
            f"Found an invalid max index: {int(index.max())} (output volumes are of size {product(size)})"
        )
    return pooling.UNPOOL[dims].record(input, indices, size=size)


def _unpooled_size(
    size: tuple[int, ...], usual: tuple[int, ...], step: tuple[int, ...]
) -> tuple[int, ...]:
    """The size asked for, its batch and channels left out; less than a stride from the usual one."""
    dims = len(usual)
    if len(size) not in (dims, dims + 2):
        raise ValueError(
            f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length "
            f"of '{len(size)}'"
        )
    size = size[-dims:]
    for d, (wanted, n, s) in enumerate(zip(size, usual, step, strict=True)):
        if not n - s < wanted < n + s and n != wanted:
            raise ValueError(
                f'invalid output_size "{size}" (dim {d} must be between {n - s} and {n + s})'
            )
    return size


@takes_tensors
def max_unpool1d(
    input: RowInput, indices: _Places, kernel_size: Sizes, stride: Sizes | None = None,
    padding: Sizes = 0, output_size: Any = None,
) -> Tensor:  # fmt: skip
    """Puts the results of `max_pool1d` back to where its `indices` say; see `max_unpool2d`."""
    window = (1, *per_dim(kernel_size, 1, "kernel_size"))
    step = None if stride is None else (1, *per_dim(stride, 1, "stride"))
    edge = (0, *per_dim(padding, 1, "padding"))
    size = None if output_size is None else (1, tuple(output_size)[-1])
    rows = with_rows(input)
    return without_rows(_unpool(rows, with_rows(indices), 2, window, step, edge, size))


@takes_tensors
def max_unpool2d(
    input: Tensor, indices: _Places, kernel_size: Sizes, stride: Sizes | None = None,
    padding: Sizes = 0, output_size: Any = None,
) -> Tensor:  # fmt: skip
    """Puts the results of `max_pool2d` back to where its `indices` say; zeros elsewhere."""
    return _unpool(input, indices, 2, kernel_size, stride, padding, output_size)


@takes_tensors
def max_unpool3d(
    input: Tensor, indices: _Places, kernel_size: Sizes, stride: Sizes | None = None,
    padding: Sizes = 0, output_size: Any = None,
) -> Tensor:  # fmt: skip
    """`max_unpool2d` over three dimensions."""
    return _unpool(input, indices, 3, kernel_size, stride, padding, output_size)
