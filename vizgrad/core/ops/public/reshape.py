"""The same elements under another shape, with PyTorch's signatures and errors (spec T-11)."""

from __future__ import annotations

from typing import Annotated, Any

from vizgrad.core.arrays.backend import check_type, is_on_device
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.arrays.kernels import shapes
from vizgrad.core.errors import wrap_dim
from vizgrad.core.function.transform_tensor import Wrapped, wrap
from vizgrad.core.function.views import become_view
from vizgrad.core.ops import shape as ops
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import sizes_of, takes_tensors
from vizgrad.core.tensor import in_memory
from vizgrad.core.tensor.requirements import DimOf, Requirement, not_a_tensor
from vizgrad.core.tensor.tensor import Tensor, new_tensor


def infer(sizes: tuple[int, ...], numel: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """`sizes` with its -1 replaced; RuntimeError if the number of elements does not fit."""
    known, unknown = 1, -1
    for position, n in enumerate(sizes):
        if n == -1:
            if unknown >= 0:
                raise RuntimeError(
                    f"only one dimension can be inferred, but {list(sizes)} has several -1"
                )
            unknown = position
        elif n < 0:
            raise RuntimeError(
                f"invalid shape dimension {n} at index {position} of shape {list(sizes)}"
            )
        else:
            known *= n
    if unknown < 0:
        if known != numel:
            raise RuntimeError(
                f"shape '{list(sizes)}' is invalid for input of size {numel} (its shape is "
                f"{list(shape)})"
            )
        return sizes
    if known == 0:
        raise RuntimeError(
            f"cannot reshape tensor of {numel} elements into shape {list(sizes)} because the "
            "unspecified dimension size -1 can be any value and is ambiguous"
        )
    if numel % known:
        raise RuntimeError(
            f"shape '{list(sizes)}' is invalid for input of size {numel} (its shape is "
            f"{list(shape)})"
        )
    return (*sizes[:unknown], numel // known, *sizes[unknown + 1 :])


@method
def view(self: Tensor, *given: Any, size: Any = None, dtype: Any = None) -> Tensor:
    """The same memory under another shape; RuntimeError where strides do not allow it.

    `view(dtype)` reads the same bytes as another type, without history; one of another size makes the
    last dimension longer or shorter.
    """
    if size is not None or dtype is not None:
        given = (dtype if size is None else size,)
    if len(given) == 1 and isinstance(given[0], DType):
        return _view_dtype(self, given[0])
    array = self._array
    return ops.view.record(self, shape=infer(sizes_of("view", given), array.size, array.shape))


def _view_dtype(self: Tensor, dtype: Any, *, batch: bool = False) -> Tensor:
    """`batch`: the tensor stands for examples, of which the user's call sees one at a time."""
    if dtype.itemsize != self.itemsize:
        _check_sizes_of_elements(self, dtype, batch)
    if isinstance(self, Wrapped):
        return wrap(self.level, _view_dtype(self.value, dtype, batch=True), self)
    if is_on_device(self._array):
        check_type(dtype.np)
    out = new_tensor(self._array.view(dtype.np))
    become_view(out, self.detach(), "view")
    return out


def _check_sizes_of_elements(self: Tensor, dtype: Any, batch: bool) -> None:
    """RuntimeError where the bytes of neighbours do not make whole elements of the other type.

    The stride of a dimension of size 1 counts, as in PyTorch, but not that of a batch of one example.
    """
    own, other = self.itemsize, dtype.itemsize
    told = f"to view {self.dtype.name} as {dtype.name} (different element sizes), but got"
    if not self._array.ndim:
        raise RuntimeError(f"self.dim() cannot be 0 {told[:-9]}")
    whole = self._array.size > 0
    if whole and self.stride(-1) != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {told} {self.stride(-1)}")
    ratio = other // own
    if ratio < 2:
        return
    measures = [("size(-1)", self.size(-1)), ("storage_offset()", self.storage_offset())]
    measures += [
        (f"stride({d})", n)
        for d, n in enumerate(self.stride()[:-1])
        if whole and not (batch and self.size(d) == 1)
    ]
    for name, value in measures:
        if value % ratio:
            raise RuntimeError(f"self.{name} must be divisible by {ratio} {told} {value}")


@method
@takes_tensors
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """`view` with the shape of `other`."""
    return view(self, other._array.shape)


@public(method=True)
def reshape(input: Tensor, *given: Any, shape: Any = None) -> Tensor:
    """The same elements under another shape: a view where strides allow it, else a copy."""
    if not isinstance(input, Tensor):
        raise not_a_tensor("reshape", "input", 1, input)
    array = input._array
    sizes = infer(
        sizes_of("reshape", given if shape is None else (shape,)), array.size, array.shape
    )
    if shapes.can_view(array, sizes):
        return ops.view.record(input, shape=sizes)
    return ops.unsafe_view.record(ops.contiguous_copy.record(input), shape=sizes)


@method
@takes_tensors
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    return reshape(self, other._array.shape)


@public(method=True)
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions start_dim ... end_dim as one."""
    if not isinstance(input, Tensor):
        raise not_a_tensor("flatten", "input", 1, input)
    array = input._array
    first, last = wrap_dim(start_dim, array.ndim), wrap_dim(end_dim, array.ndim)
    if first > last:
        raise RuntimeError(
            f"flatten() has invalid args: start_dim {start_dim} cannot come after end_dim {end_dim}"
        )
    if array.ndim == 0:
        return reshape(input, 1)
    if first == last:
        return input
    n = 1
    for length in array.shape[first : last + 1]:
        n *= length
    return reshape(input, (*array.shape[:first], n, *array.shape[last + 1 :]))


@public(method=True)
@takes_tensors
def ravel(input: Tensor) -> Tensor:
    """All elements in C order; a view if possible."""
    return view(contiguous(input), -1)


@public(method=True)
@takes_tensors
def unflatten(
    input: Tensor,
    dim: Annotated[
        int,
        DimOf(),
        Requirement(
            "not {1}._array.ndim",
            "unflatten: a 0-dim tensor has no dimension to unflatten",
            other="",
        ),
    ],
    sizes: Any,
) -> Tensor:
    """Dimension `dim` as several."""
    array = input._array
    at = wrap_dim(dim, array.ndim)
    parts = tuple(sizes)
    if not parts:
        raise RuntimeError("unflatten: sizes must be non-empty")
    length = array.shape[at]
    if -1 not in parts:
        n = 1
        for p in parts:
            n *= p
        if n != length:
            raise RuntimeError(
                f"unflatten: Provided sizes {list(parts)} don't multiply up to the size of dim "
                f"{dim} ({length}) in the input tensor"
            )
    else:
        parts = infer(parts, length, (length,))
    return view(input, (*array.shape[:at], *parts, *array.shape[at + 1 :]))


@method
def contiguous(self: Tensor, *, memory_format: Any = in_memory.contiguous_format) -> Tensor:
    """`self` if its memory is in C order, or that of `memory_format`, else a copy in that order."""
    if memory_format is in_memory.contiguous_format:
        return self if self._array.flags.c_contiguous else ops.contiguous_copy.record(self)
    if self.is_contiguous(memory_format):
        return self
    if memory_format is in_memory.preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return ops.clone_in.record(self, memory_format=memory_format)
