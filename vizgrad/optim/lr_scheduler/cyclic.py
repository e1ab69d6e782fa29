"""Cyclic schedules, which change the momentum as well. L. Smith (2015, 2017)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from vizgrad.optim.lr_scheduler.base import LRScheduler
from vizgrad.optim.optimizer import Group, Optimizer


def _per_group(optimizer: Optimizer, name: str, value: Any) -> list[float]:
    count = len(optimizer.param_groups)
    if isinstance(value, (list, tuple)):
        if len(value) != count:
            raise ValueError(f"expected {count} values for {name}, got {len(value)}")
        return list(value)
    return [value] * count


def _momentum(group: Group) -> float:
    return group["betas"][0] if "betas" in group else group["momentum"]


def _set_momentum(group: Group, value: float) -> None:
    if "betas" in group:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


class CyclicLR(LRScheduler):
    """Up from base_lr to max_lr and down again, over and over; step it after every batch.

    L. Smith, Cyclical Learning Rates for Training Neural Networks (2015). Modes: "triangular",
    "triangular2" (half the height each time), "exp_range" (times gamma ** step), or `scale_fn`.
    """

    def __init__(
        self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000,
        step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle",
        cycle_momentum: bool = True, base_momentum: Any = 0.8, max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        if last_epoch == -1:
            for group, rate in zip(
                optimizer.param_groups, _per_group(optimizer, "base_lr", base_lr), strict=True
            ):
                group["lr"] = rate
                group["initial_lr"] = rate
        self.max_lrs = _per_group(optimizer, "max_lr", max_lr)
        down = float(step_size_up if step_size_down is None else step_size_down)
        self.total_size = float(step_size_up) + down
        self.step_ratio = step_size_up / self.total_size
        self.mode = mode
        self.gamma = gamma
        self._scale_fn = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if not ({"momentum", "betas"} & set(optimizer.defaults)):
                raise ValueError(
                    "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
                )
            self.base_momentums = _per_group(optimizer, "base_momentum", base_momentum)
            self.max_momentums = _per_group(optimizer, "max_momentum", max_momentum)
            if last_epoch == -1:
                for group, value in zip(optimizer.param_groups, self.max_momentums, strict=True):
                    _set_momentum(group, value)
        super().__init__(optimizer, last_epoch)

    def _scale(self, x: float) -> float:
        if self._scale_fn is not None:
            return self._scale_fn(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[float]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self._scale(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(
                self.groups, self.base_momentums, self.max_momentums, strict=True
            ):
                _set_momentum(group, high - (high - low) * height * scale)
        return [
            base + (top - base) * height * scale
            for base, top in zip(self.base_lrs, self.max_lrs, strict=True)
        ]

    def state_dict(self) -> dict[str, Any]:
        state = super().state_dict()
        state.pop("_scale_fn")
        return state


class OneCycleLR(LRScheduler):
    """Up to max_lr, then down far below the start, once; step it after every batch.

    L. Smith, N. Topin, Super-Convergence (2017). The number of steps is `total_steps`, or
    epochs * steps_per_epoch; going on after it raises ValueError.
    """

    def __init__(
        self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None,
        epochs: int | None = None, steps_per_epoch: int | None = None, pct_start: float = 0.3,
        anneal_strategy: str = "cos", cycle_momentum: bool = True, base_momentum: Any = 0.85,
        max_momentum: Any = 0.95, div_factor: float = 25.0, final_div_factor: float = 1e4,
        three_phase: bool = False, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError(
                    "You must define either total_steps OR (epochs AND steps_per_epoch)"
                )
            total_steps = epochs * steps_per_epoch
        if total_steps <= 0 or not isinstance(total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        if not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self.total_steps = total_steps
        self.anneal_strategy = anneal_strategy
        self.cycle_momentum = cycle_momentum
        rise = pct_start * total_steps - 1
        # (last step, rate at its end, momentum at its end)
        self._phases = (
            [(rise, "max_lr", "base_momentum"), (2 * rise, "initial_lr", "max_momentum"),
             (total_steps - 1, "min_lr", "max_momentum")]
            if three_phase
            else [(rise, "max_lr", "base_momentum"), (total_steps - 1, "min_lr", "max_momentum")]
        )  # fmt: skip
        if last_epoch == -1:
            for group, top in zip(
                optimizer.param_groups, _per_group(optimizer, "max_lr", max_lr), strict=True
            ):
                group["initial_lr"] = top / div_factor
                group["max_lr"] = top
                group["min_lr"] = group["initial_lr"] / final_div_factor
        if cycle_momentum:
            if not ({"momentum", "betas"} & set(optimizer.defaults)):
                raise ValueError(
                    "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
                )
            if last_epoch == -1:
                for group, low, high in zip(
                    optimizer.param_groups,
                    _per_group(optimizer, "base_momentum", base_momentum),
                    _per_group(optimizer, "max_momentum", max_momentum),
                    strict=True,
                ):
                    _set_momentum(group, high)
                    group["max_momentum"] = high
                    group["base_momentum"] = low
        super().__init__(optimizer, last_epoch)

    def _between(self, start: float, end: float, part: float) -> float:
        if self.anneal_strategy == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)

    def get_lr(self) -> list[float]:
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        start, lr_from, momentum_from = 0.0, "initial_lr", "max_momentum"
        end, lr_to, momentum_to = self._phases[0]
        for following in self._phases[1:]:
            if step <= end:
                break
            start, lr_from, momentum_from = end, lr_to, momentum_to
            end, lr_to, momentum_to = following
        part = (step - start) / (end - start)
        rates: list[float] = []
        for group in self.groups:
            rates.append(self._between(group[lr_from], group[lr_to], part))
            if self.cycle_momentum:
                _set_momentum(group, self._between(group[momentum_from], group[momentum_to], part))
        return rates
