"""Sequences of unequal lengths as one tensor, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vizgrad.ops.public.parting import cat, stack
from vizgrad.tensor.tensor import Tensor


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
