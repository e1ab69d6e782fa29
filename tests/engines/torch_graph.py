"""A PyTorch graph as the debugger asks for it: its nodes, what they have saved, what was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import getsource
from textwrap import dedent
from typing import Any

import torch

from tests.engines.small import SmallGraph
from tests.engines.torch_saved import SavedValues, clock_of, dtype_of
from tests.engines.torch_summary import summarize_closely
from vizgrad.inspection import model
from vizgrad.inspection.finding import texts_of
from vizgrad.inspection.grouping import groups_of
from vizgrad.inspection.origin import NOWHERE, Origin


class TorchGraph(SmallGraph):
    """A GraphSource."""

    def __init__(self, roots: Sequence[tuple[Any, int]], names: Mapping[int, str]) -> None:
        found = dict.fromkeys(node for node, _ in roots)
        queue = list(found)
        for node in queue:
            for following, _ in node.next_functions:
                if following is not None and following not in found:
                    found[following] = None
                    queue.append(following)
        self.nodes: list[Any] = [node for node in queue if not hasattr(node, "variable")]
        self.nodes.sort(key=clock_of, reverse=True)
        self.inner = len(self.nodes)
        self.nodes += [node for node in queue if hasattr(node, "variable")]
        self.ids = {node: i for i, node in enumerate(self.nodes)}
        self.roots = tuple((self.ids[node], nr) for node, nr in roots)
        self._names = names
        self._saved = SavedValues(self.nodes, names)
        #: Names of saved values that the run released.
        self.released: dict[int, tuple[str, ...]] = {}
        self._depth = _depths([[e.node for e in self.edges(i)] for i in range(len(self.nodes))])

    def __len__(self) -> int:
        return len(self.nodes)

    def targets(self, node: int) -> list[int | None]:
        return [edge.node for edge in self.edges(node)]

    def origin(self, node: int) -> Origin:
        return NOWHERE

    def name(self, node: int) -> str:
        return self.nodes[node].name().rpartition("::")[2]

    def label(self, node: int) -> str:
        return self._names.get(id(getattr(self.nodes[node], "variable", None)), "")

    def edges(self, node: int) -> tuple[model.Edge, ...]:
        return tuple(
            model.Edge(None if following is None else self.ids[following], nr)
            for following, nr in self.nodes[node].next_functions
        )

    def describe(self, node: int) -> model.Node:
        return self._node(node, self.saved(node))

    def describe_before(self, node: int) -> model.Node:
        released = node in self.released
        return self._node(node, self._saved.at_first(node) if released else self.saved(node))

    def graph(self, title: str) -> model.Graph:
        nodes = tuple(map(self.describe_before, range(len(self))))
        return model.Graph(nodes, self.roots, self.timelines(), title, groups=groups_of(self))

    def _node(self, number: int, saved: tuple[model.Saved, ...]) -> model.Node:
        node = self.nodes[number]
        variable = getattr(node, "variable", None)
        written = getattr(node, "_forward_cls", None)
        return model.Node(
            id=number,
            name=self.name(number),
            kind="leaf" if variable is not None else _kind(self.name(number), written),
            sequence_nr=clock_of(node),
            topological_nr=self._depth[number],
            edges=self.edges(number),
            outputs=tuple(
                model.OutputMeta(tuple(m.shape), dtype_of(m), str(m.device))
                for m in node._input_metadata
            ),
            saved=saved,
            formulas=() if written is None else _formula(written),
            label=self.label(number),
            hooks=tuple(
                map(_hook_name, (getattr(variable, "_backward_hooks", None) or {}).values())
            ),
        )

    def saved(self, node: int) -> tuple[model.Saved, ...]:
        return self._saved.now(node)

    def releases(self, node: int) -> tuple[tuple[str, ...], int]:
        """What a node has released since the graph was opened; how many bytes these are."""
        before = {s.name: s for s in self._saved.at_first(node)}
        gone = [before[s.name] for s in self.saved(node) if s.state == "freed"]
        gone = [saved for saved in gone if saved.state != "freed"]
        self.released[node] = tuple(saved.name for saved in gone)
        return self.released[node], sum(saved.bytes for saved in gone)

    def storages(self, most: int) -> tuple[int, tuple[model.Storage, ...]]:
        found = self.timelines()
        return len(found), found[:most]

    def texts(self, node: int) -> tuple[str, ...]:
        return texts_of(self.describe(node))

    def timelines(self) -> tuple[model.Storage, ...]:
        return self._saved.timelines()

    def written(self) -> tuple[model.StorageChange, ...]:
        return self._saved.written()

    def retell(self) -> None:
        """Nothing is left out of what `written` tells."""

    def grad(self, node: int) -> model.TensorSummary | None:
        variable = getattr(self.nodes[node], "variable", None)
        return None if variable is None else summarize_closely(variable.grad)

    def value(self, node: int, name: str | None) -> torch.Tensor | None:
        if name is None:
            variable = getattr(self.nodes[node], "variable", None)
            return None if variable is None else variable.grad
        return None  # reading one of PyTorch's checks it, and may raise

    def number(self, thing: Any) -> int | None:
        if isinstance(thing, torch.Tensor):
            thing = torch.autograd.graph.get_gradient_edge(thing).node
        return self.ids.get(thing)

    def close(self) -> None:
        self.nodes.clear()
        self.ids.clear()
        self._saved.close()


def _depths(edges: Sequence[Sequence[int | None]]) -> list[int]:
    """Longest distance to a leaf, without recursion."""
    depths: dict[int, int] = {}
    for first in range(len(edges)):
        stack = [first]
        while stack:
            following = [n for n in edges[stack[-1]] if n is not None]
            missing = [n for n in following if n not in depths]
            if missing:
                stack += missing
                continue
            depths[stack.pop()] = 1 + max((depths[n] for n in following), default=-1)
    return [depths[node] for node in range(len(edges))]


def _kind(name: str, written: type | None) -> model.NodeKind:
    if written is not None:
        return "function"
    return {"CopySlices": "copy_slices", "GraphRoot": "root"}.get(name, "op")


def _formula(function: type) -> tuple[model.Formula, ...]:
    try:
        return (model.Formula("", dedent(getsource(function.backward)).rstrip()),)
    except (OSError, TypeError):
        return ()


def _hook_name(hook: Any) -> str:
    return getattr(hook, "__qualname__", type(hook).__name__)
