"""Floating-point errors are values, not warnings: log(0) is -inf, as in PyTorch.

numpy warns, and `np.errstate` around every operation would cost as much as the operation. So there are
three places, each with the cheapest way that works there:

- recording functions (`vizgrad.core.function.compile_record`) call ufuncs from code whose global
  ``__name__`` is None. CPython drops a warning that comes from a frame without a module name, before any
  filter is asked: this costs nothing, whatever the user did to `warnings` (tests/core/ops/test_quiet.py).
  Declared kernels written in Python, in-place writes and the shortest kernels are made `nameless`, to the
  same effect.
- what such a kernel calls, which has a module name, is wrapped in `quiet`.
- formulas over arrays run between one `hush` and `unhush` per backward (`vizgrad.core.engine.task`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

#: The global `__name__` of generated code.
NAMELESS = None

try:  # numpy keeps the error state in a context variable; setting it directly costs a sixth of errstate
    from numpy._core.umath import (
        _extobj_contextvar,
        _make_extobj,
    )

    _IGNORE: Any = _make_extobj(all="ignore")
    _set, _reset = _extobj_contextvar.set, _extobj_contextvar.reset
except ImportError:
    _IGNORE = None


def nameless(function: Callable[P, R], scope: dict[str, Any] | None = None) -> Callable[P, R]:
    """`function`, from whose own frame ufuncs warn nobody.

    It sees those names of its module that exist now: as a decorator, the names above it. They are put
    into `scope`, if it is empty; functions of one module may share it.
    """
    if not isinstance(function, FunctionType):
        return function
    scope = {} if scope is None else scope
    if not scope:
        scope.update(function.__globals__, __name__=NAMELESS)
    made: Any = FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__, made.__doc__ = function.__kwdefaults__, function.__doc__
    return made


def hush() -> Any:
    """Switches the warnings off for this thread; give what it returns to `unhush`."""
    return np.seterr(all="ignore") if _IGNORE is None else _set(_IGNORE)


def unhush(token: Any) -> None:
    """Back to the state before `hush`."""
    if _IGNORE is None:
        np.seterr(**token)
    else:
        _reset(token)


def quiet(kernel: Callable[P, R]) -> Callable[P, R]:
    """`kernel`, without numpy's floating-point warnings."""
    if _IGNORE is None:
        return np.errstate(all="ignore")(kernel)

    @wraps(kernel)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        token = _set(_IGNORE)
        try:
            return kernel(*args, **kwargs)
        finally:
            _reset(token)

    return run
