"""A PyTorch graph as the debugger asks for it: its nodes, what they have saved, what was written.

Numbers of nodes that a backward records, as if it ran on the thread that steps it.

PyTorch counts nodes on each thread from zero, and runs those with larger numbers first. With
`create_graph=True` the nodes that a held backward records would come behind all others in the next backward:
sums would be made in another order, and differ in their last bits.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import torch

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.summarizer import Origin
from vizgrad.debugger.engines.common import graph_base
from vizgrad.debugger.engines.common.graph_base import GraphBase
from vizgrad.debugger.engines.pytorch.elements import storage_of
from vizgrad.debugger.engines.pytorch.saved import Released, SavedValues
from vizgrad.debugger.engines.pytorch.summary import summarize_closely
from vizgrad.debugger.engines.pytorch.torch_nodes import (
    clock_of,
    edge_of,
    edges_of,
    formulas_of,
    hooks_of,
    kind_of,
    name_of,
    origin_place,
    recorded_at,
    scope_of,
)
from vizgrad.debugger.engines.pytorch.torch_reader import TorchReader, keys_of, saved_tensors
from vizgrad.debugger.engines.pytorch.versions import (
    OUTPUTS_TOLD,
    note_output,
    note_outputs,
    outputs_of,
)
from vizgrad.debugger.session.breakpoints.node_selectors import texts_of_origin


class TorchGraph(GraphBase[SavedValues]):
    """See `vizgrad.debugger.engines.api.protocols.GraphSource`. Keeps the nodes, in the order of their
    numbers.
    """

    def __init__(
        self,
        roots: Sequence[tuple[Any, int]],
        names: Mapping[int, str],
        *,
        limit: int | None = None,
    ) -> None:
        found = list(dict.fromkeys(node for node, _ in roots))
        met = set(found)
        for node in found:
            for following, _ in edges_of(node):
                if following is not None and following not in met:
                    met.add(following)
                    found.append(following)
        self.truncated = 0 if limit is None else max(0, len(found) - limit)
        if self.truncated:
            del found[limit:]
        self.nodes: list[Any] = [node for node in found if not hasattr(node, "variable")]
        # Operands are recorded before what they are used in: only then do edges lead to larger numbers.
        self.nodes.sort(key=clock_of, reverse=True)
        self.inner = len(self.nodes)
        self.nodes += [node for node in found if hasattr(node, "variable")]
        self.ids = {node: i for i, node in enumerate(self.nodes)}
        self._roots = tuple((self.ids[node], nr) for node, nr in roots if node in self.ids)
        self._names = names
        self._edges: list[tuple[model.Edge, ...] | None] = [None] * len(self.nodes)
        self._depths: list[int] | None = None
        self.memory = SavedValues(self.nodes, names)
        self._reader: TorchReader | None = None
        note_outputs(getattr(names, "tensors", list[Any])())
        #: For each node the outputs that are known to be used, where PyTorch does not say how many there are.
        self._outputs: list[int] = []

    # --- the graph ------------------------------------------------------------------------------

    @property
    def roots(self) -> Sequence[tuple[int, int]]:
        return self._roots

    def name(self, node: int) -> str:
        return name_of(self.nodes[node])

    def label(self, node: int) -> str:
        return self._names.get(id(getattr(self.nodes[node], "variable", None)), "")

    def edges(self, node: int) -> tuple[model.Edge, ...]:
        known = self._edges[node]
        if known is None:
            number = self.ids.get
            known = self._edges[node] = tuple(
                model.Edge(None if following is None else number(following), nr)
                for following, nr in edges_of(self.nodes[node])
            )
        return known

    def targets(self, node: int) -> list[int | None]:
        return [edge.node for edge in self.edges(node)]

    def origin(self, node: int) -> Origin:
        return recorded_at(self.nodes[node])

    def texts(self, node: int) -> tuple[str, ...]:
        where = self.origin(node)
        return (
            self.name(node),
            self.label(node),
            *texts_of_origin(scope_of(where), origin_place(where)),
        )

    def number(self, thing: Any) -> int | None:
        if isinstance(thing, torch.Tensor):
            if not thing.requires_grad:
                return None
            thing, _ = edge_of(thing)
        return self.ids.get(thing) if isinstance(thing, torch.autograd.graph.Node) else None

    def _used(self, number: int) -> int:
        """How many outputs of a node the graph knows of."""
        if OUTPUTS_TOLD:
            return 0
        if not self._outputs:
            self._outputs = [1] * len(self)
            edges = (edge for node in range(len(self)) for edge in self.edges(node))
            for node, nr in (*self.roots, *((edge.node, edge.input_nr) for edge in edges)):
                if node is not None:
                    self._outputs[node] = max(self._outputs[node], nr + 1)
        return self._outputs[number]

    def described(self, number: int, saved: tuple[model.Saved, ...]) -> model.Node:
        node, where = self.nodes[number], self.origin(number)
        if self._depths is None:
            self._depths = _depths(self)
        return model.Node(
            id=number,
            name=self.name(number),
            kind=kind_of(node),
            sequence_nr=clock_of(node),
            topological_nr=self._depths[number],
            edges=self.edges(number),
            outputs=outputs_of(node, self._used(number)),
            saved=saved,
            formulas=formulas_of(node),
            scope=scope_of(where),
            place=origin_place(where),
            label=self.label(number),
            hooks=hooks_of(node),
        )

    @property
    def reader(self) -> TorchReader:
        if self._reader is None:
            self._reader = self._new_reader()
        return self._reader

    def _new_reader(self) -> TorchReader:
        ids, memory = self.ids, self.memory

        def saved(node: Any) -> Iterable[tuple[str, torch.Tensor | None]]:
            number = ids.get(node)
            return saved_tensors(node) if number is None else memory.as_saved(number)

        return TorchReader(saved, keys_of(self.nodes), memory.is_unwritten)

    # --- what is saved, and the memory ----------------------------------------------------------

    def saved(self, node: int) -> tuple[model.Saved, ...]:
        return self.memory.now(node)

    def saved_before(self, number: int) -> tuple[model.Saved, ...]:
        return self.memory.before(number)

    def ran(self, node: int) -> Released | None:
        """A node has run: what it has released, if anything."""
        return self.memory.ran(node)

    def label_of(self, node: int, name: str) -> str:
        """The user's name of the memory of a saved value; empty if unknown."""
        return self.memory.label_of(node, name)

    def is_of_leaf(self, value: torch.Tensor) -> bool:
        """Does a saved value live in the memory of a leaf of the graph?"""
        memory = storage_of(value)
        leaves = (storage_of(node.variable) for node in self.nodes[self.inner :])
        return memory is not None and any(
            other is not None and other._cdata == memory._cdata for other in leaves
        )

    def timeline(self, tensor: torch.Tensor) -> model.Storage:
        """The timeline of any tensor's memory."""
        return self.memory.timeline_of(tensor)

    def grad(self, node: int) -> model.TensorSummary | None:
        variable = getattr(self.nodes[node], "variable", None)
        return None if variable is None else summarize_closely(variable.grad)

    def value(self, node: int, name: str | None) -> torch.Tensor | None:
        if name is not None:
            return self.memory.value(node, name)
        variable = getattr(self.nodes[node], "variable", None)
        return None if variable is None else variable.grad

    def close(self) -> None:
        self.nodes.clear()
        self.ids.clear()
        self._reader = None
        self.memory.close()


