"""From items to a batch: tensors stacked, numbers made into tensors, through all containers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.ops.public.from_values import as_tensor, tensor
from vizgrad.core.ops.public.joining import stack
from vizgrad.core.tensor.tensor import Tensor

_UNKNOWN = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def default_collate(batch: Any) -> Any:
    """A batch of items that are built alike. Floats become float64, integers int64; text stays a list.

    Raises TypeError for other things, RuntimeError for items of unequal sizes.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch), 0)
    if isinstance(first, xp.ndarray):
        if first.dtype not in dtypes.BY_NUMPY:
            raise TypeError(_UNKNOWN.format(first.dtype))
        return stack([as_tensor(item) for item in batch], 0)
    if isinstance(first, (xp.generic, int)):
        return as_tensor(xp.asarray(batch))
    if isinstance(first, float):
        return tensor(list(batch), dtype=dtypes.float64)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        found = {key: default_collate([item[key] for item in batch]) for key in first}
        return _like(first, found)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(part) for part in zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        if any(len(item) != len(first) for item in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        found = [default_collate(part) for part in zip(*batch, strict=True)]
        return found if isinstance(first, tuple) else _like(first, found)
    raise TypeError(_UNKNOWN.format(type(first)))


def default_convert(data: Any) -> Any:
    """Arrays as tensors, through all containers; the rest as it is."""
    if isinstance(data, (xp.ndarray, xp.generic)) and data.dtype in dtypes.BY_NUMPY:
        return as_tensor(xp.asarray(data))
    if isinstance(data, Mapping):
        return _like(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        found = [default_convert(value) for value in data]
        return found if isinstance(data, tuple) else _like(data, found)
    return data


def _like(model: Any, found: Any) -> Any:
    """`found` in a container of the model's class, where that can be made from it."""
    try:
        return type(model)(found)
    except TypeError:
        return found
