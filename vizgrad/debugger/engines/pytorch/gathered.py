"""Samples of many tensors by one read: the elements of all parameters of an optimizer, step after step.

Where the elements lie is computed once, and holds as long as each tensor lies where it did.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from vizgrad.core.arrays import statistics, xp
from vizgrad.core.arrays.blocks import EVERYWHERE, FIRST
from vizgrad.debugger.engines.pytorch.elements import lying

_EVERYWHERE, _SIZE = EVERYWHERE["f4"], 4
_PLAIN = (torch.Tensor, torch.nn.Parameter)
_heard = torch._C._len_torch_dispatch_stack
#: Plans that are kept: one for each optimizer.
_KEPT = 16


class _Plan:
    """Where the sampled elements of these tensors lie."""

    def __init__(self, tensors: Sequence[Any], most: int) -> None:
        self.addresses = [_address(each) for each in tensors]
        parts: list[Any] = []
        self.ends: list[int] = []
        end = 0
        for tensor, address in zip(tensors, self.addresses, strict=True):
            numbers = xp.arange(tensor.numel(), dtype=xp.intp).reshape(tensor.shape)
            chosen = statistics.sample(numbers, most).reshape(-1)
            parts.append(chosen + (address - FIRST) // _SIZE)
            end += chosen.size
            self.ends.append(end)
        self.places = xp.concatenate(parts) if parts else xp.zeros(0, dtype=xp.intp)

    def read(self) -> list[Any]:
        found = _EVERYWHERE[self.places]
        begins = [0, *self.ends]
        return [found[begin:end] for begin, end in zip(begins, self.ends, strict=False)]


def _address(tensor: Any) -> int:
    """Where a plain vector of single precision lies; 0 for all others, and where its memory was freed."""
    if tensor.__class__ not in _PLAIN or tensor.dtype is not torch.float32 or not tensor.is_cpu:
        return 0
    return int(tensor.data_ptr()) if tensor.untyped_storage().nbytes() else 0


class Gathered:
    def __init__(self) -> None:
        #: By the ids of the tensors: the numbers of those that are read together, and where they lie.
        self._plans: dict[tuple[int, ...], tuple[list[int], _Plan]] = {}

    def samples(self, tensors: Sequence[Any], most: int, one: Callable[[Any], Any]) -> list[Any]:
        """A sample of each, as an array of its own or a part of one. `one` gives that of a tensor that is not
        read with the others.
        """
        if _heard():
            return [one(each) for each in tensors]
        key = tuple(map(id, tensors))
        known = self._plans.get(key)
        if known is not None:
            numbers, plan = known
            if [_address(tensors[number]) for number in numbers] != plan.addresses:
                known = None
        if known is None:
            numbers = [number for number, each in enumerate(tensors) if _lies_simply(each)]
            plan = _Plan([tensors[number] for number in numbers], most)
            if len(self._plans) >= _KEPT:
                del self._plans[next(iter(self._plans))]
            self._plans[key] = numbers, plan
        found: list[Any] = [None] * len(tensors)
        together = set(numbers)
        for number, values in zip(numbers, plan.read(), strict=True):
            found[number] = values
        for number, each in enumerate(tensors):
            if number not in together:
                found[number] = one(each)
        return found


def _lies_simply(tensor: Any) -> bool:
    try:
        if not _address(tensor) or not tensor.numel() or not tensor.is_contiguous():
            return False
    except (NotImplementedError, RuntimeError):  # it is sparse, or only stands for another
        return False
    return lying(tensor) is not None
