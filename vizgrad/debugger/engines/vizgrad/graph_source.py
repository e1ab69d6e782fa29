"""A vizgrad backward graph, read off the engine's nodes as plain data (`model.Graph`).

Reading changes nothing: saved values are looked at in their slots, never unpacked, so no hook runs and
no check raises. Opening a graph only numbers its nodes and notes which storages they rely on; a node is
described when a view shows it: its kind, its formulas, its hooks, and where it was recorded.
"""

# Underscored slots of a tensor are hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from os import sep
from sysconfig import get_path
from types import CodeType
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.backend import Device
from vizgrad.core.arrays.dtypes import BY_NUMPY
from vizgrad.core.errors import Place, place_of
from vizgrad.core.graph.edges import AccumulateGrad, gradient_edge, output_device
from vizgrad.core.graph.node import Edge, Hooks, Meta, Node
from vizgrad.core.graph.saved import Freed, Overwritten, Packed, bare, is_absent, is_stale
from vizgrad.core.progress import counting
from vizgrad.core.tensor.modes import BatchedScope, Scope
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.summarizer import MOST_CALLS, NOWHERE, Call, Origin, Spot
from vizgrad.debugger.engines.common import graph_base
from vizgrad.debugger.engines.common.graph_base import GraphBase
from vizgrad.debugger.engines.vizgrad.batch_dims import Found, batches_of, find
from vizgrad.debugger.engines.vizgrad.effects import ReleaseEffect
from vizgrad.debugger.engines.vizgrad.engine_reader import EngineReader
from vizgrad.debugger.engines.vizgrad.storages import Blocks, StorageWrites, write_of
from vizgrad.debugger.engines.vizgrad.summary import summarize_closely, tangents_of, with_tangents
from vizgrad.debugger.session.breakpoints.node_selectors import texts_of_origin

if TYPE_CHECKING:
    from vizgrad.debugger.engines.vizgrad.step import EngineStep


def kind_of(node: Node) -> model.NodeKind:
    if isinstance(node, AccumulateGrad):
        return "leaf"
    name = node.name()
    if name == "CopySlices":
        return "copy_slices"
    if name == "GraphRoot":
        return "root"
    return "function" if node.wants_tensors else "op"


def formulas_of(node: Node) -> tuple[model.Formula, ...]:
    op: Any = getattr(getattr(node, "fn", node), "op", None)
    if op is None:
        backward = getattr(getattr(type(node), "_forward_cls", None), "backward", None)
        if backward is None:
            return ()
        return (model.Formula(input="", source=source_of(backward)),)
    return _formulas_of_op(op)


@cache
def _formulas_of_op(op: Any) -> tuple[model.Formula, ...]:
    return tuple(
        model.Formula(
            input=name, source=_formula_of(op.formulas[name]), math=op.maths.get(name, "")
        )
        for name in op.differentiable
    )


@cache
def source_of(function: Any) -> str:
    """The text of a formula; empty when its file is not available."""
    try:
        return textwrap.dedent(inspect.getsource(function)).rstrip()
    except (OSError, TypeError):
        return ""


@cache
def _formula_of(function: Any) -> str:
    return unmarked(source_of(function))


def unmarked(source: str) -> str:
    """Our own text without what it says to formatters and linters: a person looks for the formula."""
    return re.sub(
        r" *# (fmt: \w+|noqa\b.*|type: ignore\b.*|pyright: .*)$", "", source, flags=re.MULTILINE
    )


@cache
def dtype_name(dtype: Any) -> str:
    """Numpy makes it anew each time."""
    return str(dtype)


def hooks_of(node: Node) -> tuple[str, ...]:
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


def short_repr(value: Any) -> str:
    if isinstance(value, Meta):
        return f"{list(value.shape)} {value.dtype}"
    text = repr(value)
    return text if len(text) <= 200 else text[:199] + "…"


