"""Convolutions and their transposes."""

from __future__ import annotations

from typing import Any

from vizgrad.core import errors
from vizgrad.core.arrays.kernels.convolution import out_sizes
from vizgrad.core.ops import convolution, shape
from vizgrad.core.ops.constants import ABSENT
from vizgrad.core.ops.public.arguments import check_kind, per_dim, product, takes_tensors
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor

Sizes = int | tuple[int, ...]


@takes_tensors
def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
    padding: Sizes | str = 0, dilation: Sizes = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """Cross-correlation over one dimension; see `conv2d`. input (N, C, L), weight (O, C / groups, k)."""
    return _convolve(input, weight, bias, stride, padding, dilation, groups, 1)


@takes_tensors
def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
    padding: Sizes | str = 0, dilation: Sizes = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """Cross-correlation of images with filters.

    Shapes: input (N, C, H, W) or (C, H, W), weight (O, C / groups, kH, kW), bias (O) ->
    (N, O, H', W') with H' = floor((H + 2 padding - dilation (kH - 1) - 1) / stride) + 1. `padding` may
    be "valid" (none) or "same" (keeps the size; stride 1 only). Raises RuntimeError when channels,
    types or sizes do not match.
    """
    # T-88
    return _convolve(input, weight, bias, stride, padding, dilation, groups, 2)


@takes_tensors
def conv3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
    padding: Sizes | str = 0, dilation: Sizes = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """Cross-correlation over three dimensions; see `conv2d`."""
    return _convolve(input, weight, bias, stride, padding, dilation, groups, 3)


def _convolve(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any,
    groups: int, dims: int,
) -> Tensor:  # fmt: skip
    check_kind(f"conv{dims}d", input, "iufcV")
    stride = per_dim(stride, dims, "stride")
    dilation = per_dim(dilation, dims, "dilation")
    if isinstance(padding, str):
        input, padding = _named_padding(input, weight, stride, padding, dilation, dims)
    else:
        padding = per_dim(padding, dims, "padding")
    if input._array.ndim == dims + 1:
        batch = shape.unsqueeze.record(input, dim=0)
        out = _convolve(batch, weight, bias, stride, padding, dilation, groups, dims)
        return shape.squeeze_dim.record(out, dim=0)
    _check(input, weight, bias, groups, dims)
    size, kernel = input._array.shape[2:], weight._array.shape[2:]
    if min(stride) < 1 or min(padding) < 0 or min(dilation) < 1:
        raise _bad_geometry(size, kernel, stride, padding, dilation)
    if min(out_sizes(size, kernel, stride, padding, dilation)) < 1:
        raise _bad_geometry(size, kernel, stride, padding, dilation)
    if bias is not None and bias._array.shape != weight._array.shape[:1]:
        raise RuntimeError(
            f"Given weight of size {list(weight._array.shape)}, expected bias to be 1-dimensional "
            f"with {weight._array.shape[0]} elements, but got bias of size {list(bias._array.shape)}"
        )
    return convolution.convolution.record(
        input, weight, ABSENT if bias is None else bias,
        stride=stride, padding=padding, dilation=dilation, groups=groups,
    )  # fmt: skip


def _named_padding(
    input: Tensor, weight: Tensor, stride: tuple[int, ...], padding: str, dilation: tuple[int, ...],
    dims: int,
) -> tuple[Tensor, tuple[int, ...]]:  # fmt: skip
    """The input, padded where "same" needs an odd number of cells, and the symmetric rest."""
    if padding == "valid":
        return input, (0,) * dims
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: {padding!r}, should be one of 'valid', 'same'")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    _check_ranks(input._array.shape, weight._array.shape, f"conv{dims}d", dims)
    total = [d * (k - 1) for d, k in zip(dilation, weight._array.shape[2:], strict=True)]
    if any(t % 2 for t in total):
        from vizgrad.core.ops.public.padding import pad

        extra: list[int] = []
        for t in reversed(total):
            extra += [0, t % 2]
        input = pad(input, extra)
    return input, tuple(t // 2 for t in total)


def _check(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    groups: int,
    dims: int,
    transposed: bool = False,
) -> None:
    x, w = input._array, weight._array
    if x.ndim != dims + 2 or w.ndim != dims + 2:
        name = f"conv_transpose{dims}d" if transposed else f"conv{dims}d"
        _check_ranks(x.shape, w.shape, name, dims)
    outputs, input_channels = w.shape[0], w.shape[1] * groups
    if transposed:
        outputs, input_channels = input_channels, outputs
    if groups < 1 or w.shape[0] % groups:
        raise RuntimeError(
            f"expected weight.shape[0] to be divisible by groups, but got {w.shape[0]} and "
            f"groups={groups}"
        )
    if x.shape[1] != input_channels:
        raise errors.explained(
            RuntimeError(
                f"Given groups={groups}, weight of size {list(w.shape)}, expected "
                f"input{list(x.shape)} to have {input_channels} channels, but got {x.shape[1]} "
                "channels instead"
            ),
            kind="shape-broadcast",
            fix=f"channels are dimension 1 of the input: give {input_channels} of them",
            culprit=errors.place_of(caller()),
        )
    if x.dtype != w.dtype:
        raise RuntimeError(
            f"Input type ({input.dtype}) and weight type ({weight.dtype}) should be the same"
        )
    if bias is not None and bias._array.dtype != x.dtype:
        raise RuntimeError(
            f"Input type ({input.dtype}) and bias type ({bias.dtype}) should be the same"
        )
    if bias is not None and bias._array.shape != (outputs,):
        raise RuntimeError(
            f"Given weight of size {list(w.shape)}, expected bias to be 1-dimensional with {outputs} "
            f"elements, but got bias of size {list(bias._array.shape)} instead"
        )
    if min(w.shape) < 1 and w.shape[0] and w.shape[1]:
        raise RuntimeError(f"kernel size should be greater than zero, but got {list(w.shape[2:])}")


def _check_ranks(size: tuple[int, ...], weight: tuple[int, ...], name: str, dims: int) -> None:
    """RuntimeError for an input, with or without the dimension of the batch, or a weight of another rank."""
    if len(size) not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but "
            f"got input of size: {list(size)}"
        )
    wanted = f"{name} takes a weight of {dims + 2} dimensions"
    if len(weight) < 3:
        raise RuntimeError(
            f"weight should have at least three dimensions, but it is of size {list(weight)}: {wanted}"
        )
    if len(weight) != dims + 2:
        raise RuntimeError(
            f"Expected {len(weight)}-dimensional input for {len(weight)}-dimensional weight "
            f"{list(weight)}, but got {len(size)}-dimensional input of size {list(size)} instead: {wanted}"
        )


