"""Opening, stepping and continuing a backward through the API, and what a view is sent, by size of graph.

No peer does any of this: the figures are absolute times, and Continue against the plain backward of the same
program.
"""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time
from typing import Any

from tests.benchmarks.targets import (
    BYTES_A_NODE,
    CONTINUE,
    OPEN_SECONDS,
    RECORDED,
    STEP_BYTES,
    STEP_MS,
    Figure,
    Target,
)

STEPS = 50
#: How often the two of a comparison are run.
COMPARED = 15


def chain(nodes: int) -> Any:
    """A chain of additions and products."""
    import vizgrad as vg

    x = vg.ones(1, requires_grad=True)
    y = x
    for i in range(nodes):
        y = y * x if i % 2 else y + 1.0
    return y.sum()


def deep_mlp() -> Any:
    """2,000 layers of linear and tanh."""
    import vizgrad as vg

    h = vg.ones(4, 8)
    for _ in range(2000):
        w = vg.full((8, 8), 0.1, requires_grad=True)
        h = (h @ w).tanh()
    return h.sum()


def transformer() -> Callable[[], Any]:
    """12 layers, 635 nodes: its forward pass."""
    import vizgrad as vg

    layer = vg.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, dropout=0.0)
    model, x = vg.nn.TransformerEncoder(layer, 12), vg.ones(4, 32, 64)

    def forward() -> Any:
        model.zero_grad()
        return model(x).sum()

    return forward


def lstm() -> Callable[[], Any]:
    """A cell unrolled 2,000 steps, 30,000 nodes: its forward pass."""
    import vizgrad as vg

    cell = vg.nn.LSTMCell(8, 32)
    start, x = vg.zeros(4, 32), vg.ones(4, 8)

    def forward() -> Any:
        cell.zero_grad()
        h = c = start
        for _ in range(2000):
            h, c = cell(x, (h, c))
        return h.sum()

    return forward


@dataclass(frozen=True)
class Case:
    name: str
    #: Makes the loss.
    make: Callable[[], Any]
    #: Makes the forward pass by itself, to be compared: Continue with the plain backward, and the work in a
    #: recorded block with the same outside.
    forward: Callable[[], Callable[[], Any]] | None = None


def _loss_of(forward: Callable[[], Callable[[], Any]]) -> Callable[[], Any]:
    def make() -> Any:
        return forward()()

    return make


CASES = (
    Case("chain of 300", lambda: chain(300)),
    Case("chain of 1,000", lambda: chain(1_000)),
    Case("MLP of 2,000 layers", deep_mlp),
    Case("transformer, 12 layers", _loss_of(transformer), transformer),
    Case("LSTM, 2,000 steps", _loss_of(lstm), lstm),
    Case("chain of 100,000", lambda: chain(100_000)),
    Case("chain of 1,000,000", lambda: chain(1_000_000)),
)


def time_stepping(wanted: Callable[[str], bool]) -> list[Figure]:
    """All figures of the cases that are wanted; each is printed as it comes."""
    found: list[Figure] = []
    for case in CASES:
        if wanted(f"stepping {case.name}"):
            for figure in _time(case):
                print(f"  {figure.what:<48} {figure.value:10.3f} {figure.unit}", flush=True)
                found.append(figure)
    return found


