"""Complex numbers: `real`, `imag`, `conj`, `angle`, `polar`, and views of their memory (spec T-30 ... T-33).

A conjugate is computed at once, where PyTorch keeps a flag and conjugates when the values are used: the
values are the same, `is_conj` is always False, and `conj` of a complex tensor shares no memory with it (a
write to it warns, `vizgrad.core.tensor.storage`).
"""

from __future__ import annotations

from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.ops import compare
from vizgrad.core.ops import complexes as ops
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public.arguments import takes_tensors, written
from vizgrad.core.ops.public.dimensions import mT
from vizgrad.core.ops.public.slicing import select as pick
from vizgrad.core.ops.shape import clone
from vizgrad.core.tensor.requirements import AtLeast, DtypeKind, Rank, checked
from vizgrad.core.tensor.storage import is_conjugate, mark_conjugate
from vizgrad.core.tensor.tensor import Tensor, new_tensor


@public
def view_as_real(input: Tensor) -> Tensor:
    """A view of complex numbers as pairs (real, imaginary) along a new last dimension of size 2."""
    return ops.view_as_real.record(input)


@public
def view_as_complex(input: Tensor) -> Tensor:
    """A view of pairs (real, imaginary) along the last dimension, of size 2, as complex numbers.

    Raises RuntimeError unless the last dimension has stride 1, all others even strides, and it begins at
    an even place of its memory.
    """
    if isinstance(input, Tensor) and input.storage_offset() % 2:
        raise RuntimeError(
            f"Tensor must have a storage_offset divisible by 2, got {input.storage_offset()}"
        )
    return ops.view_as_complex.record(input)


@public
@takes_tensors
def real(input: Tensor) -> Tensor:
    """A view of the real parts; a real tensor itself."""
    return pick(view_as_real(input), -1, 0) if input.is_complex() else input


@public
@takes_tensors
def imag(
    input: Annotated[
        Tensor,
        DtypeKind(
            "c",
            "imag is not implemented for tensors with non-complex dtypes, got {dtype}",
            RuntimeError,
        ),
    ],
) -> Tensor:
    """A view of the imaginary parts; RuntimeError for a real tensor."""
    return pick(view_as_real(input), -1, 1)


def set_real(self: Tensor, value: Any) -> None:
    """`t.real = value` writes into the real parts."""
    real(self).copy_(value if isinstance(value, Tensor) else self.new_tensor(value).real)


def set_imag(self: Tensor, value: Any) -> None:
    """`t.imag = value` writes into the imaginary parts."""
    imag(self).copy_(value if isinstance(value, Tensor) else self.new_tensor(value).real)


@public(method=True)
@takes_tensors
def conj(input: Tensor) -> Tensor:
    """The complex conjugates, in memory of their own; a real tensor itself.

    A write to the result does not reach `input`, as it would in PyTorch; it warns.
    """
    if not input.is_complex():
        return input
    result = ops.conj.record(input)
    return result if result.__class__ is Wrapped else mark_conjugate(result, input)


@public(method=True)
@takes_tensors
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex conjugates, computed at once; a real tensor itself."""
    result = ops.conj_physical.record(input) if input.is_complex() else input
    return result if out is None else written(out, result, "conj_physical", input)


@public(method=True)
@takes_tensors
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself; of the result of `conj` a copy, which may be written."""
    input.dim()  # only a tensor has this
    return clone.record(input) if is_conjugate(input) and input.is_complex() else input


@public(method=True)
@takes_tensors
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself; of a part of the result of `conj` a copy, which may be written."""
    input.dim()  # only a tensor has this
    return clone.record(input) if is_conjugate(input) and not input.is_complex() else input


@public(method=True)
@takes_tensors
def is_conj(input: Tensor) -> bool:
    """False: conjugates are computed at once."""
    input.dim()  # only a tensor has this
    return False


@public(method=True)
@takes_tensors
def is_neg(input: Tensor) -> bool:
    """False: negatives are computed at once."""
    input.dim()  # only a tensor has this
    return False


@public
@takes_tensors
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """real + i * imag, of two tensors of one floating point type, broadcast."""
    _one_float_type("complex", real, imag)
    result = ops.join.record(real, imag)
    return result if out is None else written(out, result, "complex", real, imag)


@public
@takes_tensors
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """abs * e^(i * angle), angles in radians, of two tensors of one floating point type, broadcast."""
    _one_float_type("polar", abs, angle)
    result = ops.polar.record(abs, angle)
    return result if out is None else written(out, result, "polar", abs, angle)


def _one_float_type(name: str, a: Tensor, b: Tensor) -> None:
    for t in (a, b):
        if t.dtype.name not in ("float16", "float32", "float64"):
            raise RuntimeError(
                f"{name}(): Expected both inputs to be Half, Float or Double tensors but got "
                f"{a.dtype.name} and {b.dtype.name}"
            )
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"{name}(): Expected object of scalar type {a.dtype.name} but got scalar type "
            f"{b.dtype.name} for second argument"
        )
    if a.dtype.name == "float16":
        raise NotImplementedError(
            f'"{name}" not implemented for float16: there are no complex numbers of half precision'
        )


@public(method=True)
@takes_tensors
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The argument in radians; of real numbers 0 or pi."""
    result = (ops.angle if input.is_complex() else ops.angle_of_real).record(input)
    return result if out is None else written(out, result, "angle", input)


@public(method=True)
@takes_tensors
def isreal(input: Tensor) -> Tensor:
    """Where the imaginary part is 0."""
    if input.is_complex():
        return imag(input) == 0
    return new_tensor(xp.ones_like(input._array, dtype=bool))


@public(method=True)
@takes_tensors
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of matrices (the last two dimensions)."""
    return conj(mT(input))


@checked
def H(
    self: Annotated[
        Tensor,
        Rank(
            (0, 2),
            "tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor; use .mH for "
            "stacks of matrices",
        ),
    ],
) -> Tensor:
    """The conjugate transpose of a matrix."""
    return conj(self) if self.ndim == 0 else adjoint(self)


# Questions about two whole tensors.


_TOLERANCE = AtLeast(0, "{argument} must be greater than or equal to zero, but got {value}")


@public(method=True)
@takes_tensors
def isclose(
    input: Tensor,
    other: Tensor,
    rtol: Annotated[float, _TOLERANCE] = 1e-05,
    atol: Annotated[float, _TOLERANCE] = 1e-08,
    equal_nan: bool = False,
) -> Tensor:
    """|input - other| <= atol + rtol * |other|, element by element; types must agree."""
    return compare.isclose.record(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)


@public(method=True)
@takes_tensors
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Is `isclose` true everywhere?"""
    return bool(isclose(input, other, rtol, atol, equal_nan)._array.all())


@public(method=True)
@takes_tensors
def equal(input: Tensor, other: Tensor) -> bool:
    """Have both the same shape and the same elements (NaN equals nothing)?"""
    return input._array.shape == other._array.shape and bool(
        xp.array_equal(input._array, other._array)
    )
