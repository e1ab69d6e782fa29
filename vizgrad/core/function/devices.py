"""Operands on several devices: numbers follow the tensors they stand beside, everything else is an error."""

# A primitive is declared as a class body of functions over arrays and tensors alike, without `self`.
# pyright: reportSelfClsParameterName=false, reportArgumentType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays import backend
from vizgrad.core.arrays.backend import CPU, current, device_of, entered, places
from vizgrad.core.function.primitive import primitive
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.upcalls import UPCALLS

if TYPE_CHECKING:
    from vizgrad.core.function.declared import Declared


@primitive(linear=True, typing="moved", node="ToCopyBackward0")
class to_device:
    """A copy on another device; `source` is where it was."""

    def forward(self, *, device, source):
        return backend.to_device(self, device)

    def grad_self(grad, device, source):
        return to_device(grad, device=source, source=device)


def gathered(op: Declared, tensors: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The operands on one device; None if they are so already.

    A 0-dim tensor of the CPU goes where the others are, as in PyTorch, and its gradient comes back; for
    any other mixture RuntimeError, naming the devices.
    """
    devices = [device_of(t._array) for t in tensors]
    if devices.count(devices[0]) == len(devices):
        return None
    fixed = {
        d
        for d, t in zip(devices, tensors, strict=True)
        if d != CPU or (t._array.ndim and t._array.size)  # an absent operand is empty
    }
    if len(fixed) > 1:
        raise wrong_call(
            RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                + " and ".join(sorted(map(str, fixed)))
                + f"! ({op.name})"
            ),
            "move one with .to(device)",
        )
    (there,) = fixed
    return tuple(
        t if d == there else to_device.record(t, device=there, source=d)
        for d, t in zip(devices, tensors, strict=True)
    )


def away(op: Declared, operands: tuple[Any, ...]) -> Any:
    """The device of the operands, to be entered, if it is not the current one; None if it is.

    RuntimeError for operands on several devices: cupy would fetch elements of one from the other.
    """
    found = places(operands)
    if len(found) > 1 and op.typing != "moved":
        gathered(op, tuple(t for t in operands if hasattr(t, "_array")))
    return entered(found[0]) if found and found[0] != current() else None


UPCALLS.gather_operands = gathered
UPCALLS.device_to_enter = away
