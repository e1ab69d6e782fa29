"""Numbers of nodes that a backward records, as if it ran on the thread that steps it.

PyTorch counts nodes on each thread from zero, and runs those with larger numbers first. With
`create_graph=True` the nodes that a held backward records would come behind all others in the next backward:
sums would be made in another order, and differ in their last bits.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from operator import itemgetter
from typing import Any

import torch

from vizgrad.debugger.engines.pytorch.torch_nodes import edges_of

#: The backward's thread counts on to where the other stands, if that is no further: it takes time.
FAR = 50_000


class Numbering:
    """For one backward. `began`, `started` and `renumber` are called on its thread, the others where it is
    stepped.
    """

    def __init__(self, known: Iterable[Any]) -> None:
        """`known`: nodes that were recorded before."""
        self._seen = set(known)
        #: The counter of the stepping thread before the step.
        self._outside = _counter()
        #: The counter of the backward's thread: before each step, with what is added to it from there on.
        self._steps: list[tuple[int, int]] = []
        self._now = 0

    def going_on(self) -> None:
        """A step begins."""
        self._outside = _counter()

    def stepped(self) -> None:
        """It is over: the counter here goes on by what was recorded there."""
        if self._steps:
            _count_to(self._now + self._steps[-1][1])

    def began(self) -> None:
        """The backward begins, there."""
        _count_to(min(self._outside, FAR))
        self.started()

    def started(self) -> None:
        """A step begins, there."""
        self._now = _counter()
        self._steps.append((self._now, self._outside - self._now))

    def renumber(self, grads: Iterable[torch.Tensor | None]) -> None:
        """Of what was recorded for these gradients."""
        self._now = _counter()
        queue = [grad.grad_fn for grad in grads if grad is not None]
        while queue:
            node = queue.pop()
            if node is None or node in self._seen or hasattr(node, "variable"):
                continue
            self._seen.add(node)
            number = node._sequence_nr()
            step = bisect_right(self._steps, number, key=itemgetter(0)) - 1
            if step >= 0 and number < self._now:  # else it was recorded elsewhere
                node._set_sequence_nr(number + self._steps[step][1])
            queue += [following for following, _ in edges_of(node)]

    def close(self) -> None:
        """Lets go of the nodes."""
        self._seen.clear()


def can_number() -> bool:
    """Does this PyTorch let itself be told?"""
    return hasattr(torch._C._autograd, "_get_sequence_nr")


def _counter() -> int:
    """The number that the next node on this thread gets."""
    return int(torch._C._autograd._get_sequence_nr())


def _count_to(number: int) -> None:
    one = torch.ones((), requires_grad=True)
    with torch.enable_grad():
        for _ in range(number - _counter()):
            one.view(())
