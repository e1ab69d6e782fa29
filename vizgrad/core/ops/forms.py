"""In which forms an operation can be called: said once, where the operation is declared.

`@primitive(public=True, inplace=True, aliases="arccos")` says of an operation whose function does no more
than record it that there are `vizgrad.NAME` with `out=`, `Tensor.NAME` and `Tensor.NAME_`, and under which
other names. All of these are made here, from the declaration. `@public` and `@method` say it of a function
that is written by hand, because it reads settings first; what such a function requires of its arguments
stands in their annotations (`vizgrad/core/tensor/requirements.py`).

The declarations are in `FORMS`. The names of `vizgrad`, the attributes of Tensor, the stub that typing tools
read (`stub.py`), `python -m vizgrad.ops` and the tests of `out=` and in-place forms come from there.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any, TypeVar, overload

from vizgrad.core.function.inplace import write
from vizgrad.core.function.primitive import REGISTRY, WHEN_DECLARED, Primitive
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.ops.copying import converted, copy, overwrite, overwrite_compared
from vizgrad.core.ops.public.arguments import written
from vizgrad.core.tensor.requirements import checked, wrong_operand
from vizgrad.core.tensor.tensor import Tensor

F = TypeVar("F")


class Forms:
    """The functions under one name. An in-place form (`exp_`) has a name, and Forms, of its own."""

    __slots__ = ("alias_of", "function", "home", "method", "name", "operation")

    def __init__(self, name: str, home: str, alias_of: str) -> None:
        self.name = name
        #: The module that declares it.
        self.home = home
        #: The name that this one is another word for.
        self.alias_of = alias_of
        #: `vizgrad.NAME`
        self.function: Any = None
        #: `Tensor.NAME`
        self.method: Any = None
        #: The declaration that both were made from; None if they are written by hand.
        self.operation: Primitive | None = None


FORMS: dict[str, Forms] = {}


def functions() -> dict[str, Any]:
    """The functions of `vizgrad`, by name."""
    return {name: f.function for name, f in FORMS.items() if f.function is not None}


# --- written by hand ---------------------------------------------------------------------------------------


@overload
def public(function: F, /) -> F: ...
@overload
def public(*, method: bool = False, aliases: str = "") -> Callable[[F], F]: ...
def public(function: Any = None, /, *, method: bool = False, aliases: str = "") -> Any:
    """Makes a function (or a class) `vizgrad.NAME`, and with `method` also `Tensor.NAME`."""
    home = sys._getframe(1).f_globals["__name__"]

    def declare(function: Any) -> Any:
        function = checked(function)
        name = function.__name__
        for each in (name, *aliases.split()):
            _add(each, name, home, function=function, method=function if method else None)
        return function

    return declare if function is None else declare(function)


@overload
def method(function: F, /) -> F: ...
@overload
def method(*, name: str = "", aliases: str = "") -> Callable[[F], F]: ...
def method(function: Any = None, /, *, name: str = "", aliases: str = "") -> Any:
    """Makes a function `Tensor.NAME`; `name` says which if the function bears another."""
    home = sys._getframe(1).f_globals["__name__"]

    def declare(function: Any) -> Any:
        function = checked(function)
        main = name or function.__name__
        for each in (main, *aliases.split()):
            _add(each, main, home, method=function)
        return function

    return declare if function is None else declare(function)


def _add(
    name: str,
    main: str,
    home: str,
    *,
    function: Any = None,
    method: Any = None,
    op: Primitive | None = None,
) -> None:
    """A name has one home; there a cell of a notebook may run again. TypeError for a second one."""
    forms = FORMS.get(name)
    if forms is None:
        if method is not None and hasattr(Tensor, name):
            raise TypeError(f"Tensor.{name} is something else already: choose another name")
        forms = FORMS[name] = Forms(name, home, "" if name == main else main)
    elif forms.home != home:
        raise TypeError(
            f"{name} is declared twice, in {forms.home} and in {home}: choose another name"
        )
    forms.operation = op
    if function is not None:
        forms.function = function
    if method is not None:
        forms.method = method
        setattr(Tensor, name, method)


# --- made from a declaration -------------------------------------------------------------------------------


def _derive(op: Primitive) -> None:
    """Makes the forms that the declaration of `op` asks for."""
    names = (op.name, *op.aliases)
    if op.public:
        function = function_of(op)
        for name in names:
            _add(name, op.name, op.module, function=function, method=op.record, op=op)
    if op.inplace:
        method = inplace_of(op)
        for name in names:
            _add(
                name + "_",
                op.name + "_",
                op.module,
                function=method if op.inplace == "public" else None,
                method=method,
                op=op,
            )


def function_of(op: Primitive, first: str = "input") -> Callable[..., Tensor]:
    """`NAME(input, ..., *, out=None)`, which records `op`; `first` is what its first operand is called."""
    if op.public and op.name in FORMS and FORMS[op.name].operation is op:
        return FORMS[op.name].function
    if op.attributes or len(op.inputs) > 2 or first != "input":
        return _named(_with_attributes(op, first), op.name, op)
    return _named(_of_one(op) if len(op.inputs) == 1 else _of_two(op), op.name, op)


def _of_one(op: Primitive) -> Any:
    record, name = op.record, op.name

    def function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        if out is None:
            return record(input)
        return written(out, record(input), name, input)

    return function


def _of_two(op: Primitive) -> Any:
    record, name = op.record, op.name

    def function(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
        if out is None:
            return record(input, other)
        return written(out, record(input, other), name, input, other)

    return function


def _with_attributes(op: Primitive, first: str) -> Any:
    """For any number of operands, and settings, which are keywords."""
    record, name = op.record, op.name
    operands = (first, *op.inputs[1:])
    kind = inspect.Parameter
    signature = inspect.Signature(
        [
            *(kind(n, kind.POSITIONAL_OR_KEYWORD) for n in operands),
            *(kind(n, kind.KEYWORD_ONLY) for n in op.attributes),
            kind("out", kind.KEYWORD_ONLY, default=None),
        ]
    )

    def function(*args: Any, **options: Any) -> Tensor:
        given = signature.bind(*args, **options).arguments
        tensors = [given[n] for n in operands]
        result = record(*tensors, **{n: given[n] for n in op.attributes})
        out = given.get("out")
        return result if out is None else written(out, result, name, *tensors)

    made: Any = function
    made.__signature__ = signature
    return made


def inplace_of(op: Primitive, name: str = "") -> Callable[..., Tensor]:
    """The method `NAME_`, which writes the result of `op` into its first operand.

    An operation without derivative writes its values: history ends there.
    """
    name = name or f"{op.name}_"
    shown = f"{op.name}_" if name.startswith("__") else name  # the write log says mul_ for *=
    make = _writing if op.formulas else _ending_history
    method = _named(make(op, shown), name, op)
    method.__doc__ = f"In-place version of `{op.name}`: {op.__doc__}"
    return method


def _writing(op: Primitive, name: str) -> Any:
    def alone(input: Tensor) -> Tensor:
        return write(op, input, name=name)

    def with_other(input: Tensor, other: Any) -> Tensor:
        return write(op, input, other, name=name)

    def with_all(input: Tensor, *operands: Any, **attributes: Any) -> Tensor:
        return write(op, input, *operands, name=name, **attributes)

    if op.attributes or len(op.inputs) > 2:
        return with_all
    return alone if len(op.inputs) == 1 else with_other


#: Other operations without derivative leave their operands alone.
_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})


def _ending_history(op: Primitive, name: str) -> Any:
    def alone(input: Tensor) -> Tensor:
        return over(input)

    def with_other(input: Tensor, other: Any) -> Tensor:
        return over(input, other)

    def over(input: Tensor, *operands: Any) -> Tensor:
        try:
            result = op.record(input.detach(), *operands)
        except AttributeError as error:
            raise wrong_operand(method, error, (input, *operands), {}) from None
        values: Any = result._array
        if values.shape != input._array.shape:
            raise RuntimeError(
                f"output with shape {list(input._array.shape)} doesn't match the broadcast shape "
                f"{list(values.shape)}"
            )
        if result.dtype.category > input.dtype.category:
            raise RuntimeError(
                f"result type {result.dtype.name} can't be cast to the desired output type "
                f"{input.dtype.name} of the in-place operation {name}"
            )
        if isinstance(result, Wrapped):
            return write(copy, input, converted(result, input._array.dtype), name=name)
        values = values.astype(input._array.dtype, copy=False)
        if op.name in _COMPARISONS and isinstance(operands[0], Tensor):
            return write(overwrite_compared, input, *operands, name=name, values=values)
        return write(overwrite, input, name=name, values=values)

    method = alone if len(op.inputs) == 1 else with_other
    return method


def _named(function: Any, name: str, op: Primitive) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__module__ = "vizgrad"  # whose attribute it is
    function.__doc__ = op.__doc__
    return function


for _declared in REGISTRY.values():  # of files that this one imports
    _derive(_declared)
WHEN_DECLARED.append(_derive)
