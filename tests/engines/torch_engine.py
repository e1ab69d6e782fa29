"""Opens the backward of a PyTorch tensor for stepping. Forwards only: what a node releases is gone.

The records are made here from what the gate's hooks saw: nothing of the graph is read again for a step.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from inspect import getsource
from textwrap import dedent
from typing import Any, TypeAlias
from weakref import finalize

import torch

from tests.engines.small import SmallGraph
from tests.engines.torch_gate import Call, Gate, copy_of
from tests.engines.torch_saved import SavedValues, clock_of, dtype_of
from tests.engines.torch_summary import bytes_of, elements, summarize, summarize_closely
from vizgrad.inspection import model, summarizer
from vizgrad.inspection.finding import texts_of
from vizgrad.inspection.grouping import groups_of
from vizgrad.inspection.openers import open_backward
from vizgrad.inspection.origin import NOWHERE, Origin
from vizgrad.inspection.protocols import Backward, Effect

Grad: TypeAlias = torch.Tensor | None
Summary: TypeAlias = Callable[[Grad], model.TensorSummary | None]

summarizer.register(torch.Tensor, summarize, summarize_closely, elements)


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


class TorchStep:
    """A Step. Holds copies of the gradients that came by, for who looks closely."""

    effects: Sequence[Effect] = ()

    def __init__(self, index: int, call: Call, priority: int | None) -> None:
        self.index = index
        self.node = call.number
        self.priority = priority
        self.current: int | None = None
        self.incoming: tuple[Grad, ...] = ()
        self.used: tuple[Grad, ...] | None = None
        self.routed: list[tuple[model.Edge, Grad, Grad, str, int]] = []
        self.leaf = call.leaf
        self.arrived: list[tuple[int, int, Grad, Grad]] = []
        self.readied: list[model.Ready] = []
        self.released: tuple[tuple[str, ...], int] = ((), 0)
        self.seconds = call.seconds
        self.error = ""
        self._record: model.StepRecord | None = None
        self._forgotten = False

    @property
    def nbytes(self) -> int:
        if self._forgotten:
            return 0
        kept = [*self.incoming, *(self.used or ()), *(a[3] for a in self.arrived)]
        kept += [grad for _, computed, sent, _, _ in self.routed for grad in (computed, sent)]
        kept += [] if self.leaf is None else [self.leaf.before, self.leaf.after]
        return sum({id(t): bytes_of(t) for t in kept if t is not None}.values())

    @property
    def record(self) -> model.StepRecord:
        if self._record is None:
            self._record = model.StepRecord(
                visit=self._visit(summarize),
                ready=model.Ready(self.node, self.priority),
                state="error" if self.error else "done",
                arrived=tuple(
                    model.Arrival(node, nr, summarize(before), summarize(after))
                    for node, nr, before, after in self.arrived
                ),
                readied=tuple(self.readied),
                released=self.released[0],
                current=self.current,
            )
        return self._record

    def closer(self) -> model.Visit:
        return self.record.visit if self._forgotten else self._visit(summarize_closely)

    def value(self, kind: model.ArrayKind, nr: int) -> Grad:
        leaf = self.leaf
        kept = {
            "incoming": list(self.incoming),
            "waiting": [after for *_, after in self.arrived],
            "computed": [computed for _, computed, *_ in self.routed],
            "routed": [sent for _, _, sent, *_ in self.routed],
            "grad_before": [] if leaf is None else [leaf.before],
            "grad_after": [] if leaf is None else [leaf.after],
        }.get(kind, [])
        return kept[nr] if 0 <= nr < len(kept) else None

    def forget(self) -> None:
        _ = self.record
        self._forgotten = True
        self.incoming, self.used, self.leaf = (), None, None
        self.routed.clear()
        self.arrived.clear()

    def _visit(self, summary: Summary) -> model.Visit:
        stages: list[model.StageRecord] = []
        for before, after in zip(self.incoming, self.used or (), strict=False):
            if not _equal(before, after):
                stages.append(
                    model.StageRecord("hooks", "changed", summary(before), summary(after))
                )
        done, leaf = None, self.leaf
        if leaf is not None:
            done = model.AccumulateRecord(
                leaf.decision, "", summary(leaf.before), summary(leaf.after)
            )
        return model.Visit(
            index=self.index,
            node=self.node,
            incoming=tuple(map(summary, self.incoming)),
            routed=tuple(
                model.Routed(edge, summary(computed), summary(sent), note, index)
                for edge, computed, sent, note, index in self.routed
            ),
            stages=tuple(stages),
            accumulate=done,
            released_bytes=self.released[1],
            seconds=self.seconds,
            error=self.error,
        )


class TorchRun:
    """A Run."""

    can_step_back = False

    def __init__(
        self,
        source: TorchGraph,
        seeds: Mapping[tuple[int, int], torch.Tensor],
        reached: Callable[[int], bool],
        start: Callable[[], None],
    ) -> None:
        self._source = source
        count = len(source)
        needed = [0] * count
        for node in range(count):
            for edge in source.edges(node):
                if edge.node is not None:
                    needed[edge.node] += 1
        self._skipped = frozenset(i for i in range(count) if not reached(i))
        self._missing = list(needed)
        #: What has arrived at each slot.
        self._waiting = {slot: copy_of(grad) for slot, grad in seeds.items()}
        self._count = 0
        self._call: Call | None = None
        self._gate = Gate(source.nodes, start)
        #: However the run ends, also with the interpreter: no thread stays in PyTorch.
        self._end = finalize(self, self._gate.close)
        came = self._gate.wait()
        if isinstance(came, BaseException):
            raise came
        self._call = came
        self.start = model.Start(
            total=count - len(self._skipped),
            current=None if came is None else came.number,
            ready=tuple(
                self._ready(i)
                for i in dict.fromkeys(node for node, _ in seeds)
                if i not in self._skipped and not needed[i]
            ),
            buffers=tuple(
                model.Buffer(node, nr, summarize(grad))
                for (node, nr), grad in self._waiting.items()
                if node not in self._skipped
            ),
            needed=tuple(needed),
            skipped=tuple(sorted(self._skipped)),
        )

    def _ready(self, node: int) -> model.Ready:
        return model.Ready(node, self._priority(node))

    def _priority(self, node: int) -> int | None:
        found = self._source.nodes[node]
        return None if hasattr(found, "variable") else clock_of(found)

    @contextmanager
    def moving(self) -> Generator[None]:
        yield

    def step(self) -> tuple[TorchStep, BaseException | None]:
        call, self._call = self._call, None
        assert call is not None  # the session asks for `current` before
        came: Call | BaseException | None
        try:
            self._gate.pass_on()
            came = self._gate.wait()
        except BaseException as interrupted:  # noqa: BLE001  handed over with the step
            self._gate.close(at_once=True)
            came = interrupted
        error = came if isinstance(came, BaseException) else None
        step = self._made(call, failed=error is not None)
        if isinstance(came, Call):
            self._call = came
            step.current = came.number
        if error is not None:
            step.error = f"{type(error).__name__}: {error}".removesuffix(": ")
        try:
            return step, error
        finally:
            error = came = None  # its traceback refers to this frame

    def _made(self, call: Call, *, failed: bool) -> TorchStep:
        source, node = self._source, call.number
        if failed:  # nothing was delivered
            call.computed, call.leaf = [], None
        step = TorchStep(self._count, call, self._priority(node))
        self._count += 1
        slots = range(len(call.used))
        step.incoming = tuple(self._waiting.pop((node, nr), None) for nr in slots)
        step.used = tuple(call.used)
        for index, (edge, computed) in enumerate(
            zip(source.edges(node), call.computed, strict=False)
        ):
            sent, note = self._sent(edge, computed)
            step.routed.append((edge, computed, sent, note, index))
            target = edge.node
            if target is None:
                continue
            if sent is not None:
                slot = target, edge.input_nr
                before = self._waiting.get(slot)
                total = sent if before is None else _sum(before, sent)
                self._waiting[slot] = total
                step.arrived.append((*slot, before, total))
            self._missing[target] -= 1
            if not self._missing[target] and target not in self._skipped:
                step.readied.append(self._ready(target))
        step.released = source.releases(node)
        return step

    def _sent(self, edge: model.Edge, computed: Grad) -> tuple[Grad, str]:
        """What arrives at the other end: of the shape and type that the gradient there must have."""
        if computed is None:
            return None, ""
        if edge.node is None or edge.node in self._skipped:
            return None, "not asked for"
        meta = self._source.nodes[edge.node]._input_metadata[edge.input_nr]
        shape, sent, notes = tuple(meta.shape), computed, list[str]()
        if tuple(sent.shape) != shape:
            notes.append(f"summed from {list(sent.shape)} to {list(shape)}")
            sent = sent.sum_to_size(shape)
        if sent.dtype != meta.dtype:
            notes.append(f"cast from {dtype_of(sent)} to {dtype_of(meta)}")
            sent = (sent.real if sent.is_complex() and not meta.dtype.is_complex else sent).to(
                meta.dtype
            )
        return sent, ", ".join(notes)

    def close(self) -> None:
        self._end()
        self._gate.drain()
        self._call = None
        self._waiting.clear()


@open_backward.register(torch.Tensor)
def open_tensor(loss: Any, options: Mapping[str, Any]) -> Backward:
    """The backward of one tensor, or of several, before its first node. Raises what backward raises."""
    losses = [loss] if isinstance(loss, torch.Tensor) else list(loss)
    gradient = options.get("gradient")
    given = [gradient] if isinstance(loss, torch.Tensor) or gradient is None else list(gradient)
    given += [None] * (len(losses) - len(given))
    inputs = options.get("inputs")
    asked = (
        None if inputs is None else [inputs] if isinstance(inputs, torch.Tensor) else list(inputs)
    )

    def start() -> None:
        torch.autograd.backward(
            losses, None if gradient is None else given, options.get("retain_graph"),
            options.get("create_graph", False), inputs=asked,
        )  # fmt: skip

    if not all(tensor.requires_grad for tensor in losses):
        start()  # says what is wrong
    names = options.get("names") or {}
    edges = [torch.autograd.graph.get_gradient_edge(tensor) for tensor in losses]
    source = TorchGraph([(edge.node, edge.output_nr) for edge in edges], names)
    seeds: dict[tuple[int, int], torch.Tensor] = {}
    for slot, tensor, seed in zip(source.roots, losses, given, strict=True):
        one = torch.ones_like(tensor).detach() if seed is None else seed.detach()
        seeds[slot] = seeds[slot] + one if slot in seeds else one
    title = options.get("title") or names.get(id(losses[0]), "") or "backward"
    run = TorchRun(source, seeds, _reached(source, asked), start)
    return Backward(source, run, title, _modes)


def _reached(source: TorchGraph, asked: list[torch.Tensor] | None) -> Callable[[int], bool]:
    """Does a node lead to a tensor that was asked for? All do if nothing was asked for by name."""
    if asked is None:
        return lambda node: True
    found = {source.number(tensor) for tensor in asked}
    into: dict[int, list[int]] = {}
    for node in range(len(source)):
        for edge in source.edges(node):
            if edge.node is not None:
                into.setdefault(edge.node, []).append(node)
    stack = [node for node in found if node is not None]
    while stack:
        for node in into.get(stack.pop(), ()):
            if node not in found:
                found.add(node)
                stack.append(node)
    return found.__contains__


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


def _modes() -> model.Modes:
    return model.Modes(
        grad=torch.is_grad_enabled(),
        inference=torch.is_inference_mode_enabled(),
        anomaly=torch.is_anomaly_enabled(),
        multithreading=torch._C._is_multithreading_enabled(),
    )


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


def _sum(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Sparse ones are added to others, not the other way round."""
    return a + b if a.layout == torch.strided else b + a


def _equal(a: Grad, b: Grad) -> bool:
    if a is None or b is None:
        return a is b
    a, b = a.to_dense(), b.to_dense()
    return a.shape == b.shape and a.dtype == b.dtype and a.allclose(b, 0, 0, equal_nan=True)
