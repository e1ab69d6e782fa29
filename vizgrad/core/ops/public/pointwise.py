"""Functions element by element that read settings; the others are declared in
`vizgrad/core/ops/pointwise.py`.
"""

from __future__ import annotations

from vizgrad.core.ops import activation, pointwise_binary
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import check_kind, rounded, written
from vizgrad.core.tensor.tensor import Tensor


@public(method=True)
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """0 below 0, 1 above, and `values` at 0. Not differentiable."""
    result = pointwise_binary.heaviside.record(input, values)
    return result if out is None else written(out, result, "heaviside", input, values)


@method
def hardshrink(self: Tensor, lambd: float = 0.5) -> Tensor:
    """`nn.functional.hardshrink`."""
    check_kind("hardshrink", self)
    return activation.hardshrink.record(self, lambd=rounded(lambd, self))
