"""The looks at one round, and when: the loss before its backward, gradients before they are used."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vizgrad.debugger.engines.api.alarm_source import AlarmSource, BackwardCall

#: An event of a round: which kind, and how many of that kind were before it in the round.
Point = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Alarm:
    """A loss, or the gradient of a leaf, that is not finite. `point` is where in its round it was seen."""

    source: AlarmSource
    tensor: Any
    point: Point
    of_loss: bool


class Looking:
    """Looks at the tensors of one program, and remembers its leaves: those that an optimizer steps, and
    others, which are looked for in the graphs of backwards 1, 2, 4, 8 ...
    """

    def __init__(self, sound: Callable[[Alarm], None]) -> None:
        self._sound = sound
        self._scaled = False
        self._backwards = self._steps = 0
        #: Does an optimizer step? A backward within it is that of its closure.
        self.stepping = False
        self._seen = 0
        self._leaves: dict[int, tuple[AlarmSource, weakref.ref[Any]]] = {}
        #: Those that an optimizer has: looked at when it steps.
        self._held: set[int] = set()
        self._sizes: dict[int, int] = {}

    def anew(self, sound: Callable[[Alarm], None]) -> Looking:
        """One that looks at the same leaves in the same way, at the beginning of a round."""
        other = Looking(sound)
        other._scaled, other._leaves = self._scaled, dict(self._leaves)
        other._held, other._sizes = set(self._held), dict(self._sizes)
        other.stepping = self.stepping
        return other

    def begin_round(self) -> None:
        self._backwards = self._steps = 0
        self.stepping = False

    @property
    def stepped(self) -> bool:
        """Has an optimizer stepped in this round?"""
        return self._steps > 0

    def scaled(self) -> None:
        self._scaled = True

    def leaves(self) -> list[tuple[AlarmSource, Any]]:
        """Those that are known, and alive."""
        known = [(source, ref()) for source, ref in self._leaves.values()]
        return [(source, leaf) for source, leaf in known if leaf is not None]

    # --- events --------------------------------------------------------------------------------------

    def loss(self, source: AlarmSource, call: BackwardCall) -> None:
        self._backwards += 1
        self._seen += 1
        if self._seen & (self._seen - 1) == 0:
            self.know(source, call.roots)
        if not self._scaled and (odd := source.odd(call.roots)):
            self._sound(Alarm(source, call.roots[odd[0]], ("loss", self._backwards), True))

    def ended(self, source: AlarmSource) -> None:
        """A backward has filled gradients: those are looked at that no optimizer has, and all in a closure,
        after which the optimizer uses them.
        """
        if not (self._scaled or (self._leaves.keys() <= self._held and not self.stepping)):
            held = () if self.stepping else self._held
            free = [leaf for one, leaf in self.leaves() if one is source and id(leaf) not in held]
            self._gradients(source, free, ("backward", self._backwards))

    def step(self, source: AlarmSource, optimizer: Any) -> None:
        """An optimizer is about to use gradients."""
        found = [param for group in optimizer.param_groups for param in group["params"]]
        if self._sizes.get(id(optimizer)) != len(found):
            self._sizes[id(optimizer)] = len(found)
            self._know(source, found)
            self._held |= set(map(id, found))
        self._gradients(source, found, ("step", self._steps + 1))
        self.stepping = True

    def step_ended(self) -> None:
        self._steps += 1
        self.stepping = False

    def end_round(self) -> None:
        """Gradients of a round without a step are looked at when it ends."""
        if not (self._scaled or self._steps):
            for source in {id(source): source for source, _ in self._leaves.values()}.values():
                held = [leaf for one, leaf in self.leaves() if one is source]
                self._gradients(source, held, ("end", 1))

    def know(self, source: AlarmSource, roots: Sequence[Any]) -> None:
        """Looks for the leaves of a graph."""
        self._know(source, source.leaves(roots))

    def _know(self, source: AlarmSource, leaves: Sequence[Any]) -> None:
        for leaf in leaves:
            known = self._leaves.get(id(leaf))
            if known is None or known[1]() is not leaf:
                self._held.discard(id(leaf))
                self._leaves[id(leaf)] = source, weakref.ref(leaf)

    def _gradients(self, source: AlarmSource, leaves: Sequence[Any], point: Point) -> None:
        with_grad = [(leaf, grad) for leaf in leaves if (grad := source.grad(leaf)) is not None]
        odd = source.odd([grad for _, grad in with_grad])
        if odd:
            self._sound(Alarm(source, with_grad[odd[0]][0], point, False))
