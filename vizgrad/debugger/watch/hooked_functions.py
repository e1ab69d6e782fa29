"""Which functions are listened to, and how."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

from vizgrad.core.function.primitive import REGISTRY
from vizgrad.core.ops.forms import FORMS
from vizgrad.core.tensor.tensor import Tensor

#: They take values out of tensors.
LEAKS = frozenset({"item", "tolist", "numpy", "__float__", "__int__", "__array__", "__complex__"})
#: Their results do not depend on the values of their operands.
LIKE = frozenset(
    {
        "zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "randint_like",
        "new_tensor", "new_zeros", "new_ones", "new_empty", "new_full", "zero_", "fill_", "normal_",
        "uniform_", "random_", "exponential_", "bernoulli_",
    }
)  # fmt: skip
#: They make tensors of values.
MAKE = frozenset(
    {
        "tensor", "as_tensor", "from_numpy", "asarray", "scalar_tensor", "full", "FloatTensor",
        "frombuffer", "from_dlpack",
    }
)  # fmt: skip


def functions() -> Iterator[tuple[Any, str, str]]:
    """(function, name, kind), the more general first: the first mention of a function counts."""
    from vizgrad.autograd import grad_mode, running, tensor_methods
    from vizgrad.core.function.custom.function import Function
    from vizgrad.nn import functional
    from vizgrad.optim import optimizer

    yield tensor_methods.backward, "backward", "backward"
    yield running.backward, "backward", "backward"
    yield running.grad, "grad", "grad"
    yield tensor_methods.register_hook, "register_hook", "hook"
    yield grad_mode.set_grad_enabled.__init__, "set_grad_enabled", "switch"
    yield optimizer.Optimizer.step, "step", "step"
    yield optimizer.Optimizer.zero_grad, "zero_grad", "zero"
    yield Function.__dict__["apply"], "apply", "apply"
    for cls in _subclasses(optimizer.Optimizer):
        if "step" in vars(cls):
            yield vars(cls)["step"], "step", "step"
    yield from _of_modules()
    yield vars(Tensor)["data"].fget, "data", "data"
    yield vars(Tensor)["data"].fset, "data", "assign"
    for name in ("item", "tolist", "__float__", "__int__", "__array__", "__complex__"):
        yield vars(Tensor)[name], name, "leak"
    for name, value in vars(functional).items():
        if not name.startswith("_"):
            yield value, name, "op"
    for name, forms in FORMS.items():
        for function in (forms.function, forms.method):
            yield function, name, _kind(name)
    for name, value in vars(Tensor).items():
        if name in _OPERATORS:
            yield value, name, "op"
    for op in REGISTRY.values():
        yield op.record, op.name, "op"


def _of_modules() -> Iterator[tuple[Any, str, str]]:
    """What behaves differently in training, what switches that, and what is run again."""
    from vizgrad.nn.modules import batchnorm, dropout, module
    from vizgrad.nn.parameter import Parameter
    from vizgrad.utils.checkpoint import hooks_based

    for cls in (batchnorm._Norm, dropout._Dropout):
        for layer in _subclasses(cls):
            if "forward" in vars(layer):
                yield vars(layer)["forward"], "forward", "layer"
    yield Parameter.__new__, "Parameter", "wrap"
    yield module.Module.train, "train", "mode"
    yield module.Module.eval, "eval", "mode"
    yield hooks_based.first, "first", "first"
    yield hooks_based.again, "again", "again"


def _kind(name: str) -> str:
    if name in LEAKS:
        return "leak"
    if name in LIKE:
        return "like"
    return "make" if name in MAKE else "op"


def _subclasses(cls: type) -> Iterator[type]:
    for each in cls.__subclasses__():
        yield each
        yield from _subclasses(each)


_OPERATORS = frozenset(
    f"__{form}{name}__"
    for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
    )
    for form in ("", "r", "i")
) | {
    "__neg__", "__abs__", "__invert__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
    "__getitem__", "__setitem__", "__pos__", "T", "mT",
}  # fmt: skip


def plain(function: Any) -> FunctionType | None:
    """The function of Python's behind a method; None for anything else."""
    if isinstance(function, (staticmethod, classmethod)):
        function = function.__func__
    return function if isinstance(function, FunctionType) else None
