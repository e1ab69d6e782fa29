"""A leaf on the memory of another tensor: what a Parameter and a Variable are."""

from __future__ import annotations

from typing import Any

from vizgrad.core.errors import explained
from vizgrad.core.tensor.tensor import LEAF, Tensor, new_tensor, storage_of


def leaf_over(data: Tensor, requires_grad: bool, cls: type[Tensor] = Tensor) -> Any:
    """A `cls` without history that shares memory and version counter with `data`.

    Raises RuntimeError when a gradient is wanted for a tensor that is neither floating point nor complex
    (T-51).
    """
    out = new_tensor(data._array, cls)
    out._storage = storage_of(data)
    if requires_grad:
        if data._array.dtype.kind not in "fcV":
            what = "this tensor" if cls is Tensor else f"this {cls.__name__}'s data"
            raise explained(
                RuntimeError(
                    "Only Tensors of floating point and complex dtype can require gradients; "
                    f"{what} is {data.dtype.name}"
                ),
                kind="cut-dtype",
                fix="convert the data with .float(), or pass requires_grad=False",
            )
        if data.is_inference():  # raises outside inference mode (M-25)
            return out.requires_grad_()
        out._tracked = LEAF
    return out
