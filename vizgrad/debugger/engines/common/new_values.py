"""The user's replacement of a value at a pause: with the shape and type of the value, and in words."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Change
from vizgrad.debugger.engines.api.protocols import WorldChanged
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
    given = evaluate_value(value, there) if isinstance(value, str) else value
    try:
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
    """The change of a gradient that waits at slot `nr` of the `slots` of a node called `name`."""
    slot = f" at slot {nr}" if slots > 1 else ""
    return Change(
        f"gradient{slot} of {name} = {words}", node, buffer=model.Buffer(node, nr, summary)
    )


# A value of a run as it was at one moment, put into numbers when it is asked for.


class CapturedValue:
    """A gradient that nobody writes to any more, or a copy of it. `forget` releases it; its summary stays.

    An engine derives a class from it that says how its values are summarised (`_summarize`).
    """

    __slots__ = ("_summary", "array")

    def __init__(self, array: Any) -> None:
        #: None when it was forgotten.
        self.array: Any = array
        self._summary: model.TensorSummary | None = None

    def _summarize(self, *, closely: bool) -> model.TensorSummary:
        """The summary of the array; `closely`: with histogram, heat map and values."""
        raise NotImplementedError

    @property
    def summary(self) -> model.TensorSummary:
        """The result of one pass over it."""
        found = self._summary
        if found is None:
            found = self._summary = self._summarize(closely=False)
        return found

    def closely(self) -> model.TensorSummary:
        """With histogram, heat map and values, for as long as it is kept."""
        return self.summary if self.array is None else self._summarize(closely=True)

    def forget(self) -> None:
        _ = self.summary
        self.array = None


def summary_of(value: CapturedValue | None) -> model.TensorSummary | None:
    return None if value is None else value.summary


def closely(value: CapturedValue | None) -> model.TensorSummary | None:
    return None if value is None else value.closely()


# A step's change of a tensor's `.grad`, so that it can be undone and redone.

_CHANGED = ".grad of a tensor was changed"


class GradState(Protocol):
    """The `.grad` of a tensor at one moment: which object, its version, and its elements if they are kept."""

    @property
    def grad(self) -> Any:
        """The object that `.grad` was; None if there was none."""
        ...

    #: A copy of its elements, if they may be overwritten in place later; else None.
    elements: Any

    def matches(self, tensor: Any) -> bool:
        """Is `.grad` still this object, and has nobody written to it?"""
        ...

    def restore(self, tensor: Any) -> None:
        """Puts the object back, with its version and its elements, if they are kept."""
        ...


class GradEffect:
    """`.grad` of one tensor, before and after a step. An engine derives a class that says how it is read.

    Elements are copied where a step may add to them in place (before), and when it is undone (after).
    """

    __slots__ = ("_after", "_before", "_tensor")

    #: The engine's class of states, made of a tensor, and: is a copy of the elements to be kept?
    state: ClassVar[type[Any]]
    #: Refers to a tensor, weakly where the engine does not need it to live; what it gives is called for it.
    refer: ClassVar[Any]
    #: Are the elements of a gradient that took the place of another copied when that is undone?
    copies_replaced: ClassVar[bool] = True

    def __init__(self, tensor: Any, copy: bool = True) -> None:
        """`copy`: the step may add to `.grad` in place."""
        self._tensor = self.refer(tensor)
        self._before: GradState = self.state(tensor, copy)
        self._after: GradState | None = None

    @property
    def before(self) -> Any:
        """The elements before the step, a copy; None if there were none, or they were not kept."""
        return self._before.elements

    @property
    def grad_before(self) -> Any:
        """`.grad` itself before the step."""
        return self._before.grad

    def done(self) -> None:
        """The step is over: note which object is there now."""
        tensor = self._tensor()
        if tensor is not None:
            self._after = self.state(tensor, False)

    def undo(self) -> None:
        tensor, after = self._tensor(), self._after
        if tensor is None or after is None:
            return
        if not after.matches(tensor):
            raise WorldChanged("back", _CHANGED)
        if self.copies_replaced or after.grad is self._before.grad:
            self._after = self.state(tensor, True)
        self._before.restore(tensor)

    def redo(self) -> None:
        tensor = self._tensor()
        if tensor is None or self._after is None:
            return
        if not self._before.matches(tensor):
            raise WorldChanged("forward again", _CHANGED)
        self._after.restore(tensor)
