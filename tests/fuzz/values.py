"""What a call is given, as plain data that can be written as source text and made smaller."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

#: How the elements of a tensor lie in memory.
MEMORIES = ("plain", "turned", "stepped", "expanded", "shifted", "swapped")

FLOATS = ("float64", "float32", "float16", "bfloat16")
COMPLEX = ("complex128", "complex64")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")


@dataclass(frozen=True)
class Given:
    """A tensor operand. `values` are repeated or cut to what its memory holds."""

    shape: tuple[int, ...]
    dtype: str
    values: tuple[Any, ...]
    memory: str = "plain"
    grad: bool = False

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def differentiable(self) -> bool:
        return self.dtype in FLOATS + COMPLEX

    def source(self) -> str:
        return self._laid_out() + (".requires_grad_()" if self.grad else "")

    def _laid_out(self) -> str:
        shape, memory = self.shape, self.memory if self.shape else "plain"
        if memory == "turned":
            order = ", ".join(str(k) for k in reversed(range(self.rank)))
            return f"{self._filled(shape[::-1])}.permute({order})"
        if memory == "swapped":
            return f"{self._filled((*shape[:-2], *shape[-2:][::-1]))}.transpose({-min(2, self.rank)}, -1)"
        if memory == "stepped":
            return f"{self._filled((*shape[:-1], 2 * shape[-1]))}[..., ::2]"
        if memory == "shifted":
            return f"{self._filled((shape[0] + 1, *shape[1:]))}[1:]"
        if memory == "expanded" and shape[0] > 1:
            return f"{self._filled((1, *shape[1:]))}.expand({', '.join(map(str, shape))})"
        return self._filled(shape)

    def _filled(self, shape: tuple[int, ...]) -> str:
        count = math.prod(shape)
        kind = f"dtype=torch.{self.dtype}"
        if not count or not self.values:
            return f"torch.zeros({shape}, {kind})"
        values = (self.values * (count // len(self.values) + 1))[:count]
        if count > 1 and len({repr(v) for v in values}) == 1:
            return f"torch.full({shape}, {values[0]!r}, {kind})"
        return f"torch.tensor({nested(list(values), shape)}, {kind})"


def nested(values: list[Any], shape: tuple[int, ...]) -> str:
    if not shape:
        return repr(values[0])
    if len(shape) == 1:
        return repr(values)
    step = len(values) // shape[0]
    parts = (nested(values[k : k + step], shape[1:]) for k in range(0, len(values), step))
    return f"[{', '.join(parts)}]"


@dataclass(frozen=True)
class Same:
    """The operand at this place of the call, once more."""

    place: int


@dataclass(frozen=True)
class Code:
    """Anything that is best said in source text: `torch.float32`, `slice(1, None)`, `...`."""

    text: str

    def __repr__(self) -> str:
        return self.text


class Omitted:
    """An argument that is not given."""

    def __repr__(self) -> str:
        return "-"


OMITTED = Omitted()
