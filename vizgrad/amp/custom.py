"""`custom_fwd` and `custom_bwd`: a Function of one's own under autocast."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from vizgrad.amp.mode import autocast, get_autocast_dtype, is_autocast_enabled
from vizgrad.amp.policies import mapped
from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.dtypes import DType


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: DType | None = None
) -> Any:
    """Decorates `forward`: it runs under the autocast of its caller, and remembers it for the backward.

    With `cast_inputs` floating-point operands of the device are converted to that type where autocast is
    on, and `forward` runs without autocast.
    """
    if fwd is None:
        return partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @wraps(fwd)
    def forward(*args: Any, **options: Any) -> Any:
        context = args[0]
        context._dtype = get_autocast_dtype(device_type)
        on = is_autocast_enabled(device_type)
        if cast_inputs is None or not on:
            context._fwd_used_autocast = on
            return fwd(*args, **options)
        context._fwd_used_autocast = False

        def convert(tensor: Any) -> Any:
            wanted = tensor.is_floating_point() and tensor.dtype is not dtypes.float64
            return (
                tensor.to(cast_inputs) if wanted and tensor.device.type == device_type else tensor
            )

        with autocast(device_type, enabled=False):
            return fwd(*mapped(args, convert), **mapped(options, convert))

    return forward


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Any:
    """Decorates `backward`: it runs under the autocast that its `forward` ran under."""
    if bwd is None:
        return partial(custom_bwd, device_type=device_type)

    @wraps(bwd)
    def backward(*args: Any, **options: Any) -> Any:
        context = args[0]
        with autocast(device_type, enabled=context._fwd_used_autocast, dtype=context._dtype):
            return bwd(*args, **options)

    return backward
