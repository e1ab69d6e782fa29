"""Reads the nodes of vizgrad's own graphs for a diagnosis (`engines/common/node_reader.py`)."""

# Underscored slots of a tensor are hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import bare
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.vizgrad.effects import ReleaseEffect

if TYPE_CHECKING:
    from vizgrad.debugger.engines.vizgrad.step import EngineStep


def key_of(node: Node) -> int:
    """A number for a node: its own, or that of the leaf it fills."""
    return -id(node.variable) if isinstance(node, AccumulateGrad) else node.sequence_nr


def saved_before(step: EngineStep, node: Node) -> dict[str, Any]:
    """The values that the node had saved before the step."""
    values = dict(node.saved_values())
    for effect in step.effects:
        if isinstance(effect, ReleaseEffect):
            values |= effect.values
    return values


class EngineReader:
    """See `NodeReader`. `values` gives what a node has saved: without, what it has not released."""

    def __init__(self, values: Callable[[Node], Mapping[str, Any]] | None = None) -> None:
        self._values = values

    def key(self, node: Node) -> int:
        return key_of(node)

    def name(self, node: Node) -> str:
        return node.name()

    def site(self, node: Node) -> Site | None:
        return node.site

    def variable(self, node: Node) -> Tensor | None:
        return node.variable if isinstance(node, AccumulateGrad) else None

    def producers(self, node: Node) -> Sequence[Node | None]:
        return [producer for producer, _ in node.next_edges]

    def operands(self, node: Node) -> Sequence[str]:
        return node.input_names

    def saved(self, node: Node) -> Mapping[str, Any]:
        values = node.saved_values() if self._values is None else self._values(node)
        return {name: getattr(bare(form), "_array", None) for name, form in values.items()}

    def array(self, value: Any) -> Any:
        return value._array if isinstance(value, Tensor) else value

    def is_current(self, node: Node, leaf: Node) -> bool:
        storage = leaf.variable._storage if isinstance(leaf, AccumulateGrad) else None
        return storage is None or storage.last_write <= node.sequence_nr

    def last_write(self, leaf: Node) -> tuple[str, Site | None] | None:
        storage = leaf.variable._storage if isinstance(leaf, AccumulateGrad) else None
        log = None if storage is None else storage.writes
        written = None if log is None else next(iter(log.latest(1)), None)
        return None if written is None else (written.op, written.site)

    def output(self, node: Node) -> tuple[tuple[int, ...], str] | None:
        return (tuple(node.shape), str(node.dtype)) if node.outputs == 1 else None

    def operation(self, node: Node) -> str:
        return str(getattr(getattr(type(node), "op", None), "name", ""))

    def factor(self, node: Node, name: str) -> float:
        return float(getattr(node, "_saved_" + name, float("inf")))


#: Reads nodes as they are now.
READER = EngineReader()


def reader_before(step: EngineStep, node: Node) -> EngineReader:
    """The same, but `node` as it was before the step that ran it."""
    return EngineReader(
        lambda each: saved_before(step, each) if each is node else each.saved_values()
    )
