"""The older place of `vizgrad.func.functional_call`."""

from __future__ import annotations

import warnings
from typing import Any

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.modules.module import Module
from vizgrad.nn.utils.replaced_state import call_with


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """As `vizgrad.func.functional_call`, for one dict; warns (FutureWarning)."""
    warnings.warn(
        "`vizgrad.nn.utils.stateless.functional_call` is deprecated: use "
        "`vizgrad.func.functional_call`, which takes the same.",
        FutureWarning,
        stacklevel=2,
    )
    return call_with(module, parameters_and_buffers, args, kwargs, tie_weights, strict)
