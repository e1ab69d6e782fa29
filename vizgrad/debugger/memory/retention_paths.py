"""How a person gets at a thing: the way that a walk went, written as code. Nothing of theirs is run
for it.
"""

# Underscored slots of a tensor are hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from types import (
    CellType,
    FrameType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    TracebackType,
)
from typing import Any

from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.memory.walk import (
    CONTEXT,
    FRAME,
    INNER,
    KINDS,
    MODULE,
    NODE,
    OPTIMIZER,
    SESSION,
    TENSOR,
    Root,
    Walk,
)
from vizgrad.debugger.model import HeapHolder

# --- reach -----------------------------------------------------------------------------------------------
# Which roots each thing is held by, and what leads back to itself. Neither recurses: graphs are deep.


Targets = Sequence[Sequence[int] | None]


def held_by(targets: Targets, roots: Sequence[int]) -> list[int]:
    """For each thing the roots that lead to it, as bits: bit i is `roots[i]`.

    The objects that one root alone leads to would be gone without it, and nothing else would: nothing
    leads to a root.
    """
    masks = [0] * len(targets)
    for bit, root in enumerate(roots):
        masks[root] |= 1 << bit
    order = [number for number in _in_order(targets, roots) if targets[number]]
    changed = True
    while changed:  # twice, unless something leads back
        changed = False
        for number in order:
            mask = masks[number]
            for target in targets[number] or ():
                if masks[target] | mask != masks[target]:
                    masks[target] |= mask
                    changed = True
    return masks


def _in_order(targets: Targets, roots: Iterable[int]) -> list[int]:
    """Each thing before what it leads to, where nothing leads back: postorder of a depth-first
    walk, reversed.
    """
    order: list[int] = []
    met = [False] * len(targets)
    for root in roots:
        if met[root]:
            continue
        met[root] = True
        stack: list[tuple[int, Iterator[int]]] = [(root, iter(targets[root] or ()))]
        while stack:
            number, rest = stack[-1]
            for target in rest:
                if not met[target]:
                    met[target] = True
                    stack.append((target, iter(targets[target] or ())))
                    break
            else:
                order.append(number)
                stack.pop()
    order.reverse()
    return order


def circles(targets: Targets, starts: Iterable[int]) -> list[list[int]]:
    """Within all that `starts` lead to: the largest sets in which each thing leads to each other
    one, and to itself.

    R. E. Tarjan, Depth-first search and linear graph algorithms, 1972.
    """
    found: list[list[int]] = []
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_: list[int] = []
    is_open: set[int] = set()
    for start in starts:
        if start in index:
            continue
        work: list[tuple[int, Iterator[int]]] = []
        fresh: int | None = start
        while work or fresh is not None:
            if fresh is not None:
                index[fresh] = low[fresh] = len(index)
                open_.append(fresh)
                is_open.add(fresh)
                work.append((fresh, iter(targets[fresh] or ())))
                fresh = None
            number, rest = work[-1]
            for target in rest:
                if target not in index:
                    fresh = target
                    break
                if target in is_open:
                    low[number] = min(low[number], index[target])
            if fresh is not None:
                continue
            work.pop()
            if work:
                above = work[-1][0]
                low[above] = min(low[above], low[number])
            if low[number] == index[number]:
                members = _taken_off(open_, is_open, number)
                if len(members) > 1 or number in (targets[number] or ()):
                    found.append(members)
    return found


def _taken_off(open_: list[int], is_open: set[int], until: int) -> list[int]:
    members: list[int] = []
    while True:
        member = open_.pop()
        is_open.discard(member)
        members.append(member)
        if member == until:
            return members


def way_back(targets: Targets, start: int, within: Collection[int]) -> list[int]:
    """The shortest way from a thing to itself; it is in the list once, at its beginning."""
    came: dict[int, int] = {}
    queue = deque([start])
    while queue:
        number = queue.popleft()
        for target in targets[number] or ():
            if target == start:
                way = [number]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return way[::-1]
            if target in within and target not in came:
                came[target] = number
                queue.append(target)
    return [start]


