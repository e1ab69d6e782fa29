"""The same memory as complex numbers and as pairs of real ones."""

# A primitive is declared as a class body of functions over arrays and tensors alike, without `self`.
# pyright: reportSelfClsParameterName=false, reportAttributeAccessIssue=false

from __future__ import annotations

from vizgrad.core.arrays.kernels import complexes as kernel
from vizgrad.core.function.primitive import primitive


@primitive(view=True, linear=True, holomorphic=False)
class view_as_real:
    """Complex numbers as pairs (real part, imaginary part) along a new last dimension."""

    forward = kernel.as_real

    def grad_self(grad):
        return view_as_complex(dense(grad))


@primitive(view=True, linear=True, holomorphic=False)
class view_as_complex:
    """Pairs (real part, imaginary part) along the last dimension as complex numbers."""

    forward = kernel.as_complex

    def grad_self(grad):
        return view_as_real(grad)


@primitive(linear=True, node="CloneBackward0")
class dense:
    """A copy in C order: what can be read as complex numbers."""

    def forward(self):
        return self.copy()

    def grad_self(grad):
        return grad
