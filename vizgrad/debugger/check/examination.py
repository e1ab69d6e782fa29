"""What the examinations of a Function share: the example, what is known so far, and how a fault is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vizgrad.core.errors import Explanation, Place, place_at
from vizgrad.debugger.check.example import Example, tensors_of


@dataclass
class Examination:
    """`arrays` are the elements that it is examined with: in double precision, if forward takes that."""

    example: Example
    arrays: list[Any]
    #: Gradients of the outputs, random and always the same.
    given: list[Any]
    #: Numbers of the outputs that require grad, among all.
    positions: list[int]
    #: Is all computed in double precision, so that differences say something?
    precise: bool
    #: The gradients of the inputs; empty if backward failed.
    gradients: list[Any] = field(default_factory=list)
    #: The gradient is meant to be another than the derivative.
    surrogate: bool = False
    repeatable: bool = True
    draws: bool = False

    @property
    def which(self) -> list[int]:
        return [n for n, wanted in enumerate(self.example.wants) if wanted]

    def value(self, arrays: Sequence[Any]) -> float | None:
        """The outputs as one number, weighted with `given`."""
        try:
            call, _ = self.example.run(arrays, [False] * len(arrays))
            found = tensors_of(call.result)
            total = 0.0
            for position, weight in zip(self.positions, self.given, strict=True):
                array = found[position]._array
                if array.shape != weight.shape:
                    return None
                total += float((weight.conj() * array).real.sum())
        except Exception:  # noqa: BLE001  a place where the function has no value
            return None
        return total

    def full(self, gradients: Sequence[Any]) -> list[Any]:
        """One array (or None) for each tensor of the example, from one for each wanted one."""
        found: list[Any] = [None] * len(self.arrays)
        for number, gradient in zip(self.which, gradients, strict=True):
            found[number] = None if gradient is None else gradient._array
        return found


def fault_of(example: Example, error: Exception, doing: str, fix: str = "") -> Explanation:
    """What an error tells of itself, or else where it was raised in the Function's own lines."""
    message = str(error).splitlines()[0] if str(error) else ""
    told = getattr(error, "explanation", None)
    if isinstance(told, Explanation):
        return replace(told, story=told.story or f"{doing}: {message}")
    return Explanation(
        kind="function-return",
        culprit=raised_at(example, error),
        tensor=f"{example.title}Backward",
        fix=fix or "make this line work for the example that `check` was given",
        story=f"{doing} raised {type(error).__name__}: {message}",
    )


def raised_at(example: Example, error: BaseException) -> Place | None:
    """The innermost line of the Function's methods that the error went through."""
    codes = set(example.codes.values())
    place = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            place = place_at(trace.tb_frame.f_code, trace.tb_lineno)
        trace = trace.tb_next
    return place


def number(value: float) -> str:
    return f"{value:.4g}"


def at(name: str, index: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def agreeing(count: int) -> str:
    """What is said of derivatives that are right."""
    return (
        "1 derivative agrees with differences"
        if count == 1
        else f"{count} derivatives agree with differences"
    )
