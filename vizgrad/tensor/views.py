"""What a view remembers about where it comes from (spec 03 D, E)."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vizgrad.tensor.tensor import Tensor


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

    __slots__ = ("base", "clock", "creation", "maker")

    def __init__(self, base: Tensor, creation: Creation, clock: int, maker: str) -> None:
        self.base = base
        self.creation = creation
        self.clock = clock
        #: Name of the operation that made the view, for messages.
        self.maker = maker
