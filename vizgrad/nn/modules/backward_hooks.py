"""Hooks around the backward of a module's forward, as an identity operation on each side of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.autograd.function import Function
from vizgrad.core.tensor.modes import MODES, is_grad_enabled
from vizgrad.core.tensor.tensor import Tensor

if TYPE_CHECKING:
    from vizgrad.nn.modules.module import Module


class BackwardHookFunction(Function):
    """Passes tensors and gradients through; its node is where the hooks are."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        ctx.mark_non_differentiable(*(t for t in tensors if not t.requires_grad))
        return tuple(t.view_as(t) for t in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


def _unrecorded(tensors: list[Any]) -> bool:
    """No backward will come here: none requires grad, or nothing is recorded.

    Inside of `jvp` or `vmap`, too, no node is put around a module, as in PyTorch.
    """
    if not is_grad_enabled() or not any(t.requires_grad for t in tensors):
        return True
    return bool(MODES.transforms) and not MODES.transforms[-1].differentiates


class BackwardHooks:
    """One call of a module with full backward hooks."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.pre = list(module._backward_pre_hooks.values())
        self.full = list(module._backward_hooks.values())
        self.grad_output: tuple[Any, ...] | None = None
        self.has_inputs = False
        self.count = 0

    def watch_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, tensors among them passed through a node that knows when it is done."""
        where = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        self.count = len(args)
        if _unrecorded([args[i] for i in where]):
            return args
        passed = BackwardHookFunction.apply(*(args[i] for i in where))
        node = next(t.grad_fn for t in passed if t.grad_fn is not None)
        self.has_inputs = True

        def done(grad_inputs: tuple[Any, ...], _: Any) -> Any:
            if self.grad_output is None:
                return None
            given: list[Any] = [None] * self.count
            for i, grad in zip(where, grad_inputs, strict=True):
                given[i] = grad
            changed = self._call_full(tuple(given))
            self.grad_output = None
            return None if changed is None else tuple(changed[i] for i in where)

        node.register_hook(done)
        out = list(args)
        for i, tensor in zip(where, passed, strict=True):
            out[i] = tensor
        return tuple(out)

    def watch_outputs(self, output: Any) -> Any:
        """The result, with its tensors passed through a node that sees their gradients first."""
        single = isinstance(output, Tensor)
        values = (output,) if single else tuple(output) if isinstance(output, (tuple, list)) else ()
        where = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
        if _unrecorded([values[i] for i in where]):
            return output
        passed = BackwardHookFunction.apply(*(values[i] for i in where))
        node = next(t.grad_fn for t in passed if t.grad_fn is not None)

        def begin(grads: tuple[Any, ...]) -> Any:
            given: list[Any] = [None] * len(values)
            for i, grad in zip(where, grads, strict=True):
                given[i] = grad
            self.grad_output = tuple(given)
            for hook in self.pre:
                changed = hook(self.module, self.grad_output)
                if changed is not None:
                    self.grad_output = changed if isinstance(changed, tuple) else (changed,)
            if not self.has_inputs:
                self._call_full((None,) * self.count)
            return tuple(self.grad_output[i] for i in where)

        node.register_prehook(begin)
        out = list(values)
        for i, tensor in zip(where, passed, strict=True):
            out[i] = tensor
        return out[0] if single else type(output)(out)

    def _call_full(self, grad_input: tuple[Any, ...]) -> tuple[Any, ...] | None:
        changed_at_all = False
        for hook in self.full:
            changed = hook(self.module, grad_input, self.grad_output)
            if changed is not None:
                each = changed if isinstance(changed, tuple) else (changed,)
                if not self.has_inputs and all(g is None for g in each):
                    continue
                if not self.has_inputs:
                    raise RuntimeError(
                        "Backward hooks for Modules where no input requires gradient should always "
                        "return None or None for all gradients."
                    )
                grad_input = changed if isinstance(changed, tuple) else (changed,)
                if len(grad_input) != self.count:
                    raise RuntimeError(
                        f"Backward hook returned an invalid number of grad_input, got "
                        f"{len(grad_input)}, but expected {self.count}"
                    )
                changed_at_all = True
        return grad_input if changed_at_all else None
