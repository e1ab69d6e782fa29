"""How `gradcheck` looks at forward mode: tangents against differences, batches of them, and those of zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from vizgrad.arrays import xp
from vizgrad.arrays.random import Generator
from vizgrad.autograd import jacobians
from vizgrad.autograd.forward_columns import many_tangents, tangents
from vizgrad.autograd.gradcheck_error import GradcheckError, near, random
from vizgrad.tensor.tensor import Tensor, new_tensor


class Checked(Protocol):
    """What is asked here of a `checking.Check`."""

    func: Callable[..., Any]
    inputs: tuple[Any, ...]
    eps: float
    atol: float
    rtol: float
    wanted: dict[int, Tensor]
    places: dict[int, Tensor]
    like: list[Any]


def jacobian(check: Checked, number: int, each: Callable[[], None]) -> list[dict[complex, Any]]:
    """For each output the Jacobian of each of its parts in input `number`, by tangents of unit vectors."""
    input = check.wanted[number]
    rows: list[list[dict[complex, Any]]] = []
    for place in xp.ndindex(*input._array.shape):
        step = xp.zeros_like(input._array, order="C")
        step[place] = 1
        along = _tangents(check, {number: step})
        across: list[Any] = [None] * len(along)
        if input.is_complex():
            # memory of its own: what views give lies in the first step
            across = _tangents(check, {number: step * 1j})
        rows.append([jacobians.pair(x, y) for x, y in zip(along, across, strict=True)])
        each()
    if not rows:
        return [jacobians.empty(o, input._array) for o in check.like]
    return [
        {part: xp.stack([found[n][part] for found in rows]) for part in rows[0][n]}
        for n in range(len(rows[0]))
    ]


def _tangents(check: Checked, along: dict[int, Any]) -> list[Any]:
    """The tangent of each output as an array, zeros where there is none."""
    found = tangents(check.func, check.inputs, {n: new_tensor(a) for n, a in along.items()})
    return [xp.zeros_like(o._array) if t is None else t._array for o, t in found]


def projections_agree(check: Checked) -> bool:
    """Along one random direction of each input, and one of each output."""
    source = Generator()
    for number, input in check.wanted.items():
        u = random(tuple(input.shape), input._array.dtype, source)
        found = _tangents(check, {number: u})
        moved = jacobians.changes(check.func, check.inputs, input, u, check.eps, check.like)
        for place in check.places:
            v = random(found[place].shape, found[place].dtype, source)
            mine, other = (float((v.conj() * each[place]).real.sum()) for each in (found, moved))
            allowed = check.atol * float(abs(u).sum()) * float(abs(v).sum())
            if not abs(mine - other) <= allowed + check.rtol * abs(other):
                return False
    return True


def zeros(check: Checked) -> None:
    """A tangent of zeros must give what one that is not there gives: zero."""
    for number, input in check.wanted.items():
        for found in _tangents(check, {number: xp.zeros_like(input._array, order="C")}):
            if bool((found != 0).any()):
                raise GradcheckError(
                    "Expected the tangents of all outputs to be zero for tangents of zero: forward mode is "
                    f"not linear in the tangent of input {number}"
                )


def batches(check: Checked) -> None:
    """A batch of tangents must give what each of them gives."""
    source = Generator()
    for number, input in check.wanted.items():
        u = random((2, *input.shape), input._array.dtype, source)
        each = [_tangents(check, {number: u[n]}) for n in range(2)]
        both = many_tangents(check.func, check.inputs, {number: new_tensor(u)}, 2)
        for place, (_, found) in enumerate(both):
            expected = xp.stack([rows[place] for rows in each])
            have = xp.zeros_like(expected) if found is None else found._array
            if not near(have, expected, check.atol, check.rtol):
                raise GradcheckError(
                    "Got different values while computing batched forward mode: output "
                    f"{place}, input {number}"
                )
