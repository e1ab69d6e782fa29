"""What a user puts in place of a value at a pause: of the shape and type of what is there, and in words."""

from __future__ import annotations

from typing import Any, Protocol

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Change
from vizgrad.debugger.expressions import evaluate_value


class Fitting(Protocol):
    """How an engine makes a value fit."""

    def is_sparse(self, there: Any) -> bool:
        """Is what is there kept without its zeros?"""
        ...

    def fit(self, given: Any, there: Any) -> Any:
        """`given`, a number, values, an array or a tensor, broadcast to the shape of `there` and cast to its
        type, without history. Raises what the engine raises where it does not fit.
        """
        ...


#: Said where a complex value would take the place of a real one.
COMPLEX = "it is complex, and what is there is not"


def new_value(fitting: Fitting, there: Any, value: Any) -> tuple[Any, str]:
    """A value like `there`, and what it is in words. `value` is a number, values, a tensor, or a text
    (`vizgrad.debugger.expressions.parse_value`). ValueError where it does not fit.
    """
    if fitting.is_sparse(there):
        raise ValueError("a sparse value cannot be changed")
    words = value.strip() if isinstance(value, str) else _words(value)
    try:
        given = evaluate_value(value, there) if isinstance(value, str) else value
        return fitting.fit(given, there), words
    except (ArithmeticError, TypeError, RuntimeError, ValueError) as error:
        said = str(error).splitlines()[0]
        raise ValueError(
            f"{words} does not fit what is there, of shape {list(there.shape)} and type {there.dtype}: {said}"
        ) from None


def _words(value: Any) -> str:
    if isinstance(value, bool | int | float | complex):
        return f"{value}"
    shape = getattr(value, "shape", None)
    return "given values" if shape is None else f"values of shape {list(shape)}"


def gradient_change(
    name: str, node: int, nr: int, slots: int, words: str, summary: model.TensorSummary | None
) -> Change:
    """Of what waits at slot `nr` of the `slots` of a node called `name`."""
    slot = f" at slot {nr}" if slots > 1 else ""
    return Change(
        f"gradient{slot} of {name} = {words}", node, buffer=model.Buffer(node, nr, summary)
    )
