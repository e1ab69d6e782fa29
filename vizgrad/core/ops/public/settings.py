"""With how many threads, and how exactly, products of matrices are computed."""

from __future__ import annotations

import warnings
from typing import Any

from vizgrad.core.arrays import threads
from vizgrad.core.arrays.kernels import places
from vizgrad.core.ops.forms import public
from vizgrad.core.tensor.state import wrong_call


@public
def get_num_threads() -> int:
    """How many threads a product of large matrices on the CPU is given."""
    return threads.number()


@public
def set_num_threads(num: int, /) -> None:
    """Gives products of large matrices on the CPU `num` threads; RuntimeError for what is no number above 0.

    It is a setting of the BLAS library that numpy has, and so of all of the process. Everything else is done
    by the thread that calls.
    """
    threads.set_number(_number("set_num_threads", num))


#: Settings that programs set and read: nothing here runs operations in parallel.
_between = 1
_between_set = False


@public
def get_num_interop_threads() -> int:
    """How many operations run at once: 1, or what was set; nothing hangs on it."""
    return _between


@public
def set_num_interop_threads(num: int, /) -> None:
    """Is kept, once, as in PyTorch; vizgrad runs one operation after the other."""
    global _between, _between_set
    number = _number("set_num_interop_threads", num)
    if _between_set:
        raise RuntimeError(
            "cannot set number of interop threads after set_num_interop_threads called: once in a program"
        )
    _between, _between_set = number, True


def _number(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_call(
            RuntimeError(f"{name} expects an int, but got {type(value).__name__}"),
            "give it a number of threads",
        )
    if value < 1:
        raise wrong_call(
            RuntimeError(f"{name} expects a positive integer"), "pass 1 for one thread, or more"
        )
    return value


_PRECISIONS = ("highest", "high", "medium")
_precision = "highest"


@public
def get_float32_matmul_precision() -> str:
    """How exact products of float32 matrices must be: one of "highest", "high" and "medium"."""
    return _precision


@public
def set_float32_matmul_precision(precision: str) -> None:
    """Allows products of float32 matrices to be less exact. vizgrad never makes use of it.

    A word that is none of the three changes nothing, with a warning, as in PyTorch.
    """
    global _precision
    if not isinstance(precision, str):
        raise wrong_call(
            RuntimeError(
                f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}"
            ),
            "give it 'highest', 'high' or 'medium'",
        )
    if precision not in _PRECISIONS:
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium': the precision stays {_precision!r}",
            UserWarning,
            stacklevel=2,
        )
        return
    _precision = precision


# Results that are the same bit for bit each time, also on a device (spec T-89).


@public
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Lets scattered additions on a device happen in a fixed order, which sorts and takes longer.

    On the CPU the order is always fixed. `warn_only` changes nothing: no operation lacks such a form.
    """
    global _warn_only
    places.deterministic = bool(mode)
    _warn_only = bool(mode) and warn_only


@public
def are_deterministic_algorithms_enabled() -> bool:
    return places.deterministic


#: The `warn_only` of the last `use_deterministic_algorithms`.
_warn_only = False


@public
def is_deterministic_algorithms_warn_only_enabled() -> bool:
    return _warn_only


_MODES = ("default", "warn", "error")


@public
def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """`use_deterministic_algorithms` by a word or its number: default (0), warn (1), error (2).

    RuntimeError for any other, TypeError for what is neither.
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    number = _MODES.index(debug_mode) if debug_mode in _MODES else debug_mode
    if isinstance(number, str):
        raise RuntimeError(
            "invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got "
            + number
        )
    if number not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {number}")
    use_deterministic_algorithms(number > 0, warn_only=number == 1)


@public
def get_deterministic_debug_mode() -> int:
    """The number that `set_deterministic_debug_mode` takes."""
    if not places.deterministic:
        return 0
    return 1 if _warn_only else 2
