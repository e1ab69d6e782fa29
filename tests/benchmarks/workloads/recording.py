"""What `vizgrad.record()` and `vizgrad.watch()` cost the work that they are told of; nobody looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

from tests.benchmarks.case import TORCH, Case, Run
from tests.benchmarks.workloads import lstm, mlp, transformer

RECORDED, WATCHED, ALARMS, PLAIN = "recorded", "watched", "alarms", "vizgrad"


def cases() -> Iterator[Case]:
    works: dict[str, Callable[[Any], Run]] = {
        "MLP, batch 64": partial(mlp.build, 64),
        "LSTM cell, 20 steps": partial(lstm.build, 20),
    }
    for name, build in works.items():
        yield Case(
            f"recorded: {name}",
            {PLAIN: partial(_plain, build), RECORDED: partial(_recorded, build)},
            subject=RECORDED,
            base=PLAIN,
            tolerance=0,
        )

    watched: dict[str, Callable[[Any], Run]] = {
        "transformer block 8x64x128": transformer.build,
        "LSTM cell, 200 steps": partial(lstm.build, 200),
    }
    for name, build in watched.items():
        yield Case(
            f"watched: {name}",
            {PLAIN: partial(_plain, build), WATCHED: partial(_watched, build)},
            subject=WATCHED,
            base=PLAIN,
            tolerance=0,
        )

    for name, build in _trained().items():
        for title, base, engine in (
            ("alarms", PLAIN, "vizgrad"),
            ("alarms, PyTorch", TORCH, "torch"),
        ):
            cases = _both(base, build, engine)
            yield Case(f"{title}: {name}", cases, subject=ALARMS, base=base, tolerance=0)

    yield Case(
        "watched, PyTorch: transformer block 8x64x128",
        {TORCH: _plain_torch, WATCHED: _watched_torch},
        subject=WATCHED,
        base=TORCH,
        tolerance=0,
    )


def _trained() -> dict[str, Callable[[Any], Run]]:
    """Trainings with an optimizer, of 10 ms a step and more."""
    return {
        "MLP, batch 256": partial(_training, _mlp, (256, 256)),
        "conv net 16x3x24x24": partial(_training, _conv, (16, 3, 24, 24)),
        "GPT of 4 layers, 8x64x128": partial(_training, _gpt, (8, 64, 128)),
    }


def _training(model_of: Callable[[Any], Any], shape: tuple[int, ...], t: Any) -> Run:
    t.manual_seed(0)
    model, x = model_of(t), t.ones(*shape) * 0.5
    opt = t.optim.AdamW(model.parameters(), lr=1e-4)

    def step() -> None:
        opt.zero_grad()
        model(x).square().mean().backward()
        opt.step()

    return Run(step, list)


def _mlp(t: Any) -> Any:
    layers = [part for _ in range(6) for part in (t.nn.Linear(256, 256), t.nn.ReLU())]
    return t.nn.Sequential(*layers, t.nn.Linear(256, 10))


def _conv(t: Any) -> Any:
    return t.nn.Sequential(
        t.nn.Conv2d(3, 16, 3, padding=1), t.nn.BatchNorm2d(16), t.nn.ReLU(),
        t.nn.Conv2d(16, 32, 3, padding=1), t.nn.BatchNorm2d(32), t.nn.ReLU(),
        t.nn.AdaptiveAvgPool2d(1), t.nn.Flatten(), t.nn.Linear(32, 10),
    )  # fmt: skip


def _gpt(t: Any) -> Any:
    layers = [
        t.nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, activation="gelu", batch_first=True)
        for _ in range(4)
    ]
    return t.nn.Sequential(*layers, t.nn.Linear(128, 100))


def _both(base: str, build: Callable[[Any], Run], engine: str) -> dict[str, Callable[[], Run]]:
    return {
        base: partial(_alarms, build, engine, watched=False),
        ALARMS: partial(_alarms, build, engine),
    }


#: A watch of alarms learns in its first round which parameters there are.
_ROUNDS = 8


def _alarms(build: Callable[[Any], Run], engine: str, *, watched: bool = True) -> Run:
    import vizgrad

    run = build(import_module(engine))

    def step() -> None:
        if not watched:
            for _ in range(_ROUNDS):
                run.step()
            return
        with vizgrad.watch(level="alarms") as watch:
            for _ in range(_ROUNDS):
                watch.run(run.step)

    return run._replace(step=step)


def _plain_torch() -> Run:
    import torch

    return transformer.build(torch)


def _watched_torch() -> Run:
    import torch

    return _within_watches(transformer.build(torch))


def _plain(build: Callable[[Any], Run]) -> Run:
    import vizgrad

    return build(vizgrad)


def _recorded(build: Callable[[Any], Run]) -> Run:
    import vizgrad

    run = build(vizgrad)

    def step() -> None:
        with vizgrad.record():
            run.step()

    return run._replace(step=step)


def _watched(build: Callable[[Any], Run]) -> Run:
    import vizgrad

    return _within_watches(build(vizgrad))


def _within_watches(run: Run) -> Run:
    import vizgrad

    def step() -> None:
        with vizgrad.watch():
            run.step()

    return run._replace(step=step)