class Origins:
    """Makes one Origin for all nodes of one place. Keeps scopes and code objects."""

    def __init__(self) -> None:
        #: By scope, identity of the code object (to hash one takes long), and offset.
        self._known: dict[tuple[Scope | None, int, int], Origin] = {(None, id(None), 0): NOWHERE}
        self._calls: dict[Scope | None, tuple[Call, ...]] = {None: ()}

    def of(self, scope: Scope | None, code: CodeType | None, offset: int) -> Origin:
        """The origin of nodes recorded in a scope, by an instruction of a code object of the user."""
        if isinstance(scope, BatchedScope):
            scope = scope.around
        key = scope, id(code), offset
        known = self._known.get(key)
        if known is None:
            spot = None if code is None else Spot(code, offset)
            if scope is not None and scope.site == spot:  # the line that called a module of ours
                spot = None
            if code is not None and _is_hosts(code):
                spot = None
            known = self._known[key] = Origin(self._calls_of(scope), spot)
        return known

    def _calls_of(self, scope: Scope | None) -> tuple[Call, ...]:
        unknown: list[Scope] = []
        while scope not in self._calls:
            assert scope is not None  # is known
            unknown.append(scope)
            scope = scope.parent
        calls = self._calls[scope]
        for inner in reversed(unknown):
            if len(calls) < MOST_CALLS:
                calls = (*calls, _call(inner))
            self._calls[inner] = calls
        return calls


def _is_hosts(code: CodeType) -> bool:
    """Is it of what carries a step that a view asked for, and none of a person's lines?"""
    return (
        code.co_filename.startswith(_LIBRARY) and not code.co_filename.startswith(_PACKAGES)
    ) or any(f"{sep}{name}{sep}" in code.co_filename for name in ("tornado", "ipykernel"))


_LIBRARY = get_path("stdlib")
_PACKAGES = (get_path("purelib"), get_path("platlib"))


def _call(scope: Scope) -> Call:
    site = scope.site
    if site is None or (scope.parent is not None and scope.parent.site is site):
        return Call(scope.name, scope.kind)  # a module of ours called it
    return Call(scope.name, scope.kind, Spot(*site))


#: Nodes of a picture at most; a larger graph is cut (its `truncated` says by how much).
NODE_LIMIT = 200_000

_sequence_nr = attrgetter("sequence_nr")


