"""Powers, with PyTorch's types and errors."""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet

_REFUSED = "Integers to negative integer powers are not allowed."


@quiet
def power(self: Array, exponent: Array) -> Array:
    if exponent.dtype.kind in "iu" and self.dtype.kind in "iu":
        if (exponent < 0).any():
            return _integer_power(self, exponent)
    elif exponent.dtype.kind == "b":
        raise NotImplementedError("pow is not implemented for bool tensors")
    return np.power(self, exponent)


def _integer_power(self: Array, exponent: Array) -> Array:
    """Tensors of integers with negative exponents: 0, except for bases 1 and -1."""
    even = np.where(exponent < 0, exponent & 1, exponent)  # of 1 and -1, that is all that counts
    plain = np.power(self, even)
    return np.where(exponent < 0, np.where(np.abs(self) == 1, plain, 0), plain).astype(self.dtype)


@quiet
def power_of_number(self: Array, *, exponent: float) -> Array:
    """`self` has been converted to the type of the result."""
    if self.dtype.kind in "iu" and exponent < 0:
        raise RuntimeError(
            f"{_REFUSED} The exponent is {exponent}; convert the base with .float()."
        )
    if exponent == 2:
        return self * self
    if self.dtype.kind == "b":
        return self | (not exponent)
    if exponent == 0.5 and self.dtype.kind == "f":
        return np.sqrt(self)
    return np.power(self, self.dtype.type(exponent))
