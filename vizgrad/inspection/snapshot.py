"""A backward graph, read off the engine's nodes as plain data (`model.Graph`).

Reading changes nothing: saved values are looked at in their slots, never unpacked, so no hook runs and
no check raises.
"""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from vizgrad.arrays.backend import Device
from vizgrad.arrays.dtypes import BY_NUMPY
from vizgrad.errors import place_of
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.graph.device import output_device
from vizgrad.graph.edges import gradient_edge
from vizgrad.graph.hooks import Hooks
from vizgrad.graph.node import Meta, Node
from vizgrad.graph.saved import Freed, Overwritten, bare, is_stale
from vizgrad.inspection import model
from vizgrad.inspection.blocks import Blocks
from vizgrad.inspection.places import write_of
from vizgrad.tensor.modes import Scope
from vizgrad.tensor.tensor import Tensor

#: Nodes read at most; a larger graph is cut (its `truncated` says by how much).
NODE_LIMIT = 200_000


class Reader:
    """Reads one graph. Keeps its nodes, in the order of their ids, for whoever steps it."""

    def __init__(self, roots: Sequence[tuple[Node, int]], names: Mapping[int, str]) -> None:
        self.roots = list(roots)
        self.names = names
        self.nodes: list[Node] = []
        self.ids: dict[Node, int] = {}
        self.truncated = 0
        self._devices: dict[Node, Device | None] = {}
        self._blocks = Blocks()
        self._collect()
        self._topological = _topological_numbers(self.nodes, self.ids)

    def _collect(self) -> None:
        """Breadth first from the roots, so that ids read from the result towards the leaves."""
        queue: list[Node] = [node for node, _ in self.roots]
        for node in queue:
            if node in self.ids:
                continue
            if len(self.nodes) >= NODE_LIMIT:
                self.truncated += 1
                continue
            self.ids[node] = len(self.nodes)
            self.nodes.append(node)
            queue.extend(n for n, _ in node.next_edges if n is not None and n not in self.ids)

    # --- the graph ----------------------------------------------------------------------------

    def graph(self, title: str = "") -> model.Graph:
        for node in reversed(self.nodes):  # operands first: each then asks its neighbour only
            self._devices[node] = output_device(node, self._devices.get)
        nodes = tuple(self._node(i, node) for i, node in enumerate(self.nodes))
        return model.Graph(
            nodes=nodes,
            roots=tuple((self.ids[n], nr) for n, nr in self.roots),
            storages=self._storages([n.saved for n in nodes]),
            title=title,
            truncated=self.truncated,
        )

    def _node(self, number: int, node: Node) -> model.Node:
        names = node.input_names
        edges = tuple(
            model.Edge(
                node=None if following is None else self.ids.get(following),
                input_nr=nr,
                name=names[i] if i < len(names) else "",
            )
            for i, (following, nr) in enumerate(node.next_edges)
        )
        scope = node.scope
        return model.Node(
            id=number,
            name=node.name(),
            kind=_kind(node),
            sequence_nr=node.sequence_nr,
            topological_nr=self._topological[number],
            edges=edges,
            outputs=tuple(self._meta(node, nr) for nr in range(node.outputs)),
            saved=self.saved(node),
            formulas=_formulas(node),
            scope=scope.path() if isinstance(scope, Scope) else (),
            place=place_of(node.site),
            label=self._label(node),
            hooks=_hook_names(node),
        )

    def _meta(self, node: Node, nr: int) -> model.OutputMeta:
        meta = node.meta(nr)
        shape, dtype = meta.shape, meta.dtype
        name = BY_NUMPY[dtype].name if dtype in BY_NUMPY else str(dtype)
        device = meta.device or self._devices[node]
        return model.OutputMeta(
            shape=tuple(shape or ()), dtype=name, device=str(device or "unknown")
        )

    def _label(self, node: Node) -> str:
        if not isinstance(node, AccumulateGrad):
            return ""
        return self.name_of(node.variable)

    def name_of(self, tensor: Tensor) -> str:
        name = self.names.get(id(tensor), "")
        if not name and tensor._rare is not None:
            name = tensor._rare.name
        return name

    # --- saved values ---------------------------------------------------------------------------

    def saved(self, node: Node) -> tuple[model.Saved, ...]:
        values = [
            self._saved(node, name, bare(value))
            for name, value in node.saved_values().items()
            if value is not None
        ]
        for name in node.plain_names:
            value = getattr(node, "_" + name, None)
            values.append(model.Saved(name=name, state="alive", value=_short_repr(value)))
        return tuple(values)

    def _saved(self, node: Node, name: str, value: Any) -> model.Saved:
        node = getattr(node, "fn", node)  # CopySlices keeps nothing itself: its operation does
        if isinstance(value, Freed):
            return model.Saved(name=name, state="freed")
        if isinstance(value, Overwritten):
            storage, clock, shape, dtype = value.storage, value.clock, value.shape, value.dtype
            size = int(dtype.itemsize)
            for n in shape:
                size *= n
        elif hasattr(value, "_array"):
            storage, clock, array = value._storage, node.sequence_nr, value._array
            shape, dtype, size = array.shape, array.dtype, int(array.nbytes)
        else:
            return model.Saved(name=name, state="packed", value=type(value).__name__)
        stale = is_stale(node, value)
        return model.Saved(
            name=name,
            state="stale" if stale else "alive",
            shape=tuple(shape),
            dtype=str(dtype),
            bytes=size,
            storage=self.block_number(value),
            version_saved=0 if storage is None else storage.version_at(clock),
            version_now=0 if storage is None else storage.version,
            culprit=write_of(storage.first_write_after(clock)) if stale and storage else None,
        )

    # --- memory blocks ----------------------------------------------------------------------------

    def block_number(self, value: Any) -> int:
        """The number of the memory block that a tensor or saved value lives in."""
        return self._blocks.number(value, self.name_of(value) if isinstance(value, Tensor) else "")

    def timelines(self) -> tuple[model.Storage, ...]:
        """The timeline of every block that a saved value, or a leaf that was written, lives in."""
        return self._storages([self.saved(node) for node in self.nodes])

    def _storages(self, kept: Sequence[tuple[model.Saved, ...]]) -> tuple[model.Storage, ...]:
        marks: dict[int, list[model.SaveMark]] = {}
        for number, (node, values) in enumerate(zip(self.nodes, kept, strict=True)):
            if isinstance(node, AccumulateGrad) and node.variable._version:
                self.block_number(node.variable)
            for saved in values:
                if saved.storage is not None:
                    marks.setdefault(saved.storage, []).append(
                        model.SaveMark(
                            node=number,
                            name=saved.name,
                            version=saved.version_saved,
                            clock=node.sequence_nr,
                            state=saved.state,
                        )
                    )
        return self._blocks.timelines(marks)

    def close(self) -> None:
        """Lets go of the graph."""
        self.roots.clear()
        self.nodes.clear()
        self.ids.clear()
        self._devices.clear()
        self._blocks = Blocks()


