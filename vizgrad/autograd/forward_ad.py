"""`torch.autograd.forward_ad`: tangents that flow with the values (spec 05 A).

    with dual_level():
        x = make_dual(primal, tangent)
        y = f(x)
        value, derivative = unpack_dual(y)     # f(primal) and J(f) @ tangent

There is one level at a time here; transforms nest theirs (`new_level`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from vizgrad.autograd.mode_context import ModeContext, only_bool
from vizgrad.core.ops.shape import view
from vizgrad.core.ops.tangents.carrying import arm
from vizgrad.core.ops.tangents.structure import fitted, placed, primal_of, suits
from vizgrad.core.tensor import duals
from vizgrad.core.tensor.duals import OWN, DualLevel, active, set_tangent, tangent_of, within
from vizgrad.core.tensor.in_memory import strided
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, rare_of

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]


class _Entered(threading.local):
    """The level that this thread entered by `enter_dual_level`, or None."""

    level: DualLevel | None = None
    #: Is forward mode switched off?
    off = False


_ENTERED = _Entered()


class UnpackedDualTensor(NamedTuple):
    """The result of `unpack_dual`; the tangent is None if there is none."""

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Enters the level, whose number is 0; RuntimeError inside another one."""
    if _ENTERED.level is not None:
        raise wrong_call(
            RuntimeError(
                "Nested forward mode AD is not supported at the moment: a dual level is entered "
                "already"
            ),
            "leave it first, or use vizgrad.func.jvp, which nests",
        )
    arm()
    level = DualLevel()
    around = MODES.levels
    duals.enter(level)
    if _ENTERED.off:
        MODES.levels = around
    _ENTERED.level = level
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Leaves the level, and erases all tangents; RuntimeError if none is entered."""
    if _ENTERED.level is None:
        raise wrong_call(
            RuntimeError("Dual level must be a positive number: no level is entered"),
            "enter one with `with dual_level():`",
        )
    if level not in (None, 0):
        raise wrong_call(
            RuntimeError(
                "Trying to exit a forward AD level that was not the last one that was created. This "
                f"is not supported: {level} was asked for, 0 is entered"
            ),
            "leave `level` out",
        )
    left, _ENTERED.level = _ENTERED.level, None
    duals.leave(left)


class dual_level(ModeContext):
    """A level, as a `with` block (whose value is its number, 0) or a decorator; at its end all tangents are
    erased.
    """

    def _switch(self) -> int:
        return enter_dual_level()

    def _restore(self, found: Any) -> None:
        exit_dual_level(level=found)

    def __enter__(self) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().__enter__()
        return self._found[-1]


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of `tensor` that carries `tangent`, of its size.

    Raises RuntimeError outside a level, for tangents of another size, and where the tensor, or the tangent,
    is dual already; ValueError for integers; TypeError for what is no tensor. The tangent is cast to the
    tensor's type, and copied if it lies in memory otherwise.
    """
    entered = _ENTERED.level
    if entered is None:
        raise wrong_call(
            RuntimeError(
                "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
                "enter_dual_level() first."
            ),
            "do it inside `with dual_level():`",
        )
    if level not in (None, 0):
        raise wrong_call(
            RuntimeError(
                "Trying to access a forward AD level with an invalid index. This index was either not "
                f"created or is already deleted: {level}"
            ),
            "leave `level` out",
        )
    _check_pair(tensor, tangent)
    if tangent_of(tensor, entered) is not None:
        raise wrong_call(
            RuntimeError(
                "Making a dual Tensor based on a Tensor that already has a forward gradient at the "
                "same level 0 is not supported."
            ),
            "take its primal first: unpack_dual(x).primal",
        )
    if tangent_of(tangent, entered) is not None:
        raise wrong_call(
            RuntimeError(
                "Setting a forward grad that itself has a forward gradient at the same level 0 is not "
                "supported."
            ),
            "take its primal first: unpack_dual(tangent).primal; vizgrad.func.jvp nests",
        )
    return attach(tensor, tangent, entered)