def _bad_geometry(size: Any, kernel: Any, stride: Any, padding: Any, dilation: Any) -> RuntimeError:
    if min(stride) < 1:
        return RuntimeError(f"non-positive stride is not supported, got {stride}")
    if min(padding) < 0:
        return RuntimeError(f"negative padding is not supported, got {padding}")
    if min(dilation) < 1:
        return RuntimeError(f"dilation should be greater than zero, got {dilation}")
    padded = [n + 2 * p for n, p in zip(size, padding, strict=True)]
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    return RuntimeError(
        f"Calculated padded input size per channel: ({product(padded)}). Kernel size: "
        f"({product(reach)}). Kernel size can't be greater than actual input size"
    )


@takes_tensors
def conv_transpose1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
    padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1, dilation: Sizes = 1,
) -> Tensor:  # fmt: skip
    """The transpose of `conv1d`; see `conv_transpose2d`."""
    return _transpose(input, weight, bias, stride, padding, output_padding, groups, dilation, 1)


@takes_tensors
def conv_transpose2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
    padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1, dilation: Sizes = 1,
) -> Tensor:  # fmt: skip
    """The transpose of `conv2d` as a linear map: every input pixel is spread over a window.

    Shapes: input (N, C, H, W), weight (C, O / groups, kH, kW) -> (N, O, H', W') with
    H' = (H - 1) stride - 2 padding + dilation (kH - 1) + output_padding + 1.
    """
    return _transpose(input, weight, bias, stride, padding, output_padding, groups, dilation, 2)


@takes_tensors
def conv_transpose3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
    padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1, dilation: Sizes = 1,
) -> Tensor:  # fmt: skip
    """The transpose of `conv3d`; see `conv_transpose2d`."""
    return _transpose(input, weight, bias, stride, padding, output_padding, groups, dilation, 3)


def _transpose(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any,
    output_padding: Any, groups: int, dilation: Any, dims: int,
) -> Tensor:  # fmt: skip
    check_kind(f"conv_transpose{dims}d", input, "fcV" if input.dtype.name != "int64" else "i")
    stride = per_dim(stride, dims, "stride")
    padding = per_dim(padding, dims, "padding")
    dilation = per_dim(dilation, dims, "dilation")
    extra = per_dim(output_padding, dims, "output_padding")
    if input._array.ndim == dims + 1:
        batch = shape.unsqueeze.record(input, dim=0)
        out = _transpose(batch, weight, bias, stride, padding, extra, groups, dilation, dims)
        return shape.squeeze_dim.record(out, dim=0)
    _check(input, weight, bias, groups, dims, transposed=True)
    if min(stride) < 1 or min(padding) < 0 or min(dilation) < 1:
        raise RuntimeError(
            "negative padding, and stride and dilation below 1, are not supported: got "
            f"padding={padding}, stride={stride}, dilation={dilation}"
        )
    large = any(e >= max(s, d) for e, s, d in zip(extra, stride, dilation, strict=True))
    if large and input._array.shape[0]:  # of no images it is not asked, as in PyTorch
        raise RuntimeError(
            "output padding must be smaller than either stride or dilation, but got "
            f"output_padding={extra}, stride={stride}, dilation={dilation}"
        )
    size = tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + e + 1
        for n, k, s, p, d, e in zip(
            input._array.shape[2:], weight._array.shape[2:], stride, padding, dilation, extra,
            strict=True,
        )
    )  # fmt: skip
    if min(size) < 1:
        raise RuntimeError(
            f"Given input size per channel: ({product(input._array.shape[2:])}). Calculated output "
            f"size per channel: ({product(size)}). Output size is too small"
        )
    return convolution.convolution_transpose.record(
        input, weight, ABSENT if bias is None else bias, size=size,
        stride=stride, padding=padding, dilation=dilation, groups=groups,
    )  # fmt: skip