def _time(case: Case) -> list[Figure]:
    from vizgrad.debugger.engines.vizgrad.opener import open_session
    from vizgrad.debugger.jupyter.widget import protocol as p
    from vizgrad.debugger.jupyter.widget.controller import Controller
    from vizgrad.debugger.wire.wire import encode_message

    loss = case.make()
    gc.collect()
    opening, session = _timed(lambda: open_session(loss))
    nodes = session.total
    sent: list[int] = []

    def send(message: dict[str, Any]) -> None:
        sent.append(len(json.dumps(message, separators=(",", ":"))))

    controller = Controller(send)
    controller._attached = session  # without the snapshot, which is for a view that draws
    controller._listening = session.listen(controller._changed, owner="a benchmark")
    forward = [_ask(controller, p.Step(1, session.id), encode_message) for _ in range(STEPS)]
    widest = max(sent)
    back = [_ask(controller, p.StepBack(1, session.id), encode_message) for _ in range(STEPS)]
    again = [_ask(controller, p.Seek(1, session.id, 1 + i), encode_message) for i in range(STEPS)]
    where = [_timed(lambda: repr(session.where))[0] for _ in range(STEPS)]
    cell = [_timed(session.notice_writes)[0] for _ in range(STEPS)]
    controller.close()
    session.close()
    limit = Target(STEP_MS.must, STEP_MS.aim)
    figures = [
        Figure(
            f"{case.name}: open ({nodes:,} nodes)",
            opening,
            "s",
            OPEN_SECONDS.get(nodes // 1000, Target(None)),
        ),
        Figure(f"{case.name}: Step, request to answer", median(forward) * 1e3, "ms", limit),
        Figure(f"{case.name}: Back, request to answer", median(back) * 1e3, "ms", limit),
        Figure(f"{case.name}: seek by one", median(again) * 1e3, "ms", limit),
        Figure(f"{case.name}: print of where", median(where) * 1e3, "ms", limit),
        Figure(f"{case.name}: check after a cell", median(cell) * 1e3, "ms", limit),
        Figure(f"{case.name}: largest message of a step", widest / 1e3, "kB", STEP_BYTES),
    ]
    if case.forward is not None:
        figures += [_continued(case, case.forward()), _recorded(case, case.forward())]
    figures.append(_memory(case, nodes))
    return figures


def _ask(controller: Any, request: Any, encode: Callable[[Any], Any]) -> float:
    content = encode(request)
    return _timed(lambda: controller.receive(content))[0]


def _continued(case: Case, forward: Callable[[], Any]) -> Figure:
    from vizgrad.debugger.engines.vizgrad.opener import open_session

    def plain() -> Callable[[], Any]:
        return forward().backward

    def stepped() -> Callable[[], Any]:
        return open_session(forward()).continue_

    what = f"{case.name}: Continue"
    return _side_by_side(what, "x the plain backward", CONTINUE, plain, stepped)


def _recorded(case: Case, forward: Callable[[], Any]) -> Figure:
    import vizgrad as vg

    def work() -> None:
        forward().backward()

    def recorded() -> vg.Recording:
        with vg.record() as recording:
            work()
        return recording  # its reader has it

    what = f"{case.name}: recorder attached"
    return _side_by_side(what, "x forward and backward", RECORDED, lambda: work, lambda: recorded)


def _side_by_side(
    what: str,
    unit: str,
    target: Target,
    plain: Callable[[], Callable[[], Any]],
    other: Callable[[], Callable[[], Any]],
) -> Figure:
    """How long the one takes of the other, in turns; both are made ready first, and garbage collected."""
    wall: dict[bool, list[float]] = {False: [], True: []}
    busy: dict[bool, list[float]] = {False: [], True: []}
    for number in range(2 * COMPARED):
        second = bool(number % 2)
        ready = (other if second else plain)()
        gc.collect()
        began = process_time()
        took, kept = _timed(ready)
        busy[second].append(process_time() - began)
        wall[second].append(took)
        del ready, kept
    ratio = median(wall[True]) / median(wall[False])
    best = min(wall[True]) / min(wall[False])
    cpu = median(busy[True]) / median(busy[False])
    return Figure(what, ratio, unit, target, best, cpu)


def _memory(case: Case, nodes: int) -> Figure:
    from vizgrad.debugger.engines.vizgrad.opener import open_session

    loss = case.make()
    gc.collect()
    tracemalloc.start()
    session = open_session(loss)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    session.close()
    return Figure(f"{case.name}: memory to open", taken / nodes, "bytes a node", BYTES_A_NODE)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = perf_counter()
    result = work()
    return perf_counter() - begin, result
