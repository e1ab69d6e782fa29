"""The writes of PyTorch's own optimizers, learned from one step and told of the others.

A step calls a dozen functions for each parameter, and each step the same ones. To listen to all of them takes
longer than the step. So one step of an optimizer is listened to; while the next ones run nobody listens, and
afterwards the counters say which tensors were written: by the same operations, if they went on by as many.
Only writes to parameters and gradients are told so. An optimizer's state is its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from torch.optim import optimizer as of_optimizers

from vizgrad.debugger.engines.api.summarizer import Spot
from vizgrad.debugger.engines.pytorch.write_lines import note_all_writes

#: The modules of PyTorch's optimizers begin so. An optimizer of the user's is listened to in each step.
_OURS = "torch.optim."
#: Operations that wrote to one tensor, in order: one for each time that its counter went on.
Writes = tuple[str, ...]


class StepWrites:
    """The writes of the steps of all optimizers in a watch."""

    def __init__(self) -> None:
        #: By how often a counter went on.
        self._known: WeakKeyDictionary[Any, dict[int, Writes]] = WeakKeyDictionary()
        #: While a step is listened to: id of a tensor -> the operations that wrote to it.
        self._learning: dict[int, list[str]] | None = None

    def knows(self, optimizer: Any) -> bool:
        return optimizer in self._known

    def begin(self) -> None:
        """A step that is listened to begins."""
        self._learning = {}

    def wrote(self, tensor: Any, version: int, op: str) -> None:
        """An operation of a step has brought the counter of a tensor from `version` to where it is."""
        if self._learning is not None:
            times = tensor._version - version
            self._learning.setdefault(id(tensor), []).extend([op] * times)

    def end(self, optimizer: Any) -> None:
        """It is over. Where counters that went on as often did so in two ways, nothing is learned."""
        learned, self._learning = self._learning, None
        if learned:
            ways = {tuple(learned.get(id(each), ())) for each, _ in counts_of(optimizer)} - {()}
            by_length = {len(way): way for way in ways}
            if ways and len(by_length) == len(ways):
                self._known[optimizer] = by_length

    def note(self, optimizer: Any, before: Sequence[tuple[Any, int]], spot: Spot | None) -> None:
        """Notes the writes of a step that nobody listened to. `before`: `counts_of` the optimizer then. If
        one is of an unknown kind, the next step is listened to again.
        """
        known = self._known[optimizer]

        def ways(times: int) -> Writes:
            way = known.get(times)
            if way is None:
                self._known.pop(optimizer, None)
                way = ("step",) * times
            return way

        note_all_writes(before, ways, spot)


def can_be_told(optimizer: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Is all of this step PyTorch's own code? A closure, a class and hooks of the user's are not."""
    if not type(optimizer).__module__.startswith(_OURS) or args or kwargs:
        return False
    if optimizer._optimizer_step_pre_hooks or optimizer._optimizer_step_post_hooks:
        return False
    of_all = (*of_optimizers._global_optimizer_pre_hooks.values(),)
    of_all += (*of_optimizers._global_optimizer_post_hooks.values(),)
    return all(_is_own(hook) for hook in of_all)


def _is_own(hook: Any) -> bool:
    """Is it a hook of a watch, which writes nothing?"""
    return (getattr(hook, "__module__", None) or "").startswith("vizgrad.")


def counts_of(optimizer: Any) -> list[tuple[Any, int]]:
    """The parameters of an optimizer and their gradients, with their counters."""
    found: list[tuple[Any, int]] = []
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            grad = parameter.grad if parameter.is_leaf else None
            found.append((parameter, parameter._version))
            if grad is not None:
                found.append((grad, grad._version))
    return found
