"""The tangents of operations, where neither linearity nor the gradient's formula says them.

For each input the change of the result when it changes by `t`, in the names that the operation declares;
the tangent is their sum. Rarely used operations have no rule, and go the general way
(`structure.transposed`).
"""

from __future__ import annotations

from vizgrad.core.arrays.kernels import pooling, reduction
from vizgrad.core.function.declared import Declared
from vizgrad.core.ops.activation import sigmoid
from vizgrad.core.ops.complexes import abs, conj, real_part, sgn
from vizgrad.core.ops.complexes import join as make_complex
from vizgrad.core.ops.constants import constant, raw, unless_absent, zeros_beside, zeros_like
from vizgrad.core.ops.factors import behind_first
from vizgrad.core.ops.factors import cholesky_solve as solve_by_cholesky
from vizgrad.core.ops.joining import cat_any, cumsum
from vizgrad.core.ops.linalg import (
    cofactors,
    halves,
    inverse_transposed,
    matmul,
    matrix_exp,
    mH,
    mT,
)
from vizgrad.core.ops.linalg import solve as solve_matrices
from vizgrad.core.ops.linalg import solve_triangular as solve_triangle
from vizgrad.core.ops.normalization import softmax_backward, standardize, through_statistics
from vizgrad.core.ops.pointwise import cos, exp, rsqrt, sin
from vizgrad.core.ops.pooling import take_from
from vizgrad.core.ops.products import divides, linear_scan
from vizgrad.core.ops.reduce import sum_dims
from vizgrad.core.ops.reflections import ormqr as reflect
from vizgrad.core.ops.reflections import times_other, whole_product
from vizgrad.core.ops.select import drop, keep
from vizgrad.core.ops.shape import crop_to, flip, roll, slice_dim, tril, triu, unsqueeze
from vizgrad.core.ops.tangents.rules import rule_of, tangent

# --- complex numbers --------------------------------------------------------------------------------------


@tangent("abs")
class _:
    def self(t, self):
        return real_part(conj(sgn(self)) * t) if t.is_complex() else t * sgn(self)


@tangent("angle")
class _:
    def self(t, self):
        if not t.is_complex():
            return zeros_like(t)
        size = abs(self)
        turned = real_part(conj(sgn(self) * 1j) * t)
        return keep(turned / (size + (raw(size) == 0)), mask=raw(size) != 0)


@tangent("polar")
class _:
    def self(t, angle):
        return make_complex(t * cos(angle), t * sin(angle))

    def angle(t, result):
        return result * (t * 1j)


# --- along a dimension -------------------------------------------------------------------------------------


@tangent("softmax", "safe_softmax")
class _:
    def self(t, result, dim):
        return softmax_backward(t, result, dim=dim)  # the Jacobian is symmetric


@tangent("log_softmax")
class _:
    def self(t, result, dim):
        if not t.ndim:
            return zeros_like(t)
        return t - sum_dims(t * exp(result), dims=(dim,), keepdim=True)


@tangent("cumprod")
class _:
    def self(t, self, result, dim):
        if not t.ndim:
            return t * 1
        if divides(t, self):
            return result * cumsum(t / self, dim=dim)
        return _cumprod_by_steps(t, self, result, dim)


def _cumprod_by_steps(t, x, result, dim):
    """y_i = y_i-1 * x_i changes by y_i-1 * t_i + x_i * (the change of y_i-1): for zeros among the factors."""
    first = reduction.first_along(raw(x), dim)
    before = drop(roll(result, shifts=(1,), dims=(dim,)), mask=first)
    before = before + constant(first.astype(raw(x).dtype), x)
    turned = (flip(each, dims=(dim,)) for each in (before * t, x))
    return flip(linear_scan(*turned, dim=dim), dims=(dim,))


@tangent("glu")
class _:
    def self(t, self, dim):
        value, gate = _halves(self, dim)
        t_value, t_gate = _halves(t, dim)
        open_ = sigmoid(gate)
        return open_ * (t_value + value * ((1 - open_) * t_gate))


def _halves(value, dim):
    half = raw(value).shape[dim] // 2
    return [slice_dim(value, dim=dim, start=begin, end=begin + half, step=1) for begin in (0, half)]


# --- layers ------------------------------------------------------------------------------------------------


@tangent("layer_norm")
class _:
    def input(t, input, weight, dims, eps):
        over = tuple(range(t.ndim - dims, t.ndim))
        return _scaled(_standardized(t, input, over, eps), unless_absent(weight))

    def weight(t, input, dims, eps):
        return standardize(input, tuple(range(input.ndim - dims, input.ndim)), eps)[0] * t

    def bias(t):
        return t


def _standardized(t, x, over, eps):
    """How a standardisation changes: its Jacobian is symmetric."""
    return through_statistics(t, *standardize(x, over, eps), over)


def _scaled(value, weight):
    return value if weight is None else value * weight


@tangent("batch_norm")
class _:
    def input(t, input, weight, eps):
        weight = unless_absent(weight)
        moved = _standardized(t, input, (0, *range(2, t.ndim)), eps)
        return _scaled(moved, None if weight is None else _by_channel(weight, t.ndim))

    def weight(t, input, eps):
        hat = standardize(input, (0, *range(2, input.ndim)), eps)[0]
        return hat * _by_channel(t, input.ndim)

    def bias(t, input):
        return _by_channel(t, input.ndim)


@tangent("batch_norm_fixed")
class _:
    def input(t, weight, running_var, eps):
        weight = unless_absent(weight)
        moved = t * _by_channel(rsqrt(running_var + eps), t.ndim)
        return _scaled(moved, None if weight is None else _by_channel(weight, t.ndim))

    def weight(t, input, running_mean, running_var, eps):
        away = input - _by_channel(running_mean, input.ndim)
        return away * _by_channel(rsqrt(running_var + eps) * t, input.ndim)

    def bias(t, input):
        return _by_channel(t, input.ndim)