# --- retention paths -------------------------------------------------------------------------------------


#: Entries of a container that are looked through for one, characters of a key.
_MOST_ENTRIES, _LONGEST_KEY = 100_000, 60
#: Steps of a way that are written.
_MOST_STEPS = 40
_OF_MODULES = ("_parameters", "_buffers", "_modules")


def is_private(path: str) -> bool:
    """Has it a part that begins with an underscore? Users know a thing by its other names."""
    return re.search(r"(?:^|\.|of )_(?!base\b)\w*", path) is not None


def public(holders: Iterable[HeapHolder]) -> list[HeapHolder]:
    """Without those that have a private name for what another holder of the kind has a public one for."""
    held = list(holders)
    named = {each.kind for each in held if not is_private(each.text)}
    return [each for each in held if each.kind not in named or not is_private(each.text)]


class Paths:
    """Names of what a walk has met."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._known: dict[int, str] = {}

    def of(self, number: int) -> str:
        """``losses[3]``, ``model.0.weight``, ``.grad of w``; empty for what nothing with a name leads to."""
        if number not in self._known:
            text = self.by_way(self._way_to(number))
            if is_private(text):
                holders = filter(self._by_names, self._walk.holders.get(number, ()))
                others = (self.through(holder, number) for holder in holders)
                text = next((each for each in others if each and not is_private(each)), text)
            self._known[number] = text
        return self._known[number]

    def others_of(self, number: int) -> list[str]:
        """The names of a tensor beside that of `of`, by all of its holders that have names."""
        holders = filter(self._by_names, dict.fromkeys(self._walk.holders.get(number, ())))
        names = dict.fromkeys(self.through(holder, number) for holder in holders)
        return [name for name in names if name not in ("", self.of(number))]

    def _by_names(self, number: int) -> bool:
        """Do variables, containers and attributes alone lead to it?"""
        kinds = {self._walk.kinds[each] for each in self._way_to(number)}
        return not kinds & {NODE, CONTEXT, OPTIMIZER, SESSION, TENSOR}

    def through(self, holder: int, number: int) -> str:
        """The same, by this holder."""
        return self.by_way([*self._way_to(holder), number])

    def by_array(self, holder: int, array: Any) -> str:
        """The way to an array that this one has."""
        way = self._way_to(holder)
        text, before = self.by_way(way), self._walk.things[holder]
        around = self._walk.things[way[-2]] if len(way) > 1 else None
        front, behind = _step(before, array, around, self._walk.kinds[holder])
        return f"{front}{text}{behind}"

    def _way_to(self, number: int) -> list[int]:
        way = [number]
        while (parent := self._walk.parent[way[-1]]) >= 0 and len(way) < _MOST_STEPS:
            way.append(parent)
        if parent >= 0:
            way.append(self._walk.origin[number])  # far away: what is between is left out
        return way[::-1]

    def by_way(self, way: list[int]) -> str:
        """The text for a way whose first is a root."""
        things = [self._walk.things[number] for number in way]
        kinds = [self._walk.kinds[number] for number in way]
        said = _as_optimizer_state(things, kinds, self._name_of)
        if said:
            return said
        text = things[0].name if isinstance(things[0], Root) else ""
        if len(way) > _MOST_STEPS:
            return f"{text}…"
        for at in range(1, len(way)):
            before, thing = things[at - 1], things[at]
            if isinstance(before, Root):
                text = text or _beginning(thing)
                continue
            if kinds[at - 1] == FRAME:
                text = _of_frame(before, things[:at])
                continue
            front, behind = _step(before, thing, things[at - 2] if at > 1 else None, kinds[at - 1])
            text = f"{front}{text}{behind}"
        return text

    def optimizer(self, number: int) -> str:
        """The optimizer that has it: ``parameter of Adam opt``."""
        way = self._way_to(number)
        at = max(i for i, each in enumerate(way) if self._walk.kinds[each] == OPTIMIZER)
        name = self.by_way(way[: at + 1])
        return f"parameter of {type(self._walk.things[way[at]]).__name__} {name}".rstrip()

    def is_variable(self, number: int) -> bool:
        """Does a way by variables alone lead to it, and none through a graph?"""
        kinds = {self._walk.kinds[each] for each in self._way_to(number)[:-1]}
        return not kinds & {NODE, CONTEXT}

    def _name_of(self, tensor: Any) -> str:
        number = self._walk.number(tensor)
        return "" if number is None else self.of(number)


def _beginning(thing: Any) -> str:
    """Where a walk through all there is begins."""
    if isinstance(thing, ModuleType):
        name = vars(thing).get("__name__")
        return name if isinstance(name, str) else "a module"
    return ""


def _as_optimizer_state(things: list[Any], kinds: list[int], name_of: Any) -> str:
    """``Adam state exp_avg of weight``, if that is what the way ends with."""
    if OPTIMIZER not in kinds:
        return ""
    at = len(kinds) - 1 - kinds[::-1].index(OPTIMIZER)
    optimizer, rest = things[at], things[at + 1 :]
    state = (attributes(optimizer) or {}).get("state")
    if len(rest) < 3 or rest[-3] is not state or type(rest[-2]) is not dict:
        return ""
    key = _key_of(rest[-2], rest[-1])
    for parameter, values in dict.items(state or {}):
        if values is rest[-2] and isinstance(key, str):
            name = name_of(parameter)
            of = f" of {name}" if name else ""
            return f"{type(optimizer).__name__} state {key}{of}"
    return ""


#: The text to write before, and after, the text so far.
Step = tuple[str, str]
_ON: Step = ("", "")


def _step(before: Any, thing: Any, around: Any, kind: int) -> Step:
    """The step on the way from `before` to `thing`; `around` led to `before`."""
    if kind == TENSOR:
        return _of_tensor(before, thing)
    if kind == NODE:
        return _of_node(before, thing)
    own = type(before)  # `isinstance` would ask the thing itself
    if issubclass(own, dict):
        return _of_dict(before, thing, around)
    if own is CellType or (own is tuple and type(thing) is CellType) or own is partial:
        return _ON
    for known in (list, tuple, deque):
        if issubclass(own, known):
            return _of_sequence(known.__iter__(before), thing)
    if own is FunctionType:
        return _of_function(before, thing)
    if issubclass(own, type):
        return _ON
    if own is MethodType:
        return "", ".__self__"
    return _of_object(before, thing)


def _of_frame(frame: FrameType, before: list[Any]) -> str:
    """A variable of a function that has ended, or waits; which one is not asked: asking would keep
    them all alive.
    """
    of = f"a variable of {frame.f_code.co_name}()"
    return f"{of}, kept by an error" if any(type(t) is TracebackType for t in before) else of


def _of_tensor(tensor: Tensor, thing: Any) -> Step:
    if thing is tensor._grad:
        return "", ".grad"
    if tensor._view is not None and thing is tensor._view.base:
        return "", "._base"
    if KINDS[type(thing)] in (NODE, CONTEXT):
        return "", ".grad_fn"
    if attributes(tensor) is thing:
        return _ON
    rare = tensor._rare
    if rare is not None and (thing is rare.hooks or thing is rare.post_accumulate):
        return "a hook of ", ""
    return "a part of ", ""


def _of_node(node: Node, thing: Any) -> Step:
    if KINDS[type(thing)] in (NODE, CONTEXT):
        return _ON
    if isinstance(node, AccumulateGrad) and thing is node.variable:
        return "a leaf in the graph of ", ""
    slot = slot_of(node, thing)
    if slot:
        return f"saved `{slot}` of {node.name()} in the graph of ", ""
    if is_hooks(node, thing):
        return f"a hook of {node.name()} in the graph of ", ""
    return f"a part of {node.name()} in the graph of ", ""


def is_hooks(node: Node, thing: Any) -> bool:
    """Is it where hooks of the node are kept?"""
    hooks = node.hooks
    return hooks is not None and any(
        thing is each for each in (hooks.pre, hooks.post, hooks.tensor, *hooks.tensor.values())
    )


def slot_of(node: Node, thing: Any) -> str:
    """The name under which a node saves a tensor, or an array; empty if it does not. Nothing is unpacked."""
    for name, form in node.saved_values().items():
        if thing is form or (KINDS[type(form)] == INNER and _is_in(form, thing)):
            return name
        if (
            thing is getattr(form, "packed", None)
            and type(form).__module__ == "vizgrad.core.graph.saved"
        ):
            return name
    for name in node.plain_names:
        if getattr(node, "_" + name, None) is thing:
            return name
    return ""


def _is_in(form: Any, thing: Any) -> bool:
    inner = getattr(form, "form", form)  # without its checksum
    return (
        thing is inner
        or thing is getattr(inner, "_array", None)
        or thing is getattr(inner, "tangents", None)
    )


def _of_dict(space: dict[Any, Any], thing: Any, around: Any) -> Step:
    key = _key_of(space, thing)
    if key is _NO_KEY:
        return "a key of ", ""
    if issubclass(type(around), ModuleType | type) or (
        around is not None and attributes(around) is space
    ):
        if key in _OF_MODULES and (KINDS[type(around)] == MODULE or "training" in space):
            return _ON
        return "", f".{_attribute(key)}"
    if type(around) is dict and _is_of_module(space, around):
        return "", f".{_attribute(key)}"
    return "", f"[{_written(key)}]"


def _is_of_module(space: Any, around: dict[Any, Any]) -> bool:
    """Is it the dict of parameters, buffers or modules, in the attributes `around` of a module?"""
    return "training" in around and any(around.get(name) is space for name in _OF_MODULES)


_NO_KEY = object()


def _key_of(space: dict[Any, Any], thing: Any) -> Any:
    for key, value in islice(dict.items(space), _MOST_ENTRIES):
        if value is thing:
            return key
    return _NO_KEY


def _attribute(key: Any) -> str:
    return key if type(key) is str else "…"


def _written(key: Any) -> str:
    """A key as code; of what a person's class would write itself only the class."""
    if type(key) in (str, int, bool, float, bytes, type(None)):
        text = repr(key)
    elif type(key) is tuple:
        text = f"({', '.join(map(_written, key[:4]))}{', …' if len(key) > 4 else ''})"
    else:
        text = f"<{type(key).__name__}>"
    return text if len(text) <= _LONGEST_KEY else f"{text[: _LONGEST_KEY - 1]}…"


