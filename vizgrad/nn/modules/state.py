"""Saving a tree of modules as a dict of tensors, and loading it back (T-52)."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from vizgrad.core.graph.node import RemovableHandle, add_hook
from vizgrad.core.tensor.modes import set_grad_mode
from vizgrad.core.tensor.tensor import Tensor

if TYPE_CHECKING:
    from vizgrad.nn.modules.module import Module


# Hooks of a module around saving and loading its state (T-50).


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


class IncompatibleKeys(NamedTuple):
    """The keys that `load_state_dict` did not find, and those that it had no use for."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )

    __str__ = __repr__


class StateDict(OrderedDict[str, Any]):
    """Dotted path -> tensor. `_metadata` maps the path of each module to its format's version."""

    _metadata: OrderedDict[str, dict[str, Any]]


#: Key for `get_extra_state` / `set_extra_state`.
EXTRA_STATE = "_extra_state"


def state_dict(
    self: Module, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
) -> Any:
    """Parameters and persistent buffers by dotted path, as detached tensors that share memory.

    With `keep_vars` the tensors themselves. Clone the values to keep them through further training.
    Arguments by position are PyTorch's old way, and warn.
    """
    if args:
        warnings.warn(
            "Positional args are being deprecated, use kwargs instead: "
            "state_dict(destination=..., prefix=..., keep_vars=...)",
            FutureWarning,
            stacklevel=2,
        )
        given: tuple[Any, ...] = (destination, prefix, keep_vars)
        destination, prefix, keep_vars = (*args, *given[len(args) :])
    if destination is None:
        destination = StateDict()
        destination._metadata = OrderedDict()
    metadata = {"version": self._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = metadata
    for hook in self._state_dict_pre_hooks.values():
        hook(self, prefix, keep_vars)
    self._save_to_state_dict(destination, prefix, keep_vars)
    for name, module in self._modules.items():
        if module is not None:
            module.state_dict(
                destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
            )
    for hook in self._state_dict_hooks.values():
        replaced = hook(self, destination, prefix, metadata)
        if replaced is None:
            continue
        if not isinstance(hook, Replacing):
            raise RuntimeError(
                "state_dict post-hook must return None; it changes the dict it is given in place"
            )
        destination = replaced
    return destination


def _own_state(self: Module) -> dict[str, Tensor]:
    """Parameters and persistent buffers of this module alone."""
    found: dict[str, Tensor] = {n: p for n, p in self._parameters.items() if p is not None}
    found.update(
        (n, b)
        for n, b in self._buffers.items()
        if b is not None and n not in self._non_persistent_buffers_set
    )
    return found


def save_to_state_dict(self: Module, destination: Any, prefix: str, keep_vars: bool) -> None:
    """Writes this module's own state into `destination`; subclasses may extend it."""
    for name, tensor in _own_state(self).items():
        destination[prefix + name] = tensor if keep_vars else tensor.detach()
    if type(self).get_extra_state is not _module_class().get_extra_state:
        destination[prefix + EXTRA_STATE] = self.get_extra_state()


def load_state_dict(
    self: Module, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
) -> IncompatibleKeys:
    """Copies values into parameters and buffers, in place.

    With `assign` the tensors of `state_dict` take their place instead. Raises RuntimeError listing
    every tensor of another size and, when `strict`, all keys that are missing or unexpected.
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    missing: list[str] = []
    unexpected: list[str] = []
    problems: list[str] = []
    metadata = getattr(state_dict, "_metadata", None)
    state: Any = OrderedDict(state_dict)
    if metadata is not None:
        state._metadata = metadata

    def load(module: Module, prefix: str) -> None:
        local = {} if metadata is None else metadata.get(prefix[:-1], {})
        if assign:
            local = {**local, "assign_to_params_buffers": True}
        for hook in module._load_state_dict_pre_hooks.values():
            hook(module, state, prefix, local, True, missing, unexpected, problems)
        module._load_from_state_dict(state, prefix, local, True, missing, unexpected, problems)
        for name, child in module._modules.items():
            if child is not None:
                load(child, f"{prefix}{name}.")
        keys = IncompatibleKeys(missing, unexpected)
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, keys) is not None:
                raise AssertionError(
                    "Hooks registered with register_load_state_dict_post_hook are not expected to "
                    "return new values; they change the lists they are given in place"
                )

    load(self, "")
    if strict:
        problems = [*_keys_amiss(missing, unexpected), *problems]
    if problems:
        raise RuntimeError(
            f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(problems)
        )
    return IncompatibleKeys(missing, unexpected)


def load_from_state_dict(
    self: Module,
    state_dict: Any,
    prefix: str,
    local_metadata: dict[str, Any],
    strict: bool,
    missing_keys: list[str],
    unexpected_keys: list[str],
    error_msgs: list[str],
) -> None:
    """Takes this module's own state; notes what did not fit in the three lists."""
    own = _own_state(self)
    assign = local_metadata.get("assign_to_params_buffers", False)
    for name, target in own.items():
        key = prefix + name
        if key not in state_dict:
            missing_keys.append(key)
            continue
        problem = _load_tensor(self, name, target, state_dict[key], key, assign)
        if problem:
            error_msgs.append(problem)
    extra = prefix + EXTRA_STATE
    if type(self).set_extra_state is not _module_class().set_extra_state:
        if extra in state_dict:
            self.set_extra_state(state_dict[extra])
        else:
            missing_keys.append(extra)
    for key in state_dict:
        if key.startswith(prefix):
            first = key[len(prefix) :].partition(".")[0]
            if key == prefix + first and first in own:
                continue
            if first in self._modules and key != prefix + first:
                continue
            if key == extra and type(self).set_extra_state is not _module_class().set_extra_state:
                continue
            unexpected_keys.append(key)


def _load_tensor(
    module: Module, name: str, target: Tensor, value: Any, key: str, assign: bool
) -> str:
    """Copies one value; returns what is wrong with it, or ""."""
    from vizgrad.nn.parameter import Parameter, is_lazy

    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{key}", expected a Tensor from checkpoint '
            f"but received {type(value)}"
        )
    if is_lazy(target) and is_lazy(value):
        return ""
    if target.ndim == 0 and value.shape == (1,):
        value = value[0]  # scalars were once saved as one element
    if value.shape != target.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {list(value.shape)} from "
            f"checkpoint, the shape in current model is {list(target.shape)}."
        )
    before = set_grad_mode(False)
    try:
        if assign:
            if isinstance(target, Parameter):
                if not isinstance(value, Parameter):
                    value = Parameter(value, target.requires_grad)
                value.requires_grad_(target.requires_grad)
            setattr(module, name, value)
        else:
            target.copy_(value)
    finally:
        set_grad_mode(before)
    return ""


def _keys_amiss(missing: list[str], unexpected: list[str]) -> Iterator[str]:
    if missing:
        yield f"Missing key(s) in state_dict: {_listed(missing)}."
    if unexpected:
        yield f"Unexpected key(s) in state_dict: {_listed(unexpected)}."


def _listed(keys: list[str]) -> str:
    return ", ".join(f'"{key}"' for key in keys)


def _module_class() -> type[Module]:
    from vizgrad.nn.modules.module import Module

    return Module
