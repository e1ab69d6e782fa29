"""What a step changed in the world outside of PyTorch's backward, so that it can be undone and redone."""

from __future__ import annotations

import warnings

import torch

from vizgrad.debugger.engines.api.protocols import WorldChanged
from vizgrad.debugger.engines.pytorch.parts import bytes_of
from vizgrad.debugger.engines.pytorch.versions import set_version


class _State:
    """A tensor's `.grad` at one moment: which object, its counter, and its elements if they are kept."""

    __slots__ = ("elements", "grad", "version")

    def __init__(self, tensor: torch.Tensor, *, copy: bool) -> None:
        grad = grad_of(tensor)
        self.grad = grad
        self.version = 0 if grad is None else grad._version
        self.elements = copy_of(grad) if copy else None

    def matches(self, tensor: torch.Tensor) -> bool:
        """Is it still this object, and has nobody written to it?"""
        grad = grad_of(tensor)
        return grad is self.grad and (grad is None or grad._version == self.version)

    def holding(self, elements: torch.Tensor | None) -> _State:
        """The same, with its elements."""
        made = _State.__new__(_State)
        made.grad, made.version, made.elements = self.grad, self.version, elements
        return made

    def restore(self, tensor: torch.Tensor) -> None:
        tensor.grad = self.grad
        if self.grad is not None and self.elements is not None:
            with torch.no_grad():
                self.grad.detach().copy_(self.elements)
            set_version(self.grad, self.version)


class GradEffect:
    """`.grad` of one tensor before a step, and after it."""

    def __init__(self, tensor: torch.Tensor, *, copy: bool = True) -> None:
        """`copy`: it may be added to in place."""
        self._tensor = tensor
        self._before = _State(tensor, copy=copy)
        self._after: _State | None = None

    @property
    def before(self) -> torch.Tensor | None:
        """The elements before the step."""
        return self._before.elements

    @property
    def grad_before(self) -> torch.Tensor | None:
        return self._before.grad

    @property
    def nbytes(self) -> int:
        return 0 if self._before.elements is None else bytes_of(self._before.elements)

    def done(self) -> bool:
        """The step is over. Did it change anything?"""
        before, self._after = self._before, _State(self._tensor, copy=False)
        if before.matches(self._tensor):
            return False
        if self._after.grad is not before.grad:  # what was there before is as it was
            before.elements = None
        return True

    def since(self, elements: torch.Tensor | None) -> GradEffect | None:
        """What has come after it, if anything has. `elements` are those that it left behind."""
        assert self._after is not None
        if self._after.matches(self._tensor):
            return None
        made = GradEffect(self._tensor, copy=False)
        made._before, made._after = self._after.holding(elements), made._before
        return made

    def undo(self) -> None:
        assert self._after is not None  # it is done
        if not self._after.matches(self._tensor):
            raise WorldChanged("back", _GRAD_CHANGED)
        if self._after.grad is self._before.grad:
            self._after.elements = copy_of(self._after.grad)
        self._before.restore(self._tensor)

    def redo(self) -> None:
        assert self._after is not None
        if not self._before.matches(self._tensor):
            raise WorldChanged("forward again", _GRAD_CHANGED)
        self._after.restore(self._tensor)


_GRAD_CHANGED = ".grad of a tensor was changed"


def grad_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """`.grad`, also of what is no leaf: a backward that was asked for it (`inputs=`) puts it there."""
    if tensor.is_leaf or tensor.retains_grad:
        return tensor.grad
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's: there will be none
        return tensor.grad


def copy_of(tensor: torch.Tensor | None) -> torch.Tensor | None:
    """Its values as they are now, without history."""
    if tensor is None:
        return None
    with torch.no_grad():
        return tensor.detach().clone()
