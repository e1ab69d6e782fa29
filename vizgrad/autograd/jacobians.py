"""Jacobians of a function of tensors: by differences, and by backward, element by element.

A Jacobian has a row for each element of the input and a column for each of the output. A complex output is
looked at twice, as its real and its imaginary part: with respect to a complex input x + iy the derivative
of a real number L is dL/dx + i dL/dy, which is what backward gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vizgrad.autograd.grad_mode import enable_grad
from vizgrad.autograd.running import grad
from vizgrad.core.arrays import Array, xp
from vizgrad.core.arrays.backend import near
from vizgrad.core.arrays.sparse import dense
from vizgrad.core.errors import explained, function_place
from vizgrad.core.tensor.tensor import Tensor, new_tensor

#: Directions in which an output is looked at: its gradient in backward -> the part of its change.
REAL: dict[complex, Callable[[Any], Any]] = {1: xp.real}
COMPLEX: dict[complex, Callable[[Any], Any]] = {1: xp.real, 1j: xp.imag}


def as_tuple(value: Any) -> tuple[Any, ...]:
    if isinstance(value, tuple):
        return value
    return tuple(value) if isinstance(value, list) else (value,)


def is_differentiable(value: Any) -> bool:
    """A floating or complex tensor that requires grad."""
    return isinstance(value, Tensor) and value.requires_grad


def parts_of(output: Tensor) -> dict[complex, Callable[[Any], Any]]:
    return COMPLEX if output.is_complex() else REAL


def plain_outputs(function: Callable[..., Any], inputs: Sequence[Any]) -> list[Array]:
    """The function's values as arrays of their own. Grad mode is on: it may differentiate inside."""
    with enable_grad():
        return [o._array.copy() for o in as_tuple(function(*inputs)) if isinstance(o, Tensor)]


def check_alike(
    function: Callable[..., Any], before: Sequence[Array], now: Sequence[Array], eps: float
) -> None:
    """AssertionError unless the outputs are as many, of the same shapes and types, as they were."""
    if len(before) != len(now):
        raise _not_alike(
            function,
            f"Expected `func` to return the same number of outputs at each evaluation, but got {len(before)} "
            f"and then {len(now)}: gradcheck evaluates it many times",
        )
    for number, (a, b) in enumerate(zip(before, now, strict=True)):
        for what, one, other in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
            if one != other:
                raise _not_alike(
                    function,
                    f"Expected `func` to return outputs with the same {what} when inputs are perturbed by "
                    f"{eps}, but got for output {number}: {what}s {one} and {other}",
                )


def _not_alike(function: Callable[..., Any], message: str) -> AssertionError:
    return explained(
        AssertionError(message),
        kind="not-repeatable",
        culprit=function_place(function),
        fix="return as many outputs, of the same shapes and types, whenever the function is called",
    )


def changes(
    function: Callable[..., Any],
    inputs: Sequence[Any],
    input: Tensor,
    step: Any,
    eps: float,
    like: Sequence[Array] | None = None,
) -> list[Array]:
    """How much each output changes per unit when `input` moves by eps * step to both sides.

    Raises AssertionError where outputs are not `like` those of another evaluation.

    The input is written to in place, past its version counter, and put back.
    """
    array, before = input._array, input._array.copy()
    try:
        array += eps * step
        above = plain_outputs(function, inputs)
        array[...] = before - eps * step
        below = plain_outputs(function, inputs)
    finally:
        array[...] = before
    for outputs in (above, below):
        check_alike(function, above if like is None else like, outputs, eps)
    return [
        (a - b) / (2 * eps) if a.dtype.kind in "fcV" else xp.zeros_like(a, dtype=input._array.dtype)
        for a, b in zip(above, below, strict=True)
    ]


@near
def numerical(
    function: Callable[..., Any],
    inputs: Sequence[Any],
    input: Tensor,
    eps: float,
    each: Callable[[], None] = lambda: None,
    like: Sequence[Array] | None = None,
) -> list[dict[complex, Array]]:
    """For each output the Jacobian of each of its parts, by central differences; `each` per element."""
    array = input._array
    rows: list[list[dict[complex, Array]]] = []
    for place in xp.ndindex(*array.shape):
        rows.append(row(function, inputs, input, place, eps, like))
        each()
    if not rows:
        return [empty(o, array) for o in plain_outputs(function, inputs)]
    return [
        {part: xp.stack([found[number][part] for found in rows]) for part in rows[0][number]}
        for number in range(len(rows[0]))
    ]


@near
def row(
    function: Callable[..., Any],
    inputs: Sequence[Any],
    input: Tensor,
    place: tuple[Any, ...],
    eps: float,
    like: Sequence[Array] | None = None,
) -> list[dict[complex, Array]]:
    """For each output how its parts, flat, change with one element of `input`."""
    array = input._array
    step = xp.zeros_like(array)
    step[place] = 1
    along = changes(function, inputs, input, step, eps, like)
    if array.dtype.kind != "c":
        return [pair(x, None) for x in along]
    step[place] = 1j
    across = changes(function, inputs, input, step, eps, like)
    return [pair(x, y) for x, y in zip(along, across, strict=True)]


@near
def pair(x: Array, y: Array | None) -> dict[complex, Array]:
    """The parts of one row: from the change along x, and along iy where the input is complex."""
    parts = COMPLEX if x.dtype.kind == "c" else REAL
    return {
        name: (part(x) if y is None else part(x) + 1j * part(y)).reshape(-1)
        for name, part in parts.items()
    }


@near
def empty(output: Array, input: Array) -> dict[complex, Array]:
    parts = COMPLEX if output.dtype.kind == "c" else REAL
    return {name: xp.zeros((0, output.size), input.dtype) for name in parts}


@near
def analytical(
    output: Tensor, inputs: Sequence[Tensor], each: Callable[[], None] = lambda: None
) -> list[dict[complex, Array]]:
    """For each input the Jacobian of each part of `output`, by backward; zeros where nothing arrives.

    Raises TypeError when a gradient has another shape than its input.
    """
    found: list[dict[complex, Array]] = [{} for _ in inputs]
    for part in parts_of(output):
        columns: list[list[Array]] = [[] for _ in inputs]
        for place in xp.ndindex(*output._array.shape):
            seed = xp.zeros_like(output._array, order="C")
            seed[place] = part
            grads = grad(
                output, list(inputs), new_tensor(seed), retain_graph=True, allow_unused=True
            )
            for column, one, input in zip(columns, grads, inputs, strict=True):
                column.append(_flat(one, input))
            each()
        for number, input in enumerate(inputs):
            shape = (input.numel(), 0)
            found[number][part] = (
                xp.stack(columns[number], axis=1) if columns[number] else xp.zeros(shape)
            )
    return found


def _flat(gradient: Tensor | None, input: Tensor) -> Array:
    if gradient is None:
        return xp.zeros_like(input._array, order="C").reshape(-1)
    return dense(gradient._array).reshape(-1).copy()


@near
def agreeing(a: Any, b: Any, atol: float, rtol: float) -> Any:
    """Element by element: within the tolerances, or both NaN?"""
    with xp.errstate(all="ignore"):
        return (a == b) | (abs(a - b) <= atol + rtol * abs(b)) | ((a != a) & (b != b))
