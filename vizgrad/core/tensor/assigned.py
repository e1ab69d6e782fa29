"""What may be assigned to `.grad`: a gradient of the tensor's own kind (E-11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core.tensor.wrong_call import wrong_call

if TYPE_CHECKING:
    from vizgrad.core.tensor.tensor import Tensor


def check_assigned(tensor: Tensor, value: Any) -> None:
    """TypeError for what is no Tensor; RuntimeError for the tensor itself, or another shape, dtype or
    device.
    """
    if not hasattr(value, "_array"):
        raise wrong_call(
            TypeError(
                f"assigned grad expected to be a Tensor or None but got {type(value).__name__}"
            ),
            "assign a Tensor, or None to clear it",
        )
    if value is tensor:
        raise wrong_call(
            RuntimeError("can't assign Variable as its own grad"), "assign a clone of it"
        )
    if value._array.shape != tensor._array.shape:
        raise wrong_call(
            RuntimeError(
                f"assigned grad has data of a different size: {list(value._array.shape)}, but the "
                f"tensor has {list(tensor._array.shape)}"
            ),
            "assign a gradient of the tensor's shape",
            "shape-broadcast",
        )
    if value._array.dtype != tensor._array.dtype:
        raise wrong_call(
            RuntimeError(
                f"assigned grad has data of a different type: {value.dtype}, but the tensor is "
                f"{tensor.dtype}"
            ),
            f"convert it with .to({tensor.dtype})",
        )
    if value.device != tensor.device:
        raise wrong_call(
            RuntimeError(
                f"assigned grad has data located on a different device: {value.device}, but the "
                f"tensor is on {tensor.device}"
            ),
            f"move it with .to({str(tensor.device)!r})",
        )
