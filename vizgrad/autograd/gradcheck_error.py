"""Shared parts of `gradcheck`: its error, its tolerance, and its random numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.autograd.jacobians import agreeing
from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import on_device_of
from vizgrad.core.arrays.random import Generator

if TYPE_CHECKING:
    from vizgrad.autograd.gradcheck_report import Mismatch


class GradcheckError(RuntimeError):
    """The gradients are not what they should be. `report` says where and how, if two Jacobians differ."""

    report: Mismatch | None = None


def random(shape: tuple[int, ...], dtype: Any, source: Generator) -> Any:
    """From -1 to 1, from a source of gradcheck's own: the program's random numbers stay as they are."""
    made = source.source.random(shape) * 2 - 1
    if dtype.kind == "c":
        made = made + 1j * (source.source.random(shape) * 2 - 1)
    return xp.asarray(made).astype(dtype)


def near(a: Any, b: Any, atol: float, rtol: float) -> bool:
    """Within the tolerances, NaN equal to NaN."""
    with on_device_of(a):
        return bool(agreeing(a, b, atol, rtol).all())
