"""Hooks of a module around saving and loading its state (T-50)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from vizgrad.core.graph.hooks import RemovableHandle, add_hook

if TYPE_CHECKING:
    from vizgrad.nn.modules.module import Module


class Replacing:
    """A state_dict hook that may return another dict: only PyTorch's older, private way allows it."""

    def __init__(self, hook: Callable[..., Any]) -> None:
        self.hook = hook

    def __call__(self, *args: Any) -> Any:
        return self.hook(*args)


class WithoutModule:
    """A hook that is not told which module it is called for."""

    def __init__(self, hook: Callable[..., Any]) -> None:
        self.hook = hook

    def __call__(self, module: Module, *args: Any) -> Any:
        return self.hook(*args)


def register_state_dict_pre_hook(self: Module, hook: Callable[..., Any]) -> RemovableHandle:
    """`hook(module, prefix, keep_vars)` before this module's state is collected."""
    return add_hook(self._state_dict_pre_hooks, hook)


def register_state_dict_post_hook(self: Module, hook: Callable[..., Any]) -> RemovableHandle:
    """`hook(module, state_dict, prefix, local_metadata)` after this module's state was collected.

    It edits `state_dict` in place; RuntimeError if it returns anything.
    """
    return add_hook(self._state_dict_hooks, hook)


def register_replacing_hook(self: Module, hook: Callable[..., Any]) -> RemovableHandle:
    """As `register_state_dict_post_hook`; what it returns takes the place of `state_dict`."""
    return add_hook(self._state_dict_hooks, Replacing(hook))


def register_load_state_dict_pre_hook(self: Module, hook: Callable[..., Any]) -> RemovableHandle:
    """`hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
    error_msgs)` before this module takes its state.
    """
    return add_hook(self._load_state_dict_pre_hooks, hook)


def register_plain_load_pre_hook(
    self: Module, hook: Callable[..., Any], with_module: bool = False
) -> RemovableHandle:
    """As `register_load_state_dict_pre_hook`; the module is passed only if asked for."""
    return add_hook(self._load_state_dict_pre_hooks, hook if with_module else WithoutModule(hook))


def register_load_state_dict_post_hook(self: Module, hook: Callable[..., Any]) -> RemovableHandle:
    """`hook(module, incompatible_keys)` after loading; it may edit the two lists of keys."""
    return add_hook(self._load_state_dict_post_hooks, hook)
