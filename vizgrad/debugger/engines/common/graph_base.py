"""A graph as the debugger asks for it: what both engines answer alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar, cast

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import GraphSource
from vizgrad.debugger.engines.common.node_reader import NodeReader
from vizgrad.debugger.session.grouping import groups_of
from vizgrad.debugger.session.opening import seldom_collecting


class Memory(Protocol):
    """The memory that saved values live in, as numbered blocks (`api.protocols.GraphSource` says what each
    of these gives).
    """

    def timelines(self) -> tuple[model.Storage, ...]: ...
    def first(self, most: int) -> tuple[int, tuple[model.Storage, ...]]: ...
    def told_of(self, nodes: Collection[int]) -> tuple[tuple[model.Storage, ...], int]: ...
    def holdings(self) -> Iterable[tuple[int, Sequence[int]]]: ...
    def stale(self) -> dict[int, int]: ...
    def written(self) -> tuple[model.StorageChange, ...]: ...
    def retell(self) -> None: ...
    def close(self) -> None: ...


Blocks = TypeVar("Blocks", bound=Memory)


class GraphBase(Generic[Blocks]):
    """The half of a `vizgrad.debugger.engines.api.protocols.GraphSource` that follows from the other."""

    #: Set by the engine: its nodes in the order of their numbers, and these.
    nodes: list[Any]
    ids: dict[Any, int]
    truncated: int
    memory: Blocks
    _groups: tuple[model.Group, ...] | None = None

    @property
    def roots(self) -> Sequence[tuple[int, int]]:
        raise NotImplementedError

    @property
    def reader(self) -> NodeReader:
        """Reads its nodes as they were before the run released what they had saved."""
        raise NotImplementedError

    def label(self, node: int) -> str:
        raise NotImplementedError

    def targets(self, node: int) -> Sequence[int | None]:
        raise NotImplementedError

    def saved(self, node: int) -> tuple[model.Saved, ...]:
        raise NotImplementedError

    def saved_before(self, number: int) -> tuple[model.Saved, ...]:
        """The saved values of a node as if the run had not released them."""
        raise NotImplementedError

    def described(self, number: int, saved: tuple[model.Saved, ...]) -> model.Node:
        """The node with these saved values."""
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.nodes)

    def describe(self, node: int) -> model.Node:
        return self.described(node, self.saved(node))

    def describe_before(self, node: int) -> model.Node:
        return self.described(node, self.saved_before(node))

    def graph(self, title: str = "") -> model.Graph:
        with seldom_collecting():
            nodes = tuple(map(self.describe_before, range(len(self))))
            return model.Graph(
                nodes=nodes,
                roots=tuple(self.roots),
                storages=self.timelines_of(nodes),
                title=title,
                truncated=self.truncated,
                groups=self.groups,
            )

    @property
    def groups(self) -> tuple[model.Group, ...]:
        """Found when they are first asked for, which takes time for every node."""
        if self._groups is None:
            self._groups = groups_of(cast("GraphSource", self))
        return self._groups

    def timelines(self) -> tuple[model.Storage, ...]:
        return self.memory.timelines()

    def timelines_of(self, described: Sequence[model.Node]) -> tuple[model.Storage, ...]:
        """As `timelines`, where all nodes were described just now."""
        del described
        return self.timelines()

    def storages(self, most: int) -> tuple[int, tuple[model.Storage, ...]]:
        return self.memory.first(most)

    def storages_of(self, nodes: Collection[int]) -> tuple[tuple[model.Storage, ...], int]:
        return self.memory.told_of(nodes)

    def holdings(self) -> Iterable[tuple[int, Sequence[int]]]:
        return self.memory.holdings()

    def stale(self) -> dict[int, int]:
        return self.memory.stale()

    def written(self) -> tuple[model.StorageChange, ...]:
        return self.memory.written()

    def retell(self) -> None:
        self.memory.retell()


def roots_of(
    tensors: Any, tensor: type, node: type, edge_of: Callable[[Any], tuple[Any, int]]
) -> list[tuple[Any, int]]:
    """The gradient edges of one tensor, of several, or of a node itself; `tensor` and `node` are the types of
    the engine. TypeError for what is neither, RuntimeError for a tensor without a graph.
    """
    return list(
        _roots([tensors] if isinstance(tensors, (tensor, node)) else tensors, tensor, node, edge_of)
    )


def _roots(
    several: Iterable[Any], tensor: type, node: type, edge_of: Callable[[Any], tuple[Any, int]]
) -> Iterator[tuple[Any, int]]:
    for each in several:
        if isinstance(each, node):
            yield each, 0
            continue
        if not isinstance(each, tensor):
            raise TypeError(f"expected a Tensor (or a node), got {type(each).__name__}")
        if not each.requires_grad:
            raise RuntimeError(
                "this tensor has no graph: it does not require grad and has no grad_fn; make it from "
                "tensors that require grad, outside no_grad"
            )
        yield edge_of(each)
