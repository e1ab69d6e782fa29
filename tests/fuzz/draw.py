"""Random choices: sizes, element types, elements, and how they lie in memory."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any, TypeVar

from tests.fuzz.values import COMPLEX, FLOATS, INTEGERS, MEMORIES, Given

T = TypeVar("T")

#: Element types, and how often each is drawn.
OFTEN = {"float64": 36, "float32": 24, "int64": 8, "bool": 4, "complex128": 5, "complex64": 4,
         "float16": 3, "bfloat16": 2, "int32": 3, "uint8": 2, "int16": 1, "int8": 1}  # fmt: skip
TYPES = {
    "any": tuple(OFTEN),
    "real": (*FLOATS, *INTEGERS, "bool"),
    "float": FLOATS,
    "double": ("float64", "float32"),
    "inexact": FLOATS + COMPLEX,
    "wide": ("float64", "float32", *COMPLEX),
    "complex": COMPLEX,
    "int": INTEGERS,
    "index": ("int64", "int32"),
    "long": ("int64",),
    "bool": ("bool",),
    "whole": (*INTEGERS, "bool"),
    "byte": ("uint8",),
}
SPECIAL = (0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 5e-324, 1e-45, 3e38, 1e300, -2.5)
LIMITS = {"int64": (-(2**63), 2**63 - 1), "int32": (-(2**31), 2**31 - 1), "int16": (-(2**15), 2**15 - 1),
          "int8": (-128, 127), "uint8": (0, 255)}  # fmt: skip
MOST = 64


class Draw:
    def __init__(self, seed: Any, absent: frozenset[str] = frozenset()) -> None:
        self.random = random.Random(seed)
        #: Element types that one of the two does not have.
        self.absent = absent
        #: Are elements special, and operands spoiled, in this call?
        self.special = self.chance(0.12)
        self.odd = self.chance(0.1)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def pick(self, options: Sequence[T]) -> T:
        return options[self.random.randrange(len(options))]

    def whole(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def strange(self, p: float = 0.5) -> bool:
        """In the calls that may be refused: now?"""
        return self.odd and self.chance(p)

    # --- shapes --------------------------------------------------------------------------------------

    def size(self, low: int = 0) -> int:
        return max(low, self.pick((0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 5, 7)))

    def shape(
        self, ranks: tuple[int, int] = (0, 5), low: int = 0, most: int = MOST
    ) -> tuple[int, ...]:
        rank = min(ranks[1], max(ranks[0], self.pick((0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 5))))
        shape = [self.size(low) for _ in range(rank)]
        if self.chance(0.75):
            shape = [max(1, n) for n in shape]  # an empty dim makes all of it empty
        while math.prod(shape) > most:
            largest = shape.index(max(shape))
            shape[largest] -= 1
        return tuple(shape)

    def broadcastable(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that meets this one, as it is or with more or fewer dims."""
        if self.chance(0.4):
            return shape
        made = [1 if self.chance(0.3) else n for n in shape]
        made = [self.pick((2, 3)) if n == 1 and self.chance(0.3) else n for n in made]
        made = made[self.whole(0, len(made)) if self.chance(0.4) else 0 :]
        if self.chance(0.15) and math.prod(made) * 2 <= MOST:
            made = [self.pick((1, 2)), *([1] * (len(shape) - len(made))), *made]
        return tuple(made)

    # --- elements ------------------------------------------------------------------------------------

    def dtype(self, types: str = "any") -> str:
        if self.strange(0.3):
            types = "any"
        names = [n for n in TYPES[types] if n not in self.absent]
        weights = [OFTEN[n] for n in names]
        return self.random.choices(names, weights)[0]

    def element(self, dtype: str, low: float, high: float, mode: str) -> Any:
        if dtype == "bool":
            return self.chance(0.5)
        if dtype in COMPLEX:
            return complex(*(self.element("float64", low, high, mode) for _ in range(2)))
        if dtype in INTEGERS:
            if mode == "special" and self.chance(0.2):
                return self.pick(LIMITS[dtype])
            least = max(math.ceil(low), LIMITS[dtype][0])
            return self.whole(least, max(least, math.floor(high)))
        if mode == "special" and self.chance(0.6):
            return self.pick(SPECIAL)
        if mode == "ties":
            return float(self.whole(math.ceil(low), max(math.ceil(low), math.floor(high))))
        if mode == "wide":
            return round(self.random.uniform(low, high), 2) * self.pick((1e-6, 1.0, 1e3))
        return round(self.random.uniform(low, high), 3)

    def values(self, count: int, dtype: str, low: float, high: float) -> tuple[Any, ...]:
        mode = "special" if self.special else self.pick(("plain",) * 6 + ("ties", "ties", "wide"))
        if mode == "wide" and (low, high) != (-3, 3):
            mode = "plain"  # a domain was asked for
        return tuple(self.element(dtype, low, high, mode) for _ in range(min(count, 3 * MOST)))

    def tensor(
        self,
        shape: tuple[int, ...],
        dtype: str,
        low: float = -3,
        high: float = 3,
        grad: bool | None = None,
    ) -> Given:
        memory = self.pick(MEMORIES) if self.chance(0.4) else "plain"
        count = max(1, math.prod(shape)) * 2 + 8
        if grad is None:
            grad = self.chance(0.65)
        grad = grad and dtype in FLOATS + COMPLEX
        return Given(shape, dtype, self.values(count, dtype, low, high), memory, grad)

    def number(self, dtype: str = "float64", low: float = -3, high: float = 3) -> Any:
        """A Python number that goes with this element type, mostly."""
        kinds = ["int", "int", "float"]
        if dtype in COMPLEX:
            kinds.append("complex")
        kind = self.pick(kinds)
        if self.special and self.chance(0.3):
            return self.pick((math.inf, -math.inf, math.nan, 0, -0.0, 0.0, 10**10))
        if self.chance(0.05):
            return self.pick((True, False))
        if kind == "int":
            return self.whole(math.ceil(low), math.floor(high))
        if kind == "complex":
            return complex(self.whole(-2, 2), self.whole(-2, 2))
        return round(self.random.uniform(low, high), 1)
