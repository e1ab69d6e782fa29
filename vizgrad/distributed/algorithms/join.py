"""Join: training in which some ranks have fewer batches than others.

A rank that has left the block answers the collectives of those that go on, with zeros, until all have
left it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from vizgrad.core.ops.public.creation import ones, zeros
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributed.collectives import all_reduce
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.distributed.work import Work

#: Rounds that a rank may have fewer than the others before it is warned.
_MANY = 1000


class JoinHook:
    """Answers for one object on a rank that has left the block, while others go on."""

    def main_hook(self) -> None:
        """Called once for each round of the others: answers the collectives of one round."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Called when all ranks have left. `is_last_joiner`: this one was among the last."""


@dataclass(frozen=True, slots=True)
class JoinConfig:
    """How the block that an object is in was opened. `is_first`: the object tells the others of a round."""

    enable: bool
    throws: bool
    is_first: bool


class Joinable:
    """An object with collectives in each round, as DistributedDataParallel."""

    #: None outside of a block.
    _join_config: JoinConfig | None = None

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """`kwargs`: those of `Join`."""
        raise NotImplementedError

    @property
    def join_device(self) -> Any:
        """The device of its collectives."""
        raise NotImplementedError

    @property
    def join_process_group(self) -> Any:
        raise NotImplementedError


class Join:
    """The block around a training loop whose ranks have inputs of different length. `joinables`: the objects
    with collectives, in the order of these within a round; the first tells the others of each round.

    `throw_on_early_termination`: all ranks raise RuntimeError when one has no inputs left. ValueError without
    joinables, and for those of different process groups.
    """

    def __init__(
        self,
        joinables: Sequence[Joinable],
        enable: bool = True,
        throw_on_early_termination: bool = False,
        **kwargs: Any,
    ) -> None:
        if not joinables:
            raise wrong_call(
                ValueError("The join context manager requires at least one joinable"),
                "give the wrapped model, and a ZeroRedundancyOptimizer if there is one",
            )
        self._joinables = list(joinables)
        self._hooks = [each.join_hook(**kwargs) for each in joinables]
        self._enable, self._throws = enable, throw_on_early_termination
        groups = [each.join_process_group for each in joinables]
        if any(group is not groups[0] for group in groups):
            raise wrong_call(
                ValueError("Using join context manager with multiple process groups"),
                "give joinables of one group",
            )
        self._group: ProcessGroup = groups[0]

    def __enter__(self) -> Self:
        for place, each in enumerate(self._joinables):
            each._join_config = JoinConfig(self._enable, self._throws, place == 0)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self._enable and kind is None:
                self._answer()
        finally:
            for each in self._joinables:
                each._join_config = None

    def _answer(self) -> None:
        rounds = 0
        while going_on := self._going_on():
            if self._throws:
                raise RuntimeError(f"Rank {self._group.rank()} exhausted all inputs.")
            if rounds == _MANY:
                warnings.warn(
                    f"rank {self._group.rank()} has had {_MANY} rounds fewer than {going_on} other "
                    "ranks, and takes part in theirs; share the inputs out more evenly",
                    stacklevel=4,
                )
            for hook in self._hooks:
                hook.main_hook()
            rounds += 1
        for hook in self._hooks:
            hook.post_hook(not rounds)

    def _going_on(self) -> int:
        """How many ranks have begun another round."""
        count = zeros(1, device=self._joinables[0].join_device)
        all_reduce(count, group=self._group)
        return int(count.item())

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Work | None:
        """Tells the ranks that have left the block that this one begins another round; an object calls it
        before its collectives. The result of the Work is how many ranks have not left; None outside of a
        block, and where another object tells it.

        RuntimeError where all are to end, because a rank has no inputs left.
        """
        config = joinable._join_config
        if config is None or not config.enable or not config.is_first:
            return None
        group = joinable.join_process_group
        work = all_reduce(ones(1, device=joinable.join_device), group=group, async_op=True)
        assert work is not None  # this rank is in the group
        if config.throws and left(work) < group.size():
            raise RuntimeError(
                "Detected at least one rank that exhausted inputs. Throwing across all ranks."
            )
        return work


def left(work: Work) -> int:
    """How many ranks have not left the block."""
    counted: Sequence[Tensor] = work.result()
    return int(counted[0].item())
