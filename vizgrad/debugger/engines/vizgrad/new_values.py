"""The value that a person gives, of the shape and type of what it takes the place of."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import Any

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.layout import empty_like_strides
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.expressions import evaluate_value


@quiet
def new_value(there: Any, value: Any) -> tuple[Any, str]:
    """An array like `there`, and what it is in words. `value` is a number, values, a tensor, or a text
    (`vizgrad.debugger.expressions.parse_value`). ValueError where it does not fit.
    """
    if is_sparse(there):
        raise ValueError("a sparse value cannot be changed")
    words = value.strip() if isinstance(value, str) else _words(value)
    with no_grad():
        try:
            if isinstance(value, str):
                value = evaluate_value(value, there)
            given = value if isinstance(value, Tensor) else _tensor(value, there)
            made = _fitted(given, there)
        except (ArithmeticError, TypeError, RuntimeError, ValueError) as error:
            said = str(error).splitlines()[0]
            raise ValueError(
                f"{words} does not fit what is there, of shape {list(there.shape)} and type {there.dtype}: "
                f"{said}"
            ) from None
    return made, words


def _fitted(given: Tensor, there: Any) -> Any:
    if given._array.dtype.kind == "c" and there.dtype.kind != "c":
        raise ValueError("it is complex, and what is there is not")
    made = empty_like_strides(there, there)
    made[...] = given.to(new_tensor(there).device)._array
    return made


def _tensor(value: Any, there: Any) -> Tensor:
    from vizgrad.core.ops.public.from_values import tensor

    made = tensor(value)
    like = new_tensor(there)
    return made.to(like.device, like.dtype) if isinstance(value, int | float) else made


def _words(value: Any) -> str:
    if isinstance(value, bool | int | float | complex):
        return f"{value}"
    shape = getattr(value, "shape", None)
    return "given values" if shape is None else f"values of shape {list(shape)}"
