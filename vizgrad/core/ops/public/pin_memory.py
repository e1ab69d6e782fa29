"""Page-locked memory of the host, from which copying to a device is quicker."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import backend
from vizgrad.core.ops.forms import method
from vizgrad.core.tensor.tensor import Tensor, new_tensor


@method
def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """A copy in page-locked memory; `self` if it is there already.

    RuntimeError without a device, or for a tensor that is on one.
    """
    if backend.is_pinned(self._array):
        return self
    if not backend.is_on_host(self._array):
        raise RuntimeError(
            f"cannot pin a tensor on {self.device}: only dense CPU tensors can be pinned"
        )
    return new_tensor(backend.pinned(self._array))


@method
def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Is it in page-locked memory?"""
    return backend.is_pinned(self._array)
