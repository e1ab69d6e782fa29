"""`scatter_reduce`: sums, products, means and extremes of groups (spec T-38, T-72)."""

from __future__ import annotations

from vizgrad.arrays.kernels import scattering
from vizgrad.function.primitive import primitive
from vizgrad.ops.constants import constant, raw
from vizgrad.ops.indexing import crop, gather, pad_to, scatter_number
from vizgrad.ops.select import drop
from vizgrad.tensor.tensor import Tensor


@primitive
class scatter_reduce:
    """`self` with the groups of `src` that `index` names, reduced with what is there (`include_self`)."""

    def forward(self, index, src, *, dim, reduce, include_self):
        return scattering.scatter_reduce(self, index, src, dim, reduce, include_self)

    def grad_self(grad, self, index, src, result, dim, reduce, include_self):
        if not include_self:
            return scatter_number(grad, index, dim=dim, value=0)
        if reduce == "prod":
            product, zeros = _without_zeros(grad, self, index, src, dim, include_self)
            own = raw(self) == 0
            return drop(grad * product / _ones_for_zeros(self), mask=(zeros - own) != 0)
        share = scattering.share_of_self(raw(self), raw(index), raw(src), raw(result), dim, reduce)
        return grad * constant(share, grad)

    def grad_src(grad, self, index, src, result, dim, reduce, include_self, src_meta):
        if reduce == "prod":
            product, zeros = _without_zeros(grad, self, index, src, dim, include_self)
            part = crop(src, shape=tuple(raw(index).shape))
            others = scattering.gather(zeros, raw(index), dim) - (raw(part) == 0)
            slope = gather(grad * product, index, dim=dim) / _ones_for_zeros(part)
            return pad_to(drop(slope, mask=others != 0), src_meta.shape)
        share = scattering.share_of_src(
            raw(self), raw(index), raw(src), raw(result), dim, reduce, include_self
        )
        found = gather(grad, index, dim=dim) * constant(share, grad)
        return pad_to(found, src_meta.shape)


def _ones_for_zeros(value):
    """`value` with 1 in place of 0."""
    zero = raw(value) == 0
    return value + constant(zero.astype(raw(value).dtype), value)


def _without_zeros(grad, self, index, src, dim, include_self):
    """The groups' products of everything but zeros, and (a plain array) how many zeros there are.

    So no element is ever divided by 0 (T-75). What this leaves out is how the product changes when a zero
    does: the second derivative there, which is refused as in PyTorch.
    """
    zeros = scattering.zeros_in_groups(raw(self), raw(index), raw(src), dim, include_self)
    if isinstance(grad, Tensor) and zeros.any():
        raise RuntimeError(
            "scatter_reduce(reduce='prod') is not twice differentiable where elements are 0: "
            "create_graph=True cannot be used here"
        )
    product = scatter_reduce(
        _ones_for_zeros(self), index, _ones_for_zeros(src),
        dim=dim, reduce="prod", include_self=include_self,
    )  # fmt: skip
    return product, zeros
