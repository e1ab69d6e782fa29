"""How `gradcheck` looks at forward mode: tangents against differences, batches of them, and those of zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from vizgrad.autograd import jacobians
from vizgrad.autograd.forward_ad import attach, dual_level, make_dual, new_level, strip, unpack_dual
from vizgrad.autograd.gradcheck_error import GradcheckError, near, random
from vizgrad.core.arrays import xp
from vizgrad.core.arrays.random import Generator
from vizgrad.core.batching.level import Batch
from vizgrad.core.function.transform_tensor import Wrapped, wrap
from vizgrad.core.tensor.tensor import Tensor, new_tensor

# Columns of Jacobians in forward mode: tangents of unit vectors, one at a time or all in one run.

Tensors = tuple[Tensor, ...]


def tangents(
    function: Callable[..., Any], inputs: Sequence[Any], along: Mapping[int, Tensor]
) -> list[tuple[Tensor, Tensor | None]]:
    """(output, tangent) for each tensor that the function returns; `along`: number of an input -> tangent."""
    with new_level() as level:
        return _run(function, inputs, along, level)


def _run(
    function: Callable[..., Any], inputs: Sequence[Any], along: Mapping[int, Tensor], level: Any
) -> list[tuple[Tensor, Tensor | None]]:
    given = [attach(x, along[n], level) if n in along else x for n, x in enumerate(inputs)]
    made = function(*given)
    results = made if isinstance(made, (tuple, list)) else (made,)
    return [strip(r, level) for r in results if isinstance(r, Tensor)]


def many_tangents(
    function: Callable[..., Any], inputs: Sequence[Any], along: Mapping[int, Tensor], count: int
) -> list[tuple[Tensor, Tensor | None]]:
    """The same for `count` directions at once, which are the rows of `along`, as are those of the tangents.

    The function runs once; only tangents are batches.
    """
    with new_level() as level, batch_of_tangents(count) as batch:
        wrapped = {n: wrap(batch, rows) for n, rows in along.items()}
        found = _run(function, inputs, wrapped, level)
        return [(out, rows_of(tangent, count)) for out, tangent in found]


def batch_of_tangents(count: int) -> Batch:
    """A vmap of which the function sees nothing: only tangents are wrapped by it."""
    batch = Batch(count)
    batch.of_tangents = True
    return batch


def rows_of(tangent: Tensor | None, count: int) -> Tensor | None:
    if tangent is None or isinstance(tangent, Wrapped):
        return None if tangent is None else tangent.value
    return tangent.expand(count, *tangent.shape)


def jacobian_blocks(
    function: Callable[..., Any], inputs: Tensors
) -> tuple[Tensors, tuple[Tensors, ...]]:
    """(outputs, for each the blocks of shape output.shape + input.shape, one for each input)."""
    sizes = [x.numel() for x in inputs]
    count = sum(sizes)
    units: dict[int, Tensor] = {}
    begin = 0
    for number, (x, size) in enumerate(zip(inputs, sizes, strict=True)):
        unit = xp.zeros_like(x._array, shape=(count, size), order="C")
        unit[begin : begin + size] = xp.eye(size)
        units[number] = new_tensor(unit.reshape((count, *x._array.shape)))
        begin += size
    found = (
        many_tangents(function, inputs, units, count) if count else tangents(function, inputs, {})
    )
    blocks: list[Tensors] = []
    for out, rows in found:
        row: list[Tensor] = []
        begin = 0
        for x, size in zip(inputs, sizes, strict=True):
            shape = (*out.shape, *x.shape)
            if rows is None or not size:
                row.append(out.new_zeros(shape))
            else:
                part = rows[begin : begin + size].reshape(size, out.numel())
                row.append(part.t().reshape(shape))
            begin += size
        blocks.append(tuple(row))
    return tuple(out for out, _ in found), tuple(blocks)


class Checked(Protocol):
    """The part of `checking.Check` that is used here."""

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
