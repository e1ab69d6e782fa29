"""The collectives that the steps of a run call, as `vizgrad.distributed` tells of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.debugger.model.collectives import WAITED, Collective

if TYPE_CHECKING:
    from vizgrad.core.graph.node import Node
    from vizgrad.distributed.calls import Call

#: Ranks that were waited for at least so large a part of the time came last.
_LAST = 0.5


class LeafNumbers:
    """The number of a leaf's node, by its tensor."""

    def __init__(self, ids: Mapping[Node, int]) -> None:
        """`ids`: the number of each node."""
        self._ids = ids
        #: By identity of their tensors.
        self._leaves: dict[int, int] | None = None

    def __call__(self, tensor: Any) -> int | None:
        if self._leaves is None:
            self._leaves = {
                id(node.variable): number
                for node, number in self._ids.items()
                if isinstance(node, AccumulateGrad)
            }
        return self._leaves.get(id(tensor))


class CollectiveLog:
    """`told` has (step, its node, collective) in order: each when it was called, and again with its end,
    where that came in a later step.
    """

    def __init__(self, number: Callable[[Any], int | None]) -> None:
        """`number`: of the node of a leaf's tensor."""
        self._number = number
        self.told: list[tuple[int, int, Collective]] = []
        self._new: list[Call] = []
        #: Those that had not ended when they were told of.
        self._running: list[Call] = []
        self._stop: Callable[[], object] | None = None

    def until(self, position: int) -> list[tuple[int, int, Collective]]:
        """Those that the first `position` steps told of."""
        return [each for each in self.told if each[0] < position]

    def listening(self) -> AbstractContextManager[None]:
        """In the block the calls of this thread are those of the steps. A program without
        `vizgrad.distributed` has none.
        """
        calls = sys.modules.get("vizgrad.distributed.calls")
        return nullcontext() if calls is None else calls.listening(self._new.append)

    def hears(self) -> None:
        """As `listening`, from now on until `stops`: of one node."""
        calls = sys.modules.get("vizgrad.distributed.calls")
        if calls is not None:
            self._stop = partial(calls.set_listener, calls.set_listener(self._new.append))

    def stops(self) -> None:
        if self._stop is not None:
            self._stop()
            self._stop = None

    @property
    def calling(self) -> tuple[Collective, ...]:
        """Those that the step which runs has called; from any thread."""
        return tuple(map(self._collective, list(self._new)))

    def dropped(self) -> None:
        """The step that runs is taken back."""
        self._new.clear()

    def over(self, step: int, node: int) -> tuple[Collective, ...]:
        """A step is over: what it called, and what has ended meanwhile."""
        if not (self._new or self._running):
            return ()
        new, self._new[:] = list(self._new), []
        ended = [call for call in self._running if call.seconds is not None]
        self._running = [call for call in (*self._running, *new) if call.seconds is None]
        found = tuple(self._collective(call) for call in (*ended, *new))
        self.told += [(step, node, each) for each in found]
        return found

    def _collective(self, call: Call) -> Collective:
        group, waits = call.group, call.waits
        longest = max(waits.values(), default=None) if call.seconds is not None else None
        late: Sequence[int] = ()
        if longest is not None and longest >= WAITED:
            late = sorted(group.ranks[r] for r, wait in waits.items() if wait >= _LAST * longest)
        nodes = (self._number(each) for each in call.carried)
        return Collective(
            group.group_name,
            call.number,
            call.name.removesuffix("_single"),
            group.ranks,
            call.nbytes,
            tuple(node for node in nodes if node is not None),
            call.began,
            call.seconds,
            longest,
            tuple(late),
            call.error,
        )
