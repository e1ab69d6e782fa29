"""A tangent lies in memory as its tensor does: views of the one have their like of the other (A-4)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import layout, xp
from vizgrad.core.arrays.blocks import owner
from vizgrad.core.function.primitive import primitive
from vizgrad.core.function.reinterpret import view_as_complex, view_as_real
from vizgrad.core.function.strided import as_strided, geometry_of
from vizgrad.core.function.transform_tensor import Wrapped, like_batch
from vizgrad.core.ops.complexes import real_part
from vizgrad.core.ops.copying import to_copy
from vizgrad.core.ops.shape import clone, expand
from vizgrad.core.tensor import duals
from vizgrad.core.tensor.duals import OWN
from vizgrad.core.tensor.storage import InferenceStorage
from vizgrad.core.tensor.tensor import Tensor, new_tensor, rare_of


@primitive(linear=True, typing="moved", node="CloneBackward0")
class laid_out:
    """A copy whose elements have the given strides (in bytes); in C order if these let elements meet."""

    def forward(self, *, strides):
        made = _empty(self, strides)
        if made is None:
            return self.copy()
        made[...] = self
        return made

    def grad_self(grad):
        return grad


def _empty(like: Any, strides: tuple[int, ...]) -> Any:
    """Memory of the shape of `like` with these strides, or None if elements would lie in one place.

    It is zero between the elements: a view with strides of its own (`as_strided`) may read there.
    """
    shape = like.shape
    if not like.size:
        return None
    reach = [(length - 1) * step for length, step in zip(shape, strides, strict=True)]
    low = -sum(r for r in reach if r < 0)
    count = (low + sum(map(abs, reach))) // like.itemsize + 1
    make = xp.zeros_like if count > like.size else xp.empty_like
    block = make(like, shape=(count,), order="C")
    made = layout.restrided(block[low // like.itemsize :], shape, strides)
    return None if layout.overlaps_itself(made) else made


@primitive(view=True, linear=True, node="Identity")
class fw_primal:
    """The tensor itself, as another one: what has a tangent taken off."""

    def forward(self):
        return self[...]

    def grad_self(grad):
        return grad


def primal_of(tensor: Tensor) -> Tensor:
    """A view with the tangents that are carried on just now (those of outer levels), and never any other."""
    primal = fw_primal.record(tensor)
    rare_of(primal).tangent_root = OWN
    return primal


def alike(a: Any, b: Any) -> bool:
    """Do two arrays of one shape and type lie in memory in the same way?"""
    if a.strides == b.strides or a.size < 2:
        return True
    steps = zip(a.shape, a.strides, b.strides, strict=True)
    return all(first == second for length, first, second in steps if length > 1)


def fitted(tangent: Tensor, like: Tensor, lent: tuple[Any, ...] = ()) -> Tensor:
    """`tangent` in the shape, type and layout of `like`, in memory that nobody else has.

    `lent` are tensors of others: one of them is copied. Where one tangent is a batch of them (all columns of
    a Jacobian at once), so is the result.
    """
    given, array, own = tangent, like._array, tangent._array
    if own.dtype != array.dtype:
        if own.dtype.kind == "c" and array.dtype.kind != "c":
            tangent = real_part(tangent)
        tangent = to_copy(tangent, dtype=array.dtype)
    if own.shape != array.shape:
        tangent = expand(tangent, shape=array.shape)
    if not isinstance(tangent, Wrapped):
        batch = next((each for each in lent if isinstance(each, Wrapped)), None)
        if batch is not None:
            tangent = like_batch(tangent, batch)
    borrowed = tangent._view is not None or any(tangent is each for each in lent)
    if isinstance(tangent, Wrapped):  # how its elements lie is the batch's affair
        return clone(tangent) if borrowed or tangent is not given else tangent
    if not borrowed and (alike(tangent._array, array) or layout.overlaps_itself(array)):
        return tangent
    return laid_out(tangent, strides=array.strides)


def suits(tangent: Tensor, like: Tensor) -> bool:
    """Can `tangent` be the tangent of `like` as it is, the same object?

    Only if it has the same place in memory of the same size, so that views of the one are views of the other.
    """
    given, own = tangent._array, like._array
    if given.dtype != own.dtype or isinstance(tangent, Wrapped):
        return given.dtype == own.dtype
    if not alike(given, own) or layout.overlaps_itself(given):
        return False
    return _memory_of(tangent) == _memory_of(like)


def _memory_of(tensor: Tensor) -> tuple[int, int]:
    """(elements before its first one, bytes in all) of the memory that it is a part of."""
    storage = tensor._storage
    if storage is None:
        return 0, tensor._array.nbytes
    shared = isinstance(storage, InferenceStorage)  # by all tensors of a block
    nbytes = owner(tensor._array).nbytes if shared else storage.nbytes
    return tensor.storage_offset(), nbytes


def zeros_for(tensor: Tensor, beside: tuple[Any, ...] = ()) -> Tensor:
    """Zeros that lie as the elements of `tensor` do; a batch of them, if one of the tangents `beside` is."""
    zeros = xp.zeros_like(tensor._array, order="C")
    made = new_tensor(zeros)
    batch = next((each for each in beside if isinstance(each, Wrapped)), None)
    if batch is not None:
        return clone(like_batch(made, batch))
    return made if alike(zeros, tensor._array) else laid_out(made, strides=tensor._array.strides)


def _region(root: Tensor, view: Tensor, tangent: Tensor) -> Tensor:
    geometry = geometry_of(root, view)
    if geometry.region == "real":
        return as_strided(view_as_real(tangent), geometry=geometry)
    part = as_strided(tangent, geometry=geometry)
    return view_as_complex(part) if geometry.region == "complex" else part


duals.region_of = _region
