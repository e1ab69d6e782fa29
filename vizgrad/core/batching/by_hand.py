"""Operations whose nodes are written by hand: any number of tensors in, or out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vizgrad.core.tensor.tensor import Tensor

#: Name of the recording function -> what it gives for batches.
HAND: dict[str, Callable[..., Any]] = {}


def _hand(function: Callable[..., Any]) -> Callable[..., Any]:
    HAND[function.__name__] = function
    return function


@_hand
def record_cat(record: Any, values: Sequence[Tensor], *, dim: int, lengths: Any) -> Tensor:
    if lengths is not None:
        values = [v for v, n in zip(values, lengths, strict=True) if n is not None]
    return record(values, dim + 1)


@_hand
def record_stack(record: Any, values: Sequence[Tensor], *, dim: int) -> Tensor:
    return record(values, dim + 1)


@_hand
def record_split(record: Any, values: Sequence[Tensor], *, dim: int, **settings: Any) -> Any:
    return record(values[0], dim + 1, **settings)


@_hand
def record_unbind(record: Any, values: Sequence[Tensor], *, dim: int) -> Any:
    return record(values[0], dim + 1)
