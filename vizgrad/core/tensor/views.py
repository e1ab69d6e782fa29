"""The record of a view's origin (spec 03 D, E)."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from vizgrad.core.tensor.state import rare_of

if TYPE_CHECKING:
    from vizgrad.core.tensor.tensor import Tensor


class Creation(Enum):
    """How a view was made: it decides what an in-place write through it may do (V-40 ... V-47)."""

    DEFAULT = "normally"
    NO_GRAD = "in no_grad mode"
    MULTI_OUTPUT = "by a function that returns multiple views"
    CUSTOM_FUNCTION = "inside a custom Function"
    INFERENCE = "in inference mode"


class ViewInfo:
    """`base` is the root: a view of a view points to the same base (V-29).

    `clock` is the storage's `last_write` when the view's history was last brought up to date: a later
    write means that it has to be regenerated from the base's (V-30).
    """

    __slots__ = ("base", "clock", "creation", "maker", "sequence_nr")

    def __init__(self, base: Tensor, creation: Creation, clock: int, maker: str) -> None:
        self.base = base
        self.creation = creation
        self.clock = clock
        #: Name of the operation that made the view, for messages.
        self.maker = maker
        #: For the node of the history after a write through this very view; 0 before.
        self.sequence_nr = 0


def view_requires_grad(view: Tensor) -> bool:
    """A view requires grad if it was recorded, made a leaf, or its base requires grad (V-50)."""
    if view._edge is not None or (view._rare is not None and view._rare.view_leaf):
        return True
    return view._view is not None and view._view.base.requires_grad


def set_view_leaf(view: Tensor, requires_grad: bool) -> None:
    """`requires_grad_()` of a view without history of its own (V-14)."""
    rare_of(view).view_leaf = requires_grad
