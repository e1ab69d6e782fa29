"""Changes of a step, or of a user at a pause, outside of PyTorch's backward."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import repeat
from typing import Any

import torch

from vizgrad.debugger.engines.api.protocols import WorldChanged
from vizgrad.debugger.engines.common import new_values
from vizgrad.debugger.engines.pytorch.elements import bytes_of
from vizgrad.debugger.engines.pytorch.versions import set_version


class _GradState:
    """A tensor's `.grad` at one moment: which object, its counter, and its elements if they are kept."""

    __slots__ = ("elements", "grad", "version")

    def __init__(self, tensor: torch.Tensor, copy: bool) -> None:
        grad = grad_of(tensor)
        self.grad = grad
        self.version = 0 if grad is None else _counted(grad)._version
        self.elements = copy_of(grad) if copy else None

    def matches(self, tensor: torch.Tensor) -> bool:
        return grad_of(tensor) is self.grad and not self.written()

    def written(self) -> bool:
        """Has the object been written to since?"""
        return self.grad is not None and _counted(self.grad)._version != self.version

    def holding(self, elements: torch.Tensor | None) -> _GradState:
        """The same, with its elements."""
        made = _GradState.__new__(_GradState)
        made.grad, made.version, made.elements = self.grad, self.version, elements
        return made

    def restore(self, tensor: torch.Tensor) -> None:
        tensor.grad = self.grad
        if self.grad is not None and self.elements is not None:
            with torch.no_grad():
                self.grad.detach().copy_(self.elements)
            set_version(_counted(self.grad), self.version)


def _counted(grad: torch.Tensor) -> torch.Tensor:
    """The tensor whose counter tells of writes to a gradient: FSDP2 writes to the local one of a DTensor."""
    local = getattr(grad, "_local_tensor", None)
    return grad if local is None else local


def _reference(tensor: torch.Tensor) -> Callable[[], torch.Tensor]:
    """Keeps a tensor alive: what PyTorch does after a step is told by it."""
    return repeat(tensor).__next__


class GradEffect(new_values.GradEffect):
    """`.grad` of one tensor before a step, and after it."""

    __slots__ = ("__weakref__",)
    state = _GradState
    refer = staticmethod(_reference)
    copies_replaced = False

    @property
    def nbytes(self) -> int:
        return 0 if self.before is None else bytes_of(self.before)

    def changed(self) -> bool:
        """The step is over. Did it change anything?"""
        self.done()
        assert self._after is not None
        if self._before.matches(self._tensor()):
            return False
        if self._after.grad is not self._before.grad:  # what was there before is as it was
            self._before.elements = None
        return True

    def again(self) -> GradEffect:
        """For the next change of the same `.grad`."""
        return GradEffect(self._tensor())

    def since(self, elements: torch.Tensor | None) -> GradEffect | None:
        """The value that came after it, if there is one. `elements` are those that it left behind."""
        after, tensor = self._after, self._tensor()
        assert isinstance(after, _GradState)  # it is done
        if after.matches(tensor):
            return None
        made = GradEffect(tensor, copy=False)
        made._before, made._after = after.holding(elements), made._before
        return made

    @property
    def can_undo(self) -> bool:
        """Are the elements of before known, or still there?"""
        before = self._before
        return before.elements is not None or not before.written()


class Unkept:
    """A change of the elements of a `.grad` by what is no node of a leaf, where no copy of what was there
    before is kept.
    """

    def undo(self) -> None:
        raise WorldChanged("back", ".grad was written to")

    def redo(self) -> None:
        """Is never undone."""


class LeafEffect:
    """The elements of a leaf before a step whose hooks may write to it, and after it.

    An optimizer that steps within the backward is such a hook. The optimizer's state is not known here, and
    stays as it is.
    """

    __slots__ = ("_after", "_before", "_tensor", "_versions")

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor = tensor
        self._before = copy_of(tensor)
        self._after: torch.Tensor | None = None
        self._versions = tensor._version, tensor._version

    @property
    def nbytes(self) -> int:
        return sum(bytes_of(each) for each in (self._before, self._after) if each is not None)

    def changed(self) -> bool:
        """The step is over. Did it change anything?"""
        if self._holds(self._before):
            self._before = None
            return False
        self._after = copy_of(self._tensor)
        self._versions = self._versions[0], self._tensor._version
        return True

    def undo(self) -> None:
        self._replace("back", self._after, self._before, self._versions[0])

    def redo(self) -> None:
        self._replace("forward again", self._before, self._after, self._versions[1])

    def _replace(
        self, way: str, there: torch.Tensor | None, new: torch.Tensor | None, version: int
    ) -> None:
        if not self._holds(there):
            raise WorldChanged(way, "a leaf was written")
        assert new is not None
        with torch.no_grad():
            self._tensor.detach().copy_(new)
        set_version(self._tensor, version)

    def _holds(self, elements: torch.Tensor | None) -> bool:
        assert elements is not None
        now = self._tensor.detach()
        same = now.shape == elements.shape and now.dtype == elements.dtype
        return same and torch.allclose(now, elements, rtol=0, atol=0, equal_nan=True)


def leaf_effect(tensor: torch.Tensor) -> LeafEffect | None:
    """The effect of a step that runs hooks after accumulation; None where there are none, and for a tensor
    without plain elements.
    """
    hooks = getattr(tensor, "_post_accumulate_grad_hooks", None)
    plain = type(tensor) in (torch.Tensor, torch.nn.Parameter) and not tensor.is_nested
    stored = tensor.layout == torch.strided and tensor.device.type != "meta"
    return LeafEffect(tensor) if hooks and plain and stored else None


def grad_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """`.grad`, also of what is no leaf: a backward that was asked for it (`inputs=`) puts it there."""
    if tensor.is_leaf or tensor.retains_grad:
        return tensor.grad
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's: there will be none
        return tensor.grad


def copy_of(tensor: torch.Tensor | None) -> torch.Tensor | None:
    """Its values as they are now, without history."""
    return None if tensor is None else tensor.detach().clone()


class TensorFitting:
    """See `vizgrad.debugger.engines.common.new_values.Fitting`."""

    def is_sparse(self, there: torch.Tensor) -> bool:
        return there.layout != torch.strided

    def fit(self, given: Any, there: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            tensor = torch.as_tensor(given, device=there.device).detach()
            if tensor.is_complex() and not there.is_complex():
                raise ValueError(new_values.COMPLEX)
            return torch.empty_like(there).copy_(tensor)


def new_value(there: torch.Tensor, value: Any) -> tuple[torch.Tensor, str]:
    """See `vizgrad.debugger.engines.common.new_values.new_value`."""
    return new_values.new_value(TensorFitting(), there, value)
