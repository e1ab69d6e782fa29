"""Advanced indexing: reading by index tensors and masks makes copies, writing puts values in place."""

from __future__ import annotations

import itertools

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import as_array, beside
from vizgrad.core.arrays.kernels import indexing, reduction
from vizgrad.core.arrays.kernels import indexing as kernel
from vizgrad.core.arrays.layout import shaped
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import constant, place_of, raw, zeros_beside
from vizgrad.core.ops.reduce import sum_dims
from vizgrad.core.ops.select import drop, keep
from vizgrad.core.tensor.tensor import Tensor


@primitive(linear=True)
class index:
    """The elements at `indices` (an `Indices`); repeated ones get their gradients added (T-85)."""

    math_self = "index_put(0, indices, g, accumulate=True)"

    def forward(self, *, indices):
        return indexing.take(self, indices.key)

    def grad_self(grad, indices, self_meta):
        return index_add_into(grad, indices=indices, shape=self_meta.shape)


@primitive(linear=True, node="IndexPutBackward0")
class index_add_into:
    """Zeros of `shape` with the values added at `indices`."""

    def forward(self, *, indices, shape):
        return indexing.put_add(zeros_beside(self, shape), indices.key, self, indices.unique)

    def grad_self(grad, indices):
        return index(grad, indices=indices)


@primitive(linear=True)
class index_put:
    """`self` with `values` at `indices`: written over what is there, or added with `accumulate`."""

    def forward(self, values, *, indices, accumulate):
        out = self.copy()
        if accumulate:
            return indexing.put_add(out, indices.key, values, indices.unique)
        return indexing.put(out, indices.key, values)

    def grad_self(grad, indices, accumulate):
        return grad if accumulate else index_zero(grad, indices=indices)

    def grad_values(grad, indices):
        return index(grad, indices=indices)


@primitive(linear=True, node="IndexPutBackward0")
class index_zero:
    """`self` with zeros at `indices`."""

    def forward(self, *, indices):
        return indexing.put(self.copy(), indices.key, self.dtype.type(0))

    def grad_self(grad, indices):
        return index_zero(grad, indices=indices)


@primitive(linear=True)
class gather:
    """result[i][j] = self[index[i][j]][j] for dim 0, and so on."""

    math_self = "scatter_add(0, dim, index, g)"

    def forward(self, index, *, dim):
        return indexing.gather(self, index, dim)

    def grad_self(grad, index, dim, self_meta):
        return spread(grad, index, dim=dim, shape=self_meta.shape)


@primitive(linear=True, node="ScatterAddBackward0")
class spread:
    """Zeros of `shape` with self[i][j] added at [index[i][j]][j] for dim 0, and so on."""

    def forward(self, index, *, dim, shape):
        return indexing.scatter_add(zeros_beside(self, shape), index, self, dim)

    def grad_self(grad, index, dim):
        return gather(grad, index, dim=dim)


@primitive(linear=True, node="ScatterBackward0")
class scatter:
    """`self` with src[i][j] written at [index[i][j]][j]; all sources get the gradient (T-85)."""

    math_self = "scatter(g, dim, index, 0)"
    math_src = "gather(g, dim, index)"

    def forward(self, index, src, *, dim):
        return indexing.scatter(self.copy(), index, src, dim)

    def grad_self(grad, index, dim):
        return scatter_number(grad, index, dim=dim, value=0)

    def grad_src(grad, index, dim, src_meta):
        return pad_to(gather(grad, index, dim=dim), src_meta.shape)


@primitive(linear=True, node="ScatterBackward1")
class scatter_number:
    """`self` with a number written at the places of `index`."""

    math_self = "scatter(g, dim, index, 0)"

    def forward(self, index, *, dim, value):
        return indexing.scatter(as_array(self).copy(), index, self.dtype.type(value), dim)

    def grad_self(grad, index, dim):
        return scatter_number(grad, index, dim=dim, value=0)


@primitive(linear=True)
class scatter_add:
    """`self` with src[i][j] added at [index[i][j]][j]."""

    math_src = "gather(g, dim, index)"

    def forward(self, index, src, *, dim):
        return indexing.scatter_add(self.copy(), index, src, dim)

    def grad_self(grad):
        return grad

    def grad_src(grad, index, dim, src_meta):
        return pad_to(gather(grad, index, dim=dim), src_meta.shape)


@primitive(linear=True, node="ConstantPadNdBackward0")
class pad_zeros:
    """Zeros of `shape` with the value in their first corner."""

    def forward(self, *, shape):
        out = zeros_beside(self, shape)
        out[tuple(slice(0, n) for n in self.shape)] = self
        return out

    def grad_self(grad, self_meta):
        return crop(grad, shape=self_meta.shape)


@primitive(linear=True, node="SliceBackward0")
class crop:
    """The first corner of the value, of the given shape."""

    def forward(self, *, shape):
        return indexing.first_corner(self, shape).copy()

    def grad_self(grad, self_meta):
        return pad_to(grad, self_meta.shape)


