"""Hooks of modules: functions called before and after `forward`, and around its backward."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from vizgrad.autograd.function import Function
from vizgrad.core.graph.node import RemovableHandle, add_hook
from vizgrad.core.tensor.modes import MODES, is_grad_enabled
from vizgrad.core.tensor.tensor import Tensor

if TYPE_CHECKING:
    from vizgrad.nn.modules.module import Module


Hooks = OrderedDict[int, Any]


def _register(
    hooks: Hooks, hook: Any, marks: tuple[tuple[dict[int, bool], bool], ...], prepend: bool
) -> RemovableHandle:
    handle = add_hook(hooks, hook)
    for table, wanted in marks:
        if wanted:
            table[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_forward_pre_hook(
    self: Module, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
) -> RemovableHandle:
    """`hook(module, args)` before forward; what it returns replaces the arguments.

    With `with_kwargs`: `hook(module, args, kwargs) -> (args, kwargs) | None`.
    """
    marks = ((self._forward_pre_hooks_with_kwargs, with_kwargs),)
    return _register(self._forward_pre_hooks, hook, marks, prepend)


def register_forward_hook(
    self: Module,
    hook: Callable[..., Any],
    *,
    prepend: bool = False,
    with_kwargs: bool = False,
    always_call: bool = False,
) -> RemovableHandle:
    """`hook(module, args, output)` after forward; what it returns, if not None, replaces the output.

    With `with_kwargs`: `hook(module, args, kwargs, output)`. With `always_call` it is called, with
    output None, when forward raised as well.
    """
    marks = (
        (self._forward_hooks_with_kwargs, with_kwargs),
        (self._forward_hooks_always_called, always_call),
    )
    return _register(self._forward_hooks, hook, marks, prepend)


def register_full_backward_hook(
    self: Module, hook: Callable[..., Any], prepend: bool = False
) -> RemovableHandle:
    """`hook(module, grad_input, grad_output)` once the gradients of the module's inputs are known.

    Its result, if not None, replaces `grad_input`.
    """
    return _register(self._backward_hooks, hook, (), prepend)


def register_full_backward_pre_hook(
    self: Module, hook: Callable[..., Any], prepend: bool = False
) -> RemovableHandle:
    """`hook(module, grad_output)` before the module's backward; may return a new `grad_output`."""
    return _register(self._backward_pre_hooks, hook, (), prepend)


def call_with_hooks(self: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`forward` with everything registered around it."""
    called: set[int] = set()
    try:
        for key, hook in list(self._forward_pre_hooks.items()):
            if key in self._forward_pre_hooks_with_kwargs:
                changed = hook(self, args, kwargs)
                if changed is not None:
                    args, kwargs = _both(changed)
            else:
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        around = None
        if self._backward_hooks or self._backward_pre_hooks:
            around = BackwardHooks(self)
            args = around.watch_inputs(args)
        output = self.forward(*args, **kwargs)
        for key, hook in list(self._forward_hooks.items()):
            called.add(key)
            changed = _call_forward_hook(self, key, hook, args, kwargs, output)
            if changed is not None:
                output = changed
        return output if around is None else around.watch_outputs(output)
    except Exception:
        for key, hook in list(self._forward_hooks.items()):
            if key in self._forward_hooks_always_called and key not in called:
                _call_forward_hook(self, key, hook, args, kwargs, None)
        raise


def _both(changed: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """(args, kwargs) as a pre-hook gave them."""
    if not (isinstance(changed, tuple) and len(changed) == 2):
        raise RuntimeError(
            "a forward pre-hook registered with_kwargs must return None or a tuple "
            f"(new_args, new_kwargs), but got {changed!r}"
        )
    return changed


def _call_forward_hook(
    self: Module,
    key: int,
    hook: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    output: Any,
) -> Any:
    if key in self._forward_hooks_with_kwargs:
        return hook(self, args, kwargs, output)
    return hook(self, args, output)


# Hooks around the backward of a module's forward, as an identity operation on each side of it.


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
