"""Module: a part of a model, with its parameters, buffers and the modules it is made of (T-50, T-51).

Scope names: how the graph calls the part of the forward that a module ran.

A module is called as its parent names it, with its class: ``0: Linear``, ``encoder: Encoder``. Parents
that are never called themselves (ModuleList, ModuleDict) show in the name: ``layers.0: Block``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from importlib import import_module
from sys import _getframe
from typing import TYPE_CHECKING, Any, Self

from vizgrad.core.tensor.modes import MODES, ModuleScope, pop_scope, push_scope
from vizgrad.core.tensor.source_location import INTERNAL, Site, caller
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.modules import hooks, state, walk
from vizgrad.nn.modules import state as state_hooks
from vizgrad.nn.parameter import Buffer, Parameter

# Scope names: how the graph calls the part of the forward that a module ran.


def name_child(parent: Module, name: str, child: Module) -> None:
    """Remembers under which name `parent` holds `child`; a shared module keeps the latest."""
    if not parent._is_called:
        name = f"{parent._held_as}.{name}" if parent._held_as else name
    _name(child, name)


def _name(module: Module, name: str) -> None:
    slots = module.__dict__
    slots["_held_as"] = name
    slots["_scope_name"] = f"{name}: {type(module).__name__}"
    if not module._is_called:
        for own, child in module._modules.items():
            if child is not None:
                _name(child, f"{name}.{own}")


# How a tree of modules prints: one line a module, children indented below their parent.


def indented(text: str, spaces: int = 2) -> str:
    """All lines but the first moved right."""
    return text.replace("\n", "\n" + " " * spaces)


def module_repr(self: Module) -> str:
    extra = self.extra_repr()
    lines = extra.split("\n") if extra else []
    below = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
    name = self._get_name()
    if not below and len(lines) <= 1:
        return f"{name}({extra})"
    return f"{name}(\n  " + "\n  ".join(lines + below) + "\n)"


def grouped_repr(self: Module) -> str:
    """As `module_repr`, but runs of equal neighbours become one line: ``(0-2): 3 x Linear(...)``."""
    groups: list[tuple[int, int, str]] = []
    for index, module in enumerate(self._modules.values()):
        text = repr(module)
        if groups and groups[-1][2] == text:
            groups[-1] = (groups[-1][0], index, text)
        else:
            groups.append((index, index, text))
    if not groups:
        return f"{self._get_name()}()"
    lines = [
        indented(
            f"({first}): {text}"
            if first == last
            else f"({first}-{last}): {last - first + 1} x {text}"
        )
        for first, last, text in groups
    ]
    return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


_NO_INIT = (
    "cannot assign {} before Module.__init__() call: start your __init__ with super().__init__()"
)


def _no_forward(self: Module, *input: Any) -> Any:
    """The computation of the module; every subclass that is called has its own."""
    raise NotImplementedError(
        f'Module [{type(self).__name__}] is missing the required "forward" function'
    )


class Module:
    """Base class of all layers and models. Write `__init__` and `forward`; call the instance.

    Parameters, modules and buffers assigned as attributes are found by `parameters()`,
    `state_dict()`, `to()` and the rest. Operations recorded while `forward` runs remember the path of
    modules they were recorded in, so that the graph can be drawn by module.
    """

    training: bool
    _version = 1
    #: False for holders of modules without a forward of their own.
    _is_called = True
    #: Name in the parent, and the name of the scope it opens when called from there.
    _held_as = ""
    _scope_name = ""
    call_super_init = False
    #: Declared as what it is to a type checker: each subclass takes arguments of its own.
    forward: Callable[..., Any] = _no_forward

    if TYPE_CHECKING:
        _parameters: dict[str, Parameter | None]
        _buffers: dict[str, Tensor | None]
        _modules: dict[str, Module | None]
        _non_persistent_buffers_set: set[str]
        _forward_hooks: OrderedDict[int, Any]
        _forward_hooks_with_kwargs: dict[int, bool]
        _forward_hooks_always_called: dict[int, bool]
        _forward_pre_hooks: OrderedDict[int, Any]
        _forward_pre_hooks_with_kwargs: dict[int, bool]
        _backward_hooks: OrderedDict[int, Any]
        _backward_pre_hooks: OrderedDict[int, Any]
        _state_dict_hooks: OrderedDict[int, Any]
        _state_dict_pre_hooks: OrderedDict[int, Any]
        _load_state_dict_pre_hooks: OrderedDict[int, Any]
        _load_state_dict_post_hooks: OrderedDict[int, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and (args or kwargs):
            given = next(iter(kwargs)) if kwargs else f"{len(args)} positional argument(s)"
            raise TypeError(f"{type(self).__name__}.__init__() got unexpected {given}")
        self.__dict__.update(training=True, **_tables())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes what was pickled, perhaps by a version that knew fewer kinds of hooks."""
        self.__dict__.update({**_tables(), **state})

    # --- calling -------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        before = MODES.scope
        if before is None:
            push_scope(type(self).__name__, caller(), ModuleScope)
        else:  # within a scope, which `GUARD` counts already
            frame = _getframe(1)
            inside = INTERNAL[frame.f_globals.get("__package__")]
            site = before.site if inside else Site(frame.f_code, frame.f_lasti)
            MODES.scope = ModuleScope(self._scope_name or type(self).__name__, before, site)
        try:
            if (
                self._forward_pre_hooks
                or self._forward_hooks
                or self._backward_hooks
                or self._backward_pre_hooks
            ):
                return hooks.call_with_hooks(self, args, kwargs)
            return self.forward(*args, **kwargs)
        finally:
            if before is None:
                pop_scope(None)
            else:
                MODES.scope = before

    # --- registering ---------------------------------------------------------------------------

    def _check_name(self, name: Any, what: str, table: str) -> None:
        if table not in self.__dict__:
            raise AttributeError(_NO_INIT.format(what))
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {type(name).__name__}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in getattr(self, table):
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter under `name`; None reserves the name (`self.bias` of a layer without)."""
        self._check_name(name, "parameter", "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{_type_name(param)}' object to parameter '{name}' "
                "(vizgrad.nn.Parameter or None required)"
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds state that is not learned; with `persistent` it is part of `state_dict()`."""
        self._check_name(name, "buffer", "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' "
                "(vizgrad Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds `module` as a child under `name`."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._check_name(name, "module", "_modules")
        self._modules[name] = module
        if module is not None:
            name_child(self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """The same as `add_module`."""
        self.add_module(name, module)

    # --- attributes ----------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        slots = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            found = slots.get(table)
            if found is not None and name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        slots = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in slots:
                raise AttributeError(_NO_INIT.format("parameters"))
            self._drop(name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if "_modules" not in slots:
                raise AttributeError(_NO_INIT.format("module"))
            self._drop(name, "_parameters", "_buffers")
            slots["_modules"][name] = value
            name_child(self, name, value)
        elif name in slots.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as parameter '{name}' "
                    "(vizgrad.nn.Parameter or None expected)"
                )
            slots["_parameters"][name] = None
        elif name in slots.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as child module '{name}' "
                    "(vizgrad.nn.Module or None expected)"
                )
            slots["_modules"][name] = None
        elif isinstance(value, Buffer) or name in slots.get("_buffers", ()):
            self._set_buffer(name, value)
        else:
            object.__setattr__(self, name, value)

    def _set_buffer(self, name: str, value: Any) -> None:
        if isinstance(value, Buffer):
            if "_buffers" not in self.__dict__:
                raise AttributeError(_NO_INIT.format("buffers"))
            self._drop(name, "_parameters", "_modules")
            self.register_buffer(name, value, value.persistent)
        elif value is None or isinstance(value, Tensor):
            self._buffers[name] = value
        else:
            raise TypeError(
                f"cannot assign '{_type_name(value)}' as buffer '{name}' "
                "(vizgrad.nn.Buffer, vizgrad.Tensor or None expected)"
            )

    def _drop(self, name: str, *tables: str) -> None:
        """Forgets `name` as anything else than what it is about to become."""
        self.__dict__.pop(name, None)
        for table in tables:
            self.__dict__[table].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        for table in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(table, ()):
                del self.__dict__[table][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        own = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers}
        return sorted(name for name in own if not name[:1].isdigit())

    # --- the tree ------------------------------------------------------------------------------

    named_modules = walk.named_modules
    modules = walk.modules
    named_children = walk.named_children
    children = walk.children
    named_parameters = walk.named_parameters
    parameters = walk.parameters
    named_buffers = walk.named_buffers
    buffers = walk.buffers
    get_submodule = walk.get_submodule
    set_submodule = walk.set_submodule
    get_parameter = walk.get_parameter
    get_buffer = walk.get_buffer

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Calls `fn` with every module below, then with this one; returns self."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # --- state ---------------------------------------------------------------------------------

    state_dict = state.state_dict
    load_state_dict = state.load_state_dict
    _save_to_state_dict = state.save_to_state_dict
    _load_from_state_dict = state.load_from_state_dict

    def get_extra_state(self) -> Any:
        """Further state for `state_dict()`; write it together with `set_extra_state`."""
        raise RuntimeError(f"{type(self).__name__} has no get_extra_state")

    def set_extra_state(self, state: Any) -> None:
        raise RuntimeError(f"{type(self).__name__} has no set_extra_state")

    register_state_dict_pre_hook = state_hooks.register_state_dict_pre_hook
    register_state_dict_post_hook = state_hooks.register_state_dict_post_hook
    register_load_state_dict_pre_hook = state_hooks.register_load_state_dict_pre_hook
    register_load_state_dict_post_hook = state_hooks.register_load_state_dict_post_hook
    _register_state_dict_hook = state_hooks.register_replacing_hook
    _register_load_state_dict_pre_hook = state_hooks.register_plain_load_pre_hook

    register_forward_pre_hook = hooks.register_forward_pre_hook
    register_forward_hook = hooks.register_forward_hook
    register_full_backward_hook = hooks.register_full_backward_hook
    register_full_backward_pre_hook = hooks.register_full_backward_pre_hook

    # --- switches ------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Sets `training` here and below: dropout and batch norm behave differently by it."""
        if not isinstance(mode, bool):
            raise ValueError(f"training mode is expected to be boolean, got {mode!r}")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """The same as `train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Says for all parameters whether they want gradients; returns self."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients of all parameters: to None, or, in place, to zeros."""
        for parameter in self.parameters():
            if parameter._grad is None:
                continue
            if set_to_none:
                parameter._grad = None
            else:
                grad: Any = parameter._grad
                grad = grad.detach_() if grad.grad_fn is not None else grad.requires_grad_(False)
                grad.zero_()

    # --- conversion ----------------------------------------------------------------------------

    _apply = walk.apply_to_data

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Checks the settings as `vizgrad.compile` does: there is no compiler, and a warning says so once."""
        import_module("vizgrad.compiler").compile(self, *args, **kwargs)  # it stands above modules

    to = walk.to
    to_empty = walk.to_empty
    type = walk.to_type
    float = walk.to_float
    double = walk.to_double
    half = walk.to_half
    bfloat16 = walk.to_bfloat16
    cpu = walk.to_cpu
    cuda = walk.to_cuda

    # --- showing -------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """The text between the parentheses of `repr`; subclasses override it."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    __repr__ = module_repr


def _tables() -> dict[str, Any]:
    """The containers that every module owns, empty."""
    return {
        "_non_persistent_buffers_set": set(),
        **{table: {} for table in _DICTS},
        **{table: OrderedDict() for table in _ORDERED},
    }


_DICTS = (
    "_parameters", "_buffers", "_modules", "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called", "_forward_pre_hooks_with_kwargs",
)  # fmt: skip
_ORDERED = (
    "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks",
    "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)  # fmt: skip


def _type_name(value: object) -> str:
    kind = type(value)
    return f"vizgrad.{kind.__name__}" if isinstance(value, Tensor) else kind.__name__
