"""Rounds of DistributedDataParallel in which some ranks have no inputs left (`join()`).

A round of a rank that has inputs: it says so; all agree whether gradients are averaged in this round; buffers
are sent by one that has inputs; the backward averages gradients. A rank without inputs answers in this order.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.ops.public.creation import full
from vizgrad.distributed.algorithms.join import Join, JoinHook, left
from vizgrad.distributed.collectives import all_reduce
from vizgrad.distributed.reductions import ReduceOp

#: A DistributedDataParallel, whose module imports this one.
Model = Any


class Round:
    """One round of all ranks; `has_inputs`: this one's own."""

    def __init__(self, model: Model, *, has_inputs: bool) -> None:
        self._model, self._has_inputs = model, has_inputs

    def round(self, averages: bool) -> bool:
        """Are gradients averaged? They are if a rank with inputs wants it. Then buffers are sent."""
        model = self._model
        agreed = _largest(model, int(averages and self._has_inputs)) == 1
        if agreed and model.broadcast_buffers and any(True for _ in model.module.buffers()):
            rank = model.process_group.rank()
            first = _largest(model, rank if self._has_inputs else -1)
            model._from_first(model.module.buffers(), first)
        return agreed


def begun(model: Model) -> Round | None:
    """A forward begins within a block; None where that is not enabled."""
    config = model._join_config
    if config is None or not config.enable:
        return None
    work = Join.notify_join_context(model)
    if work is not None and not model._join_divides_by_all:
        model.reducer.divisor = lambda: left(work)
    return Round(model, has_inputs=True)


class DDPJoinHook(JoinHook):
    """Answers the rounds of other ranks with zeros."""

    def __init__(self, model: Model, divides_by_all: bool) -> None:
        self._model = model
        model._join_divides_by_all = divides_by_all
        model.reducer.divisor = model.process_group.size

    def main_hook(self) -> None:
        model = self._model
        if Round(model, has_inputs=False).round(False):
            model.reducer.answer(searched=model.find_unused_parameters or model.static_graph)

    def post_hook(self, is_last_joiner: bool) -> None:
        """All get the parameters and buffers of a rank that had the most inputs."""
        model = self._model
        first = _largest(model, model.process_group.rank() if is_last_joiner else -1)
        model._from_first([*model.module.parameters(), *model.module.buffers()], first)
        model.reducer.divisor = model.process_group.size


def _largest(model: Model, number: int) -> int:
    """The largest of the numbers of all ranks."""
    held = full((1,), number, device=model.join_device)
    all_reduce(held, ReduceOp.MAX, group=model.process_group)
    return int(held.item())
