"""How `gradcheck` looks at forward mode: tangents against differences, batches of them, and those of zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from vizgrad.autograd import jacobians
from vizgrad.autograd.forward_ad import dual_level, make_dual, unpack_dual
from vizgrad.autograd.forward_columns import batch_of_tangents, rows_of
from vizgrad.autograd.gradcheck_error import GradcheckError, near, random
from vizgrad.core.arrays import xp
from vizgrad.core.arrays.random import Generator
from vizgrad.core.function.transform_tensor import wrap
from vizgrad.core.tensor.tensor import Tensor, new_tensor


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


def _tangents(check: Checked, along: dict[int, Any], others: bool = True) -> list[Any]:
    """The tangent of each output as an array, zeros where there is none.

    Without `others` the inputs that are not in `along` have no tangent; else theirs are zeros.
    """
    zeros = {n: xp.zeros_like(x._array, order="C") for n, x in check.wanted.items()}
    given = {**zeros, **along} if others else along
    found = _in_a_level(check, {n: new_tensor(array) for n, array in given.items()})
    return [xp.zeros_like(o._array) if t is None else t._array for o, t in found]


def _in_a_level(check: Checked, along: dict[int, Tensor]) -> list[tuple[Tensor, Tensor | None]]:
    """(output, tangent) for each tensor that the function returns, called inside of `dual_level()`.

    Its inputs do not require grad there: only what forward mode does is looked at (Y-20).
    """
    given = list(check.inputs)
    with dual_level():
        for number, input in check.wanted.items():
            plain = input.detach()
            given[number] = make_dual(plain, along[number]) if number in along else plain
        made = jacobians.as_tuple(check.func(*given))
        pairs = [unpack_dual(output) for output in made if isinstance(output, Tensor)]
        return [(pair.primal, pair.tangent) for pair in pairs]


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
    """A tangent of zeros must give what one that is not there gives; of one input alone, zero."""
    source = Generator()
    along = {n: random(tuple(x.shape), x._array.dtype, source) for n, x in check.wanted.items()}
    for number, input in check.wanted.items():
        nothing = {number: xp.zeros_like(input._array, order="C")}
        for found in _tangents(check, nothing, others=False):
            if bool((found != 0).any()):
                raise GradcheckError(
                    "Expected the tangents of all outputs to be zero for tangents of zero: forward mode is "
                    f"not linear in the tangent of input {number}"
                )
        rest = {n: u for n, u in along.items() if n != number}
        pairs = zip(
            _tangents(check, {**rest, **nothing}), _tangents(check, rest, False), strict=True
        )
        for place, (with_zeros, without) in enumerate(pairs):
            if not near(without, with_zeros, check.atol, check.rtol):
                raise GradcheckError(
                    f"Mismatch in tangent values for output {place}: input {number} without a tangent, which "
                    "counts as zeros, gives another tangent than zeros do"
                )


def batches(check: Checked) -> None:
    """A batch of tangents must give what each of them gives."""
    source = Generator()
    for number, input in check.wanted.items():
        u = random((2, *input.shape), input._array.dtype, source)
        each = [_tangents(check, {number: u[n]}, others=False) for n in range(2)]
        both = _of_both(check, number, u)
        for place, (found, *expected) in enumerate(zip(both, *each, strict=True)):
            rows = xp.stack(expected)
            have = xp.zeros_like(rows) if found is None else found._array
            if not near(have, rows, check.atol, check.rtol):
                raise GradcheckError(
                    "Got different values while computing batched forward mode: output "
                    f"{place}, input {number}"
                )


def _of_both(check: Checked, number: int, rows: Any) -> list[Tensor | None]:
    """The tangents of each output for both of `rows` at once; GradcheckError where that cannot be done."""
    try:
        with batch_of_tangents(2) as batch:
            found = _in_a_level(check, {number: wrap(batch, new_tensor(rows))})
            return [rows_of(tangent, 2) for _, tangent in found]
    except RuntimeError as error:
        raise GradcheckError(
            f"While computing batched gradients, got: {error}\n\n"
            "gradcheck failed while testing batched tangents, which a jvp computes inside of a vmap: it may "
            "not draw random numbers there, nor look at elements. Leave "
            "check_batched_forward_grad=False for a function that need not support batches"
        ) from error