def saved_changes(graph: model.Graph, reader: Reader) -> tuple[model.SavedRun, ...]:
    """Saved values that are not, or no longer, as `graph` says."""
    changes: list[model.SavedRun] = []
    for data, node in zip(graph.nodes, reader.nodes, strict=True):
        if not data.saved:
            continue
        before = {s.name: s for s in data.saved}
        for now in reader.saved(node):
            was = before.get(now.name)
            if was is not None and (was.state, was.version_now) != (now.state, now.version_now):
                changes.append(
                    model.SavedRun(data.id, now.name, now.state, now.version_now, now.culprit)
                )
    return tuple(changes)


def roots_of(tensors: Any) -> list[tuple[Node, int]]:
    """The gradient edges of one tensor, of several, or of a node itself."""
    if isinstance(tensors, (Tensor, Node)):
        tensors = [tensors]
    roots: list[tuple[Node, int]] = []
    for tensor in tensors:
        if isinstance(tensor, Node):
            roots.append((tensor, 0))
            continue
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected a Tensor (or a node), got {type(tensor).__name__}")
        if not tensor.requires_grad:
            raise RuntimeError(
                "this tensor has no graph: it does not require grad and has no grad_fn; make it from "
                "tensors that require grad, outside no_grad"
            )
        roots.append(gradient_edge(tensor))
    return roots


def _topological_numbers(nodes: Sequence[Node], ids: Mapping[Node, int]) -> list[int]:
    """Longest distance to a leaf (E-7), without recursion."""
    numbers = [-1] * len(nodes)
    for start in range(len(nodes)):
        stack = [start]
        while stack:
            top = stack[-1]
            if numbers[top] >= 0:
                stack.pop()
                continue
            following = [ids[n] for n, _ in nodes[top].next_edges if n is not None and n in ids]
            missing = [f for f in following if numbers[f] < 0]
            if missing:
                stack.extend(missing)
            else:
                numbers[top] = 1 + max((numbers[f] for f in following), default=-1)
                stack.pop()
    return numbers


def _kind(node: Node) -> model.NodeKind:
    if isinstance(node, AccumulateGrad):
        return "leaf"
    name = node.name()
    if name == "CopySlices":
        return "copy_slices"
    if name == "GraphRoot":
        return "root"
    return "function" if node.wants_tensors else "op"


def _formulas(node: Node) -> tuple[model.Formula, ...]:
    op: Any = getattr(getattr(node, "fn", node), "op", None)
    if op is None:
        backward = getattr(getattr(type(node), "_forward_cls", None), "backward", None)
        if backward is None:
            return ()
        return (model.Formula(input="", source=source_of(backward)),)
    return tuple(
        model.Formula(input=name, source=source_of(op.formulas[name]), math=op.maths.get(name, ""))
        for name in op.differentiable
    )


@cache
def source_of(function: Any) -> str:
    """The text of a formula; empty when its file is not to be had."""
    try:
        return textwrap.dedent(inspect.getsource(function)).rstrip()
    except (OSError, TypeError):
        return ""


def _hook_names(node: Node) -> tuple[str, ...]:
    found: list[str] = []
    if isinstance(node, AccumulateGrad) and node.variable._rare is not None:
        rare = node.variable._rare
        kept: tuple[Hooks | None, ...] = rare.hooks, rare.post_accumulate
        for hooks in kept:
            found += [] if hooks is None else [_name(h) for h in hooks.values()]
    if node.hooks is not None:
        for slot in node.hooks.tensor.values():
            found += [_name(h) for h in slot.values()]
        found += [_name(h) for h in (*node.hooks.pre.values(), *node.hooks.post.values())]
    return tuple(found)


def _name(hook: Any) -> str:
    return getattr(hook, "__qualname__", type(hook).__name__)


def _short_repr(value: Any) -> str:
    if isinstance(value, Meta):
        return f"{list(value.shape)} {value.dtype}"
    text = repr(value)
    return text if len(text) <= 200 else text[:199] + "…"
