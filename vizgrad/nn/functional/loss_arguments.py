"""What losses ask of their arguments: the word for the reduction, sizes, element types (X-33)."""

from __future__ import annotations

import warnings
from typing import Any

from vizgrad.core.arrays.dtypes import DType, result_type
from vizgrad.core.arrays.type_names import type_name
from vizgrad.core.function.failing import broadcast_error
from vizgrad.core.ops.public.broadcasting import broadcast_tensors
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.core.tensor.wrong_call import wrong_call


def how_reduced(
    reduction: str, size_average: bool | None = None, reduce: bool | None = None
) -> str:
    """The reduction asked for, old flags included; ValueError for a word that is none."""
    if size_average is not None or reduce is not None:
        if reduce is False:
            return "none"
        return "sum" if size_average is False else "mean"
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(
            f"{reduction} is not a valid value for reduction: use 'mean', 'sum' or 'none'"
        )
    return reduction


def reduced(loss: Any, reduction: str) -> Any:
    how_reduced(reduction)
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def of_one_size(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both as large as they are together; before types are compared: 0-dim tensors decide them, too."""
    if input._array.shape == target._array.shape:
        return input, target
    if (error := broadcast_error(input._array.shape, target._array.shape)) is not None:
        raise error
    warnings.warn(
        f"Using a target size ({list(target.shape)}) that is different to the input size "
        f"({list(input.shape)}): they are broadcast, which is seldom meant for a loss.",
        UserWarning,
        stacklevel=3,
    )
    input, target = broadcast_tensors(input, target)
    return input, target


def check_weight(weight: Tensor, input: Tensor) -> None:
    """ValueError unless there is a weight for each element of the input, as it is given."""
    if weight._array.shape != input._array.shape:
        raise ValueError(
            f"Weights and input must have the same size, got {list(weight.shape)} and {list(input.shape)}"
        )


def computed_in(dtype: DType, *operands: Tensor | None) -> None:
    """RuntimeError where a loss whose type is `dtype` has operands of a higher category."""
    for operand in operands:
        if operand is not None and (operand.dtype.category > dtype.category or dtype.category < 2):
            common = result_type([operand.dtype, dtype], [], [])
            raise wrong_call(
                RuntimeError(
                    f"result type {common.name} can't be cast to the desired output type {dtype.name}"
                ),
                "give input and target of one floating point type: target.to(input.dtype)",
                "cut-dtype",
            )


def one_type(name: str, input: Tensor, target: Tensor) -> None:
    """RuntimeError for a target of another type than the input."""
    if input._array.dtype != target._array.dtype:
        raise wrong_call(
            RuntimeError(
                f"Found dtype {target.dtype.name} but expected {input.dtype.name} ({name})"
            ),
            f"convert the target: target.to({input.dtype})",
            "cut-dtype",
        )


def of_type(what: str, tensor: Tensor | None, *names: str) -> None:
    """RuntimeError for what must be of a type named, and is not."""
    if tensor is not None and tensor.dtype.name not in names:
        wanted = " or ".join(f"{_scalar(name)} ({name})" for name in names)
        found = tensor.dtype.name
        raise wrong_call(
            RuntimeError(
                f"expected scalar type {wanted} but found {_scalar(found)} ({found}) for the {what}"
            ),
            f"convert it: .to({names[0]})",
            "cut-dtype",
        )


def _scalar(dtype: str) -> str:
    """What PyTorch's messages call an element type: Long for int64."""
    return type_name(dtype).removesuffix("Tensor")
