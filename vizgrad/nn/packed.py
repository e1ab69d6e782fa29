"""Sequences of unequal lengths without padding: at each time step only those that are still going on.

Sorted by length, longest first, the sequences that reach step t are the first `batch_sizes[t]`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from vizgrad.core.tensor.tensor import Tensor


class _Fields(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


class PackedSequence(_Fields):
    """`data` (sum of lengths, ...), step after step; `batch_sizes` (longest), int64, on the CPU.

    `sorted_indices` is the order in which the sequences were packed, `unsorted_indices` the way back; both
    None if they were sorted. Made by `pack_padded_sequence` and `pack_sequence`.
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Self:
        if batch_sizes is None:
            raise TypeError(
                "PackedSequence needs batch_sizes; use pack_padded_sequence or pack_sequence"
            )
        if batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be "
                "created manually: use pack_padded_sequence or pack_sequence"
            )
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """With `data` (and the order) of another type or on another device."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        order = [
            None if i is None else i.to(data.device)
            for i in (self.sorted_indices, self.unsorted_indices)
        ]
        return type(self)(data, self.batch_sizes, *order)

    def cpu(self) -> Self:
        return self.to("cpu")

    def cuda(self, device: Any = "cuda") -> Self:
        return self.to(device)

    @property
    def is_cuda(self) -> bool:
        return self.data.is_cuda


def _converter(name: str) -> Any:
    def convert(self: PackedSequence) -> PackedSequence:
        return self.to(getattr(self.data, name)().dtype)

    convert.__name__ = name
    return convert


for _name in ("double", "float", "half", "bfloat16", "long", "int", "short", "char", "byte"):
    setattr(PackedSequence, _name, _converter(_name))


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes this one; None for None."""
    if permutation is None:
        return None
    return permutation.argsort()
