"""Names of torch.compiler for programs that compile their model: vizgrad runs a program as it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.core.errors import warn_once

_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """Returns `model` itself: there is no compiler, and a warning says so once. Without a model: a decorator.

    A compiled module of PyTorch is another object, whose state has keys that begin with `_orig_mod.`: here
    they stay as they are. AssertionError for what cannot be called, RuntimeError for settings that
    contradict each other or that PyTorch does not have.
    """
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    if mode is not None and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if model is None:
        return lambda model: compile(model, mode=mode, options=options, disable=disable)
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if not disable:
        warn_once(
            "compile() returns what it is given: vizgrad has no compiler, and runs each operation as it comes"
        )
    return model


def disable(fn: Callable[..., Any] | None = None, recursive: bool = True, **_: Any) -> Any:
    """Returns `fn` itself, which is not compiled; without it, a decorator."""
    return (lambda fn: fn) if fn is None else fn


def is_compiling() -> bool:
    """Is code being compiled? Never."""
    return False


def is_dynamo_compiling() -> bool:
    """Is code being compiled? Never."""
    return False


def reset() -> None:
    """Forgets what was compiled: nothing."""
