"""Gradients in the structure of the inputs, as one per input tensor (F-129)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vizgrad.core.function.custom.nested import _iter_None_tensors


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
