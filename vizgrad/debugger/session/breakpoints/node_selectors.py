"""The nodes that a person means by a name, a number, a tensor or a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, NamedTuple

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import GraphSource
from vizgrad.debugger.model import Name, Node, Place
from vizgrad.debugger.session.history.history import Between, History
from vizgrad.debugger.session.history.stop_conditions import Until
from vizgrad.debugger.session.lines.line_table import inward, nodes_at


class Chosen(NamedTuple):
    """Those that one of the ways of choosing has found, and what they are called."""

    kind: model.BreakpointKind
    text: str
    nodes: frozenset[int]


def choose(
    source: GraphSource,
    *,
    op: Any = None,
    node: Any = None,
    tensor: Any = None,
    line: int | str | None = None,
) -> list[Chosen]:
    """From the arguments of `Session.break_at`; ValueError when one of them matches nothing, TypeError for an
    `op` that is no name.
    """
    found: list[Chosen] = []
    if op is not None and not isinstance(op, str):
        raise TypeError(
            f"op= is a name or a pattern such as 'Mul*', but got {type(op).__name__}; give a node, or its "
            "number, as node="
        )
    if op is not None:
        found.append(Chosen("op", op, nodes_named(source, op)))
    if node is not None:
        found.append(Chosen("node", *_one(source, node)))
    if tensor is not None:
        number = source.number(tensor)
        if number is None:
            raise ValueError("that tensor's history is not part of this graph")
        label = source.label(number)
        text = f"tensor {label}" if label else f"the tensor of {source.name(number)}"
        found.append(Chosen("tensor", text, frozenset((number,))))
    if line is not None:
        found.append(Chosen("line", *nodes_at(source, line)))
    return found


def nodes_named(source: GraphSource, pattern: str) -> frozenset[int]:
    """The nodes with a name like ``Mul*``; ValueError if there is none."""
    names = [source.name(number) for number in range(len(source))]
    found = frozenset(number for number, name in enumerate(names) if fnmatchcase(name, pattern))
    if not found:
        raise ValueError(
            f"no node is named {pattern!r}; this graph has: {', '.join(sorted(set(names)))}"
            f"{inward(source)}"
        )
    return found


def _one(source: GraphSource, node: Any) -> tuple[str, frozenset[int]]:
    if isinstance(node, model.Node):  # what `Session.node` gives
        node = node.id
    number = node if isinstance(node, int) else source.number(node)
    if number is None or not 0 <= number < len(source):
        raise ValueError(f"{node!r} is not a node of this graph (numbers go to {len(source) - 1})")
    return f"node {number}", frozenset((number,))


def leaf_called(source: GraphSource, label: str) -> int:
    """The leaf whose variable a person calls so; ValueError if there is none."""
    labels = {number: source.label(number) for number in range(source.inner, len(source))}
    found = next((number for number, name in labels.items() if name and name == label), None)
    if found is None:
        known = ", ".join(sorted({name for name in labels.values() if name})) or "none with a name"
        raise ValueError(f"no leaf of this graph is called {label!r}; it has: {known}")
    return found


# --- finding nodes by what a person remembers of them ---------------------------------------------


def matcher(query: str) -> Callable[[Sequence[str]], bool]:
    """Does one of the texts of a node contain the query, whatever its case? ``*`` stands for anything, as in
    `Session.break_at`. Nothing matches an empty query.
    """
    parts = query.strip().lower().split("*")
    if not any(parts):
        return lambda _: False

    @cache
    def contains(text: str) -> bool:
        return _contains(text.lower(), parts)

    return lambda texts: any(map(contains, texts))


def texts_of(node: Node) -> tuple[str, ...]:
    """The keys of a node: its name, its variable, its scope and source line."""
    return node.name, node.label, *texts_of_origin(node.scope, node.place)


def texts_of_origin(scope: Sequence[str], place: Place | None) -> tuple[str, str]:
    line = f"{place.cell or place.file}:{place.line}" if place else ""
    return ".".join(scope), line


def _contains(text: str, parts: Sequence[str]) -> bool:
    """All parts, in this order, without overlap."""
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def found(
    query: str,
    most: int,
    size: int,
    texts: Callable[[int], Sequence[str]],
    names: Callable[[Iterable[int]], tuple[Name, ...]],
) -> tuple[int, tuple[Name, ...]]:
    """How many nodes match, and what the first of them are called."""
    matches = matcher(query)
    nodes = [node for node in range(size) if matches(texts(node))]
    return len(nodes), names(nodes[:most])


# --- from what a person calls a node to the visits that are meant ---------------------------------


def find_visit(target: Any, source: GraphSource, history: History) -> int | AbstractSet[int]:
    """Where `Session.run_to(target)` goes: the position before a node that was visited, or those nodes of
    which the engine has to run to the first. ValueError if there is none.

    Among several nodes with a name, the first ahead that was visited before and is redone; else the one
    that will run first; else the last one behind.
    """
    where = {"op": target} if isinstance(target, str) else {"node": target}
    skipped = frozenset(history.start.skipped)
    wanted = {i for i in choose(source, **where)[0].nodes if i not in skipped}
    if not wanted:
        raise ValueError(
            f"{target!r} is not run by this backward: no tensor that was asked for (inputs=) is "
            "reachable from it"
        )
    order = {step.node: index for index, step in enumerate(history.steps) if step.node in wanted}
    redone = [index for index in order.values() if index >= history.position]
    if redone:
        return min(redone)
    return wanted - order.keys() or max(order.values())


def go_to(target: Any, source: GraphSource, history: History, between: Between) -> None:
    """Goes to where `target` is the next to run. ValueError if no visit of it comes or was made."""
    found = find_visit(target, source, history)
    if isinstance(found, int):
        history.seek(found, between)
        return
    history.seek(history.recorded, between)
    if history.current not in found:
        history.on(Until(history, nodes=found), between)


def nodes_ahead(source: GraphSource, history: History, line: int | str) -> AbstractSet[int]:
    """The nodes that were recorded at `line` and come after the one that is next. ValueError if none does."""
    where, nodes = nodes_at(source, line)
    orders = history.past.orders
    gone = {*history.start.skipped, history.current}
    ahead = {
        node
        for node in nodes
        if node not in gone and orders.get(node, history.position) >= history.position
    }
    if ahead:
        return ahead
    if history.current in nodes:
        raise ValueError(f"the run is at {where} already, and no other node of that line follows")
    run = any(node in orders for node in nodes)
    why = "were run already: step back" if run else "are not run by this backward"
    raise ValueError(f"the nodes that were recorded at {where} {why}")
