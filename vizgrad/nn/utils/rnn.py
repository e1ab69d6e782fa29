"""Sequences of unequal lengths as one tensor, and back.

Sequences of unequal lengths without padding: at each time step only those that are still going on.

Sorted by length, longest first, the sequences that reach step t are the first `batch_sizes[t]`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

from vizgrad.core.arrays import xp
from vizgrad.core.ops.public.from_values import tensor
from vizgrad.core.ops.public.joining import cat, stack
from vizgrad.core.tensor.tensor import Tensor, new_tensor

# Sequences of unequal lengths without padding: at each time step only those that are still going on.


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


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Padded sequences (longest, N, ...), or (N, longest, ...) with `batch_first`, without their padding.

    `lengths` (N), a list or a tensor on the CPU, must fall unless `enforce_sorted=False`: then the sequences
    are sorted first. Raises RuntimeError for lengths that are not positive, not sorted, or not N.
    """
    if isinstance(lengths, Tensor) and lengths.device.type != "cpu":
        raise RuntimeError(
            "'lengths' argument should be a 1D CPU int64 tensor, but it is on "
            f"{lengths.device}: call lengths.cpu()"
        )
    counts = tensor(lengths).long() if not isinstance(lengths, Tensor) else lengths.detach().long()
    padded: Any = input.transpose(0, 1) if batch_first else input
    order: Any = None
    if not enforce_sorted:
        order = counts.argsort(descending=True)
        counts = counts[order]
        order = order.to(input.device)
        padded = padded.index_select(1, order)
    falling = counts._array
    _check_lengths(falling, padded, enforce_sorted)
    steps, batch = falling[0], padded.shape[1]
    sizes = (falling > xp.arange(steps)[:, None]).sum(1)
    rows = xp.arange(steps)[:, None] * batch + xp.arange(batch)
    places = new_tensor(rows[falling > xp.arange(steps)[:, None]]).to(input.device)
    data = padded.flatten(0, 1).index_select(0, places)
    return PackedSequence(data, new_tensor(sizes), order, None)


def _check_lengths(lengths: Any, padded: Any, sorted_by_caller: bool) -> None:
    if lengths.ndim != 1 or lengths.size != padded.shape[1]:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {lengths.size} (batch_size="
            f"{padded.shape[1]})"
        )
    if lengths.min(initial=1) <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that "
            "is <= 0"
        )
    if sorted_by_caller and (lengths[1:] > lengths[:-1]).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True: pass "
            "enforce_sorted=False, and the sequences are sorted for you"
        )
    if lengths[0] > padded.shape[0]:
        raise RuntimeError(
            f"a length of {lengths[0]} is more than the {padded.shape[0]} steps that there are"
        )


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """(padded sequences (longest, N, ...), or (N, longest, ...) with `batch_first`; their lengths (N)).

    In the order in which they were before packing. `total_length` asks for more padding; ValueError if it
    is less than the longest sequence.
    """
    sizes = sequence.batch_sizes._array
    steps, batch = len(sizes), int(sizes[0])
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but "
                f"got total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    there = xp.arange(batch) < sizes[:, None]
    data: Any = sequence.data
    places = new_tensor(there.reshape(-1).nonzero()[0]).to(data.device)
    whole = data.new_full((steps * batch, *data.shape[1:]), padding_value)
    padded = whole.index_copy(0, places, data).unflatten(0, (steps, batch))
    lengths = new_tensor(there.sum(0))
    back: Any = sequence.unsorted_indices
    if back is not None:
        padded, lengths = padded.index_select(1, back), lengths[back.cpu()]
    return (padded.transpose(0, 1) if batch_first else padded), lengths


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences of shape (length, ...), packed; RuntimeError unless they get shorter or are to be sorted."""
    return pack_padded_sequence(
        pad_sequence(sequences), [len(s) for s in sequences], enforce_sorted=enforce_sorted
    )


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences again, in the order they had before packing."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


def pad_sequence(
    sequences: Tensor | Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences of shape (length, ...) as one tensor (longest, how many, ...), or (how many, longest, ...).

    The rest of each is filled with `padding_value`, at its end or (`padding_side="left"`) at its beginning.
    The type is that of the first. Raises RuntimeError for no sequences, and for shapes that differ beyond
    the length.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    listed: list[Any] = list(sequences)
    if not listed:
        raise RuntimeError("received an empty list of sequences")
    first = listed[0]
    for one in listed:
        if one.ndim == 0 or one.shape[1:] != first.shape[1:]:
            raise RuntimeError(
                "sequences may differ in their length alone: shapes "
                f"{list(first.shape)} and {list(one.shape)} do not go together"
            )
    longest = max(len(one) for one in listed)
    padded = []
    for one in listed:
        rest = first.new_full((longest - len(one), *first.shape[1:]), padding_value)
        parts = (one.to(first.dtype), rest)
        padded.append(cat(parts if padding_side == "right" else parts[::-1]))
    return stack(padded, 0 if batch_first else 1)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """The sequences of the given lengths again, padded at their ends by `pad_sequence`."""
    rows: Any = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[: int(length)] for row, length in zip(rows, lengths, strict=True)]
