"""A walk through the objects of the process: from roots that have names, each thing by its shortest way.

Objects are numbered as they are met. The last step of the way that led to a thing is kept
(`parent`); for tensors and nodes, and for all that the user's variables lead to, every step
(`targets`): so the objects that a variable keeps alive are known. The roots are the variables of the
user's frames and notebook, and all else that the interpreter holds.
"""

from __future__ import annotations

import builtins
import gc
import re
import sys
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import get_ident
from types import (
    CodeType,
    FrameType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from vizgrad.core.arrays.backend import is_array_type
from vizgrad.core.arrays.blocks import elements, holds_objects
from vizgrad.core.function.custom.backward_class import FunctionBase
from vizgrad.core.graph.node import Edge, Node, NodeHooks
from vizgrad.core.graph.saved import Checked, KeptSelf, Overwritten, SavedGroup, SavedResult
from vizgrad.core.interpreter import OPTIMIZED, let_go
from vizgrad.core.tensor.source_location import INTERNAL
from vizgrad.core.tensor.state import Rare, ViewInfo
from vizgrad.core.tensor.storage import Storage
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.api import frameworks
from vizgrad.debugger.session.session import Session
from vizgrad.nn.modules.module import Module
from vizgrad.optim.optimizer import Optimizer

# --- where a walk begins ------------------------------------------------------------------------------


#: IPython's names of the results of cells, beside its list of them.
_RESULTS = re.compile(r"_{1,3}|_\d+")
#: Frames of callers that are looked at.
_MOST_FRAMES = 64


@dataclass(frozen=True)
class Notebook:
    """The variables of a notebook; `hidden` are those that the shell put there."""

    variables: Mapping[str, Any]
    hidden: Mapping[str, Any] = field(default_factory=dict[str, Any])
    #: The results of cells, by the cell's number (`Out`).
    results: Mapping[Any, Any] = field(default_factory=dict[Any, Any])
    #: The attributes of the shell that have the latest results, too.
    also: tuple[Any, ...] = ()


@dataclass
class Found:
    roots: list[Root]
    #: Passed by, for their variables are roots; or they are the reader's own.
    skipped: list[Any]


def variables(frame: FrameType | None, notebook: Notebook | None, asked: Asked) -> Found:
    """The variables of the frame, its callers and their modules, and of the notebook; the nearest come
    first.
    """
    found = Found([], [])
    seen: set[int] = set()
    outer = False
    for each in _frames(frame):
        if not _is_persons(each):
            continue
        if each.f_code.co_flags & OPTIMIZED:
            where = f" of {each.f_code.co_name}()" if outer else ""
            found.roots += _named(asked.of(each), where)
        elif id(each.f_locals) not in seen and each.f_locals is not each.f_globals:
            seen.add(id(each.f_locals))
            found.roots += _named(each.f_locals, "")
            found.skipped.append(each.f_locals)
        outer = True
    for space in _globals(frame):
        if id(space) not in seen and (notebook is None or space is not notebook.variables):
            seen.add(id(space))
            found.skipped.append(space)
            found.roots += _named(space, "")
    if notebook is not None:
        found.skipped += [notebook.variables, notebook.hidden, notebook.results, *notebook.also]
        found.roots += _of_notebook(notebook)
    return found


def _of_notebook(notebook: Notebook) -> Iterator[Root]:
    results = list(notebook.results.values())
    for name, value in list(notebook.variables.items()):
        if _RESULTS.fullmatch(name):
            results.append(value)
        elif _leads_on(value) and notebook.hidden.get(name, notebook) is not value:
            yield Root(name, [value])
    if results:
        yield Root("Out", [dict(notebook.results), *results])


def _named(space: Mapping[str, Any], where: str) -> list[Root]:
    return [
        Root(name + where, [value])
        for name, value in list(space.items())
        if _leads_on(value) and not (name.startswith("__") and name.endswith("__"))
    ]


def _leads_on(value: Any) -> bool:
    return KINDS[type(value)] not in (NOTHING, HOST)


def _is_persons(frame: FrameType) -> bool:
    """Neither the library's, nor of what runs the notebook."""
    package = frame.f_globals.get("__package__")
    top = package.partition(".")[0] if isinstance(package, str) else ""
    return INTERNAL[package] is False and top not in HOSTS


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return
        yield frame
        frame = frame.f_back


def _globals(frame: FrameType | None) -> Iterator[dict[str, Any]]:
    """The globals of the user's nearest frame, and of the main module."""
    for each in _frames(frame):
        if _is_persons(each):
            yield each.f_globals
            break
    main = sys.modules.get("__main__")
    if main is not None:
        yield vars(main)


class Asked:
    """The variables of functions that are running, as Python tells them.

    Before Python 3.13 frames keep the dicts that they were asked for: `let_go` empties them.
    """

    def __init__(self) -> None:
        self._dicts: list[dict[str, Any]] = []

    def of(self, frame: FrameType) -> dict[str, Any]:
        told = frame.f_locals
        if type(told) is dict:
            self._dicts.append(told)
        return dict(told)

    @property
    def dicts(self) -> set[int]:
        """The ids of those that frames keep: who asks a second time finds them among all objects."""
        return set(map(id, self._dicts))

    def let_go(self) -> None:
        while self._dicts:
            told = self._dicts.pop()
            let_go(told)


def elsewhere(own: Iterable[Any], asked: Asked) -> Root:
    """All modules, and the variables of all other threads."""
    held: list[Any] = list(sys.modules.values())
    mine = set(map(id, own))
    frames = sys._current_frames()
    frames.pop(
        get_ident(), None
    )  # a function that holds its own frame lives on, and all its callers
    others = (each for frame in frames.values() for each in _frames(frame) if id(each) not in mine)
    held += [asked.of(f) if f.f_code.co_flags & OPTIMIZED else f.f_locals for f in others]
    return Root("", held)


def alive_without_a_way(things: Sequence[Any]) -> list[Any]:
    """Those of the things, which no walk has met, that have a holder invisible to Python's collector.

    A thing is alive if it is referred to more often than these refer to each other; so is what such
    a one leads to.
    `things` is the only list of them.
    """
    beyond = {id(thing): count for thing, count in zip(things, _counts(things), strict=True)}
    for thing in things:
        for part in gc.get_referents(thing):
            if id(part) in beyond:
                beyond[id(part)] -= 1
    return [thing for thing in things if beyond[id(thing)] > 0]


def _counts(things: Sequence[Any]) -> list[int]:
    """How many references there are to each, beside the list's."""
    probe = [object()]
    (alone,) = map(sys.getrefcount, probe)
    return [count - alone for count in map(sys.getrefcount, things)]


# --- the walk -----------------------------------------------------------------------------------------


# The kinds of objects that a walk through the memory meets: asked once for each type.

NOTHING = 0  #: leads nowhere: a number, a string, code, a weak reference
ARRAY = 1
INNER = 2  #: a part of a tensor or node, which has no name of its own
TENSOR = 3
NODE = 4
OTHER = 5  #: a list, an object of a person's, ...
OPTIMIZER = 6
SESSION = 7
FUNCTION = 8
PROGRAM = 9  #: modules and classes: they lead everywhere
HOST = 10  #: things of what runs the notebook: they lead everywhere, too
MODULE = 11  #: `nn.Module`
CONTEXT = 12  #: of a custom Function
FRAME = 13

#: The flag of types whose things tell the garbage collector what they hold (Py_TPFLAGS_HAVE_GC).
_HAS_PARTS = 1 << 14
_NOTHING = (
    CodeType, WrapperDescriptorType, MethodDescriptorType, GetSetDescriptorType, MemberDescriptorType,
    weakref.ReferenceType,
    # what `weakref.finalize` will call: it goes with what it waits for, which nobody keeps by that
    getattr(weakref.finalize, "_Info", weakref.ReferenceType),
)  # fmt: skip
_INNER = (
    Edge, SavedResult, KeptSelf, Overwritten, Checked, SavedGroup, Storage, ViewInfo, Rare, NodeHooks,
)  # fmt: skip
#: In this order: the first that fits.
_BY_CLASS = (
    (Tensor, TENSOR), (Node, NODE), (FunctionBase, CONTEXT), (Optimizer, OPTIMIZER), (Session, SESSION),
    (Module, MODULE), (FunctionType, FUNCTION), (FrameType, FRAME), (ModuleType, PROGRAM), (type, PROGRAM),
    (MappingProxyType, PROGRAM),
)  # fmt: skip
#: Whose things lead from a person's variables to all there is.
HOSTS = frozenset((
    "IPython", "asyncio", "comm", "concurrent", "ipykernel", "ipywidgets", "jupyter_client", "logging",
    "threading", "tornado", "traitlets", "zmq", "_pytest", "pluggy",
))  # fmt: skip


class _Kinds(dict[type, int]):
    def __missing__(self, kind: type) -> int:
        found = self[kind] = _kind(kind)
        return found


#: Type -> what things of it are. Types that nobody else holds are let go of after each reading (`forget`).
KINDS = _Kinds()


def forget() -> None:
    """A person's classes are not to live on for having been looked at."""
    KINDS.clear()


def _kind(kind: type) -> int:
    if is_array_type(kind):
        return ARRAY
    if not kind.__flags__ & _HAS_PARTS or kind in _NOTHING:
        return NOTHING
    if issubclass(kind, _INNER):
        return INNER
    for known, found in _BY_CLASS:
        if issubclass(kind, known):
            return found
    if issubclass(kind, tuple(frameworks.optimizers)):
        return OPTIMIZER
    module = _module_of(kind)
    if module.startswith("vizgrad.core.arrays."):
        return INNER  # of a sparse array
    return HOST if module.partition(".")[0] in HOSTS else OTHER


def _module_of(kind: type) -> str:
    found: Any = type.__getattribute__(kind, "__dict__").get("__module__")
    return found if isinstance(found, str) else ""


#: Elements of an array of objects that are looked at.
_MOST_ELEMENTS = 1_000_000
#: Which kinds are gone on from first: a thing is named by what a person wrote, not by the graph it
#: is part of.
_TURN = {TENSOR: 1, OPTIMIZER: 1, NODE: 2, CONTEXT: 2, SESSION: 2}
_TRACED = (TENSOR, NODE)
#: Kinds that a traced thing does not lead to, in a walk from variables and in one through all else.
_PASSED_BY, _PASSED_ELSEWHERE = (NOTHING, HOST), (NOTHING,)
_referents = gc.get_referents


class Root:
    """Where a walk begins: a variable, or all that no variable leads to. It takes part like any
    other thing.
    """

    __slots__ = ("garbage", "name", "values")

    def __init__(self, name: str, values: list[Any], *, garbage: bool = False) -> None:
        self.name = name
        self.values = values
        self.garbage = garbage


class Walk:
    def __init__(self, skipped: Iterable[Any], tensors: Iterable[type] = ()) -> None:
        """`skipped` are things to pass by: namespaces, whose variables are roots. `tensors`: the types of
        those of other frameworks.
        """
        self._tensors = frozenset(tensors)
        self.things: list[Any] = []
        self.kinds: list[int] = []
        self.parent: list[int] = []
        #: The root that led to each thing.
        self.origin: list[int] = []
        #: Where each thing leads; None of what is not traced.
        self.targets: list[list[int] | None] = []
        #: (number, array) for each array that was met, with who has it.
        self.arrays: list[tuple[int, Any]] = []
        #: tensor -> who holds it.
        self.holders: dict[int, list[int]] = {}
        self._skipped = [vars(builtins), *skipped]  # as long as their ids are used
        self._numbers: dict[int, int] = {id(thing): -1 for thing in self._skipped}
        self._queues: tuple[deque[int], ...] = (deque(), deque(), deque())
        #: Objects that no variable leads to are walked through without noting every step.
        self._traces = True

    def clear(self) -> None:
        """Lets go of everything: nothing may live on for having been looked at."""
        for held in (
            self.things, self.kinds, self.parent, self.origin, self.targets, self.arrays,
            self._skipped, *self._queues
        ):  # fmt: skip
            held.clear()
        self.holders.clear()
        self._numbers.clear()

    def number(self, thing: Any) -> int | None:
        """The number of a thing that was met."""
        found = self._numbers.get(id(thing), -1)
        return None if found < 0 else found

    def skips(self, thing: Any) -> bool:
        return self._numbers.get(id(thing)) == -1

    def parts(self) -> set[int]:
        """The ids of what was met as a part of something, and has no number."""
        found: set[int] = set()
        for thing, kind in zip(self.things, self.kinds, strict=True):
            if kind != ARRAY:
                _add_parts(found, thing, inner=kind in _TRACED)
        return found

    # --- going ------------------------------------------------------------------------------------------

    def begin(self, roots: Iterable[Root]) -> list[int]:
        """Walks from these, to what was not met yet; their numbers. Private variables come last: a thing
        that a public one leads to, too, is named by that.
        """
        numbers = {self._meet(root, OTHER, -1): root for root in roots}
        for private in (False, True):
            for number, root in numbers.items():
                if root.name.startswith("_") == private:
                    for value in root.values:
                        self._lead(number, value)
            self._go()
        return list(numbers)

    def begin_elsewhere(self, root: Root) -> int:
        """Walks from a root that leads everywhere: of what it meets only tensors and nodes are traced."""
        number = self._meet(root, OTHER, -1)
        self._elsewhere = number
        self.go_on(number, root.values)
        return number

    def go_on(self, root: int, values: Iterable[Any]) -> None:
        """Walks on from the root that leads everywhere."""
        self._traces = False
        for value in values:
            self._lead(root, value)
        self._go()
        self._traces = True

    def _go(self) -> None:
        first, second, third = self._queues
        while True:
            queue = first or second or third
            if not queue:
                return
            self._expand(queue.popleft())

    def _meet(self, thing: Any, kind: int, parent: int) -> int:
        number = len(self.things)
        self._numbers[id(thing)] = number
        self.things.append(thing)
        self.kinds.append(kind)
        self.parent.append(self._by(kind, parent))
        self.origin.append(number if parent < 0 else self.origin[parent])
        self.targets.append([] if self._traces or kind in _TRACED else None)
        return number

    def _by(self, kind: int, parent: int) -> int:
        """Nodes are said to be behind what the graph begins with: the way through a graph says nothing."""
        if kind in (NODE, CONTEXT) and parent >= 0:
            above = self.parent[parent]
            if self.kinds[parent] in (NODE, CONTEXT):
                return above
            if above >= 0 and self.kinds[above] in (NODE, CONTEXT):
                return self.parent[above]
        return parent

    def _expand(self, number: int) -> None:
        thing, kind = self.things[number], self.kinds[number]
        children = elements(thing) if kind == ARRAY else _referents(thing)
        if self.targets[number] is None:
            self._expand_untraced(number, children)
            return
        self._lead_all(number, children, inner=kind in _TRACED)

    def _expand_untraced(self, number: int, children: Iterable[Any]) -> None:
        """The same of most things that there are: what is known, and not traced, needs no more than that."""
        kinds, numbers, targets = KINDS, self._numbers, self.targets
        for child in children:
            if kinds[type(child)] != NOTHING:
                known = numbers.get(id(child))
                if known is None or targets[known] is not None:
                    self._lead(number, child)

    def _lead_all(self, number: int, children: Iterable[Any], *, inner: bool) -> None:
        passed = _PASSED_BY if self._traces else _PASSED_ELSEWHERE
        for child in children:
            if (
                KINDS[type(child)] not in passed
            ):  # most are; a call for each would cost more than all else
                self._lead(number, child, inner=inner)

    def _lead(self, number: int, child: Any, *, inner: bool = False) -> None:
        """`number` leads to `child`; of a tensor or node (`inner`) tuples and lists have no name of
        their own.
        """
        kind = KINDS[type(child)]
        if kind == NOTHING:
            return
        if kind == ARRAY:
            self.arrays.append((number, child))
            if not (holds_objects(child) and child.size <= _MOST_ELEMENTS):
                return
        elif _is_part(child, kind, inner=inner):
            self._lead_all(number, _referents(child), inner=True)
            return
        traced = self.targets[number] is not None
        if traced and self._traces and kind in (PROGRAM, HOST) and not _is_own_class(child):
            return
        known = self._numbers.get(id(child))
        if known is None:
            if self._traces and _is_namespace(child):
                return
            known = self._meet(child, kind, number)
            self._queues[_TURN.get(kind, 0)].append(known)
        elif known < 0:
            return
        if kind == TENSOR or type(child) in self._tensors:
            self.holders.setdefault(known, []).append(number)
        leads = self.targets[number] if traced else self.targets[self._elsewhere]
        if leads is not None and self.targets[known] is not None:
            leads.append(known)


def _is_part(thing: Any, kind: int, *, inner: bool) -> bool:
    """`inner`: of a tensor or node."""
    return kind == INNER or (inner and type(thing) in (tuple, list))


def own_size(node: Node) -> int:
    """The bytes of a node with its edges and the forms of what it saves: about those of any of its class."""
    found: set[int] = set()

    def size_of(thing: Any) -> int:
        total = sys.getsizeof(thing)
        for child in _referents(thing):
            if _is_part(child, KINDS[type(child)], inner=True) and id(child) not in found:
                found.add(id(child))
                total += size_of(child)
        return total

    return size_of(node)


def _add_parts(found: set[int], thing: Any, *, inner: bool) -> None:
    for child in _referents(thing):
        if _is_part(child, KINDS[type(child)], inner=inner) and id(child) not in found:
            found.add(id(child))
            _add_parts(found, child, inner=True)


def _is_namespace(thing: Any) -> bool:
    """The globals of a module, which a function leads to."""
    return type(thing) is dict and "__builtins__" in thing


def _is_own_class(thing: Any) -> bool:
    """A class of the program itself: what its attributes hold is a person's."""
    return (
        issubclass(type(thing), type) and type.__getattribute__(thing, "__module__") == "__main__"
    )
