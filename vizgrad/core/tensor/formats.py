"""How elements lie in memory, as PyTorch names it: dense with strides, or only those that are not zero."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import layout as strides
from vizgrad.core.arrays.backend import Array


class layout:
    """What `Tensor.layout` is."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"vizgrad.{self._name}"


class memory_format(layout):
    """The order of a tensor's elements in memory.

    `contiguous_format` is C order; in `channels_last` (4 dimensions) and `channels_last_3d` (5) dimension 1
    lies innermost; `preserve_format` is that of the tensor a copy is made of, or C order if it has gaps.
    """

    __slots__ = ("_rank",)

    def __init__(self, name: str, rank: int = 0) -> None:
        super().__init__(name)
        self._rank = rank

    def describes(self, array: Array) -> bool:
        """Do the elements lie so already?"""
        if self._rank:
            return array.ndim == self._rank and strides.is_channels_last(array)
        return self is preserve_format or bool(array.flags.c_contiguous)

    def suits(self, array: Array) -> bool:
        """Would `to` leave the array as it is? It asks for the order of the strides alone, not for gaps."""
        last = array.ndim in (4, 5) and strides.has_channels_innermost(array)
        return self is preserve_format or (array.ndim if last else 0) == self._rank

    def applied(self, array: Array) -> Array:
        """A copy in this order. RuntimeError for another number of dimensions than the format has."""
        out = self.empty(array.shape, array)
        out[...] = array
        return out

    def empty(self, shape: tuple[int, ...], like: Array) -> Array:
        """Memory of the type of `like`, of whose strides `preserve_format` takes the order."""
        self.check(len(shape))
        if self is preserve_format:
            return strides.empty_like_strides(like, like)
        if self._rank:
            return strides.empty_channels_last(shape, like)
        return strides.empty(shape, like)

    def check(self, ndim: int) -> None:
        """RuntimeError if a tensor of so many dimensions cannot lie so."""
        if self._rank not in (0, ndim):
            raise RuntimeError(
                f"required rank {self._rank} tensor to use {self._name} format, but this one has {ndim} "
                "dimensions"
            )


strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
sparse_csc = layout("sparse_csc")
#: The name of a layout, as arrays have it -> the layout.
BY_NAME = {
    "strided": strided, "sparse_coo": sparse_coo, "sparse_csr": sparse_csr, "sparse_csc": sparse_csc,
}  # fmt: skip
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last", 4)
channels_last_3d = memory_format("channels_last_3d", 5)


def required(name: str, value: Any) -> memory_format:
    """What was given as `memory_format=`; TypeError for anything else than one."""
    if isinstance(value, memory_format):
        return value
    kind = "NoneType" if value is None else type(value).__name__
    raise TypeError(f"{name}(): argument 'memory_format' must be vizgrad.memory_format, not {kind}")


def check_format(name: str, value: Any) -> memory_format | None:
    """What was given as `memory_format=`; TypeError for anything else than one, or None."""
    return None if value is None else required(name, value)
