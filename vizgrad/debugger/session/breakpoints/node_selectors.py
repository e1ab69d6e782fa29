"""The nodes that a person means by a name, a number, a tensor or a line."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import GraphSource
from vizgrad.debugger.session.lines.line_nodes import inward, nodes_at


class Chosen(NamedTuple):
    """Those that one of the ways of choosing has found, and what they are called."""

    kind: model.BreakpointKind
    text: str
    nodes: frozenset[int]


def choose(
    source: GraphSource,
    *,
    op: str | None = None,
    node: Any = None,
    tensor: Any = None,
    line: int | str | None = None,
) -> list[Chosen]:
    """From the arguments of `Session.break_at`; ValueError when one of them matches nothing."""
    found: list[Chosen] = []
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