def roots_of(tensors: Any) -> list[tuple[Any, int]]:
    """See `vizgrad.debugger.engines.common.graph_base.roots_of`."""
    return graph_base.roots_of(tensors, torch.Tensor, torch.autograd.graph.Node, _noted_edge)


def _noted_edge(tensor: torch.Tensor) -> tuple[Any, int]:
    node, nr = edge_of(tensor)
    note_output(tensor, node)
    return node, nr


def _depths(source: TorchGraph) -> list[int]:
    """Longest distance to a leaf, without recursion. A node that was rebased may lead to smaller numbers."""
    depths: dict[int, int] = {}
    for first in range(len(source)):
        stack = [first]
        while stack:
            following = [n for n in source.targets(stack[-1]) if n is not None]
            missing = [n for n in following if n not in depths]
            if missing:
                stack += missing
                continue
            depths[stack.pop()] = 1 + max((depths[n] for n in following), default=-1)
    return [depths[node] for node in range(len(source))]


# Numbers of nodes that a backward records, as if it ran on the thread that steps it.

#: The backward's thread counts on to where the other stands, if that is no further: it takes time.
FAR = 50_000


class Numbering:
    """For one backward. `began`, `started` and `renumber` are called on its thread, the others where it is
    stepped.
    """

    def __init__(self, known: Iterable[Any]) -> None:
        """`known`: nodes that were recorded before."""
        self._seen = set(known)
        #: The counter of the stepping thread before the step.
        self._outside = _counter()
        #: The counter of the backward's thread: before each step, with what is added to it from there on.
        self._steps: list[tuple[int, int]] = []
        self._now = 0

    def going_on(self) -> None:
        """A step begins."""
        self._outside = _counter()

    def stepped(self) -> None:
        """It is over: the counter here goes on by what was recorded there."""
        if self._steps:
            _count_to(self._now + self._steps[-1][1])

    def began(self) -> None:
        """The backward begins, there."""
        _count_to(min(self._outside, FAR))
        self.started()

    def started(self) -> None:
        """A step begins, there."""
        self._now = _counter()
        self._steps.append((self._now, self._outside - self._now))

    def renumber(self, grads: Iterable[torch.Tensor | None]) -> None:
        """Numbers the nodes that were recorded for these gradients."""
        self._now = _counter()
        queue = [grad.grad_fn for grad in grads if grad is not None]
        while queue:
            node = queue.pop()
            if node is None or node in self._seen or hasattr(node, "variable"):
                continue
            self._seen.add(node)
            number = node._sequence_nr()
            step = bisect_right(self._steps, number, key=itemgetter(0)) - 1
            if step >= 0 and number < self._now:  # else it was recorded elsewhere
                node._set_sequence_nr(number + self._steps[step][1])
            queue += [following for following, _ in edges_of(node)]

    def close(self) -> None:
        """Lets go of the nodes."""
        self._seen.clear()


def can_number() -> bool:
    """Does this PyTorch let itself be told?"""
    return hasattr(torch._C._autograd, "_get_sequence_nr")


def _counter() -> int:
    """The number that the next node on this thread gets."""
    return int(torch._C._autograd._get_sequence_nr())


def _count_to(number: int) -> None:
    one = torch.ones((), requires_grad=True)
    with torch.enable_grad():
        for _ in range(number - _counter()):
            one.view(())
