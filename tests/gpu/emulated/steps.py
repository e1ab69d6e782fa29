"""Launches and waits of a training step, counted by the emulated device: a table.

python -m tests.gpu.emulated.steps
python -m tests.gpu.emulated.steps --host    how long the host takes for a step whose kernels do nothing
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, NamedTuple

from tests.gpu import emulated
from tests.gpu.emulated import libraries
from tests.gpu.emulated.account import ACCOUNT


class Count(NamedTuple):
    """What one step asks of the device; `read` are bytes that come to the host."""

    kernels: int
    products: int
    waits: int
    read: int


def models() -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """By name: how it is made, and its input."""
    import vizgrad as vg
    from vizgrad import nn

    def mlp() -> Any:
        return nn.Sequential(
            nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)
        )

    def transformer() -> Any:
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        return nn.Sequential(layer, nn.Flatten(), nn.Linear(64, 10))

    def conv() -> Any:
        return nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(128, 10),
        )  # fmt: skip

    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cells, self.last = nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 10)

        def forward(self, x: Any) -> Any:
            return self.last(self.cells(x)[0][:, -1])

    return {
        "MLP": (mlp, lambda: vg.ones(16, 32, device="cuda")),
        "transformer": (transformer, lambda: vg.ones(16, 4, 16, device="cuda")),
        "conv": (conv, lambda: vg.ones(16, 3, 8, 8, device="cuda")),
        "LSTM": (Recurrent, lambda: vg.ones(16, 5, 8, device="cuda")),
    }


#: What is counted of each model, beginning with what comes before the backward.
WAYS = (
    "backward", "Adam", "SGD", "clip", "AMP", "watch", "watch Adam", "record", "debug", "graph",
)  # fmt: skip


def count(model: str, way: str) -> Count:
    """One step, after two that compile and allocate."""
    steps = _steps(model, way)
    for _ in range(2):
        next(steps)
    _begin()
    next(steps)
    read = sum(size for direction, size in ACCOUNT.copies if direction == "DtoH")
    products = libraries.products() - _BEFORE[0]
    found = Count(len(ACCOUNT.launches), products, len(ACCOUNT.waits), read)
    ACCOUNT.clear()
    return found


#: How many products there were when counting began.
_BEFORE = [0]


def _begin() -> None:
    ACCOUNT.clear()
    _BEFORE[0] = libraries.products()


def _steps(model: str, way: str) -> Iterator[None]:
    """Each `next` is a step of which only what `way` adds to the backward is counted."""
    import vizgrad as vg

    build, given = models()[model]
    network, x = build().to("cuda"), given()
    target = vg.zeros(16, dtype=vg.int64, device="cuda")
    optimizer = (vg.optim.SGD if way == "SGD" else vg.optim.Adam)(network.parameters(), lr=0.01)
    if way == "graph":
        yield from _repeated(network, x, target)
    scaler = vg.amp.GradScaler("cuda")

    def loss() -> Any:
        return vg.nn.functional.cross_entropy(network(x), target)

    while True:
        optimizer.zero_grad()
        if way == "AMP":
            with vg.autocast("cuda", dtype=vg.float16):
                scaled = scaler.scale(loss())
            scaled.backward()
            scaler.step(optimizer)
            scaler.update()
        elif way in ("watch", "watch Adam"):
            with vg.watch():
                loss().backward()
                if way != "watch":
                    optimizer.step()
        elif way == "record":
            with vg.record():
                loss().backward()
        elif way == "debug":
            from vizgrad.debugger.engines.vizgrad import run
            from vizgrad.debugger.engines.vizgrad.opener import open_session

            run._PACE = (
                10.0  # a device is quicker than its emulation: it reads once, not every 20 ms
            )
            with open_session(loss(), names={}) as session:
                session.continue_()
        else:
            loss().backward()
            if way in ("Adam", "SGD", "clip"):
                _begin()
            if way == "clip":
                vg.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            elif way != "backward":
                optimizer.step()
        yield


def _repeated(network: Any, x: Any, target: Any) -> Iterator[None]:
    """Forward, backward and Adam, captured after two steps: then each step repeats the graph."""
    import vizgrad as vg

    optimizer = vg.optim.Adam(network.parameters(), lr=0.01, capturable=True)

    def step() -> None:
        optimizer.zero_grad()
        vg.nn.functional.cross_entropy(network(x), target).backward()
        optimizer.step()

    with vg.cuda.stream(vg.cuda.Stream()):
        step()
        step()
    made = vg.cuda.CUDAGraph()
    with vg.cuda.graph(made):
        step()
    while True:
        made.replay()
        yield


def host(model: str, way: str = "Adam") -> float:
    """Milliseconds of the host for forward, backward and Adam, the least of many: kernels do nothing."""
    from tests.gpu.emulated import driver, graphs

    steps = _steps(model, way)
    for _ in range(3):
        next(steps)
    real = dict(driver._functions)
    for number, (name, _run) in real.items():
        driver._functions[number] = name, lambda *_: None
    launch, graphs.launch = graphs.launch, lambda *_: None
    times = []
    for _ in range(50):
        began = perf_counter()
        next(steps)
        times.append(perf_counter() - began)
    driver._functions.update(real)
    graphs.launch = launch
    return 1000 * min(times)


def main() -> None:
    emulated.start()
    if "--host" in sys.argv:
        for model in (
            "MLP",
            "transformer",
            "LSTM",
        ):  # places that pooling has not written lie anywhere
            print(
                f"{model}: {host(model):.1f} ms, as a graph {host(model, 'graph'):.3f} ms",
                flush=True,
            )
        return
    print(f"| model | {' | '.join(WAYS)} |")
    print("|---" * (len(WAYS) + 1) + "|")
    for model in models():
        cells = []
        for way in WAYS:
            found = count(model, way)
            cells.append(f"{found.kernels} + {found.products}, {found.waits} waits, {found.read} B")
        print(f"| {model} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
