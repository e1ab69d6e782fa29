"""The modes of the current thread, as data for the status strip."""

from __future__ import annotations

from vizgrad.core.tensor.modes import MODES
from vizgrad.debugger.model import Modes


def current_modes() -> Modes:
    return Modes(
        grad=MODES.grad,
        inference=getattr(MODES, "inference", None) is not None,
        anomaly=MODES.anomaly,
        multithreading=MODES.multithreading,
    )
