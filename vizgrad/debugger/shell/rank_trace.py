"""The trace that each of several ranks writes, however its program ends.

A rank that stops at a finding leaves the others in a collective. So each rank writes what it has: the
backward that it stopped before, run to its leaves without the nodes that would wait for others, else the last
backward that it ran, as far as it came.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.local_backward import LocalBackward, run_locally
from vizgrad.debugger.engines.common.variable_names import Names
from vizgrad.debugger.shell.stops import Backward

#: Seconds for a backward that other ranks may be needed for, as where parameters are sharded.
LIMIT = 20.0


def stopped_trace(backward: Backward | None, names: Names, title: str) -> model.Trace | None:
    """The backward of one loss that has not run yet, run now: `.grad` does not change, and no all-reduce is
    called. None where there is none, where it raises, and where it takes too long.
    """
    tensors = None if backward is None or backward.ran else backward.tensors
    loss = tensors[0] if isinstance(tensors, list | tuple) and len(tensors) == 1 else tensors
    if loss is None or isinstance(loss, list | tuple):
        return None
    found: list[LocalBackward] = []

    def run() -> None:
        try:
            found.append(run_locally(loss, names, title))
        except Exception:  # noqa: BLE001  the stop is told in any case, and the graph is written
            return

    thread = threading.Thread(target=run, name="backward of a rank", daemon=True)
    thread.start()
    thread.join(LIMIT)
    return trace_of(found[0], title) if found else None


def trace_of(ran: LocalBackward, title: str) -> model.Trace:
    """Norms alone: which nodes ran, in order, and what arrived there."""
    records = tuple(
        _record(index, node, norm, ran) for index, (node, norm) in enumerate(ran.arrived.items())
    )
    return model.Trace(ran.graph, records, title=title)


def _record(index: int, node: int, norm: float | None, ran: LocalBackward) -> model.StepRecord:
    outputs = ran.graph.nodes[node].outputs
    came = tuple(_summary(each, norm) for each in outputs[:1]) if norm is not None else (None,)
    incoming = (*came, *(None for _ in outputs[1:]))
    seconds = _of(ran.seconds, node)
    visit = model.Visit(index, node, incoming, (), (), None, 0, seconds)
    return model.StepRecord(visit, model.Ready(node, None))


def _summary(output: Any, norm: float) -> model.TensorSummary:
    return model.TensorSummary(output.shape, output.dtype, output.device, 0, norm)


def _of(seconds: Mapping[int, float], node: int) -> float:
    return seconds.get(node, 0.0)


def written(trace: model.Trace, path: Path) -> Path:
    """Raises OSError."""
    page = path.suffix in (".html", ".htm")
    return Path(trace.export(path) if page else trace.save(path))
