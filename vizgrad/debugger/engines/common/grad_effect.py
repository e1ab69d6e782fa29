"""What a step did to `.grad` of a tensor, so that it can be undone and redone."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from vizgrad.debugger.engines.api.protocols import WorldChanged

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