class EngineGraph(GraphBase[Blocks]):
    """See `vizgrad.debugger.engines.api.protocols.GraphSource`. Keeps the nodes, in the order of their
    numbers.
    """

    def __init__(
        self,
        roots: Sequence[tuple[Node, int]],
        names: Mapping[int, str],
        *,
        limit: int | None = None,
    ) -> None:
        self._root_nodes = list(roots)
        self.names = names
        self.nodes: list[Node] = []
        self.ids: dict[Node, int] = {}
        self.inner = 0
        self.truncated = 0
        self._devices: dict[Node, Device | None] = {}
        self._topological: list[int] | None = None
        self._batches: Found = {}
        #: By node; made when first asked for.
        self._targets: list[tuple[int | None, ...] | None] = []
        self._origins = Origins()
        #: The keys of nodes of one place.
        self._texts: dict[tuple[Any, int, int], tuple[str, str]] = {}
        #: By the code and the instruction, which the nodes keep: nodes of one place share it.
        self._places: dict[tuple[int, int], Place | None] = {}
        #: By shape, dtype, device and batch: nodes that give the same share it.
        self._metas: dict[Hashable, model.OutputMeta] = {}
        #: The step that ran a node: who looks at the graph later sees what was saved before it.
        self.step_of: Callable[[int], EngineStep | None] = lambda _: None
        found = list(dict.fromkeys(node for node, _ in self._root_nodes))
        with counting("reading the graph", " nodes", found.__len__):
            self._collect(found, limit)
            self.memory = Blocks(self.nodes, self.name_of, self.saved, self.saved_before)
            self.memory.read()

    def _collect(self, found: list[Node], limit: int | None) -> None:
        """Finds the nodes breadth first, which says what is left out, and numbers them."""
        met = set(found)
        for node in found:
            for edge in node.edges:
                if edge is None:
                    continue
                target = edge.node if type(edge) is Edge else edge
                if target not in met:
                    met.add(target)
                    found.append(target)
        if limit is not None and len(found) > limit:
            self.truncated = len(found) - limit
            del found[limit:]
        leaves = [node for node in found if isinstance(node, AccumulateGrad)]
        self.nodes = [node for node in found if not isinstance(node, AccumulateGrad)]
        # operands are recorded before what they are used in, and what is rebased takes a new tick
        self.nodes.sort(key=_sequence_nr, reverse=True)
        self.inner = len(self.nodes)
        self.nodes += leaves
        self.ids = dict(zip(self.nodes, range(len(self.nodes)), strict=True))

    # --- the graph ----------------------------------------------------------------------------

    @property
    def roots(self) -> Sequence[tuple[int, int]]:
        ids = self.ids
        return [(ids[node], number) for node, number in self._root_nodes if node in ids]

    def name(self, node: int) -> str:
        return self.nodes[node].name()

    def label(self, node: int) -> str:
        return self.label_of(self.nodes[node])

    def targets(self, node: int) -> Sequence[int | None]:
        if not self._targets:
            self._targets = [None] * len(self.nodes)
        known = self._targets[node]
        if known is None:
            number = self.ids.get
            known = self._targets[node] = tuple(
                [
                    None if edge is None else number(edge.node if type(edge) is Edge else edge)
                    for edge in self.nodes[node].edges
                ]
            )
        return known

    def origin(self, node: int) -> Origin:
        found = self.nodes[node]
        return self._origins.of(found.scope, found.code, found.lasti)

    def texts(self, node: int) -> tuple[str, ...]:
        found = self.nodes[node]
        key = found.scope, id(found.code), found.lasti
        known = self._texts.get(key)
        if known is None:
            scope = found.scope.path() if isinstance(found.scope, Scope) else ()
            known = self._texts[key] = texts_of_origin(scope, self._place(found))
        return found.name(), self.label_of(found), *known

    def _place(self, node: Node) -> Place | None:
        key = id(node.code), node.lasti
        if key not in self._places:
            self._places[key] = place_of(node.site)
        return self._places[key]

    def number(self, thing: Any) -> int | None:
        """The number of a node, of the public object of a custom Function's node, or of a tensor's
        producer.
        """
        if isinstance(thing, Tensor):
            if not thing.requires_grad:  # as a leaf that was frozen since
                return None
            thing = gradient_edge(thing)[0]
        elif hasattr(thing, "engine_node"):
            thing = thing.engine_node()
        return self.ids.get(thing) if isinstance(thing, Node) else None

    def _read_all(self) -> None:
        """The facts of a node that are only known when all nodes behind it are."""
        if self._topological is None:
            self._topological = _topological_numbers(self)
            self._batches = find(self.nodes[: self.inner])

    def described(self, number: int, saved: tuple[model.Saved, ...]) -> model.Node:
        self._read_all()
        node = self.nodes[number]
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
            kind=kind_of(node),
            sequence_nr=node.sequence_nr,
            topological_nr=0 if self._topological is None else self._topological[number],
            edges=edges,
            outputs=tuple(self._meta(node, nr) for nr in range(node.outputs)),
            saved=saved,
            formulas=formulas_of(node),
            scope=scope.path() if isinstance(scope, Scope) else (),
            place=self._place(node),
            label=self.label_of(node),
            hooks=hooks_of(node),
        )

    def _meta(self, node: Node, nr: int) -> model.OutputMeta:
        meta = node.meta(nr)
        shape, dtype = tuple(meta.shape or ()), meta.dtype
        device = meta.device or output_device(node, self._devices)
        batches = batches_of(node, nr, self._batches) if self._batches else ()
        key = shape, dtype, device, batches
        known = self._metas.get(key)
        if known is None:
            name = BY_NUMPY[dtype].name if dtype in BY_NUMPY else dtype_name(dtype)
            known = model.OutputMeta(shape, name, str(device or "unknown"), batches)
            self._metas[key] = known
        return known

    def label_of(self, node: Node) -> str:
        if not isinstance(node, AccumulateGrad):
            return ""
        return self.name_of(node.variable)

    def name_of(self, tensor: Tensor) -> str:
        name = self.names.get(id(tensor), "")
        if not name and tensor._rare is not None:
            name = tensor._rare.name
        return name

    @property
    def reader(self) -> EngineReader:
        return EngineReader(self.values_before)

    # --- saved values ---------------------------------------------------------------------------

    def saved(self, node: int) -> tuple[model.Saved, ...]:
        return self.saved_by(self.nodes[node])

    def saved_before(self, number: int) -> tuple[model.Saved, ...]:
        node = self.nodes[number]
        values = self.values_before(node)
        return self._described(node, values)

    def values_before(self, node: Node) -> dict[str, Any]:
        """The values that a node has saved, or had before the run released them."""
        values = node.saved_values()
        number = self.ids.get(node)
        step = None if number is None else self.step_of(number)
        for effect in () if step is None else step.effects:
            if isinstance(effect, ReleaseEffect):
                for name, value in effect.values.items():
                    if isinstance(bare(values[name]), Freed):
                        values[name] = value
        return values

    def saved_by(self, node: Node) -> tuple[model.Saved, ...]:
        """The saved values of a node, as they are now."""
        values = node.saved_values()
        if any(isinstance(bare(value), Freed) for value in values.values()):
            before = self.values_before(node)
            values = {n: v for n, v in values.items() if not is_absent(before[n])}
        return self._described(node, values)

    def _described(self, node: Node, saved: Mapping[str, Any]) -> tuple[model.Saved, ...]:
        values = [
            self._saved(node, name, bare(value))
            for name, value in saved.items()
            if value is not None and not is_absent(value)
        ]
        for name in node.plain_names:
            value = getattr(node, "_" + name, None)
            values.append(model.Saved(name=name, state="alive", value=short_repr(value)))
        return tuple(values)

    def _saved(self, node: Node, name: str, value: Any) -> model.Saved:
        slot = self.ids.get(node), name
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
        elif isinstance(value, Packed):  # it has no counter any more
            shape, dtype = tuple(value.shape), str(value.dtype)
            return model.Saved(
                name=name, state="packed", shape=shape, dtype=dtype, version_saved=None
            )
        else:
            return model.Saved(name=name, state="packed", value=type(value).__name__)
        stale = is_stale(node, value)
        return model.Saved(
            name=name,
            state="stale" if stale else "alive",
            shape=tuple(shape),
            dtype=dtype_name(dtype),
            bytes=size,
            storage=self.block_number(value, slot),
            version_saved=0 if storage is None else storage.version_at(clock),
            version_now=0 if storage is None else storage.version,
            culprit=write_of(storage.first_write_after(clock)) if stale and storage else None,
            tangents=tangents_of(value),
        )

    # --- memory blocks ----------------------------------------------------------------------------

    def block_number(self, value: Any, slot: tuple[int | None, str] | None = None) -> int:
        """The number of the memory block that a tensor or saved value lives in."""
        label = self.name_of(value) if isinstance(value, Tensor) else ""
        return self.memory.number(value, label, slot)

    def timelines_of(self, described: Sequence[model.Node]) -> tuple[model.Storage, ...]:
        return self.memory.timelines(described)

    def timeline(self, value: Any) -> model.Storage:
        """The life of the memory block that a tensor lives in."""
        self._read_all()
        return self.memory.timeline(self.block_number(value))

    def written(self) -> tuple[model.StorageChange, ...]:
        return self.memory.written() if self.memory.changed else ()  # asked after each step

    def writes_to(self, thing: Any) -> StorageWrites:
        if isinstance(thing, int) and isinstance(found := self.nodes[thing], AccumulateGrad):
            thing = found.variable
        return StorageWrites(thing, self.name_of(thing) if isinstance(thing, Tensor) else "")

    def grad(self, node: int) -> model.TensorSummary | None:
        found = self.nodes[node]
        grad = found.variable._grad if isinstance(found, AccumulateGrad) else None
        return with_tangents(summarize_closely(grad), grad)

    def value(self, node: int, name: str | None) -> Any:
        found = self.nodes[node]
        if name is not None:
            return getattr(bare(found.saved_values().get(name)), "_array", None)
        return found.variable._grad if isinstance(found, AccumulateGrad) else None

    def close(self) -> None:
        self._root_nodes.clear()
        self.nodes.clear()
        self.ids.clear()
        self._devices.clear()
        self._batches.clear()
        self._targets.clear()
        self._origins = Origins()
        self._texts.clear()
        self._places.clear()
        self._metas.clear()
        self.step_of = lambda _: None
        self.memory.close()


def roots_of(tensors: Any) -> list[tuple[Node, int]]:
    """See `vizgrad.debugger.engines.common.graph_base.roots_of`."""
    return graph_base.roots_of(tensors, Tensor, Node, gradient_edge)


def _topological_numbers(source: EngineGraph) -> list[int]:
    """Longest distance to a leaf (E-7). Edges lead to larger numbers."""
    depths = [0] * len(source)
    targets = source.targets
    for node in range(source.inner - 1, -1, -1):
        most = -1
        for target in targets(node):
            if target is not None and depths[target] > most:
                most = depths[target]
        depths[node] = most + 1
    return depths
