"""Checks of what collectives are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributed.process_group import ProcessGroup


def check(name: str, tensor: Any) -> None:
    """TypeError for what is no tensor."""
    if not isinstance(tensor, Tensor):
        raise wrong_call(
            TypeError(
                f"Invalid function argument. Expected parameter `{name}` of type Tensor but got "
                f"{type(tensor)} instead."
            ),
            "give a tensor; objects have functions of their own, e.g. all_gather_object",
        )


def check_list(name: str, tensors: Any) -> None:
    """TypeError for what is no list of tensors."""
    if not isinstance(tensors, (list, tuple)) or not all(isinstance(t, Tensor) for t in tensors):
        raise wrong_call(
            TypeError(
                f"Invalid function argument. Expected parameter `{name}` of type List[Tensor] but got "
                f"{type(tensors)} instead."
            ),
            "give a list of tensors",
        )


def same_types(*tensors: Tensor) -> None:
    """ValueError for tensors of several dtypes."""
    first, *rest = tensors
    for each in rest:
        if each.dtype is not first.dtype:
            raise wrong_call(
                ValueError(
                    f"Invalid usage of tensors with different dtypes: found {first.dtype} and {each.dtype}"
                ),
                "give tensors of one dtype",
            )


def check_count(name: str, what: str, tensors: Sequence[Tensor], group: ProcessGroup) -> None:
    """RuntimeError unless there is a tensor for each rank."""
    if len(tensors) != group.size():
        raise wrong_call(
            RuntimeError(
                f"{name}: invalid {what} tensor list at index 0 (expected length {group.size()}, got "
                f"{len(tensors)})"
            ),
            "give a tensor for each rank",
        )


def check_shapes(name: str, tensors: Sequence[Tensor], like: Tensor) -> None:
    """Raises for tensors of another shape or dtype than `like`."""
    same_types(like, *tensors)
    for place, each in enumerate(tensors):
        if each.shape != like.shape:
            raise size_error(name, place, like, each)


def size_error(name: str, place: int, expected: Tensor, got: Tensor) -> RuntimeError:
    """For tensors whose sizes do not fit."""
    return wrong_call(
        RuntimeError(
            f"{name}: invalid tensor size at index {place} (expected {tuple(expected.shape)}, got "
            f"{tuple(got.shape)})"
        ),
        "give tensors of the sizes that the docstring says",
    )
