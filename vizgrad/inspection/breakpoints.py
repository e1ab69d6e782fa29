"""Where `continue_` stops: at nodes chosen by number, by name pattern, by tensor, or by what arrives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from vizgrad.graph.node import Node
from vizgrad.inspection import model

#: `when=` of `break_at`: gets the visit that was just done.
Condition = Callable[[model.Visit], bool]


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """Stops before a node in `nodes`, or after a visit for which `when` is true."""

    nodes: frozenset[int]
    when: Condition | None
    text: str


class Breakpoints:
    """All breakpoints of a session: those made by `break_at`, and the nodes that a person toggled."""

    def __init__(self, nodes: list[Node], ids: dict[Node, int]) -> None:
        self._nodes = nodes
        self._ids = ids
        self._made: list[Breakpoint] = []
        self._toggled: set[int] = set()

    def add(self, **arguments: Any) -> Breakpoint:
        """A new one, from the arguments of `Session.break_at`."""
        made = make_breakpoint(self._nodes, self._ids, **arguments)
        self._made.append(made)
        return made

    def toggle(self, node: int, enabled: bool) -> None:
        """Sets one on `node`, or takes away all that stop there; ValueError if there is no such node."""
        if not 0 <= node < len(self._nodes):
            raise ValueError(f"there is no node {node} in this graph")
        if enabled:
            self._toggled.add(node)
            return
        self._toggled.discard(node)
        self._made = [
            Breakpoint(b.nodes - {node}, b.when, b.text)
            for b in self._made
            if b.nodes - {node} or b.when is not None
        ]

    def clear(self) -> None:
        self._made.clear()
        self._toggled.clear()

    @property
    def nodes(self) -> set[int]:
        """Nodes before which the run stops."""
        return self._toggled.union(*(b.nodes for b in self._made))

    def stop_at(self, visit: model.Visit, following: int | None) -> bool:
        """Does the run stop between this visit and that of node `following`?"""
        if any(b.when is not None and b.when(visit) for b in self._made):
            return True
        return following is not None and following in self.nodes


def has_nonfinite(visit: model.Visit) -> bool:
    """Did a NaN or an infinity arrive at this visit, or leave it?"""
    summaries = [*visit.incoming, *(r.routed for r in visit.routed)]
    return any(s is not None and (s.nans or s.infs) for s in summaries)


def make_breakpoint(
    nodes: list[Node],
    ids: dict[Node, int],
    *,
    op: str | None = None,
    node: Any = None,
    tensor: Any = None,
    when: Condition | str | None = None,
) -> Breakpoint:
    """From the arguments of `Session.break_at`; ValueError when nothing matches."""
    chosen: set[int] = set()
    parts: list[str] = []
    if op is not None:
        found = {i for i, n in enumerate(nodes) if fnmatchcase(n.name(), op)}
        if not found:
            names = sorted({n.name() for n in nodes})
            raise ValueError(f"no node is named {op!r}; this graph has: {', '.join(names)}")
        chosen |= found
        parts.append(op)
    if node is not None:
        if hasattr(node, "engine_node"):  # what people see of a custom Function's node
            node = node.engine_node()
        number = ids.get(node) if isinstance(node, Node) else node
        if not isinstance(number, int) or not 0 <= number < len(nodes):
            raise ValueError(
                f"{node!r} is not a node of this graph (numbers go to {len(nodes) - 1})"
            )
        chosen.add(number)
        parts.append(f"node {number}")
    if tensor is not None:
        from vizgrad.graph.edges import gradient_edge

        number = ids.get(gradient_edge(tensor)[0])
        if number is None:
            raise ValueError("that tensor's history is not part of this graph")
        chosen.add(number)
        parts.append("tensor")
    if isinstance(when, str):
        if when != "nonfinite":
            raise ValueError(f"when={when!r}: give a function of the visit, or 'nonfinite'")
        parts.append(when)
        when = has_nonfinite
    elif when is not None:
        parts.append("when ...")
    if not chosen and when is None:
        raise ValueError("give break_at at least one of op=, node=, tensor=, when=")
    return Breakpoint(frozenset(chosen), when, " ".join(parts))
