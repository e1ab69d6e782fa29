"""`autocast`: the mode, and what is asked about it."""

from __future__ import annotations

import warnings
from typing import Any

from vizgrad.amp.enable import arm
from vizgrad.amp.state import STATE, changed
from vizgrad.autograd.mode_context import ModeContext, only_bool
from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.backend import Device, namespace_for
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.tensor.wrong_call import wrong_call

_KINDS = ("cpu", "cuda")
_TYPES = (dtypes.bfloat16, dtypes.float16)


class autocast(ModeContext):
    """Inside, operations on tensors of `device_type` choose their type: products and convolutions run in
    `dtype`, losses and what needs many digits in float32, the rest in the type of what it is given.

    A context manager or a decorator; blocks may be nested, also with `enabled=False`. A parameter is
    converted once and remembered until the outermost block ends (`cache_enabled`). Raises RuntimeError for
    a kind of device that there is not; warns, and does nothing, where the device or the type is missing.
    """

    def __init__(
        self,
        device_type: str,
        dtype: DType | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(device_type, str):
            raise wrong_call(
                ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`"),
                'say autocast("cpu"), or "cuda"',
            )
        _check_kind(device_type)
        self.device = device_type
        self.fast_dtype = STATE.dtypes[device_type] if dtype is None else dtype
        self._given = device_type, dtype, enabled, cache_enabled
        self._cache_enabled = STATE.cache_enabled if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda" and not has_cuda():
            warnings.warn(
                "User provided device_type of 'cuda', but CUDA is not available. Disabling",
                UserWarning,
                stacklevel=2,
            )
            enabled = False
        if enabled and self.fast_dtype not in _TYPES:
            warnings.warn(
                f"In {device_type.upper()} autocast, but the target dtype is not supported. Disabling "
                f"autocast.\n{device_type.upper()} Autocast only supports dtypes of vizgrad.bfloat16 and "
                "vizgrad.float16 currently.",
                UserWarning,
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled

    def clone(self) -> autocast:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the decorator's object has said it
            return autocast(*self._given)

    def _switch(self) -> Any:
        if self._enabled:
            arm()
        kind = self.device
        before = STATE.enabled[kind], STATE.dtypes[kind], STATE.cache_enabled
        STATE.enabled[kind] = self._enabled
        STATE.dtypes[kind] = self.fast_dtype
        STATE.cache_enabled = self._cache_enabled
        STATE.depth += 1
        changed()
        return before

    def _restore(self, found: Any) -> None:
        kind = self.device
        STATE.enabled[kind], STATE.dtypes[kind], STATE.cache_enabled = found
        STATE.depth -= 1
        if not STATE.depth:
            STATE.known.clear()
        changed()


def has_cuda() -> bool:
    """Is there a CUDA device, and cupy to use it?"""
    try:
        namespace_for(Device("cuda"))
    except RuntimeError:
        return False
    return True


def _check_kind(device_type: str) -> None:
    if device_type not in _KINDS:
        raise wrong_call(
            RuntimeError(
                f"User specified an unsupported autocast device_type {device_type!r}: there are "
                + " and ".join(_KINDS)
            ),
            'say autocast("cpu"), or "cuda"',
        )


def is_autocast_available(device_type: str) -> bool:
    """Can `autocast` be used with this kind of device?"""
    return device_type in _KINDS


def is_autocast_enabled(*device_type: str) -> bool:
    """Is autocast on for a kind of device (without an argument: for CUDA) in this thread?"""
    (kind,) = device_type or ("cuda",)
    _check_word("is_autocast_enabled", kind)
    return STATE.enabled[kind]


def set_autocast_enabled(device_type: Any, *enabled: bool) -> None:
    """Switches autocast on or off for a kind of device; one argument alone is for CUDA."""
    kind, wanted = (device_type, *enabled) if enabled else ("cuda", device_type)
    only_bool("set_autocast_enabled", "enabled", wanted)
    _check_word("set_autocast_enabled", kind)
    if wanted:
        arm()
    STATE.enabled[kind] = wanted
    changed()


def get_autocast_dtype(device_type: str) -> DType:
    """The type that products run in: bfloat16 on the CPU and float16 on CUDA unless said otherwise."""
    _check_word("get_autocast_dtype", device_type)
    return STATE.dtypes[device_type]


def set_autocast_dtype(device_type: str, dtype: DType) -> None:
    """Sets the type that products run in."""
    if not isinstance(dtype, DType):
        raise wrong_call(
            TypeError(
                "set_autocast_dtype(): argument 'dtype' (position 2) must be a dtype, not "
                f"{type(dtype).__name__}"
            ),
            "pass vizgrad.bfloat16 or vizgrad.float16",
        )
    _check_word("set_autocast_dtype", device_type)
    STATE.dtypes[device_type] = dtype


def _check_word(function: str, device_type: Any) -> None:
    if not isinstance(device_type, str):
        raise wrong_call(
            TypeError(
                f"{function}(): argument 'device_type' (position 1) must be str, not "
                f"{type(device_type).__name__}"
            ),
            'say "cpu" or "cuda"',
        )
    _check_kind(device_type)


def is_autocast_cpu_enabled() -> bool:
    return STATE.enabled["cpu"]


def get_autocast_cpu_dtype() -> DType:
    return STATE.dtypes["cpu"]


def get_autocast_gpu_dtype() -> DType:
    return STATE.dtypes["cuda"]


def is_autocast_cache_enabled() -> bool:
    """Are converted parameters remembered?"""
    return STATE.cache_enabled


def set_autocast_cache_enabled(enabled: bool) -> None:
    STATE.cache_enabled = only_bool("set_autocast_cache_enabled", "enabled", enabled)


def clear_autocast_cache() -> None:
    """Forgets the converted parameters."""
    STATE.known.clear()
