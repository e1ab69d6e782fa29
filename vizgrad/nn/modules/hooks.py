"""Hooks of modules: functions called before and after `forward`, and around its backward."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from vizgrad.core.graph.hooks import RemovableHandle, add_hook

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

    What it returns, if not None, replaces `grad_input`.
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
            from vizgrad.nn.modules.backward_hooks import BackwardHooks

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
