"""Arrays over memory that belongs to somebody else, which never hears of them."""

from __future__ import annotations

from typing import Any

import numpy as np


class _Memory:
    """Says where the elements lie, by numpy's array interface, and keeps their owner alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, interface: dict[str, Any], owner: object) -> None:
        self.__array_interface__ = interface
        self.owner = owner


def borrow(
    owner: object, address: int, kind: str, shape: tuple[int, ...], strides: tuple[int, ...]
) -> Any:
    """The elements at an address, to be read and never written. `kind` is a type as numpy spells it,
    `strides` count bytes. The array keeps `owner`, and so the memory.
    """
    if 0 in shape:  # such memory may be nowhere
        return np.empty(shape, kind)
    interface = {
        "version": 3, "typestr": kind, "shape": shape, "strides": strides, "data": (address, True)
    }  # fmt: skip
    return np.asarray(_Memory(interface, owner))
