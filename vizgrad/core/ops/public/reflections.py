"""Products of Householder reflections: how LAPACK keeps the Q of a QR decomposition."""

from __future__ import annotations

from typing import Any, NamedTuple

from vizgrad.core.arrays.kernels.linalg import reflections
from vizgrad.core.function.transform_tensor import of_stacks
from vizgrad.core.ops.decompositions import Decomposition, record
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import dimensions, matrix_products, ranges
from vizgrad.core.ops.public.complexes import adjoint, conj
from vizgrad.core.ops.public.keywords import takes_out, takes_tensors
from vizgrad.core.ops.public.linalg_checks import check_matrix_type
from vizgrad.core.ops.public.linalg_factors import householder_product
from vizgrad.core.tensor.tensor import Tensor


class GEQRF(NamedTuple):
    a: Tensor
    tau: Tensor


class GeqrfBackward0(Decomposition):
    """Of `geqrf`: there is no derivative."""

    __slots__ = ()
    saved_outputs = ()

    def formula(self, grads: Any) -> Any:
        raise NotImplementedError(
            "the derivative for 'geqrf' is not implemented: linalg.qr gives Q and R with derivatives"
        )


@public(method=True)
@takes_out
@of_stacks
def geqrf(input: Tensor) -> GEQRF:
    """The QR decomposition as LAPACK keeps it: R on and above the diagonal of `a`, reflections below, `tau`.

    `orgqr` makes Q of them, `ormqr` multiplies by Q. Backward through it raises NotImplementedError.
    """
    if input._array.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    check_matrix_type("geqrf", input)
    return GEQRF(*record(GeqrfBackward0, input, reflections(input._array)))


@public(method=True)
@takes_out
def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """`linalg.householder_product`: Q from what `geqrf` gives."""
    return householder_product(input, input2)


@public(method=True)
@takes_out
@takes_tensors
def ormqr(
    input: Tensor, input2: Tensor, input3: Tensor, left: bool = True, transpose: bool = False
) -> Tensor:
    """Q @ input3 (input3 @ Q unless `left`), Q the whole product of reflections I - tau_i v_i v_i^H.

    v_i is in column i of `input` (*, m, k) below the diagonal, as `geqrf` gives it, tau_i in `input2`; with
    `transpose` Q^H stands for Q. Raises RuntimeError for shapes and types that do not fit.
    """
    tau, other = input2, input3
    _check_ormqr(input, tau, other, left)
    check_matrix_type("ormqr", input)
    if not left:  # other @ Q is (Q^H @ other^H)^H
        return adjoint(ormqr(input, tau, adjoint(other), True, not transpose))
    m, count = input._array.shape[-2], tau._array.shape[-1]
    below: Any = dimensions.tril(input, -1)
    eye: Any = ranges.eye(m, max(count, 1), dtype=input.dtype, device=input.device)
    result: Any = other * 1
    factors: Any = conj(tau) if transpose else tau
    for i in range(count) if transpose else reversed(range(count)):
        v = (below[..., :, i] + eye[:, i])[..., :, None]
        along = matrix_products.matmul(adjoint(v), result)
        result = result - factors[..., i, None, None] * v * along
    return result


def _check_ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool) -> None:
    a, t, c = input._array, tau._array, other._array
    for name, array in (("input", a), ("other", c)):
        if array.ndim < 2:
            raise RuntimeError(f"torch.ormqr: {name} must have at least 2 dimensions.")
    side = -2 if left else -1
    if c.shape[side] != a.shape[-2]:
        raise RuntimeError(
            f"torch.ormqr: other.shape[{side}] must be equal to input.shape[-2], got {c.shape[side]} and "
            f"{a.shape[-2]}"
        )
    most = min(c.shape[side], a.shape[-1])
    if t.shape[-1:] != (most,):
        raise RuntimeError(
            f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1]), "
            f"which is {most}; tau has shape {list(t.shape)}"
        )
    for name, array, dims in (("tau", t, 1), ("other", c, 0)):
        if array.ndim != a.ndim - dims or array.shape[: a.ndim - 2] != a.shape[:-2]:
            raise RuntimeError(
                f"torch.ormqr: Expected {name} to have the batch dimensions of input, but got shapes "
                f"{list(array.shape)} and {list(a.shape)}"
            )
    for name, tensor in (("tau", tau), ("other", other)):
        if tensor.dtype is not input.dtype:
            raise RuntimeError(
                f"torch.ormqr: Expected input and {name} to have the same dtype, but input has dtype "
                f"{input.dtype.name} and {name} has dtype {tensor.dtype.name}"
            )
