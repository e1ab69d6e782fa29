"""BatchNorm whose statistics are those of the batches of all processes together."""

from __future__ import annotations

import sys
from typing import Any

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.ops.public.joining import cat, stack
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.modules.batchnorm import _BatchNorm
from vizgrad.nn.modules.module import Module


class SyncBatchNorm(_BatchNorm):
    """Standardises the channels of (N, C, ...) by the mean and the variance of the batches of all ranks of
    `process_group` (all processes, if it is None).

    In training each call is one collective, and another one in its backward: all ranks of the group make
    them, in the same order; a rank's batch may be empty. Without `vizgrad.distributed`, with one process and
    in eval mode it is a BatchNorm. It works on the CPU, too, where PyTorch's refuses. ValueError for an input
    of fewer than two dimensions or without channels.
    """

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
        affine: bool = True, track_running_stats: bool = True, process_group: Any = None,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )
        self.process_group = process_group

    def _check(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.shape[1] == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    def forward(self, input: Tensor) -> Tensor:
        if not self._is_of_several():
            return super().forward(input)
        self._check(input)
        share = self._share_of_new()
        mean, variance, count = _statistics(input, self.process_group)
        if float(count) <= 1:
            raise ValueError(
                f"Expected more than 1 value per channel when training, got {int(count)} in all ranks"
            )
        if self.training and self.track_running_stats:
            unbiased = variance.detach() * (count / (count - 1))
            with no_grad():
                for running, now in ((self.running_mean, mean), (self.running_var, unbiased)):
                    if running is not None:
                        running.lerp_(now.detach().to(running.dtype), share)
        plain = (input - _by_channel(mean, input)) * _by_channel(
            (variance + self.eps).rsqrt(), input
        )
        if self.weight is not None:
            plain = plain * _by_channel(self.weight, input)
        if self.bias is not None:
            plain = plain + _by_channel(self.bias, input)
        return plain.to(input.dtype)

    def _is_of_several(self) -> bool:
        """Are there other ranks whose batches count?"""
        distributed: Any = sys.modules.get("vizgrad.distributed")
        if distributed is None or not (self.training or self.running_mean is None):
            return False
        return distributed.is_initialized() and distributed.get_world_size(self.process_group) > 1

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with each BatchNorm in it (or itself, if it is one) replaced by a SyncBatchNorm that has
        the same parameters and running statistics.
        """
        found = module
        if isinstance(module, _BatchNorm):
            found = cls(
                module.num_features, module.eps, module.momentum, module.affine,
                module.track_running_stats, process_group,
            )  # fmt: skip
            found.weight, found.bias = module.weight, module.bias
            found.running_mean, found.running_var = module.running_mean, module.running_var
            found.num_batches_tracked = module.num_batches_tracked
            found.training = module.training
            if hasattr(module, "qconfig"):
                found.qconfig = module.qconfig
        for name, child in module.named_children():
            found.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return found


def _by_channel(values: Tensor, like: Tensor) -> Tensor:
    return values.reshape(1, -1, *[1] * (like.dim() - 2))


def _statistics(input: Tensor, group: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Mean and (biased) variance of each channel in the batches of all ranks, and how many numbers it has.

    Each rank sends the mean and the sum of squares around it, which are combined as Chan, Golub and LeVeque
    (1979) do: the difference of large numbers is taken nowhere.
    """
    from vizgrad.distributed.nn.functional import all_gather

    x = input.float() if input.element_size() < 4 else input
    channels = x.shape[1]
    own = x.transpose(0, 1).reshape(channels, -1)
    count = own.shape[1]
    mean = own.sum(1) / max(count, 1)
    squares = (own - mean[:, None]).square().sum(1)
    sent = cat([mean, squares, mean.new_full((1,), count)])
    all_of_them = stack(all_gather(sent, group))
    means, sums, counts = all_of_them.split([channels, channels, 1], 1)
    counts = counts.detach()
    total = counts.sum()
    whole = (means * counts).sum(0) / total
    around = sums.sum(0) + (counts * (means - whole).square()).sum(0)
    return whole, around / total, total
