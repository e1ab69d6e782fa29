"""Tensors of a module that are computed from others: constraints on weights, as torch.nn.utils.parametrize.

A module with such a tensor is of a class of its own, whose property computes the tensor at each reading;
what it is computed from lies in `module.parametrizations.NAME`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from typing import Any, NoReturn

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.modules.container import ModuleDict, ModuleList
from vizgrad.nn.modules.module import Module
from vizgrad.nn.parameter import Parameter

_PREFIX = "Parametrized"

_depth = 0
_computed: dict[tuple[int, str], Any] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Within it each parametrized tensor is computed once."""
    global _depth  # one for all threads, as in PyTorch
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if not _depth:
            _computed.clear()


class ParametrizationList(ModuleList):
    """The functions, one after the other, that make a tensor of `original` (or `original0`, `original1`...).

    The result of the last function's `right_inverse` is the input of the one before it.
    """

    def __init__(self, modules: Sequence[Any], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        before = {"dtype": original.dtype, "shape": original.shape}
        value: Any = original
        with no_grad():
            for each in reversed(list(self)):
                if hasattr(each, "right_inverse"):
                    with suppress(NotImplementedError):  # then it starts from the tensor itself
                        value = each.right_inverse(value)
        if not isinstance(value, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                f"{type(value).__name__}"
            )
        self.is_tensor = isinstance(value, Tensor)
        if self.is_tensor:
            self._keep_one(original, value)
        else:
            self.ntensors = len(value)
            for k, part in enumerate(value):
                if not isinstance(part, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                        f"Got element {k} of the sequence with type {type(part).__name__}."
                    )
                wanted = original.requires_grad
                kept = Parameter(part, wanted) if isinstance(original, Parameter) else part
                _register(self, f"original{k}", kept.requires_grad_(wanted))
        if not unsafe:
            self._check(before)

    def _keep_one(self, original: Any, value: Any) -> None:
        if value.dtype is not original.dtype:
            raise ValueError(
                "When `right_inverse` outputs one tensor, it may not change the dtype. original.dtype: "
                f"{original.dtype}, right_inverse(original).dtype: {value.dtype}"
            )
        with no_grad():  # the parameter that an optimizer knows stays
            original.data = value.detach() if value is not original else original.data
        _register(self, "original", original)

    def _check(self, before: dict[str, Any]) -> None:
        made = self()
        if not isinstance(made, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
        for what, was in before.items():
            if getattr(made, what) != was:
                raise ValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` "
                    f"flag is enabled. unparametrized {what}: {was}, parametrized {what}: "
                    f"{getattr(made, what)}"
                )

    def right_inverse(self, value: Any) -> None:
        """Writes what the functions make `value` of into the tensors that are kept."""
        with no_grad():
            for each in reversed(list(self)):
                if not hasattr(each, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(each).__name__} does not implement right_inverse."
                    )
                value = each.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(
                        f"`right_inverse` should return a tensor. Got {type(value).__name__}"
                    )
                self._write("original", value)
                return
            if not isinstance(value, Sequence) or len(value) != self.ntensors:
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors. Its length must be "
                    f"{self.ntensors}, as at first. Got {type(value).__name__}."
                )
            for k, part in enumerate(value):
                self._write(f"original{k}", part)

    def _write(self, name: str, value: Any) -> None:
        kept = getattr(self, name)
        if value.dtype is not kept.dtype:
            raise ValueError(
                f"The tensor `{name}` has dtype {kept.dtype}, and what is assigned {value.dtype}"
            )
        kept.data = value.detach()

    def forward(self) -> Any:
        """The tensor."""
        first, *rest = self
        names = ["original"] if self.is_tensor else [f"original{k}" for k in range(self.ntensors)]
        value = first(*(getattr(self, n) for n in names))
        for each in rest:
            value = each(value)
        return value


def _register(module: Module, name: str, tensor: Any) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _refuse_pickle(self: Any) -> NoReturn:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(): their class is made "
        "while the program runs"
    )


def _deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    made = memo.get(id(self))
    if made is None:
        made = memo[id(self)] = self.__new__(type(self))
        made.__dict__ = deepcopy(self.__dict__, memo)
        _give_class(made)
        for name in made.parametrizations:
            _give_property(made, name)
    return made


def _give_class(module: Any) -> None:
    """A class of its own, which can have properties of its own."""
    own = type_before_parametrizations(module)
    members: dict[str, Any] = {"__getstate__": _refuse_pickle, "__module__": __name__}
    if not hasattr(own, "__deepcopy__"):
        members["__deepcopy__"] = _deepcopy
    module.__class__ = type(_PREFIX + own.__name__, (own,), members)


def _give_property(module: Any, name: str) -> None:
    def read(self: Any) -> Any:
        if not _depth:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in _computed:
            _computed[key] = self.parametrizations[name]()
        return _computed[key]

    def write(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(read, write))


def register_parametrization(
    module: Any, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Any:
    """Makes `module.tensor_name` what `parametrization` computes of it; of several, the last comes last.

    Raises ValueError if the shape or type changes, unless `unsafe`, or there is no such tensor.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        functions = module.parametrizations[tensor_name]
        if not unsafe:
            _check_next(module, tensor_name, parametrization)
        functions.append(parametrization)
        functions.unsafe |= unsafe
        return module
    table = next((t for t in (module._parameters, module._buffers) if tensor_name in t), None)
    if table is None:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    functions = ParametrizationList([parametrization], table[tensor_name], unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _give_class(module)
        module.parametrizations = ModuleDict()
    _give_property(module, tensor_name)
    module.parametrizations[tensor_name] = functions
    return module


def _check_next(module: Any, name: str, parametrization: Any) -> None:
    now = getattr(module, name)
    made = parametrization(now)
    if not isinstance(made, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
    back = made
    if hasattr(parametrization, "right_inverse"):
        back = parametrization.right_inverse(made)
        if not isinstance(back, Tensor):
            raise ValueError(
                "parametrization.right_inverse must return a tensor where another parametrization comes "
                f"before it. Got: {type(back).__name__}"
            )
    for what, each in (("parametrization", made), ("parametrization.right_inverse", back)):
        for of in ("dtype", "shape"):
            if getattr(each, of) != getattr(now, of):
                raise ValueError(
                    f"Registering a parametrization may not change the {of} of the tensor, unless the "
                    f"`unsafe` flag is enabled. module.{name}.{of}: {getattr(now, of)}, "
                    f"{what}(module.{name}).{of}: {getattr(each, of)}"
                )


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Is a tensor of the module, or this one, computed from others?"""
    found = getattr(module, "parametrizations", None)
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Makes the tensor a parameter (or buffer) again, as it is now, or what it was computed from.

    Raises ValueError if it is not parametrized, or was computed from several tensors that are to be left.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    functions = module.parametrizations[tensor_name]
    if not functions.is_tensor and not leave_parametrized:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms "
            "of a sequence of tensors."
        )
    if functions.is_tensor:
        tensor = functions.original
        if leave_parametrized:
            with no_grad():
                value = getattr(module, tensor_name)
                tensor.data = value.detach()
    else:
        with no_grad():
            value = getattr(module, tensor_name).detach()
        of_parameter = isinstance(functions.original0, Parameter)
        tensor = Parameter(value, functions.original0.requires_grad) if of_parameter else value
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, tensor)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type:
    """The class of the module before a tensor of it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Any, to_module: Any, tensor_name: str | None = None
) -> Any:
    """Gives `to_module` the parametrizations of another, or of one tensor of it, and what they start from."""
    if not is_parametrized(from_module):
        return to_module
    assert isinstance(from_module.parametrizations, ModuleDict)
    names = list(from_module.parametrizations) if tensor_name is None else [tensor_name]
    for name in names:
        functions = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach().clone()))
        for each in functions:
            register_parametrization(to_module, name, each, unsafe=functions.unsafe)
        there = to_module.parametrizations[name]
        kept = (
            ["original"]
            if functions.is_tensor
            else [f"original{k}" for k in range(functions.ntensors)]
        )
        for each in kept:
            setattr(there, each, getattr(functions, each))
    return to_module
