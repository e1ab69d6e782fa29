"""A backward to the gradients of its leaves, with the norm of what arrived at each node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Protocol

from vizgrad.debugger import model
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.engines.api.local_backward import LocalBackward


class Numbered(Protocol):
    """A graph of an engine: nodes by number, those of leaves behind the `inner` others."""

    @property
    def nodes(self) -> Sequence[Any]: ...

    @property
    def inner(self) -> int: ...

    def graph(self, title: str) -> model.Graph: ...


def run_to_leaves(
    source: Numbered, title: str, gradients: Callable[[Sequence[Any]], Sequence[Any]]
) -> LocalBackward:
    """`gradients(leaves)` runs the backward as `autograd.grad` does: one gradient for each leaf, None where
    there is none. Raises what it raises.
    """
    graph = source.graph(title)
    arrived: dict[int, float | None] = {}
    began: dict[int, float] = {}
    seconds: dict[int, float] = {}

    def before(number: int) -> Callable[[Sequence[Any]], None]:
        def note(grads: Sequence[Any]) -> None:
            arrived[number] = norm_of(grads)
            began[number] = perf_counter()

        return note

    def after(number: int) -> Callable[[Any, Any], None]:
        def note(sent: Any, came: Any) -> None:
            seconds[number] = perf_counter() - began[number]

        return note

    handles: list[Any] = []
    try:
        for number, node in enumerate(source.nodes[: source.inner]):
            handles += [node.register_prehook(before(number)), node.register_hook(after(number))]
        ends = range(source.inner, len(source.nodes))
        leaves = [source.nodes[number].variable for number in ends]
        for number, grad in zip(ends, gradients(leaves), strict=True):
            arrived[number] = norm_of([grad])
    finally:
        for handle in handles:
            handle.remove()
    return LocalBackward(graph, arrived, seconds)


def norm_of(grads: Sequence[Any]) -> float | None:
    """The largest norm of some gradients, NaN above all; None if none is defined."""
    found = [
        told.norm
        for grad in grads
        if grad is not None
        and (told := summarizer.summarize(grad)) is not None
        and told.norm is not None
    ]
    return next((norm for norm in found if norm != norm), max(found, default=None))
