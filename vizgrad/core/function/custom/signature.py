"""The parameters of a Function's forward: keyword arguments and names (F-14)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from vizgrad.core.errors import explained, place_of
from vizgrad.core.function.custom.nested import _iter_None_tensors
from vizgrad.core.tensor.source_location import caller

_KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
_SEVERAL = inspect.Parameter.VAR_POSITIONAL


def parameters_of(cls: Any) -> inspect.Signature:
    """Signature of forward as `apply` takes it: without ctx in combined style."""
    known = cls.__dict__.get("_fn_signature")
    forward = cls.forward
    if known is not None and known[0] is forward:
        return known[1]
    found = inspect.signature(forward) if cls._is_split() else after_context(forward)
    cls._fn_signature = (forward, found)
    return found


def bind(
    cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, all_defaults: bool
) -> tuple[Any, ...]:
    """Positional arguments of forward; TypeError for unknown or missing ones.

    Defaults are filled in for all parameters, or only before a later one that was given.
    """
    found = parameters_of(cls)
    try:
        bound = found.bind(*args, **kwargs)
    except TypeError as error:
        raise _unfit(cls, f"{error}; forward takes {found}") from None
    given = set(bound.arguments)
    bound.apply_defaults()
    for name, parameter in found.parameters.items():
        if parameter.kind is _KEYWORD_ONLY and (all_defaults or name in given):
            raise _unfit(
                cls,
                f"forward() got an unexpected keyword argument {name!r}: keyword-only parameters "
                "cannot be used, make it positional",
            )
    if bound.kwargs and any(
        found.parameters[n].kind is inspect.Parameter.VAR_KEYWORD
        for n in bound.arguments
        if n in given
    ):
        raise _unfit(
            cls,
            f"forward() got unexpected keyword arguments {', '.join(map(repr, bound.kwargs))}",
        )
    if all_defaults:
        return bound.args
    positional = [n for n, p in found.parameters.items() if p.kind is not _KEYWORD_ONLY]
    last = max((i for i, n in enumerate(positional) if n in given), default=-1)
    if last >= 0 and found.parameters[positional[last]].kind is _SEVERAL:
        return bound.args
    return bound.args[: last + 1]


def _unfit(cls: Any, what: str) -> TypeError:
    return explained(
        TypeError(f"{cls.__name__}.apply(): {what}"),
        kind="function-return",
        culprit=place_of(caller()),
        tensor=cls.__name__,
        fix=f"call {cls.__name__}.apply with what forward takes, by position or by name",
    )


def after_context(function: Any) -> inspect.Signature:
    """Signature of a function without its first parameter."""
    found = inspect.signature(function)
    return found.replace(parameters=list(found.parameters.values())[1:])


def argument_names(
    read: Callable[[Any], inspect.Signature], source: Any, count: int
) -> tuple[str, ...]:
    """Names of the first `count` parameters of `read(source)`; numbers for those that have none."""
    names: list[str] = []
    try:
        found = read(source)
    except (TypeError, ValueError, AttributeError):  # no Python signature to be had
        return tuple(f"argument {i}" for i in range(count))
    for parameter in found.parameters.values():
        if parameter.kind is _SEVERAL:
            names.extend(f"{parameter.name}[{i}]" for i in range(count - len(names)))
        elif parameter.kind is not _KEYWORD_ONLY:
            names.append(parameter.name)
    names.extend(f"argument {i}" for i in range(len(names), count))
    return tuple(names[:count])


# Gradients in the structure of the inputs, as one per input tensor (F-129).


class _OtherShape(Exception):
    """The result is not built like the inputs."""


def per_input(result: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The gradients in the flat order of the inputs' tensors; `inputs` is a prototype.

    A result built like the inputs is read place by place: None at a place stands for all tensors there,
    and where the input is None nothing is expected. Any other result is read as a flat sequence.
    ValueError for what is no structure of tensors.
    """
    several = result if isinstance(result, tuple) else (result,)
    flat = tuple(_iter_None_tensors(several))  # raises for what is no structure
    gradients: list[Any] = []
    try:
        _walk(inputs, several, gradients)
    except _OtherShape:
        return flat
    return tuple(gradients)


def _walk(proto: Any, value: Any, gradients: list[Any]) -> None:
    if proto is None:
        if value is not None:
            raise _OtherShape
    elif isinstance(proto, (list, tuple)):
        if value is None:
            value = [None] * len(proto)
        if not isinstance(value, (list, tuple)) or len(value) != len(proto):
            raise _OtherShape
        for inner, item in zip(proto, value, strict=True):
            _walk(inner, item, gradients)
    elif isinstance(proto, Mapping):
        if value is None:
            value = dict.fromkeys(proto)
        if not isinstance(value, Mapping) or set(value) - set(proto):
            raise _OtherShape
        for key, inner in proto.items():
            _walk(inner, value.get(key), gradients)
    elif isinstance(value, (list, tuple, Mapping)):
        raise _OtherShape
    else:
        gradients.append(value)
