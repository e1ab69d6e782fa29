"""`vizgrad.amp.autocast` under its older name for the CPU; deprecated."""

from __future__ import annotations

import warnings

from vizgrad import amp
from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.dtypes import DType


class autocast(amp.autocast):
    """`amp.autocast("cpu", ...)`."""

    def __init__(
        self, enabled: bool = True, dtype: DType = dtypes.bfloat16, cache_enabled: bool = True
    ) -> None:
        warnings.warn(
            "`vizgrad.cpu.amp.autocast(args...)` is deprecated. Please use "
            "`vizgrad.amp.autocast('cpu', args...)` instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__("cpu", dtype, enabled, cache_enabled)
