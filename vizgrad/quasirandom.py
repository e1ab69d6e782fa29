"""Points that fill a cube more evenly than random ones (T-30)."""

from __future__ import annotations

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import DType, float32, float64, get_default_dtype
from vizgrad.core.arrays.kernels import sobol
from vizgrad.core.ops.public.generators import Generator
from vizgrad.core.ops.public.random_sampling import randint
from vizgrad.core.tensor.tensor import Tensor, new_tensor

__all__ = ["SobolEngine"]


class SobolEngine:
    """Draws the points of Sobol's sequence in `dimension` dimensions, each coordinate in [0, 1).

    Without `scramble` they are PyTorch's, number by number. With it they are those of a random one of the
    scrambled sequences: `seed` chooses it, but another one than in PyTorch, whose random numbers are others.
    """

    MAXBIT = sobol.BITS
    MAXDIM = sobol.MOST

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        """ValueError for a dimension below 1 or above `MAXDIM`."""
        if dimension < 1 or dimension > self.MAXDIM:
            raise ValueError(
                f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]"
            )
        self.seed = seed
        self.scramble = scramble
        self.dimension = dimension
        self.num_generated = 0
        self._points = sobol.Points(dimension)
        if scramble:
            self._scramble()

    def _scramble(self) -> None:
        generator = None
        if self.seed is not None:
            generator = Generator()
            generator.manual_seed(self.seed)
        size = (self.dimension, self.MAXBIT)
        self._shifts = randint(2, size, generator=generator)._array
        below = xp.tril(randint(2, (*size, self.MAXBIT), generator=generator)._array, -1)
        self._matrices = below + xp.eye(self.MAXBIT, dtype=below.dtype)

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
        """The next `n` points: (n, dimension), of the default type if no other is asked for.

        RuntimeError for a negative `n`, NotImplementedError for a type that is neither float32 nor float64.
        """
        wanted = get_default_dtype() if dtype is None else dtype
        if wanted not in (float32, float64):
            raise NotImplementedError(f'"_sobol_engine_draw" not implemented for {wanted.name}')
        if n < 0:
            raise RuntimeError(f"draw() takes a number of points that is not negative, not {n}")
        points = self._points.draw(n)
        if self.scramble:
            points = sobol.scrambled(points, self._matrices, self._shifts)
        self.num_generated += n
        found = new_tensor(points.astype(wanted.np) * wanted.np.type(2.0**-self.MAXBIT))
        if out is None:
            return found
        return out.resize_as_(found).copy_(found)

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
        """The next 2**m points. ValueError where after that the number of all points is no power of 2."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: "
                f"n={self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                "'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self) -> SobolEngine:
        """Back to the first point."""
        self._points.reset()
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leaves out the next `n` points."""
        self._points.skip(n)
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        told = [f"dimension={self.dimension}"]
        if self.scramble:
            told.append("scramble=True")
        if self.seed is not None:
            told.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(told)})"
