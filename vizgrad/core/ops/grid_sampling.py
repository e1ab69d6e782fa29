"""Images (N, C, *sizes) at the places of a grid (N, *out, dims), with derivatives of every order.

The derivative by the image is the transposed map; that by the grid is the same map with slopes of the
weights in one dimension, times what arrives, summed over the channels. `orders` says how often the weights
of each dimension have been differentiated already.
"""

from __future__ import annotations

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import grid_sampling as kernel
from vizgrad.core.arrays.kernels.grid_sampling import How
from vizgrad.core.function.primitive import Primitive, primitive
from vizgrad.core.ops.constants import constant
from vizgrad.core.ops.linalg import matmul, mT
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
