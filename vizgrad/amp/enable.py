"""How operations come to ask for autocast: when it is entered for the first time, and not before.

Most of what autocast concerns is small, and most programs never use it: they should not pay for the question.
So a function is exchanged for one that asks, in place, whoever holds it. Nearly all are wrapped already
(`takes_tensors` and its like): what the wrapper calls is exchanged. Of the others the code is.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import wraps
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

from vizgrad.amp import policies
from vizgrad.amp.state import STATE

Policy = Callable[[Callable[..., Any], Any, Any], Any]

_armed = False

#: What has put itself in the place of functions for a while (a watch) steps aside for the exchange.
ASIDE: list[Callable[[], AbstractContextManager[None]]] = []


def arm() -> None:
    """Makes every operation of the lists ask; does nothing the second time."""
    global _armed
    if _armed:
        return
    _armed = True
    with ExitStack() as stack:
        for aside in ASIDE:
            stack.enter_context(aside())
        _exchange_all()


def _exchange_all() -> None:
    for policy, lists in (
        (policies.in_low, policies.LOW),
        (policies.in_float32, policies.WIDE),
        (policies.in_widest, policies.WIDEST),
        (policies.padding, {"nn.functional": "pad"}),
    ):
        for function in _functions(lists):
            _exchange(function, policy)
    modules = import_module("vizgrad.nn")
    for name in ("RNN", "LSTM", "RNNCell"):
        _exchange(getattr(modules, name).forward, policies.rounded)
    for name in ("GRU", "GRUCell", "LSTMCell"):
        _exchange(getattr(modules, name).forward, policies.in_float32)
    _exchange(import_module("vizgrad.core.ops.public.matrix_products").operator, policies.in_low)


def _functions(lists: dict[str, str]) -> list[Any]:
    """The functions that the lists name, each once: some have two names."""
    found: dict[int, Any] = {}
    for package, names in lists.items():
        module = import_module(f"vizgrad.{package}" if package else "vizgrad")
        for name in names.split():
            function = getattr(module, name, None)
            if function is not None:
                found[id(function)] = function
    return list(found.values())


def _exchange(function: Any, policy: Policy) -> None:
    names = function.__code__.co_freevars
    if "function" in names:
        cell = function.__closure__[names.index("function")]
        cell.cell_contents = _asking(cell.cell_contents, policy)
        return
    if names:
        raise TypeError(f"{function.__qualname__} keeps variables of another function: wrap it")
    original = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__
    )
    original.__kwdefaults__ = function.__kwdefaults__
    function.__signature__ = inspect.signature(function)
    function.__code__ = _calling(_asking(original, policy), function.__code__)
    function.__defaults__ = function.__kwdefaults__ = None


def _asking(function: Any, policy: Policy) -> Any:
    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if STATE.on:
            return policy(function, args, options)
        return function(*args, **options)

    return call


def _calling(function: Any, like: CodeType) -> CodeType:
    """The code of a function that does nothing but call `function`, which is one of its constants."""
    scope: dict[str, Any] = {}
    exec("def call(*args, **options):\n    return (0.5).__call__(*args, **options)\n", scope)  # noqa: S102
    code: CodeType = scope["call"].__code__
    constants = tuple(function if c == 0.5 else c for c in code.co_consts)
    return code.replace(co_consts=constants, co_name=like.co_name, co_filename=like.co_filename)
