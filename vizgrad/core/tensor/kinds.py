"""The kinds of an argument for PyTorch's parser: a Tensor, an int, a word.

The kind of a parameter is in its annotation. Where an int is wanted PyTorch refuses a float and a bool
before it looks at sizes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any

from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor

# The error for an operand that should be a Tensor and is none.


def not_a_tensor(function: str, argument: str, position: int, value: Any) -> TypeError:
    """The error of PyTorch's argument parser; `position` counts from 1."""
    kind = "NoneType" if value is None else type(value).__name__
    return wrong_call(
        TypeError(
            f"{function}(): argument '{argument}' (position {position}) must be Tensor, not {kind}"
        ),
        "make a Tensor of it: `vizgrad.tensor(...)`",
    )


def all_tensors(tensors: Any) -> tuple[Tensor, ...]:
    """The elements of a sequence, each of which is a Tensor; TypeError for another, or for one Tensor."""
    if isinstance(tensors, Tensor):
        raise TypeError("expected a sequence of Tensors, not one Tensor")
    found = tuple(tensors)
    for position, each in enumerate(found):
        if not isinstance(each, Tensor):
            raise TypeError(
                f"expected Tensor as element {position} in argument 0, but got "
                f"{type(each).__name__}"
            )
    return found


def wrong_operand(
    function: Callable[..., Any],
    error: AttributeError,
    args: tuple[Any, ...],
    options: dict[str, Any],
) -> Exception:
    """A TypeError if the object without the attribute was given as an argument; else the error itself."""
    wrong = error.obj
    if isinstance(wrong, Tensor) or not hasattr(Tensor, error.name or ""):
        return error  # not in the place of a tensor: something else is missing indeed
    code = getattr(function, "__wrapped__", function).__code__
    named = code.co_argcount + code.co_kwonlyargcount
    names, rest = code.co_varnames[: code.co_argcount], code.co_varnames[named : named + 1]
    for position, value in enumerate(args, 1):
        if value is wrong:
            name = names[position - 1] if position <= len(names) else "".join(rest)
            return not_a_tensor(function.__name__, name, position, value)
        if isinstance(value, (list, tuple)) and any(each is wrong for each in value):
            return wrong_call(
                TypeError(
                    f"{function.__name__}(): expected Tensor as element of argument {position}, but got "
                    f"{type(wrong).__name__}"
                ),
                "make Tensors of all elements",
            )
    for name, value in options.items():
        if value is wrong:
            place = code.co_varnames.index(name) + 1 if name in code.co_varnames[:named] else 0
            return not_a_tensor(function.__name__, name, place, value)
    return error


_NOBODYS: frozenset[type] = frozenset({slice, DType, dict, type(None)})
#: Classes that are refused at once; what is not named here is read by the function itself.
_REFUSED: dict[str, frozenset[type]] = {
    "Tensor": _NOBODYS | {bool, int, float, complex, str, list, tuple},
    "int": _NOBODYS | {bool, float, complex, str, list, tuple},
    "str": _NOBODYS | {bool, int, float, complex, list, tuple},
    "float": _NOBODYS | {str, list, tuple},
    "bool": _NOBODYS | {int, float, complex, str, list, tuple},
}
_NONE: frozenset[type] = frozenset()
#: Arguments that PyTorch reads in Python as a truth value.
_BY_TRUTH = frozenset({
    "inplace", "full", "largest", "requires_grad", "_stacklevel", "hard", "return_indices",
    "add_zero_attn", "need_weights", "center",
})  # fmt: skip


#: Calls of a function of which is kept that they were right.
_KEPT = 64


class Kinds:
    """For a function: which classes each of its parameters refuses."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        #: The classes of arguments, in order and by name, that were looked at before.
        self.passed: set[tuple[Any, ...]] = set()

    @cached_property
    def _in_order(self) -> list[str]:
        parameters = inspect.signature(self.function).parameters.values()
        return [
            p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]

    @cached_property
    def _numbers(self) -> frozenset[str]:
        """Parameters that take a number."""
        parameters = inspect.signature(self.function).parameters.values()
        return frozenset(p.name for p in parameters if _kind(p) == "float")

    @cached_property
    def _refused(self) -> tuple[list[frozenset[type]], dict[str, frozenset[type]]]:
        """The classes that each positional parameter refuses, and each parameter by name; read at the
        first call.
        """
        in_order: list[frozenset[type]] = []
        by_name: dict[str, frozenset[type]] = {}
        for name, parameter in inspect.signature(self.function).parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            by_name[name] = _NONE if name in _BY_TRUTH else _refused(parameter)
            if parameter.kind is not parameter.KEYWORD_ONLY:
                in_order.append(by_name[name])
        return in_order, by_name

    def check(
        self, args: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, with numbers for tensors that say one; TypeError for what is not taken."""
        classes = (*map(type, args),)
        if options:
            classes += (*options, *map(type, options.values()))
        if classes in self.passed:
            return args, options
        self._look_at(args, options)
        given = self._said_by_tensors(args, options)
        if given:
            in_order = (given.get(n, a) for n, a in zip(self._in_order, args, strict=False))
            return (*in_order, *args[len(self._in_order) :]), {
                n: given.get(n, v) for n, v in options.items()
            }
        if len(self.passed) < _KEPT and all(map(_lasts, classes)):
            self.passed.add(classes)
        return args, options

    def _look_at(self, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        in_order, by_name = self._refused
        for value, refused in zip(args, in_order, strict=False):
            if value.__class__ in refused:
                raise self._error(args, options)
        for name, value in options.items():
            if value.__class__ in by_name.get(name, _NONE):
                raise self._error(args, options)

    def _said_by_tensors(self, args: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
        """The numbers that tensors say, by parameter; TypeError for dimensions, or a gradient to lose."""
        found: dict[str, Any] = {}
        for name, value in (*zip(self._in_order, args, strict=False), *options.items()):
            if name in self._numbers and isinstance(value, Tensor):
                if value._array.ndim or value.requires_grad:
                    raise wrong_call(
                        TypeError(
                            f"{self.function.__name__}(): argument '{name}' must be Number, not Tensor"
                        ),
                        "give it a number, or a tensor without dimensions that does not require grad",
                    )
                found[name] = value.item()
        return found

    def _error(self, args: tuple[Any, ...], options: dict[str, Any]) -> TypeError:
        by_name = self._refused[1]
        names = list(by_name)
        given = [*zip(names, args, strict=False), *options.items()]
        name, value = next((n, v) for n, v in given if v.__class__ in by_name.get(n, _NONE))
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


def _lasts(part: Any) -> bool:
    """Is it a word, or a class that nobody lets go of?"""
    return part.__class__ is str or part.__module__.partition(".")[0] in ("builtins", "vizgrad")


def _kind(parameter: inspect.Parameter) -> str:
    return str(parameter.annotation).removesuffix(" | None")


def _refused(parameter: inspect.Parameter) -> frozenset[type]:
    refused = _REFUSED.get(_kind(parameter), _NONE)
    optional = str(parameter.annotation).endswith("| None") or parameter.default is None
    return refused - {type(None)} if optional else refused
