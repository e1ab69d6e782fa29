"""Images (N, C, *sizes) at the places of a grid (N, *out, dims), with derivatives of every order.

The derivative by the image is the transposed map; that by the grid is the same map with slopes of the
weights in one dimension, times what arrives, summed over the channels. `orders` says how often the weights
of each dimension have been differentiated already.
"""

from __future__ import annotations

from vizgrad.core.arrays import layout, xp
from vizgrad.core.arrays.kernels import images as by_index
from vizgrad.core.arrays.kernels import images as kernel
from vizgrad.core.arrays.kernels import pooling as pooling_kernel
from vizgrad.core.arrays.kernels.images import How
from vizgrad.core.function.primitive import Primitive, primitive
from vizgrad.core.ops.constants import constant
from vizgrad.core.ops.linalg import matmul, mT
from vizgrad.core.ops.pooling import resample
from vizgrad.core.tensor.tensor import Tensor


def _steeper(orders: tuple[int, ...]) -> list[tuple[int, ...]]:
    """One more derivative, in each dimension in turn."""
    dims = range(len(orders))
    return [tuple(order + (d == dim) for d, order in enumerate(orders)) for dim in dims]


def _along(grad, dim):
    """The part of a grid's gradient in one dimension, for all channels."""
    part = grad[..., dim]
    return part.unsqueeze(1) if isinstance(part, Tensor) else part[:, None]


def _sum(parts):
    first, *others = parts
    for other in others:
        first = first + other
    return first


def _sampler(dims: int) -> Primitive:
    none = (0,) * dims

    class Declaration:
        """`input` at the places of `grid`."""

        def forward(input, grid, *, interpolation_mode, padding_mode, align_corners):
            how = How(interpolation_mode, padding_mode, align_corners)
            return kernel.sample(input, grid, how, none)

        def grad_input(grad, grid, input_meta, interpolation_mode, padding_mode, align_corners):
            how = How(interpolation_mode, padding_mode, align_corners)
            return SPREAD[dims](grad, grid, how=how, orders=none, sizes=input_meta.shape[2:])

        def grad_grid(grad, input, grid, interpolation_mode, padding_mode, align_corners):
            how = How(interpolation_mode, padding_mode, align_corners)
            return BY_GRID[dims](grad, input, grid, how=how, orders=none)

    Declaration.__name__ = f"grid_sampler_{dims}d"
    return primitive(node=f"GridSampler{dims}DBackward0", undefined=("input",))(Declaration)


def _slope(dims: int) -> Primitive:
    class Declaration:
        """`input` at the places of `grid`, with derivatives of the weights."""

        def forward(input, grid, *, how, orders):
            return kernel.sample(input, grid, how, orders)

        def grad_input(grad, grid, how, orders, input_meta):
            return SPREAD[dims](grad, grid, how=how, orders=orders, sizes=input_meta.shape[2:])

        def grad_grid(grad, input, grid, how, orders):
            return BY_GRID[dims](grad, input, grid, how=how, orders=orders)

    Declaration.__name__ = f"grid_sampler_{dims}d_slope"
    return primitive(node=f"GridSampler{dims}DBackwardBackward0")(Declaration)


def _spread(dims: int) -> Primitive:
    class Declaration:
        """The transpose of the slope: values added to the pixels that their places meet."""

        def forward(values, grid, *, how, orders, sizes):
            return kernel.spread(values, grid, how, orders, sizes)

        def grad_values(grad, grid, how, orders):
            return SLOPE[dims](grad, grid, how=how, orders=orders)

        def grad_grid(grad, values, grid, how, orders):
            return BY_GRID[dims](values, grad, grid, how=how, orders=orders)

    Declaration.__name__ = f"grid_sampler_{dims}d_spread"
    return primitive(node=f"GridSampler{dims}DBackwardBackward0")(Declaration)


def _by_grid(dims: int) -> Primitive:
    class Declaration:
        """How the sum of `values` times the sampled input changes with the grid."""

        def forward(values, input, grid, *, how, orders):
            slopes = [kernel.sample(input, grid, how, steeper) for steeper in _steeper(orders)]
            return xp.stack([(values * slope).sum(axis=1) for slope in slopes], axis=-1)

        def grad_values(grad, input, grid, how, orders):
            return _sum(
                _along(grad, dim) * SLOPE[dims](input, grid, how=how, orders=steeper)
                for dim, steeper in enumerate(_steeper(orders))
            )

        def grad_input(grad, values, grid, how, orders, input_meta):
            sizes = input_meta.shape[2:]
            return _sum(
                SPREAD[dims](_along(grad, dim) * values, grid, how=how, orders=steeper, sizes=sizes)
                for dim, steeper in enumerate(_steeper(orders))
            )

        def grad_grid(grad, values, input, grid, how, orders):
            return _sum(
                BY_GRID[dims](_along(grad, dim) * values, input, grid, how=how, orders=steeper)
                for dim, steeper in enumerate(_steeper(orders))
            )

    Declaration.__name__ = f"grid_sampler_{dims}d_by_grid"
    return primitive(node=f"GridSampler{dims}DBackwardBackward0")(Declaration)


