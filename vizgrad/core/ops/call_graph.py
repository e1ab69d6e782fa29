"""Which operations a function can record, read from its code and from that of the functions it calls."""

from __future__ import annotations

import builtins
import dis
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any

from vizgrad.core.function.primitive import REGISTRY, Primitive
from vizgrad.core.graph.node import Node

#: Whose code is read.
_OURS = ("vizgrad.core.ops", "vizgrad.nn.functional")
_MISSING = object()


class CallGraph:
    """Which functions name what, each read once: for one look at the library, as a name may be bound anew."""

    def __init__(self) -> None:
        #: The generated functions that record, by identity: public names are often just these.
        self._recorders = {id(op.record): op for op in REGISTRY.values()}
        self._named: dict[FunctionType, tuple[Any, ...]] = {}

    def reached(self, function: Any) -> tuple[frozenset[Primitive], frozenset[type[Node]]]:
        """(primitives, node classes written by hand) that `function` names, itself or through others.

        Nothing is run, so an operation behind an `if` counts as well.
        """
        primitives: set[Primitive] = set()
        nodes: set[type[Node]] = set()
        stack, seen = [function], set[int]()
        while stack:
            value = stack.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            value = self._recorders.get(id(value), value)
            if isinstance(value, Primitive):
                primitives.add(value)
            elif isinstance(value, type) and issubclass(value, Node):
                nodes.add(value)
            elif isinstance(value, FunctionType) and is_ours(value):
                if value not in self._named:
                    self._named[value] = tuple(_named(value))
                stack.extend(self._named[value])
        return frozenset(primitives), frozenset(nodes)


def is_ours(function: Any) -> bool:
    """Is it written, or made, by vizgrad's operations?"""
    module = function.__module__ or ""
    return module == "vizgrad" or module.startswith(_OURS)


def _named(function: FunctionType) -> Iterator[Any]:
    """What the code of `function` names: globals, attributes of modules, imports, closures."""
    for cell in function.__closure__ or ():
        if cell.cell_contents is not function:
            yield cell.cell_contents
    yield from (function.__defaults__ or ())
    for code in _codes(function.__code__):
        yield from _names_in(code, function.__globals__)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


@cache
def _module(name: str) -> ModuleType:
    return import_module(name)


def _names_in(code: CodeType, scope: dict[str, Any]) -> Iterator[Any]:
    local: dict[str, Any] = {}
    value: Any = _MISSING
    for instruction in dis.get_instructions(code):
        kind, name = instruction.opname, instruction.argval
        if kind in ("LOAD_GLOBAL", "LOAD_NAME"):
            value = scope.get(name, getattr(builtins, name, _MISSING))
        elif kind in ("LOAD_ATTR", "LOAD_METHOD") and value is not _MISSING:
            value = getattr(value, name, _MISSING) if _open(value) else _MISSING
        elif kind == "IMPORT_NAME":
            value = _module(name) if name.startswith(_OURS) else _MISSING
        elif kind == "IMPORT_FROM":
            member = getattr(_module_of(code, instruction), name, _MISSING)
            yield member
            local[name] = member
            continue
        elif kind.startswith("LOAD_FAST") and isinstance(name, str) and name in local:
            value = local[name]
        elif kind not in ("PUSH_NULL", "PRECALL", "CACHE", "RESUME", "COPY_FREE_VARS"):
            value = _MISSING
        if value is not _MISSING:
            yield value


def _module_of(code: CodeType, at: dis.Instruction) -> Any:
    """The module that the `from ... import` of this instruction names."""
    name = ""
    for instruction in dis.get_instructions(code):
        if instruction.offset >= at.offset:
            break
        if instruction.opname == "IMPORT_NAME":
            name = instruction.argval
    return _module(name) if name.startswith(_OURS) else None


def _open(value: Any) -> bool:
    """Is an attribute of it a name of ours? Of tensors and the like it is not known before a run."""
    return isinstance(value, (ModuleType, Primitive))