@tangent("group_norm")
class _:
    def input(t, input, weight, groups, eps):
        weight = unless_absent(weight)
        whole = tuple(raw(input).shape)
        parts = (whole[0], groups, -1 if 0 not in whole else 0)
        moved = _standardized(t.reshape(parts), input.reshape(parts), (2,), eps).reshape(whole)
        return _scaled(moved, None if weight is None else _by_channel(weight, t.ndim))

    def weight(t, input, groups, eps):
        whole = tuple(raw(input).shape)
        parts = (whole[0], groups, -1 if 0 not in whole else 0)
        hat = standardize(input.reshape(parts), (2,), eps)[0].reshape(whole)
        return hat * _by_channel(t, input.ndim)

    def bias(t, input):
        return _by_channel(t, input.ndim)


def _by_channel(values, ndim):
    return values.reshape((1, -1, *(1,) * (ndim - 2)))


@tangent("max_pool2d_with_indices", "max_pool3d_with_indices")
class _:
    def self(t, self, result, pool):
        return take_from(t, where=pooling.positions(raw(self), raw(result), pool), pool=pool)


# --- matrices ----------------------------------------------------------------------------------------------


@tangent("inv")
class _:
    def self(t, result):
        return -matmul(matmul(result, t), result)


@tangent("inverse_transposed")
class _:
    def self(t, result):
        return -matmul(matmul(result, mT(t)), result)


@tangent("solve")
class _:
    def self(t, self, result, vector):
        if not vector:
            return -solve_matrices(self, matmul(t, result), vector=False)
        moved = matmul(t, unsqueeze(result, dim=result.ndim))
        return -solve_matrices(self, moved, vector=False).squeeze(-1)

    def other(t, self, vector):
        return solve_matrices(self, t, vector=vector)


@tangent("solve_triangular")
class _:
    def self(t, self, result, upper, unitriangular):
        skip = 1 if unitriangular else 0
        t = triu(t, diagonal=skip) if upper else tril(t, diagonal=-skip)
        moved = matmul(t, result)
        return -solve_triangle(self, moved, upper=upper, unitriangular=unitriangular)

    def other(t, self, upper, unitriangular):
        return solve_triangle(self, t, upper=upper, unitriangular=unitriangular)


@tangent("cholesky_solve")
class _:
    def self(t, input2, upper):
        return solve_by_cholesky(t, input2, upper=upper)

    def input2(t, self, input2, result, upper):
        lower, t = _lower(input2, upper), _lower(t, upper)
        moved = matmul(tril(t, diagonal=0), behind_first(self, input2, upper))
        moved = solve_triangle(lower, moved, upper=False, unitriangular=False)
        moved = moved + matmul(mH(tril(t, diagonal=0)), result)
        return -solve_triangle(mH(lower), moved, upper=True, unitriangular=False)


@tangent("cholesky_inverse")
class _:
    def self(t, self, result, upper):
        lower, t = _lower(self, upper), _lower(t, upper)
        moved = matmul(mH(tril(t, diagonal=0)), result)
        half = solve_triangle(mH(lower), moved, upper=True, unitriangular=False)
        return -(half + mH(half))


def _lower(factor, upper):
    """The lower triangle L of A = L L^H."""
    return mH(factor) if upper else factor


@tangent("householder_product")
class _:
    def input(t, input, tau):
        return whole_product(input, tau).along_vectors(t)

    def tau(t, input, tau):
        return whole_product(input, tau).along_tau(t)


@tangent("ormqr")
class _:
    def self(t, self, input2, input3, left, transpose):
        moved = times_other(self, input2, input3, left, transpose).along_vectors(t)
        return moved if left else mH(moved)

    def input2(t, self, input2, input3, left, transpose):
        moved = times_other(self, input2, input3, left, transpose).along_tau(t)
        return moved if left else mH(moved)

    def input3(t, self, input2, left, transpose):
        return reflect(self, input2, t, left=left, transpose=transpose)


@tangent("det")
class _:
    def self(t, self, result):
        n = t.ndim
        if bool(raw(result).all()):
            return result * sum_dims(
                inverse_transposed(self) * t, dims=(n - 2, n - 1), keepdim=False
            )
        return sum_dims(cofactors(self) * t, dims=(n - 2, n - 1), keepdim=False)


@tangent("cholesky")
class _:
    def self(t, result, upper):
        lower = mH(result) if upper else result
        half = solve_triangle(lower, (t + mH(t)) * 0.5, upper=False, unitriangular=False)
        inner = mH(solve_triangle(lower, mH(half), upper=False, unitriangular=False))
        inner = tril(inner, diagonal=0)
        moved = matmul(lower, inner * constant(halves(raw(inner), raw(inner).shape[-1]), inner))
        return mH(moved) if upper else moved


@tangent("matrix_exp")
class _:
    def self(t, self):
        # the upper right quarter of exp([[A, t], [0, A]]) (Higham 10.14)
        n, last = raw(self).shape[-1], self.ndim - 1
        top = cat_any([self, t], last)
        bottom = cat_any([zeros_beside(t, raw(t).shape), self], last)
        return crop_to(matrix_exp(cat_any([top, bottom], last - 1)), (0, n), (n, n))


def kind_of(op: Declared) -> str:
    """The rule's name, for those who ask what there is: "transposed" is the general way, by two gradients."""
    if not op.formulas:
        return ""
    return getattr(rule_of(op), "__name__", "rule")
