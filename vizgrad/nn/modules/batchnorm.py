"""Normalisation with running statistics: over the batch, or over each sample's channels."""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.backend import DEVICES, on_device_of
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.tensor.modes import about_to_write
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor, storage_of
from vizgrad.nn import functional as F
from vizgrad.nn import init
from vizgrad.nn.modules.linear import empty_parameter, full
from vizgrad.nn.modules.module import Module
from vizgrad.nn.parameter import Parameter


class ChannelNorm(Module):
    """Weight, bias and running statistics, one of each for every channel."""

    _version = 2
    #: How many dimensions an input may have, and how the error names them.
    ndims: ClassVar[tuple[int, ...]]
    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
        affine: bool = True, track_running_stats: bool = True, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        shape = (num_features,)
        self.register_parameter("weight", empty_parameter(shape, device, dtype) if affine else None)
        self.register_parameter(
            "bias", empty_parameter(shape, device, dtype) if affine and bias else None
        )
        on = track_running_stats
        self.register_buffer("running_mean", full(shape, 0.0, device, dtype) if on else None)
        self.register_buffer("running_var", full(shape, 1.0, device, dtype) if on else None)
        self.register_buffer(
            "num_batches_tracked", full((), 0, device, dtypes.int64) if on else None
        )
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Back to mean 0, variance 1, no batches."""
        if self.running_mean is not None and self.running_var is not None:
            init.zeros_(self.running_mean)
            init.ones_(self.running_var)
            if self.num_batches_tracked is not None:
                init.zeros_(self.num_batches_tracked)

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check(self, input: Tensor) -> None:
        if input._array.ndim not in self.ndims:
            wanted = " or ".join(f"{n}D" for n in self.ndims)
            raise ValueError(f"expected {wanted} input (got {input._array.ndim}D input)")

    def _channel_dim(self, input: Tensor) -> int:
        return 1

    def _share_of_new(self) -> float:
        """How far the running statistics move; counts the batch. Without momentum: a plain average."""
        if not (self.training and self.track_running_stats):
            return 0.0 if self.momentum is None else self.momentum
        count = self.num_batches_tracked
        if count is not None:
            if count.__class__ is Wrapped:  # one for each module of an ensemble
                count.add_(1)
            else:
                about_to_write(count)  # which a transform refuses, if the module is captured
                if DEVICES.several:
                    with on_device_of(count):
                        count._array += 1
                else:
                    count._array += 1
                storage_of(count).wrote("add_", caller())
            if self.momentum is None:
                return 1.0 / float(count._array)
        return 0.0 if self.momentum is None else self.momentum

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        """Version 1 did not count batches: what it saved keeps the count there is."""
        key = prefix + "num_batches_tracked"
        if local_metadata.get("version", 1) < 2 and self.num_batches_tracked is not None:
            state_dict.setdefault(key, self.num_batches_tracked.clone())
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(ChannelNorm):
    def forward(self, input: Tensor) -> Tensor:
        self._check(input)
        share = self._share_of_new()
        from_batch = self.training or self.running_mean is None
        tracked = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if tracked else None,
            self.running_var if tracked else None,
            self.weight, self.bias, from_batch, share, self.eps,
        )  # fmt: skip


class BatchNorm1d(_BatchNorm):
    """Standardises the channels of (N, C) or (N, C, L); see `F.batch_norm`."""

    ndims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Standardises the channels of (N, C, H, W); see `F.batch_norm`."""

    ndims = (4,)


class BatchNorm3d(_BatchNorm):
    """Standardises the channels of (N, C, D, H, W); see `F.batch_norm`."""

    ndims = (5,)


class _InstanceNorm(ChannelNorm):
    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
        affine: bool = False, track_running_stats: bool = False, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def _channel_dim(self, input: Tensor) -> int:
        """An input of the fewest dimensions is a single sample."""
        return 0 if input._array.ndim == self.ndims[0] else 1

    def forward(self, input: Any) -> Tensor:
        self._check(input)
        alone = self._channel_dim(input) == 0
        x = input.unsqueeze(0) if alone else input
        if self.weight is not None and x.shape[1] != self.num_features:
            raise ValueError(
                f"expected input's size at dim={0 if alone else 1} to match num_features "
                f"({self.num_features}), but got: {x.shape[1]}."
            )
        out: Any = F.instance_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip
        return out.squeeze(0) if alone else out


class InstanceNorm1d(_InstanceNorm):
    """Standardises each channel of each sample of (N, C, L); see `F.instance_norm`."""

    ndims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Standardises each channel of each sample of (N, C, H, W); see `F.instance_norm`."""

    ndims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Standardises each channel of each sample of (N, C, D, H, W); see `F.instance_norm`."""

    ndims = (4, 5)