def _of_sequence(values: Iterator[Any], thing: Any) -> Step:
    for index, value in enumerate(islice(values, _MOST_ENTRIES)):
        if value is thing:
            return "", f"[{index}]"
    return "", "[…]"


def _of_function(function: FunctionType, thing: Any) -> Step:
    if thing is function.__closure__:
        return "a variable around the function ", ""
    is_default = thing is function.__defaults__ or thing is function.__kwdefaults__
    return ("a default of ", "") if is_default else _ON


def _of_object(before: Any, thing: Any) -> Step:
    space = attributes(before)
    if space is thing:
        return _ON
    key = _NO_KEY if space is None else _key_of(space, thing)
    if type(key) is str:
        return "", f".{key}"
    for kind in type(before).__mro__:
        for name, member in list(vars(kind).items()):
            if isinstance(member, MemberDescriptorType) and _slot(member, before) is thing:
                return "", f".{name}"
    return "", f" (in its {type(before).__name__})"


def _slot(member: MemberDescriptorType, thing: Any) -> Any:
    try:
        return member.__get__(thing)
    except AttributeError:
        return None


def attributes(thing: Any) -> dict[str, Any] | None:
    """The dict of an object's attributes, if it has one; a class that says it is another is not asked."""
    for kind in type(thing).__mro__:
        found = vars(kind).get("__dict__")
        if found is not None:
            if type(found).__name__ not in ("getset_descriptor", "member_descriptor"):
                return None
            space = found.__get__(thing)
            return space if isinstance(space, dict) else None
    return None