def pad_to(value, shape):
    """`value` filled up with zeros to `shape`: an index may be smaller than its source."""
    if value.shape == shape:
        return value
    if value.ndim != len(shape):  # one number, with or without a dimension; or nothing
        value = value.sum() if not shape else value.reshape((min(raw(value).size, 1),) * len(shape))
    return pad_zeros(value, shape=tuple(shape))


@primitive(linear=True)
class index_select:
    """The slices of `dim` at the entries of the vector `index`."""

    math_self = "index_add(0, dim, index, g)"

    def forward(self, index, *, dim):
        return indexing.index_select(self, index, dim)

    def grad_self(grad, index, dim, self_meta):
        return index_spread(grad, index, dim=dim, shape=self_meta.shape)


@primitive(linear=True, node="IndexAddBackward0")
class index_spread:
    """Zeros of `shape` with the slices of the value added at the entries of `index`."""

    def forward(self, index, *, dim, shape):
        return indexing.index_add(zeros_beside(self, shape), index, self, dim)

    def grad_self(grad, index, dim):
        return index_select(grad, index, dim=dim)


@primitive(linear=True, node="StackBackward0")
class combinations:
    """All choices of `size` elements of a vector, one a row. The node keeps no places: they follow from
    the length.
    """

    def forward(self, *, size, with_replacement):
        return self[beside(self, chosen_places(len(self), size, with_replacement))]

    def grad_self(grad, size, with_replacement, self_meta):
        places = chosen_places(self_meta.shape[0], size, with_replacement).reshape(-1)
        return index_spread(grad.reshape(-1), constant(places, grad), dim=0, shape=self_meta.shape)


def chosen_places(count, size, with_replacement):
    """Which elements each row of `combinations` has: int64, (rows, size)."""
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = itertools.chain.from_iterable(choose(range(count), size))
    return xp.fromiter(places, xp.int64).reshape(-1, size)


@primitive(linear=True)
class index_add:
    """`self` with alpha times the slices of `source` added at the entries of `index`."""

    def forward(self, index, source, *, dim, alpha):
        source = source if alpha == 1 else source * source.dtype.type(alpha)
        return indexing.index_add(self.copy(), index, source, dim)

    def grad_self(grad):
        return grad

    def grad_source(grad, index, dim, alpha):
        part = index_select(grad, index, dim=dim)
        return part if alpha == 1 else part * alpha


@primitive(linear=True)
class index_copy:
    """`self` with the slices of `source` written at the entries of `index`."""

    def forward(self, index, source, *, dim):
        return indexing.index_copy(self.copy(), index, source, dim)

    def grad_self(grad, index, dim):
        return index_fill(grad, index, dim=dim, value=0)

    def grad_source(grad, index, dim, source_meta):
        return index_select(grad, index, dim=dim).reshape(source_meta.shape)


@primitive(linear=True, node="IndexFillBackward0")
class index_fill:
    """`self` with a number in the slices at the entries of `index`."""

    def forward(self, index, *, dim, value):
        return indexing.index_fill(self.copy(), index, value, dim)

    def grad_self(grad, index, dim):
        return index_fill(grad, index, dim=dim, value=0)


@primitive(linear=True, node="IndexFillBackward1")
class index_fill_tensor:
    """`self` with the number `value`, a tensor, in the slices at the entries of `index`."""

    def forward(self, index, value, *, dim):
        return indexing.index_fill(self.copy(), index, value, dim)

    def grad_self(grad, index, dim):
        return index_fill(grad, index, dim=dim, value=0)

    def grad_value(grad, index, dim):
        zeros = shaped(xp.zeros_like, place_of(grad), shape=grad.shape)
        named = indexing.index_fill(zeros, raw(index), 1, dim)
        return _total(grad * constant(named, grad))  # what is named twice is written once


def _total(value):
    return sum_dims(value, dims=None, keepdim=False)


@primitive(linear=True)
class masked_select:
    """The elements where the mask (of the same shape) holds, as a vector."""

    math_self = "masked_scatter(0, mask, g)"

    def forward(self, mask):
        return self[mask]

    def grad_self(grad, mask):
        return masked_put(grad, mask)


@primitive(linear=True, node="MaskedScatterBackward0")
class masked_put:
    """Zeros with the values of a vector where the mask holds."""

    def forward(self, mask):
        out = zeros_beside(self, mask.shape)
        out[mask] = self
        return out

    def grad_self(grad, mask):
        return masked_select(grad, mask)


@primitive(linear=True, node="MaskedScatterBackward0")
class masked_scatter:
    """`self` with the first elements of `source`, in C order, where the mask holds."""

    def forward(self, mask, source):
        return indexing.masked_scatter(self, mask, source)

    def grad_self(grad, mask):
        return drop(grad, mask=raw(mask))

    def grad_source(grad, mask, source_meta):
        found = masked_select(grad, constant(xp.broadcast_to(raw(mask), raw(grad).shape), grad))
        return pad_to(found, (reduction.count(source_meta.shape),)).reshape(source_meta.shape)


