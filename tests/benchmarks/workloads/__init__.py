"""The work that is timed: one file per kind, each with `cases()`."""

from __future__ import annotations

from collections.abc import Iterator

from tests.benchmarks.case import Case


def all_cases() -> Iterator[Case]:
    """All cases, in the order of the table."""
    from tests.benchmarks.workloads import (
        chains,
        convnet,
        elementwise,
        looking,
        lstm,
        mlp,
        recording,
        second_order,
        small,
        tiny,
        transformer,
        transforms,
    )

    for kind in (
        tiny, small, mlp, transformer, convnet, elementwise, lstm, chains, second_order, transforms,
        recording, looking,
    ):  # fmt: skip
        yield from kind.cases()
