"""A block with a name, in the profiler's table and in the graph."""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any, Self

from vizgrad.autograd.profiler.collector import COLLECTORS, Collector, collecting
from vizgrad.core.tensor.modes import pop_scope, push_scope
from vizgrad.core.tensor.source_location import caller


class record_function(ContextDecorator):
    """Names a block, or as a decorator each call of a function: ``with record_function("loss"):``.

    A profiler measures it under this name, and the nodes that it records stand in a group of this name, as
    those of `vizgrad.scope`. `args` is for PyTorch's signature.
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args
        self._entered: list[tuple[Any, Collector | None]] = []

    def __enter__(self) -> Self:
        collector = collecting()
        self._entered.append((push_scope(self.name, caller(2)), collector))
        if collector is not None:
            collector.enter(self.name)
        return self

    def __exit__(self, *_: object) -> None:
        scope, collector = self._entered.pop()
        if collector is not None and collector in COLLECTORS:
            collector.leave()
        pop_scope(scope)
