"""What an optimizer takes: parameters in an order, with names or without."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vizgrad.core import errors
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor


def listed(params: Any) -> tuple[list[Any], list[str]]:
    """Parameters as a list, and their names if they came as (name, parameter)."""
    if isinstance(params, Tensor):
        return [params], []
    given = list(ordered(params))
    if given and all(isinstance(p, tuple) for p in given):
        return [p for _, p in given], [name for name, _ in given]
    if any(isinstance(p, tuple) for p in given):
        raise ValueError("all optimizer params should be with/without names. Some have no name")
    return given, []


def ordered(params: Iterable[Any]) -> Iterable[Any]:
    """TypeError for a set, which has no order."""
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of "
            "tensors in sets will change between runs. Please use a list instead."
        )
    return params


def check_parameter(param: Any) -> None:
    """TypeError unless it is a Tensor, ValueError unless it keeps its gradient."""
    if not isinstance(param, Tensor):
        raise TypeError(
            f"optimizer can only optimize Tensors, but one of the params is {type(param).__name__}"
        )
    if not (param.is_leaf or param.retains_grad):
        raise errors.explained(
            ValueError(
                "can't optimize a non-leaf Tensor: this one is the result of "
                f"{param.grad_fn.name()}"
            ),
            kind="not-a-leaf",
            fix="give the optimizer the tensor it was computed from, or `x.detach().requires_grad_()`",
            culprit=errors.place_of(caller()),
        )
