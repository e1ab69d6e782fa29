"""Convolutional layers."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar

from vizgrad.core.ops.public.arguments import per_dim
from vizgrad.core.tensor.requirements import OneOf, Requirement, checked
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn import functional as F
from vizgrad.nn import init
from vizgrad.nn.modules.linear import empty_parameter
from vizgrad.nn.modules.module import Module
from vizgrad.nn.parameter import Parameter

Sizes = int | tuple[int, ...]

_GROUPS = Requirement("{0} <= 0", "groups must be a positive integer", ValueError)
_PADDING = OneOf(
    ("zeros", "reflect", "replicate", "circular"),
    "padding_mode must be one of 'zeros', 'reflect', 'replicate', 'circular', but got "
    "padding_mode={value!r}",
    ValueError,
)


class Convolution(Module):
    """Shared code of the six layers; weight and bias start from U(-b, b), b = 1 / sqrt(fan_in)."""

    dims: ClassVar[int]
    transposed: ClassVar[bool] = False
    weight: Parameter
    bias: Parameter | None

    @checked
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any,
        output_padding: Any, dilation: Any, groups: Annotated[int, _GROUPS], bias: bool,
        padding_mode: Annotated[str, _PADDING],
        device: Any, dtype: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(
                f"Invalid padding string {padding!r}, should be one of 'valid', 'same'"
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = per_dim(kernel_size, self.dims, "kernel_size")
        self.stride = per_dim(stride, self.dims, "stride")
        self.padding = (
            padding if isinstance(padding, str) else per_dim(padding, self.dims, "padding")
        )
        if self.padding == "same" and any(s != 1 for s in self.stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
        self.dilation = per_dim(dilation, self.dims, "dilation")
        self.output_padding = per_dim(output_padding, self.dims, "output_padding")
        self.groups = groups
        self.padding_mode = padding_mode
        self.weight = empty_parameter(self._weight_shape(), device, dtype)
        self.register_parameter(
            "bias", empty_parameter((out_channels,), device, dtype) if bias else None
        )
        self.reset_parameters()

    def _weight_shape(self) -> tuple[int, ...]:
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        return first, second // self.groups, *self.kernel_size

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = math.prod(self.weight._array.shape[1:])
            if fan_in:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def _edges(self) -> list[int]:
        """Cells to pad, as `F.pad` takes them: the last dimension first."""
        cells: list[int] = []
        for axis in reversed(range(self.dims)):
            if self.padding == "same":
                total = self.dilation[axis] * (self.kernel_size[axis] - 1)
                cells += [total // 2, total - total // 2]
            elif self.padding == "valid":
                cells += [0, 0]
            else:
                cells += [int(self.padding[axis])] * 2
        return cells

    def _forward(self, function: Any, input: Tensor) -> Tensor:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._edges(), mode=self.padding_mode), 0
        return function(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )

    def extra_repr(self) -> str:
        parts = [f"{self.in_channels}, {self.out_channels}"]
        parts.append(f"kernel_size={self.kernel_size}, stride={self.stride}")
        none = (0,) * self.dims
        if self.padding != none:
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * self.dims:
            parts.append(f"dilation={self.dilation}")
        if self.output_padding != none:
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class _Forward(Convolution):
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Sizes, stride: Sizes = 1,
        padding: Sizes | str = 0, dilation: Sizes = 1, groups: int = 1, bias: bool = True,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, 0, dilation, groups, bias,
            padding_mode, device, dtype,
        )  # fmt: skip


class Conv1d(_Forward):
    """Cross-correlation over (N, C, L); see `F.conv1d`."""

    dims = 1

    def forward(self, input: Tensor) -> Tensor:
        return self._forward(F.conv1d, input)


class Conv2d(_Forward):
    """Cross-correlation over (N, C, H, W); see `F.conv2d`."""

    dims = 2

    def forward(self, input: Tensor) -> Tensor:
        return self._forward(F.conv2d, input)


class Conv3d(_Forward):
    """Cross-correlation over (N, C, D, H, W); see `F.conv3d`."""

    dims = 3

    def forward(self, input: Tensor) -> Tensor:
        return self._forward(F.conv3d, input)


class _Transposed(Convolution):
    transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Sizes, stride: Sizes = 1,
        padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1, bias: bool = True,
        dilation: Sizes = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, output_padding, dilation,
            groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _spread(self, function: Any, input: Tensor, output_size: Any) -> Tensor:
        extra = self.output_padding
        if output_size is not None:
            extra = self._extra_for(input, tuple(output_size))
        return function(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups,
            self.dilation,
        )  # fmt: skip

    def _extra_for(self, input: Tensor, size: tuple[int, ...]) -> tuple[int, ...]:
        """The output padding that gives an output of spatial size `size`, which may be a whole shape."""
        ndim = input._array.ndim
        rest = 2 if ndim == self.dims + 2 else 1
        if len(size) not in (self.dims, self.dims + rest):
            raise ValueError(
                f"{type(self).__name__}: for {ndim}D input, output_size must have {self.dims} or "
                f"{self.dims + rest} elements (got {len(size)})"
            )
        have = input._array.shape[-self.dims :]
        if ndim not in (self.dims + 1, self.dims + 2):
            return (0,) * self.dims  # the function refuses such an input
        size, extra = size[-self.dims :], []
        for axis, (wanted, n) in enumerate(zip(size, have, strict=True)):
            least = (
                (n - 1) * self.stride[axis]
                - 2 * int(self.padding[axis])
                + self.dilation[axis] * (self.kernel_size[axis] - 1)
                + 1
            )
            if not least <= wanted < least + self.stride[axis]:
                raise ValueError(
                    f"requested an output size of {wanted}, but valid sizes range from {least} to "
                    f"{least + self.stride[axis] - 1} (for an input of {n})"
                )
            extra.append(wanted - least)
        return tuple(extra)


class ConvTranspose1d(_Transposed):
    """The transpose of Conv1d; see `F.conv_transpose1d`."""

    dims = 1

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        return self._spread(F.conv_transpose1d, input, output_size)


class ConvTranspose2d(_Transposed):
    """The transpose of Conv2d; see `F.conv_transpose2d`."""

    dims = 2

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        return self._spread(F.conv_transpose2d, input, output_size)


class ConvTranspose3d(_Transposed):
    """The transpose of Conv3d; see `F.conv_transpose3d`."""

    dims = 3

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        return self._spread(F.conv_transpose3d, input, output_size)