#: Number of spatial dimensions -> operation.
SAMPLERS = {dims: _sampler(dims) for dims in (2, 3)}
SLOPE = {dims: _slope(dims) for dims in (2, 3)}
SPREAD = {dims: _spread(dims) for dims in (2, 3)}
BY_GRID = {dims: _by_grid(dims) for dims in (2, 3)}


@primitive(linear=True, node="AffineGridGeneratorBackward0")
class affine_grid_generator:
    """`base`, plain points of shape (points, d + 1), moved by matrices of shape (N, d, d + 1)."""

    def forward(self, *, base):
        return xp.matmul(base, xp.swapaxes(self, -1, -2))

    def grad_self(grad, base):
        every = xp.broadcast_to(base, (grad.shape[0], *base.shape))  # matmul wants equal stacks
        return matmul(mT(grad), constant(every, grad))


# Moving elements between channels and space, and among channels: the result is never a view.


@primitive(linear=True)
class pixel_shuffle:
    """(*, C r^2, H, W) -> (*, C, H r, W r), r being `factor`."""

    def forward(self, *, factor):
        return layout.images(kernel.pixel_shuffle(self, factor), self)

    def grad_self(grad, factor):
        return pixel_unshuffle(grad, factor=factor)


@primitive(linear=True)
class pixel_unshuffle:
    """(*, C, H r, W r) -> (*, C r^2, H, W), r being `factor`."""

    def forward(self, *, factor):
        return layout.images(kernel.pixel_unshuffle(self, factor), self)

    def grad_self(grad, factor):
        return pixel_shuffle(grad, factor=factor)


@primitive(linear=True)
class channel_shuffle:
    """The channels (dimension 1), as a matrix of `groups` rows, read by columns."""

    def forward(self, *, groups):
        return layout.images(kernel.channel_shuffle(self, groups), self)

    def grad_self(grad, groups):
        return channel_shuffle(grad, groups=grad.shape[1] // groups if grad.shape[1] else 1)


# Padding (T-41): linear, so each derivative is the transpose.


@primitive(linear=True)
class constant_pad_nd:
    """`pad` = (before, after) for each of the last dimensions, filled with `value`."""

    def forward(self, *, pad, value):
        return layout.images(kernel.constant(self, pad, value), self)

    def grad_self(grad, pad):
        return constant_pad_nd(grad, pad=tuple((-b, -a) for b, a in pad), value=0)


@primitive(linear=True, node="PadByIndexBackwardBackward0")
class add_back:
    """The transpose of padding by copies: copies are added to the element they are of."""

    def forward(self, *, places, size):
        return kernel.add_back(self, places, size)

    def grad_self(grad, places):
        return reflection_pad1d(grad, places=places)


def _by_index(name: str) -> Primitive:
    """Padding by copies; the kinds differ by the places, and in the node's name."""
    circular = name.startswith(
        "circular"
    )  # of several functions in PyTorch, the last of which joins pieces

    class Declaration:
        """Copies of elements before and after the last dimensions, given by index."""

        def forward(self, *, places):
            made = kernel.take(self, places)
            return made if circular else layout.images(made, self)

        def grad_self(grad, places, self_meta):
            size = self_meta.shape[len(self_meta.shape) - len(places) :]
            return add_back(grad, places=places, size=size)

    Declaration.__name__ = name
    return primitive(linear=True, flat=() if circular else ("self",))(Declaration)


#: (mode, number of dimensions) -> operation.
BY_INDEX = {
    (mode, dims): _by_index(f"{word}_pad{dims}d")
    for mode, word in (
        ("reflect", "reflection"), ("replicate", "replication"), ("circular", "circular"),
    )
    for dims in (1, 2, 3)
}  # fmt: skip
reflection_pad1d = BY_INDEX["reflect", 1]


# Resizing: linear maps of the last dimensions, so each derivative is the transpose.


def _nearest(name: str) -> Primitive:
    class Declaration:
        """Each pixel a copy of another, given by index."""

        def forward(self, *, places):
            return layout.images(by_index.take(self, places), self)

        def grad_self(grad, places, self_meta):
            size = self_meta.shape[len(self_meta.shape) - len(places) :]
            return add_back(grad, places=places, size=size)

    Declaration.__name__ = name
    return primitive(linear=True)(Declaration)


def _linear(name: str) -> Primitive:
    class Declaration:
        """Each of the last dimensions multiplied by an interpolation matrix."""

        def forward(self, *, matrices):
            return layout.images(pooling_kernel.resample(self, matrices), self)

        def grad_self(grad, matrices):
            return resample(grad, matrices=kernel.transposed(matrices))

    Declaration.__name__ = name
    return primitive(linear=True)(Declaration)


#: Number of dimensions -> operation.
NEAREST = {dims: _nearest(f"upsample_nearest{dims}d") for dims in (1, 2, 3)}
NEAREST_EXACT = {dims: _nearest(f"upsample_nearest_exact{dims}d") for dims in (1, 2, 3)}
LINEAR = {
    dims: _linear(f"upsample_{word}{dims}d")
    for dims, word in ((1, "linear"), (2, "bilinear"), (3, "trilinear"))
}
CUBIC = {2: _linear("upsample_bicubic2d")}
LINEAR_SMOOTH = {2: _linear("upsample_bilinear2d_aa")}
CUBIC_SMOOTH = {2: _linear("upsample_bicubic2d_aa")}
