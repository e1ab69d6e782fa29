"""Cosine schedules. I. Loshchilov, F. Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts (2017)."""

from __future__ import annotations

import math

from vizgrad.optim.lr_scheduler.base import LRScheduler
from vizgrad.optim.optimizer import Optimizer


class CosineAnnealingLR(LRScheduler):
    """From the first rate to eta_min along half a cosine in T_max epochs, and back."""

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return self._current()
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            # at the lowest point the quotient below is 0 / 0
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [
                rate + (base - self.eta_min) * rise
                for base, rate in zip(self.base_lrs, self._current(), strict=True)
            ]
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return [now / before * (r - self.eta_min) + self.eta_min for r in self._current()]

    def _get_closed_form_lr(self) -> list[float]:
        part = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (b - self.eta_min) * part for b in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine in T_0 epochs, then again from the top, each time T_mult times as long.

    `step(epoch)` takes fractions, to go on within an epoch.
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        part = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (b - self.eta_min) * part for b in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Goes on by one epoch, or to the (fractional) `epoch`."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            if epoch < self.T_0:
                self.T_cur, self.T_i = epoch, self.T_0
            elif self.T_mult == 1:
                self.T_cur, self.T_i = epoch % self.T_0, self.T_0
            else:
                ratio = epoch / self.T_0 * (self.T_mult - 1) + 1
                done = int(math.log(ratio, self.T_mult))
                passed = self.T_0 * (self.T_mult**done - 1) / (self.T_mult - 1)
                self.T_cur, self.T_i = epoch - passed, self.T_0 * self.T_mult**done
        self.last_epoch = math.floor(epoch)
        self._set(self.get_lr())
