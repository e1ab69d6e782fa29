"""A call: the operation, the form it is written in, its arguments; and its source text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.fuzz.values import Given, Same

FORMS = ("function", "method", "attribute", "operator", "in-place", "augmented", "out", "statement")
NAMES = "abcdefghijkl"


@dataclass(frozen=True)
class Call:
    """`args` by position, `words` by name. `path` is the function's, or the method's name alone."""

    operation: str
    form: str
    path: str
    args: tuple[Any, ...] = ()
    words: tuple[tuple[str, Any], ...] = ()
    outs: tuple[Given, ...] = ()
    #: Is an ordinary `backward` asked for, too?
    plain: bool = False

    def operands(self) -> list[Given]:
        """All tensors given, in the order of their names."""
        found: list[Given] = []
        for value in (*self.args, *(v for _, v in self.words)):
            found += _tensors_in(value)
        return found

    def source(self) -> list[str]:
        """The lines that make the operands, then the one that makes the call."""
        operands = self.operands()
        lines = [f"{NAMES[k]} = {given.source()}" for k, given in enumerate(operands)]
        names = iter(NAMES[: len(operands)])
        args = [self._written(a, names) for a in self.args]
        words = [f"{key}={self._written(v, names)}" for key, v in self.words]
        if self.writes and operands and operands[0].grad:
            lines.append(f"target = {NAMES[0]}.clone()")
            args[0] = "target"
        if self.form == "out":
            made = [f"out{k} = {g.source()}" for k, g in enumerate(self.outs)]
            lines += made
            some = ", ".join(f"out{k}" for k in range(len(made)))
            words.append(f"out=({some})" if len(made) > 1 else f"out={some}")
        return [*lines, self._call(args, words)]

    @property
    def writes(self) -> bool:
        return (
            self.form in ("in-place", "augmented", "statement") or ("inplace", True) in self.words
        )

    def _call(self, args: list[str], words: list[str]) -> str:
        given = ", ".join([*args, *words])
        if self.form == "operator":
            return f"result = {self.path.format(*args)}"
        if self.form in ("augmented", "statement"):
            return f"{self.path.format(*args)}; result = {args[0]}"
        if self.form == "attribute":
            return f"result = {args[0]}.{self.path}"
        if self.form in ("function", "out") or "." in self.path:
            return f"result = torch.{self.path}({given})"
        return f"result = {args[0]}.{self.path}({', '.join([*args[1:], *words])})"

    def _written(self, value: Any, names: Iterator[str]) -> str:
        if isinstance(value, Given):
            return next(names)
        if isinstance(value, Same):
            return NAMES[value.place]
        if isinstance(value, (tuple, list)):
            inner = ", ".join(self._written(v, names) for v in value)
            if isinstance(value, list):
                return f"[{inner}]"
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        return repr(value)

    def with_operand(self, place: int, new: Given) -> Call:
        """The call with another tensor in the place of one."""
        count = -1

        def put(value: Any) -> Any:
            nonlocal count
            if isinstance(value, Given):
                count += 1
                return new if count == place else value
            if isinstance(value, (tuple, list)):
                return type(value)(put(v) for v in value)
            return value

        args = tuple(put(a) for a in self.args)
        return replace(self, args=args, words=tuple((k, put(v)) for k, v in self.words))


def _tensors_in(value: Any) -> list[Given]:
    if isinstance(value, Given):
        return [value]
    if isinstance(value, (tuple, list)):
        return [g for v in value for g in _tensors_in(v)]
    return []
