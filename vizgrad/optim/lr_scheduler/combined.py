"""Schedules made of schedules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from vizgrad.optim.lr_scheduler.base import LRScheduler
from vizgrad.optim.optimizer import Optimizer


def _check(schedulers: Sequence[LRScheduler], optimizer: Optimizer | None, name: str) -> Optimizer:
    if not schedulers:
        raise ValueError(f"{name} expects at least one scheduler, but got no scheduler.")
    optimizer = schedulers[0].optimizer if optimizer is None else optimizer
    for number, scheduler in enumerate(schedulers):
        if scheduler.optimizer is not optimizer:
            raise ValueError(
                f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                f"{type(scheduler).__name__} at index {number} of another one"
            )
    return optimizer


class _Combined(LRScheduler):
    _schedulers: list[LRScheduler]

    def state_dict(self) -> dict[str, Any]:
        """State of this and, under "_schedulers", of each part."""
        state = super().state_dict()
        state["_schedulers"] = [s.state_dict() for s in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        for scheduler, part in zip(self._schedulers, state.pop("_schedulers"), strict=True):
            scheduler.load_state_dict(part)
        super().load_state_dict(state)


class SequentialLR(_Combined):
    """One schedule after the other, the next one from each of the `milestones` on."""

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int],
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        self.optimizer = _check(schedulers, optimizer, "SequentialLR")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the "
                f"number of milestone points, but got number of schedulers {len(schedulers)} and the "
                f"number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers = list(schedulers)
        self._milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        # making each schedule has set its first rate: go back, and let only the first begin
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
            scheduler._step_count -= 1
        schedulers[0].step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  takes no epoch
        """Goes to the next epoch."""
        self.last_epoch += 1
        which = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[which]
        if which > 0 and self._milestones[which - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Combined):
    """All schedules at once: each changes what the one before has set."""

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        self.optimizer = _check(list(schedulers), optimizer, "ChainedScheduler")
        self._schedulers = list(schedulers)
        self._last_lr = self._current()

    def step(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  takes no epoch
        """Steps all of them."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._current()
