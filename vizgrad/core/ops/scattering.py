"""`scatter_reduce`: sums, products, means and extremes of groups (spec T-38, T-72)."""

from __future__ import annotations

from vizgrad.core.arrays.kernels import scattering
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import constant, raw
from vizgrad.core.ops.indexing import crop, gather, pad_to, scatter_number
from vizgrad.core.ops.select import drop, keep
from vizgrad.core.tensor.tensor import Tensor


@primitive
class scatter_reduce:
    """`self` with the groups of `src` that `index` names, reduced with what is there (`include_self`)."""

    def forward(self, index, src, *, dim, reduce, include_self):
        return scattering.scatter_reduce(self, index, src, dim, reduce, include_self)

    def grad_self(grad, self, index, src, result, dim, reduce, include_self):
        if reduce == "prod":
            slope = _slope_of_self(grad, self, index, src, result, dim, include_self)
            return slope if include_self else scatter_number(slope, index, dim=dim, value=0)
        if not include_self:
            return scatter_number(grad, index, dim=dim, value=0)
        share = scattering.share_of_self(raw(self), raw(index), raw(src), raw(result), dim, reduce)
        return grad * constant(share, grad)

    def grad_src(grad, self, index, src, result, dim, reduce, include_self, src_meta):
        if reduce == "prod":
            slope = _slope_of_src(grad, self, index, src, result, dim, include_self)
            return pad_to(slope, src_meta.shape)
        if not raw(index).size:
            return pad_to(gather(grad, index, dim=dim), src_meta.shape)
        share = scattering.share_of_src(
            raw(self), raw(index), raw(src), raw(result), dim, reduce, include_self
        )
        found = gather(grad, index, dim=dim) * constant(share, grad)
        return pad_to(found, src_meta.shape)


def _slope_of_self(grad, self, index, src, result, dim, include_self):
    if not include_self:
        # only where nothing is put does `self` count, and there it is alone
        zero = raw(self) == 0
        return drop(grad * result / _ones_for_zeros(self), mask=zero) + keep(grad, mask=zero)
    zeros = scattering.zeros_in_groups(raw(self), raw(index), raw(src), dim, include_self)
    others, rest = _without_zeros(self, index, src, dim, include_self)
    return _slope(self, grad * result, grad * others, rest, zeros)


def _slope_of_src(grad, self, index, src, result, dim, include_self):
    zeros = scattering.zeros_in_groups(raw(self), raw(index), raw(src), dim, include_self)
    others, rest = _without_zeros(self, index, src, dim, include_self)
    return _slope(
        crop(src, shape=tuple(raw(index).shape)),
        gather(grad * result, index, dim=dim),
        gather(grad * others, index, dim=dim),
        gather(rest, index, dim=dim),
        scattering.gather(zeros, raw(index), dim),
    )


def _slope(element, whole, others, rest, zeros):
    """The derivative of products by `element`: of each the product of all others, times `grad`.

    Nothing is divided by 0 (T-75), and what this gives is itself a function with the right derivative:
    the product (`whole`) divided by the element; for the only zero of a group the product of what is not 0
    (`others`); for one of two zeros that times the other zero, `rest` being their sum. Where there are
    more (`zeros` says how many), both derivatives are 0.
    """
    zero = raw(element) == 0
    slope = drop(whole / _ones_for_zeros(element), mask=zero)
    slope = slope + keep(others, mask=zero & (zeros == 1))
    if isinstance(whole, Tensor):
        slope = slope + keep(others * (rest - element), mask=zero & (zeros == 2))
    return slope


def _ones_for_zeros(value):
    """`value` with a 1, which does not change with it, in place of each 0."""
    zero = raw(value) == 0
    return drop(value, mask=zero) + constant(zero.astype(raw(value).dtype), value)


def _without_zeros(self, index, src, dim, include_self):
    """The groups' products of all that is not 0, and their sums of all that is."""
    product = scatter_reduce(
        _ones_for_zeros(self), index, _ones_for_zeros(src),
        dim=dim, reduce="prod", include_self=include_self,
    )  # fmt: skip
    zeros = scatter_reduce(
        keep(self, mask=raw(self) == 0), index, keep(src, mask=raw(src) == 0),
        dim=dim, reduce="sum", include_self=include_self,
    )  # fmt: skip
    return product, zeros
