"""`scatter_reduce`: sums, products, means and extremes of groups (spec T-38, T-72)."""

from __future__ import annotations

from vizgrad.arrays.kernels import scattering
from vizgrad.function.primitive import primitive
from vizgrad.ops.constants import constant, raw
from vizgrad.ops.indexing import gather, pad_to, scatter_number


@primitive(linear=True)
class scatter_reduce:
    """`self` with the groups of `src` that `index` names, reduced with what is there (`include_self`)."""

    def forward(self, index, src, *, dim, reduce, include_self):
        return scattering.scatter_reduce(self, index, src, dim, reduce, include_self)

    def grad_self(grad, self, index, src, result, dim, reduce, include_self):
        share = scattering.share_of_self(
            raw(self), raw(index), raw(src), raw(result), dim, reduce, include_self
        )
        slope = grad * constant(share, grad)
        return slope if include_self else scatter_number(slope, index, dim=dim, value=0)

    def grad_src(grad, self, index, src, result, dim, reduce, include_self, src_meta):
        share = scattering.share_of_src(
            raw(self), raw(index), raw(src), raw(result), dim, reduce, include_self
        )
        found = gather(grad, index, dim=dim) * constant(share, grad)
        return pad_to(found, src_meta.shape)
