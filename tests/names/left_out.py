"""Names that vizgrad does not have, and why."""

from __future__ import annotations

_QUANTISED = "for scaled low-precision products on particular GPUs"
_COMPACT = "LAPACK's packed form of symmetric indefinite factors has no derivative; use solve or lu"
_LATER = "comes with the part of vizgrad that it belongs to"

LEFT_OUT: dict[str, str] = {
    "Tensor.prelu": "a function: nn.functional.prelu",
    "vizgrad.linalg.ldl_factor": _COMPACT,
    "vizgrad.linalg.ldl_factor_ex": _COMPACT,
    "vizgrad.linalg.ldl_solve": _COMPACT,
    "vizgrad.nn.functional.conv_tbc": "conv1d with the dimensions in another order",
    "vizgrad.nn.functional.grouped_mm": _QUANTISED,
    "vizgrad.nn.functional.scaled_mm": _QUANTISED,
    "vizgrad.nn.functional.scaled_grouped_mm": _QUANTISED,
}
#: Lists of which nothing, or not all, is there yet.
LATER = {
    "vizgrad.autograd": _LATER,
    "vizgrad.autograd.forward_ad": _LATER,
    "vizgrad.func": _LATER,
}
