"""The error for a kernel's exception: PyTorch's class and phrase, with the shapes and types in it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import BY_NUMPY
from vizgrad.core.arrays.sparse import SparseUnsupported, is_sparse
from vizgrad.core.tensor.state import wrong_call

if TYPE_CHECKING:
    from vizgrad.core.function.declared import Declared


def kernel_error(op: Declared, error: Exception, *arrays: Any) -> Exception:
    """The exception to raise instead of `error`; `error` itself when there is nothing to add."""
    if any(map(is_sparse, arrays)) and (
        # of several operands, or with settings, a RuntimeError says what is wrong with them
        type(error) not in (RuntimeError, IndexError) or len(op.inputs) + len(op.attributes) == 1
    ):
        layout = next(a.layout for a in arrays if is_sparse(a))
        return wrong_call(
            SparseUnsupported(op.name, layout), "call .to_dense() first, or work on .values()"
        )
    if _has_too_many_dimensions(error):
        return too_many_dimensions(op.name)
    if isinstance(error, ValueError) and not isinstance(error, xp.linalg.LinAlgError):
        for a, b in pairwise(arrays if "pointwise" in op.structure else ()):
            if (mismatch := broadcast_error(a.shape, b.shape)) is not None:
                return mismatch
        shapes = " and ".join(str(list(a.shape)) for a in arrays)
        return wrong_call(
            RuntimeError(f"{op.name}: the shapes {shapes} do not fit together"),
            "give operands of shapes that fit",
            "shape-broadcast",
        )
    if _has_no_loop(error, *arrays):
        types = ", ".join(BY_NUMPY[a.dtype].name for a in arrays if a.dtype in BY_NUMPY)
        return wrong_call(
            NotImplementedError(f'"{op.name}" not implemented for {types}'),
            "convert the operands to a type it takes",
            "cut-dtype",
        )
    if isinstance(error, IndexError):  # numpy's words, where no check came before it
        return IndexError(
            str(error).replace("for axis", "for dimension").replace("array", "tensor")
        )
    return error


def _has_no_loop(error: Exception, *arrays: Any) -> bool:
    """Is it the library that has no function for these types?"""
    if (
        type(error).__name__ == "CompileException"
    ):  # cupy has loops for complex numbers that CUDA has not
        return any(a.dtype.kind == "c" for a in arrays)
    said = ("numpy", "ufunc", "cupy", "Cannot cast output operand")
    return isinstance(error, TypeError) and (
        "numpy" in type(error).__module__ or any(text in str(error) for text in said)
    )


#: numpy's, of an array.
MOST_DIMENSIONS = 64


def _has_too_many_dimensions(error: Exception) -> bool:
    """Is it numpy that refuses a shape because of its length?"""
    said = ("maximum supported dimension", "number of dimensions must be within")
    return isinstance(error, (ValueError, IndexError)) and any(text in str(error) for text in said)


def too_many_dimensions(name: str) -> Exception:
    return wrong_call(
        RuntimeError(
            f"{name}(): a tensor has at most {MOST_DIMENSIONS} dimensions here, as numpy's arrays have"
        ),
        "put dimensions of size 1 together, with flatten() or reshape()",
    )


def broadcast_error(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError | None:
    """The error for shapes that do not broadcast, naming the sizes and the dimension (T-10)."""
    ndim = max(len(a), len(b))
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            return wrong_call(
                RuntimeError(
                    f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) "
                    f"at non-singleton dimension {ndim - back}; the shapes are {list(a)} and {list(b)}"
                ),
                "give operands whose sizes are equal, or 1, in each dimension counted from the last",
                "shape-broadcast",
            )
    return None
