"""Copies of tensors: `copy.copy`, `copy.deepcopy`, pickle (E-97)."""

from __future__ import annotations

import copy
import sys
import warnings
from typing import Any

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import near
from vizgrad.core.errors import explained, place_of
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import Storage
from vizgrad.core.tensor.tensor import LEAF, Tensor, address, new_tensor, storage_of


def __copy__(self: Tensor) -> Tensor:  # noqa: N807  attached to Tensor below
    """A leaf over the same memory, with the same version counter."""
    _warn_of_hooks(self)
    out = _leaf(type(self), self._array, self.requires_grad, self.__dict__)
    out._storage = storage_of(self)
    return out


def __deepcopy__(self: Tensor, memo: dict[int, Any]) -> Tensor:  # noqa: N807  attached to Tensor below
    """A leaf with memory of its own, `.grad` and attributes copied too.

    Tensors that share memory share it again when they are copied together. Raises RuntimeError for a
    tensor with history.
    """
    known = memo.get(id(self))
    if known is not None:
        return known
    if not self.is_leaf:
        raise explained(
            RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                "protocol at the moment."
            ),
            kind="not-a-leaf",
            culprit=place_of(_line_that_copies()),
            tensor=self.grad_fn.name(),
            fix="copy `x.detach()`, or use `x.clone()` to stay in the graph",
        )
    out = _leaf(type(self), _copied(self._array, memo), self.requires_grad, {})
    memo[id(self)] = out
    if self._storage is not None and not self.is_inference():
        shared = memo.get(id(self._storage))
        if shared is None:
            root = _root(out._array)
            shared = memo[id(self._storage)] = Storage(address(root), root.nbytes)
        out._storage = shared
    if self._grad is not None:
        out._grad = copy.deepcopy(self._grad, memo)
    out.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return out


def __reduce_ex__(self: Tensor, protocol: Any) -> Any:  # noqa: N807  attached to Tensor below
    """Values, flag and attributes; not `.grad`, history or hooks."""
    _warn_of_hooks(self)
    return _leaf, (type(self), self._array, self.requires_grad, dict(self.__dict__))


def _warn_of_hooks(tensor: Tensor) -> None:
    if tensor._rare is not None and (tensor._rare.hooks or tensor._rare.post_accumulate):
        warnings.warn(
            "backward hooks on the tensor will not be serialized", UserWarning, stacklevel=4
        )


def _line_that_copies() -> Site | None:
    """The nearest line outside vizgrad and the copy module."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") in ("copy", __name__):
        frame = frame.f_back
    return Site(frame.f_code, frame.f_lasti)


def _leaf(cls: type[Tensor], array: Any, requires_grad: bool, attributes: dict[str, Any]) -> Tensor:
    out = new_tensor(dtypes.canonical(array), cls)
    if requires_grad:
        out._tracked = LEAF
    out.__dict__.update(attributes)
    return out


def _root(array: Any) -> Any:
    """The array that owns the memory."""
    while isinstance(array.base, type(array)):
        array = array.base
    return array


@near
def _copied(array: Any, memo: dict[int, Any]) -> Any:
    """A copy with the same layout within a copy of the whole block of memory, made once per `memo`."""
    if type(array) is not xp.ndarray:
        return array.copy()
    root = _root(array)
    if not (root.flags.c_contiguous or root.flags.f_contiguous):
        return array.copy()
    key = id(root)
    if key not in memo:
        memo[key] = root.copy(order="K").ravel(order="K")
        memo.setdefault(id(memo), []).append(root)  # so that its id stays its own
    offset = address(array) - address(root)
    return xp.ndarray(array.shape, array.dtype, memo[key], offset, array.strides)


for _method in (__copy__, __deepcopy__, __reduce_ex__):
    setattr(Tensor, _method.__name__, _method)


# A leaf on the memory of another tensor: what a Parameter and a Variable are.


def leaf_over(data: Tensor, requires_grad: bool, cls: type[Tensor] = Tensor) -> Any:
    """A `cls` without history that shares memory and version counter with `data`.

    Raises RuntimeError when a gradient is wanted for a tensor that is neither floating point nor complex
    (T-51).
    """
    out = new_tensor(data._array, cls)
    out._storage = storage_of(data)
    if requires_grad:
        if data._array.dtype.kind not in "fcV":
            what = "this tensor" if cls is Tensor else f"this {cls.__name__}'s data"
            raise explained(
                RuntimeError(
                    "Only Tensors of floating point and complex dtype can require gradients; "
                    f"{what} is {data.dtype.name}"
                ),
                kind="cut-dtype",
                fix="convert the data with .float(), or pass requires_grad=False",
            )
        if data.is_inference():  # raises outside inference mode (M-25)
            return out.requires_grad_()
        out._tracked = LEAF
    return out
