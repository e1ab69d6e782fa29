"""Layers of pooling with drawn windows."""

from __future__ import annotations

from typing import Any

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn import functional as F
from vizgrad.nn.functional.shapes import per_dim
from vizgrad.nn.modules.module import Module


class _FractionalMaxPool(Module):
    _dims: int

    def __init__(
        self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = per_dim(kernel_size, self._dims, "kernel_size")
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        name = type(self).__name__
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{name} requires specifying either an output size, or a pooling ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        self.output_size = (
            None if output_size is None else per_dim(output_size, self._dims, "output_size")
        )
        if output_ratio is not None and not isinstance(output_ratio, tuple):
            output_ratio = (output_ratio,) * self._dims
        if output_ratio is not None and not all(0 < part < 1 for part in output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")
        self.output_ratio = output_ratio


class FractionalMaxPool2d(_FractionalMaxPool):
    """See `F.fractional_max_pool2d`."""

    _dims = 2

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool2d(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
            self._random_samples,
        )  # fmt: skip


class FractionalMaxPool3d(_FractionalMaxPool):
    """See `F.fractional_max_pool3d`."""

    _dims = 3

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool3d(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
            self._random_samples,
        )  # fmt: skip
