"""Averages of weights: stochastic weight averaging (P. Izmailov et al., 2018) and moving averages."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from typing import Any, Literal

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.ops.public.from_values import tensor
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from vizgrad.nn.modules.module import Module
from vizgrad.optim.lr_scheduler.base import LRScheduler
from vizgrad.optim.optimizer import Optimizer

Average = Callable[[Tensor, Tensor, Any], Tensor]
AverageAll = Callable[[Any, Any, Any], None]


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """For `avg_fn`: the average keeps `decay` of itself."""
    _check_decay(decay)

    @no_grad()
    def update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return update


def get_swa_avg_fn() -> Average:
    """For `avg_fn`: all that was ever averaged counts the same."""

    @no_grad()
    def update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return update


def get_ema_multi_avg_fn(decay: float = 0.999) -> AverageAll:
    """For `multi_avg_fn`: as `get_ema_avg_fn`, over lists, in place."""
    _check_decay(decay)

    @no_grad()
    def update(ema_param_list: Any, current_param_list: Any, _: Any) -> None:
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return update


def get_swa_multi_avg_fn() -> AverageAll:
    """For `multi_avg_fn`: as `get_swa_avg_fn`, over lists, in place."""

    @no_grad()
    def update(averaged_param_list: Any, current_param_list: Any, num_averaged: Any) -> None:
        weight = 1 / (float(num_averaged) + 1)
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, weight)
            else:
                average.copy_(average + (current - average) * weight)

    return update


def _check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


class AveragedModel(Module):
    """A copy of a model whose parameters are averages: `update_parameters(model)` takes one more in.

    `avg_fn(average, current, count)` gives the new average, `multi_avg_fn` writes lists of them; without
    either all count the same. Buffers are copied, or with `use_buffers` averaged too.
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: AverageAll | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Takes the parameters of `model` into the averages; the first time they become these."""
        mine: list[Any] = list(self.module.parameters())
        theirs: list[Any] = list(model.parameters())
        if self.use_buffers:
            mine += list(self.module.buffers())
            theirs += list(model.buffers())
        average = [p.detach() for p in mine]
        current = [p.detach().to(a.device) for p, a in zip(theirs, average, strict=True)]
        count = self.n_averaged
        if count == 0:
            for a, c in zip(average, current, strict=True):
                a.copy_(c)
        elif self.avg_fn is not None:
            for a, c in zip(average, current, strict=True):
                a.copy_(self.avg_fn(a, c, count.to(a.device)))
        else:
            (self.multi_avg_fn or get_swa_multi_avg_fn())(average, current, count)
        if not self.use_buffers:
            for own, other in zip(self.module.buffers(), model.buffers(), strict=True):
                own.detach().copy_(other.detach())
        self.n_averaged += 1


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Sets the running statistics of batch normalisation anew, by one pass over the data.

    The first item of a batch that is a list or a tuple is the input.
    """
    layers = [m for m in model.modules() if isinstance(m, (BatchNorm1d, BatchNorm2d, BatchNorm3d))]
    momenta = [m.momentum for m in layers]
    for layer in layers:
        layer.reset_running_stats()
    if not layers:
        return
    training = model.training
    model.train()
    for layer in layers:
        layer.momentum = None
    for batch in loader:
        given = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(given if device is None else given.to(device))
    for layer, momentum in zip(layers, momenta, strict=True):
        layer.momentum = momentum
    model.train(training)


class SWALR(LRScheduler):
    """Anneals every rate to `swa_lr` in `anneal_epochs` epochs, along a cosine or a line, and stays there."""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float] | tuple[float, ...],
        anneal_epochs: int = 10,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        last_epoch: int = -1,
    ) -> None:
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                "anneal_strategy must by one of 'cos' or 'linear', instead got " + anneal_strategy
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        groups = optimizer.param_groups
        rates = list(swa_lr) if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise ValueError(
                "swa_lr must have the same length as optimizer.param_groups: swa_lr has "
                f"{len(rates)}, optimizer.param_groups has {len(groups)}"
            )
        for group, rate in zip(groups, rates, strict=True):
            group["swa_lr"] = rate
        self.anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _along(self, t: float) -> float:
        return t if self.anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def get_lr(self) -> list[float]:
        step, epochs = self._step_count - 1, max(1, self.anneal_epochs)
        if not self.anneal_epochs:
            step = max(1, step)
        before = self._along(max(0.0, min(1.0, (step - 1) / epochs)))
        now = self._along(max(0.0, min(1.0, step / epochs)))
        rates = []
        for group in self.optimizer.param_groups:
            last, rate = group["swa_lr"], group["lr"]
            start = last if before == 1 else (rate - before * last) / (1 - before)
            rates.append(last * now + start * (1 - now))
        return rates