@primitive(linear=True, node="TakeBackward0")
class take_flat:
    """Elements by their number in C order."""

    math_self = "put(0, index, g, accumulate=True)"

    def forward(self, index):
        return indexing.take_flat(self, index)

    def grad_self(grad, index, self_meta):
        return put_flat(grad, index, shape=self_meta.shape)


@primitive(linear=True, node="PutBackward0")
class put_flat:
    """Zeros of `shape` with the values added at element numbers."""

    def forward(self, index, *, shape):
        return indexing.put_flat(zeros_beside(self, shape), index, self)

    def grad_self(grad, index):
        return take_flat(grad, index)


# Embedding: rows of a table by index; gradients of rows used several times add up (T-85).


@primitive
class embedding:
    """weight[indices]. The row `padding_idx` (-1: none) gets no gradient (T-82)."""

    math_weight = "index_add(0, 0, indices, g)"

    def forward(weight, indices, *, padding_idx, scale_grad_by_freq):
        return kernel.lookup(weight, indices)

    def grad_weight(grad, indices, padding_idx, scale_grad_by_freq, weight_meta):
        return embedding_backward(
            grad, indices, rows=weight_meta.shape[0],
            padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq,
        )  # fmt: skip


@primitive(linear=True, node="EmbeddingDenseBackwardBackward0")
class embedding_backward:
    """The table whose rows are the sums of the gradients at their places."""

    def forward(grad_output, indices, *, rows, padding_idx, scale_grad_by_freq):
        return kernel.add_rows(grad_output, indices, rows, padding_idx, scale_grad_by_freq)

    def grad_grad_output(grad, indices, padding_idx, scale_grad_by_freq):
        return embedding_take(
            grad, indices, padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq
        )


@primitive(linear=True, node="EmbeddingBackward0")
class embedding_take:
    """The transpose of `embedding_backward`."""

    def forward(weight, indices, *, padding_idx, scale_grad_by_freq):
        return kernel.scaled_rows(weight, indices, padding_idx, scale_grad_by_freq)

    def grad_weight(grad, indices, padding_idx, scale_grad_by_freq, weight_meta):
        return embedding_backward(
            grad, indices, rows=weight_meta.shape[0],
            padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq,
        )  # fmt: skip


# `scatter_reduce`: sums, products, means and extremes of groups (spec T-38, T-72).


@primitive
class scatter_reduce:
    """`self` with the groups of `src` that `index` names, reduced with what is there (`include_self`)."""

    def forward(self, index, src, *, dim, reduce, include_self):
        return indexing.scatter_reduce(self, index, src, dim, reduce, include_self)

    def grad_self(grad, self, index, src, result, dim, reduce, include_self):
        if reduce == "prod":
            slope = _slope_of_self(grad, self, index, src, result, dim, include_self)
            return slope if include_self else scatter_number(slope, index, dim=dim, value=0)
        if not include_self:
            return scatter_number(grad, index, dim=dim, value=0)
        share = indexing.share_of_self(raw(self), raw(index), raw(src), raw(result), dim, reduce)
        return grad * constant(share, grad)

    def grad_src(grad, self, index, src, result, dim, reduce, include_self, src_meta):
        if reduce == "prod":
            slope = _slope_of_src(grad, self, index, src, result, dim, include_self)
            return pad_to(slope, src_meta.shape)
        if not raw(index).size:
            return pad_to(gather(grad, index, dim=dim), src_meta.shape)
        share = indexing.share_of_src(
            raw(self), raw(index), raw(src), raw(result), dim, reduce, include_self
        )
        found = gather(grad, index, dim=dim) * constant(share, grad)
        return pad_to(found, src_meta.shape)


def _slope_of_self(grad, self, index, src, result, dim, include_self):
    if not include_self:
        # only where nothing is put does `self` count, and there it is alone
        zero = raw(self) == 0
        return drop(grad * result / _ones_for_zeros(self), mask=zero) + keep(grad, mask=zero)
    zeros = indexing.zeros_in_groups(raw(self), raw(index), raw(src), dim, include_self)
    others, rest = _without_zeros(self, index, src, dim, include_self)
    return _slope(self, grad * result, grad * others, rest, zeros)


def _slope_of_src(grad, self, index, src, result, dim, include_self):
    zeros = indexing.zeros_in_groups(raw(self), raw(index), raw(src), dim, include_self)
    others, rest = _without_zeros(self, index, src, dim, include_self)
    return _slope(
        crop(src, shape=tuple(raw(index).shape)),
        gather(grad * result, index, dim=dim),
        gather(grad * others, index, dim=dim),
        gather(rest, index, dim=dim),
        indexing.gather(zeros, raw(index), dim),
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
