"""The shape of a tensor."""

from __future__ import annotations


class Size(tuple[int, ...]):
    """A shape: a tuple of ints that prints as torch.Size does."""

    __slots__ = ()

    def numel(self) -> int:
        n = 1
        for length in self:
            n *= length
        return n

    def __repr__(self) -> str:
        return f"vizgrad.Size({list(self)})"
