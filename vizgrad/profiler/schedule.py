"""Which steps of a program are measured."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from vizgrad.core.errors import warn_outside


class ProfilerAction(Enum):
    """The work of the profiler in a step: nothing, nothing yet, measures, measures for the last time."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


class ProfilerActivity(Enum):
    """The kinds of work that PyTorch's profiler knows. Here it is that of the CPU alone."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:  # fmt: skip
    """For `profile(schedule=...)`: after `skip_first` steps, rounds of `wait` steps without, `warmup` steps,
    and `active` steps that are measured; `repeat` rounds, or with 0 all. `skip_first_wait`: the first round
    does not wait.
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)"
        )
    if warmup == 0:
        warn_outside("Profiler won't be using warmup, this can skew profiler results", UserWarning)
    length = wait + warmup + active

    def action_of(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        if 0 < repeat <= step // length:
            return ProfilerAction.NONE
        at = step % length
        if at < wait:
            return ProfilerAction.NONE
        if at < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if at < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action_of


def always(_: int) -> ProfilerAction:
    """The schedule of a profiler that has none."""
    return ProfilerAction.RECORD
