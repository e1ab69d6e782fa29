"""What `vizgrad.record()` and `vizgrad.watch()` cost the work that they are told of; nobody looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.benchmarks.case import TORCH, Case, Run
from tests.benchmarks.workloads import lstm, mlp, transformer

RECORDED, WATCHED, PLAIN = "recorded", "watched", "vizgrad"


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

    yield Case(
        "watched, PyTorch: transformer block 8x64x128",
        {TORCH: _plain_torch, WATCHED: _watched_torch},
        subject=WATCHED,
        base=TORCH,
        tolerance=0,
    )


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
