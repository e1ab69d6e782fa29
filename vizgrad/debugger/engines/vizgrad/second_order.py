"""Nodes that a run records: the second order with create_graph=True, and recomputations of checkpoints."""

# Underscored slots of a tensor are hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from operator import attrgetter
from typing import Any, NamedTuple

from vizgrad.core.graph.edges import AccumulateGrad, edge_of
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.tensor.modes import add_listener, remove_listener
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import model
from vizgrad.debugger.engines.common.new_values import summary_of
from vizgrad.debugger.engines.vizgrad.summary import CapturedArray, outline_of


class Grown(NamedTuple):
    """A `model.Made`, not yet in numbers."""

    name: str
    kind: model.MadeKind
    inputs: tuple[int, ...]
    held: CapturedArray | None
    output: model.OutputMeta | None
    label: str = ""
    node: int | None = None

    def told(self) -> model.Made:
        value = summary_of(self.held)
        return model.Made(
            self.name, self.kind, self.inputs, value, self.output, self.label, self.node
        )


class Growth:
    """The nodes recorded since tick `since`, of a run of the nodes `ids`; `label` is the user's
    name of a leaf.
    """

    def __init__(
        self, ids: Mapping[Node, int], since: int, label: Callable[[Node], str] | None = None
    ) -> None:
        self._ids, self._since = ids, since
        self._label = label
        #: Numbers in the lane: of recorded nodes by their tick, of others by themselves.
        self._known: dict[int | Node, int] = {}

    def forked(self) -> Growth:
        """That of a run which goes on from here."""
        made = Growth(self._ids, self._since, self._label)
        made._known = self._known.copy()
        return made

    def grow(self, tensor: Any, held: CapturedArray | None, label: str = "") -> Iterator[Grown]:
        """The new nodes that lead to `tensor`, in the order in which they were recorded."""
        edge = None if tensor is None else edge_of(tensor)
        root = edge.node if isinstance(edge, Edge) else edge
        if root is None:
            return
        found: dict[Node, None] = {}
        left = [root]
        while left:
            node = left.pop()
            if node in found or not self._is_recorded(node) or node.sequence_nr in self._known:
                continue
            found[node] = None
            left += [target for target, _ in node.next_edges if target is not None]
        for node in sorted(found, key=attrgetter("sequence_nr")):
            its = node is root
            yield from self._enter(node, "recorded", held if its else None, label if its else "")

    def again(self, node: Node, held: CapturedArray | None) -> Iterator[Grown]:
        """A node that a recomputation has recorded."""
        if node.sequence_nr not in self._known:
            yield from self._enter(node, "recomputed", held, "")

    def _enter(
        self, node: Node, kind: model.MadeKind, held: CapturedArray | None, label: str
    ) -> Iterator[Grown]:
        targets = [target for target, _ in node.next_edges if target is not None]
        for target in targets:
            yield from self._from_outside(target)
        inputs = tuple(self._known[self._key(target)] for target in targets)
        self._known[node.sequence_nr] = len(self._known)
        yield Grown(node.name(), kind, inputs, held, _meta(node), label)

    def _is_recorded(self, node: Node) -> bool:
        return (
            not isinstance(node, AccumulateGrad)
            and node not in self._ids
            and node.sequence_nr > self._since
        )

    def _key(self, node: Node) -> int | Node:
        return node.sequence_nr if self._is_recorded(node) else node

    def _from_outside(self, node: Node) -> Iterator[Grown]:
        if self._is_recorded(node) or node in self._known:
            return
        self._known[node] = len(self._known)
        label = self.label_of(node)
        yield Grown(node.name(), "input", (), None, _meta(node), label, self._ids.get(node))

    def label_of(self, node: Node) -> str:
        """The user's name of a leaf's variable."""
        return self._label(node) if self._label else ""


def _meta(node: Node) -> model.OutputMeta | None:
    meta = node.meta(0)
    if meta.shape is None or meta.dtype is None:
        return None
    told = outline_of(tuple(meta.shape), meta.dtype, meta.device or "cpu")
    return model.OutputMeta(told.shape, told.dtype, told.device)


Tell = Callable[[Iterable[Grown]], None]


def _frames() -> Any:
    """The module of checkpoints, if this program has used any."""
    return sys.modules.get("vizgrad.utils.checkpoint.hooks_based")


def will_recompute(nodes: Iterable[Node]) -> bool:
    """Has a node saved a value that a checkpoint will compute again?"""
    frames = _frames()
    if frames is None or not frames.any_alive():
        return False
    return any(frames.recomputes(v) for node in nodes for v in node.saved_values().values())


def telling(lane: Growth, tell: Tell) -> AbstractContextManager[None]:
    """While this is open, `tell` is told what this thread computes again, as entries of `lane`."""
    if _frames() is None:
        return nullcontext()
    from vizgrad.utils.checkpoint.hooks_based import watching

    return watching(lambda: _noting(lane, tell))


@contextmanager
def _noting(lane: Growth, tell: Tell) -> Iterator[None]:
    """One recomputation."""
    found: list[tuple[Node, CapturedArray | None]] = []

    def note(node: Node, outputs: Any) -> None:
        first = outputs[0] if outputs else None
        held = None
        if isinstance(first, Tensor):
            held = CapturedArray(first, copy=False)
            held.forget()  # of its value only the numbers are kept
        found.append((node, held))

    add_listener(note)
    try:
        yield
    finally:
        remove_listener(note)
        for node, held in found:
            tell(lane.again(node, held))
