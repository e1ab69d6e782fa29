"""How elements lie in memory, as PyTorch names it: dense with strides, or only those that are not zero."""

from __future__ import annotations


class layout:
    """What `Tensor.layout` is."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"vizgrad.{self._name}"


class memory_format(layout):
    """The order that a copy gets: `contiguous_format` or `preserve_format`."""

    __slots__ = ()


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
