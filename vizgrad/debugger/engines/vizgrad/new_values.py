"""How a value that a user gives is made to fit an array of the engine."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import Any

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.layout import empty_like_strides
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.engines.common import new_values


class ArrayFitting:
    """See `vizgrad.debugger.engines.common.new_values.Fitting`."""

    def is_sparse(self, there: Any) -> bool:
        return is_sparse(there)

    @quiet
    def fit(self, given: Any, there: Any) -> Any:
        with no_grad():
            tensor = given if isinstance(given, Tensor) else _tensor(given, there)
            if tensor._array.dtype.kind == "c" and there.dtype.kind != "c":
                raise ValueError(new_values.COMPLEX)
            made = empty_like_strides(there, there)
            made[...] = tensor.to(new_tensor(there).device)._array
            return made


def new_value(there: Any, value: Any) -> tuple[Any, str]:
    """See `vizgrad.debugger.engines.common.new_values.new_value`."""
    return new_values.new_value(ArrayFitting(), there, value)


def _tensor(value: Any, there: Any) -> Tensor:
    from vizgrad.core.ops.public.from_values import tensor

    made = tensor(value)
    like = new_tensor(there)
    return made.to(like.device, like.dtype) if isinstance(value, int | float) else made
