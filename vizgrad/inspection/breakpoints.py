"""Where `continue_` stops: at nodes chosen by number, by name pattern, by tensor, by what arrives, and where
a NaN is born.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from vizgrad.inspection import model
from vizgrad.inspection.births import birth_at
from vizgrad.inspection.lines import nodes_at
from vizgrad.inspection.protocols import GraphSource, Step

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

    def __init__(self, source: GraphSource) -> None:
        self._source = source
        self._made: list[Breakpoint] = []
        self._toggled: set[int] = set()
        #: All nodes before which the run stops.
        self._nodes: frozenset[int] = frozenset()
        #: Does it stop behind a step that makes a NaN or an infinity of finite gradients?
        self.nonfinite = True
        #: The condition that was true when it was asked last.
        self.met: Breakpoint | None = None

    def add(self, **arguments: Any) -> Breakpoint:
        """A new one, from the arguments of `Session.break_at`."""
        made = make_breakpoint(self._source, **arguments)
        self._made.append(made)
        self._gather()
        return made

    def toggle(self, node: int, enabled: bool) -> None:
        """Sets one on `node`, or takes away all that stop there; ValueError if there is no such node."""
        if not 0 <= node < len(self._source):
            raise ValueError(f"there is no node {node} in this graph")
        if enabled:
            self._toggled.add(node)
        else:
            self._toggled.discard(node)
            self._made = [
                Breakpoint(b.nodes - {node}, b.when, b.text)
                for b in self._made
                if b.nodes - {node} or b.when is not None
            ]
        self._gather()

    def clear(self) -> None:
        self._made.clear()
        self._toggled.clear()
        self._gather()

    def _gather(self) -> None:
        self._nodes = frozenset(self._toggled).union(*(b.nodes for b in self._made))

    def listed(self) -> tuple[int, ...]:
        """Nodes before which the run stops, sorted."""
        return tuple(sorted(self._nodes))

    @property
    def active(self) -> bool:
        """Is there any?"""
        return bool(self._toggled or self._made or self.nonfinite)

    @property
    def nodes(self) -> frozenset[int] | None:
        """See `stops.Foreseen`."""
        return None if any(b.when is not None for b in self._made) else self._nodes

    @property
    def position(self) -> None:
        """Breakpoints do not go by it."""

    def stop_at(self, step: Step) -> bool:
        """Does the run stop behind this step?"""
        self.met = None
        if step.current in self._nodes or (self.nonfinite and birth_at(step) is not None):
            return True
        conditions = (b for b in self._made if b.when is not None)
        self.met = next((b for b in conditions if b.when and b.when(step.record.visit)), None)
        return self.met is not None


def has_nonfinite(visit: model.Visit) -> bool:
    """Did a NaN or an infinity arrive at this visit, or leave it?"""
    summaries = [*visit.incoming, *(r.routed for r in visit.routed)]
    return any(s is not None and (s.nans or s.infs) for s in summaries)


def make_breakpoint(
    source: GraphSource,
    *,
    op: str | None = None,
    node: Any = None,
    tensor: Any = None,
    line: int | str | None = None,
    when: Condition | str | None = None,
) -> Breakpoint:
    """From the arguments of `Session.break_at`; ValueError when nothing matches."""
    chosen: set[int] = set()
    parts: list[str] = []
    if op is not None:
        names = [source.name(number) for number in range(len(source))]
        found = {number for number, name in enumerate(names) if fnmatchcase(name, op)}
        if not found:
            raise ValueError(
                f"no node is named {op!r}; this graph has: {', '.join(sorted(set(names)))}"
            )
        chosen |= found
        parts.append(op)
    if node is not None:
        number = node if isinstance(node, int) else source.number(node)
        if number is None or not 0 <= number < len(source):
            raise ValueError(
                f"{node!r} is not a node of this graph (numbers go to {len(source) - 1})"
            )
        chosen.add(number)
        parts.append(f"node {number}")
    if tensor is not None:
        number = source.number(tensor)
        if number is None:
            raise ValueError("that tensor's history is not part of this graph")
        chosen.add(number)
        parts.append("tensor")
    if line is not None:
        text, found = nodes_at(source, line)
        chosen |= found
        parts.append(text)
    if isinstance(when, str):
        if when != "nonfinite":
            raise ValueError(f"when={when!r}: give a function of the visit, or 'nonfinite'")
        parts.append(when)
        when = has_nonfinite
    elif when is not None:
        parts.append("when ...")
    if not chosen and when is None:
        raise ValueError("give break_at at least one of op=, node=, tensor=, line=, when=")
    return Breakpoint(frozenset(chosen), when, " ".join(parts))
