"""What a person calls their tensors: looked up in the namespaces they are working in."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from vizgrad.tensor.place import INTERNAL
from vizgrad.tensor.tensor import Tensor

#: Modules with more parameters than this are not searched for names.
_MOST_PARAMETERS = 10_000


def names_in(namespaces: Iterable[Mapping[str, Any]]) -> dict[int, str]:
    """id of tensor -> name, e.g. ``w``, ``model.0.weight``; earlier namespaces win.

    Names that begin with an underscore (IPython's history among them) only serve if nothing better is
    found.
    """
    found: dict[int, str] = {}
    hidden: dict[int, str] = {}
    for namespace in namespaces:
        for name, value in list(namespace.items()):
            target = hidden if name.startswith("_") else found
            if isinstance(value, Tensor):
                target.setdefault(id(value), name)
            elif isinstance(value, (list, tuple)) and len(value) <= 64:
                for i, item in enumerate(value):
                    if isinstance(item, Tensor):
                        target.setdefault(id(item), f"{name}[{i}]")
            elif isinstance(value, dict) and len(value) <= 256:
                for key, item in list(value.items()):
                    if isinstance(item, Tensor):
                        target.setdefault(id(item), f"{name}[{key!r}]")
            elif callable(getattr(type(value), "named_parameters", None)):
                for i, (inner, parameter) in enumerate(value.named_parameters()):
                    if i >= _MOST_PARAMETERS:
                        break
                    target.setdefault(id(parameter), f"{name}.{inner}")
    return {**hidden, **found}


def names_around(depth: int = 2) -> dict[int, str]:
    """Names in the nearest frame outside vizgrad, its callers, and its module."""
    frame: Any = sys._getframe(depth)
    while frame is not None and INTERNAL[frame.f_globals.get("__package__")]:
        frame = frame.f_back
    spaces: list[Mapping[str, Any]] = []
    steps = 0
    while frame is not None and steps < 8:
        if not INTERNAL[frame.f_globals.get("__package__")]:
            spaces.append(frame.f_locals)
            if frame.f_locals is not frame.f_globals:
                spaces.append(frame.f_globals)
        if frame.f_code.co_name == "<module>":
            break
        frame = frame.f_back
        steps += 1
    return names_in(spaces)
