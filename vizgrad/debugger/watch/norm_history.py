"""The norms of gradients, weights and updates over the steps of optimizers, in bounded memory.

Measured are the steps that will be kept: where the columns are full, every other entry is dropped, and from
then on every other step is passed over. So a long training is measured ever more seldom.
"""

from __future__ import annotations

import weakref
from array import array
from collections.abc import Callable, Iterable
from math import sqrt
from typing import Any

from vizgrad.core.arrays.magnitude import together
from vizgrad.debugger.model import LayerCourse, OptimizerCourse
from vizgrad.debugger.watch.tensor_adapter import FLOATING, Look

#: Steps of one optimizer that are kept at most, and at least however many parameters it has; numbers that
#: all its columns have together.
MOST_STEPS, FEWEST_STEPS, MOST_NUMBERS = 512, 64, 3_000_000
#: Optimizers whose steps are measured: the first ones.
_MOST_OPTIMIZERS = 16


class Columns:
    """The norms of one parameter; -1.0 where one is not known."""

    __slots__ = ("elements", "gradient", "key", "name", "seen", "update", "weight")

    def __init__(self, tensor: Any, length: int) -> None:
        self.key = id(tensor)
        self.name = ""
        self.elements = 0
        #: Elements of which the update was measured.
        self.seen = 0
        self.gradient, self.weight, self.update = (array("d", [-1.0]) * length for _ in range(3))

    def columns(self) -> tuple[array[float], array[float], array[float]]:
        return self.gradient, self.weight, self.update


class OptimizerNorms:
    """The steps of one optimizer."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.total = 0
        self.stride = 1
        self.steps: list[int] = []
        self.backwards: list[int] = []
        self.losses: list[float | None] = []
        self.parameters: dict[int, Columns] = {}

    def begin(self, optimizer: Any, look: Look, backward: int, loss: float | None) -> bool:
        """A step begins: measures gradients and weights, if it is one that is kept."""
        self.total += 1
        if (self.total - 1) % self.stride:
            return False
        params = [tensor for group in optimizer.param_groups for tensor in group["params"]]
        asked = [found for tensor in params if (found := self._ask(tensor, look)) is not None]
        weights = look.norms([tensor for _, tensor, _ in asked])
        gradients = look.norms([gradient for *_, gradient in asked])
        for (known, *_), weight, gradient in zip(asked, weights, gradients, strict=True):
            known.weight.append(_number(weight))
            known.gradient.append(_number(gradient))
        self.steps.append(self.total)
        self.backwards.append(backward)
        self.losses.append(loss)
        length = len(self.steps)
        for known in self.parameters.values():
            for column in known.columns():
                if len(column) < length:
                    column.append(-1.0)
        return True

    def _ask(self, tensor: Any, look: Look) -> tuple[Columns, Any, Any] | None:
        """The columns of a parameter, itself, and its gradient."""
        gradient = look.grad(tensor)
        if gradient is None:
            return None
        known = self.parameters.get(id(tensor))
        if known is None:
            if look.kind(tensor) not in FLOATING:
                return None
            known = self.parameters[id(tensor)] = Columns(tensor, len(self.steps))
        known.elements = int(tensor.numel())
        return known, tensor, gradient

    def changed(self, sampled: Iterable[tuple[Any, int, float]]) -> None:
        """The step has ended: (parameter, the number of its elements that were looked at, how far these have
        moved) of those that it had.
        """
        for tensor, seen, moved in sampled:
            known = self.parameters.get(id(tensor))
            if known is not None and len(known.update):
                known.seen = int(seen)
                share = known.elements / known.seen if known.seen else 1.0
                known.update[-1] = moved * sqrt(share)

    def shorten(self) -> None:
        """Drops every other step, where there are too many."""
        most = MOST_NUMBERS // (3 * max(len(self.parameters), 1))
        if len(self.steps) < max(FEWEST_STEPS, min(MOST_STEPS, most)):
            return
        self.stride *= 2
        for column in (self.steps, self.backwards, self.losses):
            del column[1::2]
        for known in self.parameters.values():
            known.gradient, known.weight, known.update = (c[::2] for c in known.columns())

    def told(self, named: Callable[[int, int], str]) -> OptimizerCourse:
        """`named`: the name of a parameter by its id and its number in the optimizer."""
        layers: dict[str, list[Columns]] = {}
        for number, known in enumerate(self.parameters.values()):
            name = named(known.key, number)
            layers.setdefault(name.rpartition(".")[0] or name, []).append(known)
        return OptimizerCourse(
            self.title,
            self.total,
            self.stride,
            tuple(self.steps),
            tuple(self.backwards),
            tuple(self.losses),
            tuple(_layer(name, own) for name, own in layers.items()),
        )


def _layer(name: str, own: list[Columns]) -> LayerCourse:
    return LayerCourse(
        name,
        *(
            tuple(map(_together, zip(*columns, strict=True)))
            for columns in zip(*(known.columns() for known in own), strict=True)
        ),
        estimated=any(0 < known.seen < known.elements for known in own),
    )


def _together(norms: tuple[float, ...]) -> float | None:
    """The norm of several parameters together, of those that are known."""
    known = [each for each in norms if each != -1.0]
    return together(known) if known else None


def _number(norm: float | None) -> float:
    return -1.0 if norm is None else norm


class NormHistory:
    """The steps of all optimizers of a block."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._known: weakref.WeakKeyDictionary[Any, OptimizerNorms] = weakref.WeakKeyDictionary()
        #: Also of optimizers that are gone.
        self.optimizers: list[OptimizerNorms] = []
        self._measured: OptimizerNorms | None = None

    def before(self, optimizer: Any, backward: int, loss: float | None) -> None:
        """A step begins, after that many backwards; `loss`: what the last one was called on."""
        self._measured = None
        known = self._known.get(optimizer)
        if known is None:
            if len(self.optimizers) >= _MOST_OPTIMIZERS:
                return
            known = self._known[optimizer] = OptimizerNorms(type(optimizer).__name__)
            self.optimizers.append(known)
        if known.begin(optimizer, self._look, backward, loss):
            self._measured = known

    def after(self, sampled: Iterable[tuple[Any, int, float]]) -> None:
        """The step has ended. `sampled`: as of `changed`."""
        measured, self._measured = self._measured, None
        if measured is not None:
            measured.changed(sampled)
            measured.shorten()
