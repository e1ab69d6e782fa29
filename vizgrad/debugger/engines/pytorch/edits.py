"""How a value that a user gives is made to fit a gradient of PyTorch's."""

from __future__ import annotations

from typing import Any

import torch

from vizgrad.debugger.engines.common import new_values


class TensorFitting:
    """See `vizgrad.debugger.engines.common.new_values.Fitting`."""

    def is_sparse(self, there: torch.Tensor) -> bool:
        return there.layout != torch.strided

    def fit(self, given: Any, there: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            tensor = torch.as_tensor(given, device=there.device).detach()
            if tensor.is_complex() and not there.is_complex():
                raise ValueError(new_values.COMPLEX)
            return torch.empty_like(there).copy_(tensor)


def new_value(there: torch.Tensor, value: Any) -> tuple[torch.Tensor, str]:
    """See `vizgrad.debugger.engines.common.new_values.new_value`."""
    return new_values.new_value(TensorFitting(), there, value)
