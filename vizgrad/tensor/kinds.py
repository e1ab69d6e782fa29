"""What an argument must be, as PyTorch's parser sees it: a Tensor, an int, a word.

What a parameter takes stands in its annotation. Where an int is wanted PyTorch refuses a float and a bool
before it looks at sizes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from vizgrad.arrays.dtypes import DType
from vizgrad.tensor.operands import not_a_tensor
from vizgrad.tensor.wrong_call import wrong_call

_NOBODYS: frozenset[type] = frozenset({slice, DType, dict, type(None)})
#: Classes that are refused at once; what is not named here is read by the function itself.
_REFUSED: dict[str, frozenset[type]] = {
    "Tensor": _NOBODYS | {bool, int, float, complex, str, list, tuple},
    "int": _NOBODYS | {bool, float, complex, str, list, tuple},
    "str": _NOBODYS | {bool, int, float, complex, list, tuple},
    "float": _NOBODYS | {str, list, tuple},
}
_NONE: frozenset[type] = frozenset()


class Kinds:
    """Of a function: which classes each of its parameters refuses."""

    __slots__ = ("by_name", "function", "in_order")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        #: One set for each positional parameter.
        self.in_order: list[frozenset[type]] = []
        self.by_name: dict[str, frozenset[type]] = {}
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                break
            refused = _refused(parameter)
            self.by_name[name] = refused
            if parameter.kind is not parameter.KEYWORD_ONLY:
                self.in_order.append(refused)

    def check(self, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        """TypeError for the first argument that is something else than its parameter takes."""
        for value, refused in zip(args, self.in_order, strict=False):
            if value.__class__ in refused:
                raise self._error(args, options)
        if options:
            for name, value in options.items():
                if value.__class__ in self.by_name.get(name, _NONE):
                    raise self._error(args, options)

    def _error(self, args: tuple[Any, ...], options: dict[str, Any]) -> TypeError:
        names = list(self.by_name)
        given = [*zip(names, args, strict=False), *options.items()]
        name, value = next((n, v) for n, v in given if v.__class__ in self.by_name.get(n, _NONE))
        function, position = self.function.__name__, names.index(name) + 1
        kind = _kind(inspect.signature(self.function).parameters[name])
        if kind == "Tensor":
            return not_a_tensor(function, name, position, value)
        found = "NoneType" if value is None else type(value).__name__
        return wrong_call(
            TypeError(
                f"{function}(): argument '{name}' (position {position}) must be {kind}, not {found}"
            ),
            f"give it one that is of type {kind}",
        )


def _kind(parameter: inspect.Parameter) -> str:
    return str(parameter.annotation).removesuffix(" | None")


def _refused(parameter: inspect.Parameter) -> frozenset[type]:
    refused = _REFUSED.get(_kind(parameter), _NONE)
    optional = str(parameter.annotation).endswith("| None") or parameter.default is None
    return refused - {type(None)} if optional else refused
