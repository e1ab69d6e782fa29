"""How a gradient gets into a leaf's `.grad` (spec 02 F).

Nothing that the caller can reach is ever aliased by `.grad` (E-64): an array is taken over only when the
engine alone holds it, which the engine says (`GraphTask.borrowed`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.backend import writeable
from vizgrad.core.arrays.layout import empty_like_strides, has_whole_block
from vizgrad.core.arrays.sparse import SparseArray
from vizgrad.core.graph.edges import accumulation_lock
from vizgrad.core.tensor.modes import about_to_write
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import new_tensor, storage_of
from vizgrad.core.upcalls import UPCALLS

if TYPE_CHECKING:
    from vizgrad.core.tensor.tensor import Tensor


def accumulate_array(
    variable: Tensor, grad: Any, borrowed: bool, *, kept: bool = False
) -> tuple[str, str]:
    """Stores or adds an array; returns (decision, reason).

    `kept`: a journal refers to the array (`vizgrad.core.engine.observer`), so what would be taken is copied.
    """
    with accumulation_lock:
        existing = variable._grad
        if existing is not None:
            return _add_in_place(variable, existing, grad)
        own = variable._array
        if (
            not borrowed
            and grad.strides == own.strides
            # A weight's gradient comes back through a transpose, as a view of all of its block.
            and (grad.base is None or has_whole_block(grad))
        ):
            if kept:
                own = empty_like_strides(grad, grad)
                own[...] = grad
                grad = own
            variable._grad = new_tensor(grad)
            return "taken", "nobody else holds the array"
        if isinstance(grad, SparseArray):
            variable._grad = new_tensor(grad.copy())
            return "copied", "a sparse gradient shares the memory of what it was made of"
        same = own.shape == grad.shape
        if same and own.flags.c_contiguous:
            out = grad.copy()  # in C order
        else:
            if not (same or _expands(grad.shape, own.shape)):
                raise wrong_call(
                    RuntimeError(
                        f"the gradient that arrived has shape {list(grad.shape)}, but the leaf has "
                        f"{list(own.shape)} by now: it was changed in place since"
                    ),
                    "change the shape of a leaf before the forward pass, or after backward",
                    "grad-accumulated",
                )
            out = empty_like_strides(own, grad)
            out[...] = grad
        variable._grad = new_tensor(out)
        if borrowed:
            return "copied", "other code may hold the array"
        if grad.base is not None:
            return "copied", "the array is a view of another"
        return "copied", "its strides are not those of the leaf"


def _expands(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Does the gradient of a leaf that got another shape since go into the new one?"""
    return len(shape) <= len(to) and all(
        one in (1, other) for one, other in zip(reversed(shape), reversed(to), strict=False)
    )


def _add_in_place(variable: Tensor, existing: Tensor, grad: Any) -> tuple[str, str]:
    array = existing._array
    if array.shape != grad.shape:
        raise wrong_call(
            RuntimeError(
                f"the gradient that arrived has shape {list(grad.shape)}, but .grad holds one of shape "
                f"{list(array.shape)}: the leaf's data was replaced since"
            ),
            "set .grad to None where `.data` is replaced",
            "grad-accumulated",
        )
    if not writeable(array):
        raise wrong_call(
            RuntimeError(".grad is read-only memory, so nothing can be added to it"),
            "set it to None before backward, or assign a clone",
            "grad-accumulated",
        )
    about_to_write(existing)
    if isinstance(array, SparseArray) and not isinstance(grad, SparseArray):
        variable._grad = new_tensor(grad + array)
        return "new tensor", ".grad was sparse and the gradient is dense: their sum is dense"
    array += grad
    storage_of(existing).wrote("AccumulateGrad", caller(), "")
    return "added in place", ".grad existed and create_graph is off"


def accumulate_tensor(variable: Tensor, grad: Tensor) -> tuple[str, str]:
    """With create_graph: out of place, with history (E-60 (b), E-61). The sum is recorded without the lock,
    because recording may run code of the user; it is taken if no other thread has changed `.grad` meanwhile.
    """
    while True:
        existing = variable._grad
        version = None if existing is None else existing._version
        total, decision, reason = _summed(variable, existing, grad)
        with accumulation_lock:
            if variable._grad is existing and (existing is None or existing._version == version):
                variable._grad = total
                return decision, reason


def _summed(variable: Tensor, existing: Tensor | None, grad: Tensor) -> tuple[Tensor, str, str]:
    if existing is None:
        if isinstance(grad._array, SparseArray):
            total = grad.clone()
        else:
            own = new_tensor(empty_like_strides(variable._array, grad._array))
            total = own.copy_(grad)
        return total, "copied", "create_graph is on: the copy carries history"
    sparse_first = isinstance(existing._array, SparseArray) and not isinstance(
        grad._array, SparseArray
    )
    total = grad + existing if sparse_first else existing + grad
    return total, "new tensor", "create_graph is on: old + new carries history"


UPCALLS.accumulate_tensor = accumulate_tensor
