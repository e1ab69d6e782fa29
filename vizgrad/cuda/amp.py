"""`vizgrad.amp` under the names it had when only CUDA had it; deprecated."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from vizgrad import amp
from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.dtypes import DType


def _warn(name: str, args: str) -> None:
    warnings.warn(
        f"`vizgrad.cuda.amp.{name}(args...)` is deprecated. Please use `vizgrad.amp.{name}({args})` "
        "instead.",
        FutureWarning,
        stacklevel=3,
    )


class autocast(amp.autocast):
    """`amp.autocast("cuda", ...)`."""

    def __init__(
        self, enabled: bool = True, dtype: DType = dtypes.float16, cache_enabled: bool = True
    ) -> None:
        _warn("autocast", "'cuda', args...")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`amp.GradScaler("cuda", ...)`."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _warn("GradScaler", "'cuda', args...")
        super().__init__(
            "cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled
        )


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: DType | None = None) -> Any:
    """`amp.custom_fwd(..., device_type="cuda")`."""
    _warn("custom_fwd", "args..., device_type='cuda'")
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Any:
    """`amp.custom_bwd(..., device_type="cuda")`."""
    _warn("custom_bwd", "args..., device_type='cuda'")
    return amp.custom_bwd(bwd, device_type="cuda")
