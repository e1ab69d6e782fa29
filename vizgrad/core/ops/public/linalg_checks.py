"""What functions of matrices ask of them."""

from __future__ import annotations

from vizgrad.core.tensor.tensor import Tensor


def check_matrix_type(name: str, A: Tensor) -> None:
    """NotImplementedError for what LAPACK does not compute with."""
    if A.dtype.name not in ("float32", "float64", "complex64", "complex128"):
        raise NotImplementedError(f'"{name}" not implemented for {A.dtype.name}')


#: What is made of products alone, or written here: it goes with half precision, too.
_OF_HALVES = frozenset({"matrix_power", "matrix_exp", "matrix_norm", "vecdot", "lu", "lu_factor"})

#: What PyTorch does not check before its kernels do.
_BY_TYPE = frozenset({"lu", "lu_factor", "solve_triangular", "eigh"})


def check(
    name: str, A: Tensor, square: bool = True, least: int = 2, any_type: bool = False
) -> None:
    """Raises RuntimeError unless A holds (square) matrices of floating point or complex numbers."""
    shape = A._array.shape
    if A.dtype.name in ("float16", "bfloat16") and name not in _OF_HALVES:
        raise NotImplementedError(
            f"linalg.{name}: Low precision dtypes not supported. Got {A.dtype.name}: convert with .float()"
        )
    if A._array.dtype.kind not in ("biufcV" if any_type else "fcV"):
        raise (NotImplementedError if name in _BY_TYPE else RuntimeError)(
            f"linalg.{name}: Expected a floating point or complex tensor as input. Got "
            f"{A.dtype.name}"
        )
    if len(shape) < least:
        raise RuntimeError(
            f"linalg.{name}: The input tensor A must have at least 2 dimensions, got {len(shape)}"
        )
    if square and shape[-1] != shape[-2]:
        raise RuntimeError(
            f"linalg.{name}: A must be batches of square matrices, but they are {shape[-2]} by "
            f"{shape[-1]} matrices"
        )


def check_same_type(name: str, b: Tensor, A: Tensor) -> None:
    """RuntimeError where the right-hand side is of another type than the matrix."""
    if b._array.dtype != A._array.dtype:
        raise RuntimeError(
            f"{name}: Expected b and A to have the same dtype, but found b of type {b.dtype.name} and A of "
            f"type {A.dtype.name} instead: convert one with .to(dtype)"
        )
