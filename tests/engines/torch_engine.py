"""Opens the backward of a PyTorch tensor for stepping. Forwards only: what a node releases is gone.

The records are made here from what the gate's hooks saw: nothing of the graph is read again for a step.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any
from weakref import finalize

import torch

from tests.engines.torch_gate import Call, Gate, copy_of
from tests.engines.torch_graph import TorchGraph
from tests.engines.torch_saved import clock_of, dtype_of
from tests.engines.torch_step import Grad, TorchStep
from tests.engines.torch_summary import elements, summarize, summarize_closely
from vizgrad.inspection import model, summarizer
from vizgrad.inspection.openers import open_backward
from vizgrad.inspection.protocols import Backward

summarizer.register(torch.Tensor, summarize, summarize_closely, elements)


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


def _modes() -> model.Modes:
    return model.Modes(
        grad=torch.is_grad_enabled(),
        inference=torch.is_inference_mode_enabled(),
        anomaly=torch.is_anomaly_enabled(),
        multithreading=torch._C._is_multithreading_enabled(),
    )


def _sum(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Sparse ones are added to others, not the other way round."""
    return a + b if a.layout == torch.strided else b + a
