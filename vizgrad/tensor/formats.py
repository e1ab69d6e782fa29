"""How elements lie in memory, as PyTorch names it: here always dense, with strides."""

from __future__ import annotations


class layout:
    """What `Tensor.layout` is: there is only `strided`."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"vizgrad.{self._name}"


class memory_format(layout):
    """The order that a copy gets: `contiguous_format` or `preserve_format`."""

    __slots__ = ()


strided = layout("strided")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
