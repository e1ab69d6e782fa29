"""Whether operations record a graph: `no_grad`, `enable_grad`, `set_grad_enabled` (spec 04 A)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from vizgrad.autograd.mode_context import BareModeContext, ModeContext
from vizgrad.tensor.modes import is_grad_enabled as is_grad_enabled
from vizgrad.tensor.modes import set_grad_mode

P = ParamSpec("P")
R = TypeVar("R")


class no_grad(BareModeContext):  # noqa: N801  PyTorch's name
    """Nothing is recorded inside; the mode before comes back at the end, also on errors (M-2).

    A context manager, or a decorator with or without parentheses. Results do not require grad (views
    report their base's flag, V-50); versions are counted as always.
    """

    def _switch(self) -> bool:
        return set_grad_mode(False)

    def _restore(self, found: bool) -> None:
        set_grad_mode(found)


class enable_grad(BareModeContext):  # noqa: N801
    """Records inside, also within `no_grad` (M-2)."""

    def _switch(self) -> bool:
        return set_grad_mode(True)

    def _restore(self, found: bool) -> None:
        set_grad_mode(found)


class set_grad_enabled(ModeContext):  # noqa: N801
    """Switches recording on or off *at once*; in a `with` block the earlier mode comes back (M-4).

    Raises TypeError unless `mode` is a bool.
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(
                f"set_grad_enabled(): argument 'mode' must be bool, not {type(mode).__name__}"
            )
        super().__init__()
        self.mode = mode
        #: The mode before this object was made: what its first entry restores (M-5).
        self._before = set_grad_mode(mode)

    def _switch(self) -> bool:
        inside = set_grad_mode(self.mode)
        return inside if self._found else self._before

    def _restore(self, found: bool) -> None:
        set_grad_mode(found)

    def clone(self) -> set_grad_enabled:
        return set_grad_enabled(self.mode)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        set_grad_mode(self._before)  # only the function's body is to be in the mode
        return super().__call__(function)

    def __repr__(self) -> str:
        return f"vizgrad.autograd.grad_mode.set_grad_enabled(mode={self.mode})"