def _check_pair(tensor: Any, tangent: Any) -> None:
    for name, value in (("primal", tensor), ("tangent", tangent)):
        if not isinstance(value, Tensor):
            raise wrong_call(
                TypeError(f"make_dual(): {name} must be Tensor, not {type(value).__name__}"),
                "make a Tensor of it: `vizgrad.tensor(...)`",
            )
        if not (value.is_floating_point() or value.is_complex()):
            raise wrong_call(
                ValueError(
                    f"Expected {name} to be floating point or complex, but got: {value.dtype}"
                ),
                "convert it with .float()",
                "cut-dtype",
            )
        if value.layout is not strided:
            raise wrong_call(
                NotImplementedError(
                    f"Cannot access storage of a sparse tensor: the {name} is {value.layout}, and a dual "
                    "tensor is a view of its memory, with a tangent that lies as it does"
                ),
                "call .to_dense() first, or make the values dual",
            )
    if tensor.shape != tangent.shape:
        raise wrong_call(
            RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the original "
                f"Tensor, this is not supported. Tensor is of size {list(tensor.shape)} while the "
                f"given forward gradient is of size {list(tangent.shape)}."
            ),
            "give a tangent of the tensor's size",
            "shape-broadcast",
        )
    if tangent.is_complex() and not tensor.is_complex():
        raise wrong_call(
            ValueError(f"Expected tangent to be real as the primal is, but got: {tangent.dtype}"),
            "take its real part: tangent.real",
            "cut-dtype",
        )


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """(primal, tangent): a fresh view without the tangent, and the tangent, None if it has none.

    Outside of a level: the tensor itself, and None. TypeError for what is no tensor.
    """
    entered = _ENTERED.level
    if entered is None:
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, Tensor):
        raise wrong_call(
            TypeError(
                f"unpack_dual(): argument 'tensor' must be Tensor, not {type(tensor).__name__}"
            ),
            "give it what make_dual gave, or a result of it",
        )
    return UnpackedDualTensor(*strip(tensor, entered))


class _set_fwd_grad_enabled(ModeContext):
    """Forward mode on, or off, *at once*: tangents are kept, but not seen, and operations drop them (A-11).

    It stays off in a level that is entered meanwhile (Y-23); in a `with` block the earlier mode comes back.
    """

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.mode = only_bool("_set_fwd_grad_enabled", "mode", mode)
        self._before = self._set(mode)

    def clone(self) -> _set_fwd_grad_enabled:
        return _set_fwd_grad_enabled(self.mode)

    def __call__(self, function: Any) -> Any:
        self._restore(self._before)  # only the function's body is to be in the mode
        return super().__call__(function)

    def _switch(self) -> tuple[bool, tuple[DualLevel, ...]]:
        inside = self._set(self.mode)
        return inside if self._found else self._before

    def _restore(self, found: tuple[bool, tuple[DualLevel, ...]]) -> None:
        _ENTERED.off, levels = found
        MODES.levels = tuple(
            [level for level in levels if level.is_open]
        )  # one may have been left meanwhile
        self._see_what_is_entered()

    @classmethod
    def _set(cls, mode: bool) -> tuple[bool, tuple[DualLevel, ...]]:
        """Returns what was: is it off, and the levels that were active."""
        before = _ENTERED.off, MODES.levels
        _ENTERED.off = not mode
        if mode:
            cls._see_what_is_entered()
        else:
            MODES.levels = ()
        return before

    @staticmethod
    def _see_what_is_entered() -> None:
        """A level that was entered while forward mode was off is the outermost that is active."""
        entered = _ENTERED.level
        if not _ENTERED.off and entered is not None and entered not in MODES.levels:
            MODES.levels = (entered, *MODES.levels)


# --- levels of any depth, for transforms ------------------------------------------------------------------


@contextmanager
def new_level() -> Iterator[DualLevel]:
    """A level inside all that are active. Its tangents are tensors that may have tangents of outer ones."""
    arm()
    level = DualLevel()
    duals.enter(level)
    try:
        yield level
    finally:
        duals.leave(level)


def attach(primal: Tensor, tangent: Tensor, level: DualLevel) -> Tensor:
    """A view of `primal` with `tangent` under `level`; of outer levels it has what `primal` has."""
    with within(_outside(level)):
        dual = view.record(primal, shape=primal._array.shape)
        if not suits(tangent, dual):
            tangent = placed(fitted(tangent, dual, (tangent,)), dual)
    rare_of(dual).tangent_root = OWN
    set_tangent(dual, level, tangent)
    return dual


def strip(tensor: Tensor, level: DualLevel) -> tuple[Tensor, Tensor | None]:
    """A view without the tangent under `level`, and that tangent."""
    found = tangent_of(tensor, level) if level in active() else None
    with within(_outside(level)):
        return primal_of(tensor), found


def _outside(level: DualLevel) -> tuple[DualLevel, ...]:
    """The active levels outside of `level`."""
    levels = MODES.levels
    return levels[: levels.index(level)] if level in levels else levels
