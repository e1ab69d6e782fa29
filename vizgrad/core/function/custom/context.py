"""FunctionCtx: what a Function's forward tells about itself (spec 01 D, E)."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from vizgrad.core.errors import explained, place_of
from vizgrad.core.graph.node import RemovableHandle, add_hook, new_hooks
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor


class NotSavedError(AssertionError, TypeError):
    """Both: PyTorch raises AssertionError here, and TypeError in `save_for_backward` (F-42)."""


class FunctionCtx:
    """The context `ctx` of a Function's forward; for a recorded call it is the node too (F-3)."""

    to_save: Any
    saved_for_forward: Any
    dirty_tensors: Any
    non_differentiable: Any
    materialize_grads: bool

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps tensors for backward, where `ctx.saved_tensors` gives them.

        Inputs, outputs, intermediates, or None. They are saved when `apply` finishes, and checked when
        read: a tensor changed in place meanwhile raises RuntimeError. Calling it again forgets the
        first call.
        """
        # F-35
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keeps tensors for `jvp`, where `ctx.saved_tensors` gives them."""
        # F-42
        for index, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, Tensor):
                raise explained(
                    NotSavedError(
                        "save_for_forward expects all arguments to be tensors; argument "
                        f"{index} is of type {type(tensor).__name__}. Store other values as "
                        "attributes of ctx."
                    ),
                    kind="function-return",
                    culprit=place_of(caller()),
                    fix="keep values that are no tensors as attributes, e.g. `ctx.dim = dim`",
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Says which inputs forward changed in place; each must be returned, as it is."""
        # F-50, F-51
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Says which outputs have no derivative: they will not require grad."""
        # F-26
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether undefined gradients come to backward as zeros (the default) or None."""
        # F-44
        if not isinstance(value, bool):
            raise wrong_call(
                TypeError(f"set_materialize_grads expects a bool, got {type(value).__name__}"),
                "pass True or False",
                "function-return",
            )
        self.materialize_grads = value

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Does nothing: sharing of memory is tracked by itself."""
        # F-45
        warnings.warn(
            "mark_shared_storage is deprecated. Tensors with shared storages are automatically "
            "tracked. Note that calls to `set_()` are not tracked.",
            FutureWarning,
            stacklevel=2,
        )


#: The same object under the name that old code imports (F-1).
_ContextMethodMixin = FunctionCtx


class _HookMixin:
    @staticmethod
    def _register_hook(
        backward_hooks: OrderedDict[int, Any] | None, hook: Callable[..., Any]
    ) -> tuple[OrderedDict[int, Any], RemovableHandle]:
        """Adds `hook` to the dict, made now if it is None; returns both (F-93)."""
        hooks = new_hooks() if backward_hooks is None else backward_hooks
        return hooks, add_hook(hooks, hook)
