"""Anomaly mode: find the operation whose derivative fails or gives NaN (spec 02 H, M-41)."""

from __future__ import annotations

import warnings
from typing import Any

from vizgrad.autograd.mode_context import exit_too_many, only_bool
from vizgrad.core.arrays.kernels.indexing import ASKED
from vizgrad.core.engine.explain import remember_origin
from vizgrad.core.tensor.modes import MODES, add_listener, remove_listener


def is_anomaly_enabled() -> bool:
    """True when this thread's operations remember where they were recorded."""
    return MODES.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """True when, in anomaly mode, a NaN in a backward raises."""
    return MODES.check_nan


def _switch(anomaly: bool, check_nan: bool) -> tuple[bool, bool]:
    before = MODES.anomaly, MODES.check_nan
    if anomaly and not MODES.anomaly:
        add_listener(remember_origin)
        ASKED.times += 1
    elif MODES.anomaly and not anomaly:
        remove_listener(remember_origin)
        ASKED.times -= 1
    MODES.anomaly, MODES.check_nan = anomaly, check_nan
    return before


class set_detect_anomaly:
    """Switches anomaly mode on or off at once; in a `with` block the earlier state comes back.

    The state is the thread's, and threads that the engine starts inherit it.
    """

    # M-42

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        only_bool("set_detect_anomaly", "mode", mode)
        only_bool("set_detect_anomaly", "check_nan", check_nan)
        self.prev, self.prev_check_nan = _switch(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        _switch(self.prev, self.prev_check_nan)


class detect_anomaly:
    """Within the block, nodes remember the line that recorded them, and a failing backward tells it.

    With `check_nan`, a backward that gives NaN raises RuntimeError naming the node. Slow: making one
    warns (UserWarning).
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        self._before: list[Any] = []
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only "
            "be enabled for debugging.",
            UserWarning,
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self._before.append(_switch(True, self.check_nan))

    def __exit__(self, *exc: object) -> None:
        if not self._before:
            raise exit_too_many("detect_anomaly")
        _switch(*self._before.pop())
