"""Signatures of a public name in PyTorch and here, and in what ours takes less than PyTorch's.

PyTorch's own functions in Python have signatures that `inspect` reads. For the others the schemas do, which
are what the argument parser was made of: one for each way to call the function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from inspect import Parameter
from typing import Any

NO_DEFAULT = Parameter.empty

#: numpy's words, which PyTorch's parser takes for its own without saying so.
NUMPY = {"axis": "dim", "keepdims": "keepdim"}

#: PyTorch takes it and numpy's memory has no use for it: a function may take it, none must.
MEANINGLESS = {"layout", "pin_memory", "memory_format"}


@dataclass(frozen=True)
class Taken:
    """One parameter of one way to call a function."""

    name: str
    keyword_only: bool
    default: Any = NO_DEFAULT


Way = tuple[Taken, ...]


@cache
def _schemas() -> dict[str, list[Any]]:
    import torch

    found: dict[str, list[Any]] = {}
    for schema in torch._C._jit_get_all_schemas():
        if schema.name.startswith("aten::"):
            found.setdefault(schema.name.removeprefix("aten::"), []).append(schema)
    return found


def ways_of_pytorch(theirs: Any, name: str, *, method: bool) -> list[Way] | None:
    """All ways to call PyTorch's function; None where nothing says them. `name` is the schema's."""
    written = signature_of(theirs)
    if written is not None:
        parameters = list(written.parameters.values())[1 if method else 0 :]
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
            return None
        return [tuple(_read(p) for p in parameters if p.kind is not p.POSITIONAL_ONLY)]
    ways = []
    takes_out = takes_an_out(theirs)
    for schema in _schemas().get(name, []):
        taken = [_taken(a, method) for a in schema.arguments]
        types = [str(a.type) for a in schema.arguments]
        if not _is_for_python(schema, types) or (method and taken[0].name != "input"):
            continue
        writes = [
            t for t in taken if t.keyword_only and t.default is NO_DEFAULT and _is_out(schema, t)
        ]
        if writes and (method or not takes_out):
            continue
        taken = [t for t in taken if t not in writes]
        if writes:
            taken.append(Taken("out", True, None))
        ways.append(tuple(taken[1:] if method else taken))
    return ways or None


def takes_an_out(theirs: Any) -> bool:
    """Whether a function of PyTorch's takes `out=`: schemas have more of these than Python does."""
    from torch.overrides import get_testing_overrides

    if "out=" in (theirs.__doc__ or "").split("\n\n")[0]:
        return True
    shown = get_testing_overrides().get(theirs)
    return shown is not None and "out" in inspect.signature(shown).parameters


def _read(parameter: Parameter) -> Taken:
    return Taken(parameter.name, parameter.kind is parameter.KEYWORD_ONLY, parameter.default)


def _taken(argument: Any, method: bool) -> Taken:
    name = "input" if argument.name == "self" else argument.name
    default = argument.default_value if argument.has_default_value() else NO_DEFAULT
    return Taken(name, argument.kwarg_only, default)


def _is_out(schema: Any, taken: Taken) -> bool:
    argument = next(a for a in schema.arguments if a.name == taken.name)
    return argument.is_out


def _is_for_python(schema: Any, types: list[str]) -> bool:
    """Not for TorchScript's own numbers and lists, and not for named dimensions."""
    first = schema.arguments[0].name if schema.arguments else ""
    scripted = first in ("a", "l", "s", "el", "t", "list") and not types[0].startswith("Tensor")
    if scripted or any(kind in ("t[]", "t") for kind in types):
        return False
    return not any("t[]" in kind or "Dimname" in kind for kind in types) and "Dimname" not in str(
        schema
    )


def signature_of(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def ours(function: Any) -> inspect.Signature | None:
    """Our signature; code that is written at the first call is written now."""
    become = getattr(function, "__globals__", {}).get("become")
    if become is not None and function.__code__.co_varnames == ("args", "kwargs"):
        become()
    return signature_of(function)


def missing(function: Callable[..., Any], ways: list[Way], *, method: bool) -> list[str]:
    """What `function` does not take as PyTorch does, in words."""
    signature = ours(function)
    if signature is None:
        return ["has no signature"]
    parameters = list(signature.parameters.values())[1 if method else 0 :]
    return sorted({line for way in ways for line in _unlike(parameters, way, ways)})


def _unlike(parameters: list[Parameter], way: Way, ways: list[Way]) -> Iterator[str]:
    by_name = {p.name: p for p in parameters}
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    starred = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    anything = any(p.kind is p.VAR_KEYWORD for p in parameters)
    for position, taken in enumerate(way):
        found = by_name.get(taken.name)
        if found is None or found.kind in (found.VAR_POSITIONAL, found.VAR_KEYWORD):
            if taken.name not in MEANINGLESS and taken.name[0] != "_" and not anything:
                yield f"no {taken.name}"
            continue
        elsewhere = {t.keyword_only for w in ways for t in w if t.name == taken.name}
        only = found.kind is found.KEYWORD_ONLY
        if only not in elsewhere and not (only and (starred or len(ways) > 1)):
            yield f"{taken.name} is {'not ' if only else ''}keyword-only"
        elif (
            not only
            and len(ways) == 1
            and positional[position:]
            and positional[position].name != taken.name
        ):
            yield f"{taken.name} is at position {position + 1}"
        if found.default is NO_DEFAULT and taken.default is not NO_DEFAULT:
            yield f"{taken.name} has the default {taken.default!r}"
        elif found.default is not NO_DEFAULT:
            allowed = [t.default for w in ways for t in w if t.name == taken.name]
            everywhere = all(any(t.name == taken.name for t in w) for w in ways)
            optional = NO_DEFAULT in allowed and (starred or not everywhere)
            if not optional and not any(_equal(found.default, d) for d in allowed):
                yield f"{taken.name} has the default {allowed[0]!r}, not {found.default!r}"


def _equal(a: Any, b: Any) -> bool:
    if a is NO_DEFAULT or b is NO_DEFAULT:
        return a is b
    if isinstance(b, (list, tuple)) and not isinstance(a, (list, tuple)):
        return all(_equal(a, each) for each in b) if b else a is None
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return list(a) == list(b)
    if callable(b):
        return a == getattr(b, "__name__", b)
    return str(a).replace("vizgrad", "torch") == str(b) or a == b
