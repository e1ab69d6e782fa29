"""A call that is known by its source text alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.fuzz.values import Given


@dataclass(frozen=True)
class Written:
    """Lines that make operands `a`, `b`, ... and then `out0`, ...; the last one makes the call."""

    lines: tuple[str, ...]
    plain: bool = True
    args: tuple[object, ...] = ()
    words: tuple[tuple[str, object], ...] = ()

    def source(self) -> list[str]:
        return list(self.lines)

    def operands(self) -> list[Given]:
        return self._given("[a-l]")

    @property
    def outs(self) -> tuple[Given, ...]:
        return tuple(self._given(r"out\d"))

    @property
    def writes(self) -> bool:
        """Does the call write into its first operand?"""
        return re.search(r"_\(|inplace=True|; result = |\.__i", self.lines[-1]) is not None

    def _given(self, name: str) -> list[Given]:
        kinds = (
            re.search(r"dtype=torch\.(\w+)", each)
            for each in self.lines
            if re.match(f"{name} = ", each)
        )
        return [Given((), kind.group(1) if kind else "float32", ()) for kind in kinds]
