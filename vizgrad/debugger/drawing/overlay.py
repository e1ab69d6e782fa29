"""The graph as a run has left it: saved values in their state now, and words for a node's state."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from vizgrad.debugger.drawing.describe import number_text, sizes_text
from vizgrad.debugger.model import Difference, Graph, Node, NodeRun, Run, Saved
from vizgrad.debugger.session.history.memory_curve import holdings


class RunView:
    """Look-ups in a run by node and by edge. With no run: the graph as it was when shown.

    `beside`: how another run differs, by node; colours and words are of that, then.
    """

    def __init__(
        self, graph: Graph, run: Run | None = None, beside: Mapping[int, Difference] | None = None
    ) -> None:
        self.run = run
        self.beside = beside
        self._storages = graph.storages
        self._saved = {(saved.node, saved.name): saved for saved in run.saved} if run else {}
        self._gone = {(edge.node, edge.edge): edge for edge in run.edges} if run else {}
        self._nodes = run.nodes if run else ()
        if run:
            _check(graph, run)

    def node(self, index: int) -> NodeRun | None:
        return self._nodes[index] if self._nodes else None

    def saved(self, node: Node) -> tuple[Saved, ...]:
        """The saved values of a node, in the state that the run has left them in."""
        if not self._saved:
            return node.saved
        return tuple(self._updated(node.id, saved) for saved in node.saved)

    def held_bytes(self, nodes: Iterable[Node]) -> int:
        """What the saved values of some nodes hold."""
        saved = ((node.id, value) for node in nodes for value in self.saved(node))
        return sum(size for size, _ in holdings(saved, self._storages).values())

    def _updated(self, node: int, saved: Saved) -> Saved:
        change = self._saved.get((node, saved.name))
        if change is None:
            return saved
        return replace(
            saved, state=change.state, version_now=change.version_now, culprit=change.culprit
        )

    def flowed(self, edge: tuple[int, int]) -> bool:
        """Whether a gradient, or an undefined one, has gone over edge (node id, edge index)."""
        return edge in self._gone

    def norm(self, edge: tuple[int, int]) -> float | None:
        gone = self._gone.get(edge)
        return None if gone is None else gone.norm

    def tangents(self, edge: tuple[int, int]) -> tuple[float | None, ...]:
        """The norms of the tangents of what has gone over an edge."""
        gone = self._gone.get(edge)
        return () if gone is None else gone.tangents

    def made(self, node: Node) -> float | None:
        """What a node that was given finite gradients sent on that is not: NaN or inf; None: nothing."""
        run = self.node(node.id)
        if run is None or odd(run.grad_norm):
            return None
        gone = (self.norm((node.id, number)) for number in range(len(node.edges)))
        return next((norm for norm in gone if odd(norm)), None)

    def odd(self, nodes: Iterable[int]) -> int:
        """How many of these nodes got a gradient that is not finite."""
        return sum(odd(run.grad_norm) for index in nodes if (run := self.node(index)))


def badge_texts(run: NodeRun, made: float | None = None) -> tuple[str, ...]:
    """How a node stands, on its card, as in the live view (`Badge.tsx`): what has room first is written."""
    number = "" if run.order is None else f"#{run.order + 1:,} "
    if made is not None:
        words = f"made {number_text(made)}"
        return (number + words, words, number_text(made))
    if run.state == "waiting" and run.needed:
        share = f"{run.delivered:,}/{run.needed:,}"
        return (f"waiting {share}", share)
    if run.state == "done" and run.order is not None:
        if run.grad_norm is None:
            return (f"{number}undefined", f"{number}∅", "∅")
        norm = number_text(run.grad_norm, 3)
        if run.tangents:
            beside, down = sizes_text(run.tangents), f" {'↓' * len(run.tangents)}"
            long = f"{number}‖g‖ {norm}"
            return (
                f"{long}{beside}",
                f"{number}{norm}{beside}",
                f"{number}{norm}{down}",
                norm + down,
            )
        return (f"{number}‖g‖ {norm}", f"{number}{norm}", norm)
    return (state_text(run),)


def weight(norm: float | None) -> tuple[int, float]:
    """Orders what went over several edges: an undefined gradient, norms, inf, and NaN as the largest."""
    if norm is None:
        return (0, 0.0)
    return (2, 0.0) if math.isnan(norm) else (1, norm)


def odd(norm: float | None) -> bool:
    """Is there a gradient that is not finite?"""
    return norm is not None and not math.isfinite(norm)


def _check(graph: Graph, run: Run) -> None:
    """Raises ValueError if a run does not belong to a graph: both may come from a file."""
    count = len(graph.nodes)
    if len(run.nodes) != count:
        raise ValueError(f"a run over {len(run.nodes)} nodes, a graph of {count}")
    named = [entry.node for entry in (*run.ready, *run.buffers)]
    named += [*run.breakpoints, *([] if run.current is None else [run.current])]
    for index in named:
        if not 0 <= index < count:
            raise ValueError(f"the run names node {index}, the graph has {count}")


def state_text(run: NodeRun | None) -> str:
    """``done #3``, ``waiting 1/2``, ``runs next``, ``skipped``: the state in words; empty without a run.

    Executed nodes are numbered from 1, as a person counts steps.
    """
    if run is None:
        return ""
    if run.state == "done" and run.order is not None:
        return f"done #{run.order + 1:,}"
    if run.state == "waiting" and run.needed:
        return f"waiting {run.delivered:,}/{run.needed:,}"
    return "runs next" if run.state == "current" else run.state
