"""Steps of many small parameters at once, on the CPU.

A rule is some ten calls of numpy, each of which takes a microsecond however little it is given. So the small
parameters of a group are copied into one array, as are their gradients and their state; the rule runs on
these arrays, and what it has written is copied back. Rules work element by element, so the bits are the same.

Whether that can be done is found out once, and kept as a `Plan` while all arrays stay the same objects.
Questions are asked of all arrays by one call each (`map`): a line of Python for each array would take as long
as what is saved.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from operator import attrgetter, is_
from typing import Any

from vizgrad.core.arrays import Array, xp
from vizgrad.core.arrays.backend import DEVICES
from vizgrad.core.arrays.dtypes import float32, float64
from vizgrad.core.tensor.modes import GUARD
from vizgrad.core.tensor.tensor import Tensor

#: Elements of a parameter that is small. Copying one twice as large takes as long as the calls that it saves.
_SMALL = 4096
#: Elements that a rule is given at once, so that they stay in the cache; and those of all small parameters.
_TOGETHER, _MOST = 1 << 15, 1 << 17
#: The copies of fewer parameters cost more than the calls.
FEWEST = 6

_TYPES = (float32.np, float64.np)
_ARRAYS = {xp.ndarray}
_NONE = {type(None)}
_array, _base, _dtype, _shape = map(attrgetter, ("_array", "base", "dtype", "shape"))
_concatenate = xp.concatenate


class Plan:
    """The small parameters of a group, their state, and the memory in which they are stepped."""

    def __init__(self, own: list[Tensor], states: Any, names: tuple[str, ...]) -> None:
        """ValueError where the parameters must be stepped one by one: they are few, have no state yet, are no
        real arrays of numpy of one type, or may share memory.
        """
        self.params: list[Array] = list(map(_array, own))
        self.shapes = list(map(_shape, self.params))
        self.chosen = [i for i, array in enumerate(self.params) if array.size <= _SMALL]
        self.left = [param for param in own if param._array.size > _SMALL]
        small = [own[i] for i in self.chosen]
        sizes = [param._array.size for param in small]
        if len(small) < FEWEST or sum(sizes) > _MOST or any(p not in states for p in small):
            raise ValueError
        self.keys, self.values = list(states), list(states.values())
        self.states = [states[param] for param in small]
        self.names = names
        self.kept = self.state_arrays()
        self.steps = self.step_arrays()
        written = [*self.params, *self.steps, *(each for kind in self.kept for each in kind)]
        dtypes = set(map(_dtype, written[: len(own)]))
        if (
            set(map(type, written)) != _ARRAYS
            or set(map(type, map(_base, written))) != _NONE
            or len(set(map(id, written))) != len(written)
            or len(dtypes) != 1
            or set(map(_dtype, self.steps)) != {float32.np}
            or set(map(_shape, self.steps)) != {()}
        ):
            raise ValueError
        self.dtype = dtypes.pop()
        shapes = [self.shapes[i] for i in self.chosen]
        for kind in self.kept:
            if set(map(_dtype, kind)) != {self.dtype} or [*map(_shape, kind)] != shapes:
                raise ValueError
        if self.dtype not in _TYPES:
            raise ValueError
        self.written = set(map(id, written))
        self.flat = [xp.empty(sum(sizes), self.dtype) for _ in range(2 + len(names))]
        self.views: list[list[Array]] = []
        ends = list(accumulate(sizes))
        for flat in (self.flat[0], *self.flat[2:]):
            parts = [flat[end - size : end] for size, end in zip(sizes, ends, strict=True)]
            self.views.append([p.reshape(s) for p, s in zip(parts, shapes, strict=True)])

    def state_arrays(self) -> list[list[Array]]:
        """KeyError or AttributeError where there are none."""
        return [[state[name]._array for state in self.states] for name in self.names]

    def step_arrays(self) -> list[Array]:
        return [state["step"]._array for state in self.states]

    def holds(self, own: list[Tensor], states: Any) -> bool:
        """Are the parameters and their state the same arrays as before?"""
        if len(own) != len(self.params) or len(states) != len(self.keys):
            return False
        if not all(map(is_, map(_array, own), self.params)):
            return False
        if not (all(map(is_, states, self.keys)) and all(map(is_, states.values(), self.values))):
            return False
        try:
            kept, steps = self.state_arrays(), self.step_arrays()
        except (KeyError, AttributeError):
            return False
        same = all(all(map(is_, one, two)) for one, two in zip(kept, self.kept, strict=True))
        return same and all(map(is_, steps, self.steps))

    def takes(self, grads: list[Array]) -> bool:
        """Are the gradients arrays like the parameters, in other memory?"""
        if set(map(type, grads)) != _ARRAYS or set(map(_dtype, grads)) != {self.dtype}:
            return False
        if list(map(_shape, grads)) != self.shapes:
            return False
        return self.written.isdisjoint([id(g if g.base is None else g.base) for g in grads])

    def count(self) -> float | None:
        """Raises the numbers of steps taken, if they are one number, and returns it; else None."""
        taken = set(map(float, self.steps))
        if len(taken) != 1:
            return None
        now = taken.pop() + 1.0
        for step in self.steps:
            step.fill(now)
        return float(self.steps[0])

    def run(self, grads: list[Array], rule: Callable[..., None]) -> None:
        """`rule(params, grads, *state)` over all small parameters."""
        chosen, flat = self.chosen, self.flat
        kinds = [[self.params[i] for i in chosen], [grads[i] for i in chosen], *self.kept]
        for kind, out in zip(kinds, flat, strict=True):
            _concatenate(kind, None, out)
        for start in range(0, flat[0].size, _TOGETHER):
            rule(*[each[start : start + _TOGETHER] for each in flat])
        for kind, views in zip((kinds[0], *kinds[2:]), self.views, strict=True):
            for array, view in zip(kind, views, strict=True):
                array[...] = view


class Group:
    """The plan of a group of parameters. Where there is none, one is looked for ever more rarely."""

    __slots__ = ("failures", "plan", "wait")

    def __init__(self) -> None:
        self.plan: Plan | None = None
        self.wait = self.failures = 0

    def plan_for(
        self, params: list[Tensor], states: Any, names: tuple[str, ...]
    ) -> tuple[Plan, list[Array]] | None:
        """The plan, and the gradients of all parameters that have one; None where all must be stepped one by
        one, also because an observer is told of each write before it happens.
        """
        if DEVICES.several or GUARD.scoped or GUARD.transforms:
            return None
        if self.wait:
            self.wait -= 1
            return None
        own = [param for param in params if param._grad is not None]
        grads: list[Array] = [param._grad._array for param in own]  # pyright: ignore[reportOptionalMemberAccess]  each has one
        if self.plan is None:
            try:
                self.plan = Plan(own, states, names)
            except (ValueError, KeyError, AttributeError):
                return self._in_vain()
        elif not self.plan.holds(own, states):
            return self._in_vain()
        else:
            self.failures = 0
        return (self.plan, grads) if self.plan.takes(grads) else None

    def _in_vain(self) -> None:
        self.plan = None
        self.wait = min(self.failures, 100)
        self.failures = 2 * self.failures + 1
