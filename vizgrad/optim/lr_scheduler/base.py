"""LRScheduler: changes the learning rates of an optimizer from epoch to epoch (T-63)."""

from __future__ import annotations

import math
import warnings
from typing import Any

from vizgrad.optim.optimizer import Group, Optimizer


class LRScheduler:
    """Base class. A subclass gives `get_lr`: the rates of all groups at `last_epoch`, from the current ones.

    The first rates are set when it is made; each `step()` goes on by one epoch. `base_lrs` are the
    rates the optimizer was made with, kept in each group as "initial_lr".
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming an "
                    "optimizer: give last_epoch=-1, or load the optimizer's state first"
                )
        self.base_lrs: list[float] = [float(g["initial_lr"]) for g in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._begin()

    def _begin(self) -> None:
        """Sets the rates of the first epoch."""
        self._step_count = 0
        self._stepped = False
        self._hook = self.optimizer.register_step_post_hook(self._optimizer_stepped)
        self.step()

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "_hook"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if not state.get("_stepped", True):  # the copy's optimizer has no hooks of the original's
            self._hook = self.optimizer.register_step_post_hook(self._optimizer_stepped)

    def _optimizer_stepped(self, *_: Any) -> None:
        self._stepped = True
        self._hook.remove()

    @property
    def groups(self) -> list[Group]:
        return self.optimizer.param_groups

    def get_lr(self) -> list[float]:
        """The rates at `last_epoch`, one per group."""
        raise NotImplementedError(f"{type(self).__name__} must define get_lr()")

    def get_last_lr(self) -> list[float]:
        """The rates that were set last, one per group."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Goes to the next epoch, or to `epoch`, and sets the rates."""
        self._step_count += 1
        if self._step_count == 2 and not self._stepped:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in the "
                "opposite order: `optimizer.step()` before `lr_scheduler.step()`; else the first value "
                "of the schedule is skipped.",
                UserWarning,
                stacklevel=2,
            )
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed = getattr(self, "_get_closed_form_lr", None)
        rates = self.get_lr() if epoch is None or closed is None else closed()
        self._set(rates)

    def _set(self, rates: list[float]) -> None:
        for group, rate in zip(self.groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = [float(g["lr"]) for g in self.groups]

    def _current(self) -> list[float]:
        return [float(g["lr"]) for g in self.groups]

    def _scaled(self, factor: float) -> list[float]:
        return [rate * factor for rate in self._current()]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        skipped = ("optimizer", "_hook")
        return {k: v for k, v in self.__dict__.items() if k not in skipped}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what `state_dict` of an equal scheduler gave."""
        self.__dict__.update(state_dict)


_LRScheduler = LRScheduler


# Lower rates when a figure stops getting better.


class ReduceLROnPlateau(LRScheduler):
    """Multiplies by `factor` after `patience` epochs without a better figure.

    `step(metrics)` takes the figure. Better means lower (mode "min") or higher ("max") than the best
    by `threshold`, of it ("rel") or as such ("abs"). After a change, `cooldown` epochs do not count.
    """

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
        threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        count = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != count:
                raise ValueError(f"expected {count} min_lrs, got {len(min_lr)}")
            self.min_lrs = list(min_lr)
        else:
            self.min_lrs = [min_lr] * count
        self.optimizer = optimizer
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = self._current()
        self._reset()

    def _reset(self) -> None:
        """Forgets the best figure."""
        self.best = math.inf if self.mode == "min" else -math.inf
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def is_better(self, a: float, best: float) -> bool:
        """Is `a` better than `best` by the threshold?"""
        if self.mode == "min":
            limit = (
                best * (1 - self.threshold)
                if self.threshold_mode == "rel"
                else best - self.threshold
            )
            return a < limit
        limit = (
            best * (1 + self.threshold) if self.threshold_mode == "rel" else best + self.threshold
        )
        return a > limit

    @property
    def in_cooldown(self) -> bool:
        return self.cooldown_counter > 0

    # takes the figure to judge by, as PyTorch's does
    def step(self, metrics: Any, epoch: int | None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Takes the figure of an epoch, a number or a tensor of one element."""
        current = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, low in zip(self.groups, self.min_lrs, strict=True):
                old = float(group["lr"])
                new = max(old * self.factor, low)
                if old - new > self.eps:
                    group["lr"] = new
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = self._current()
