"""The requirements of a function on its arguments, written in their annotations.

    @public
    def trace(input: Annotated[Tensor, Rank(2, "trace: expected a matrix, but got {ndim} dimensions")])

`@public`, `@method` and the decorators of `arguments.py` read the annotations (`checked`, which may stand
alone, too) and raise the error for an argument that does not meet one; the function itself need not look.
Requirements are looked at in the order of the parameters, but for one that is to come `first`. An annotation
that several functions share has a name: `Dim`. The text is PyTorch's, and may have these fields:

    {function} {argument}       their names; that of an in-place form without "_", which {called} has
    {position}                  of an element that `Each` looks at, from 0
    {value}                     the argument
    {dtype} {ndim} {shape}      of the argument, if it is a Tensor
    {other}                     dtype of the argument that it is compared with
    {other_ndim} {other_shape}  of that argument
    {class}                     of that argument: the first argument of a method is its object
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cached_property, update_wrapper
from types import FunctionType
from typing import Annotated, Any, TypeVar, cast

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.errors import no_such_dim
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor

# --- kinds of an argument: a Tensor, an int, a word ---------------------------------------------------


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


# --- requirements, written in annotations -------------------------------------------------------------


F = TypeVar("F", bound=Callable[..., Any])


class Requirement:
    """A condition on one argument, and the error for what does not meet it.

    `broken` is the source of an expression that is true for a wrong argument, which it calls `{0}`, and the
    argument that it is compared with `{1}`; other parameters have their names in it. `fix` is
    a sentence for the explanation of the error; without one the error has no explanation.
    """

    def __init__(
        self,
        broken: str,
        message: str,
        error: type[Exception] = RuntimeError,
        fix: str = "",
        *,
        kind: str = "wrong-call",
        other: str | None = None,
    ) -> None:
        self.broken = broken
        self.message = message
        self.error = error
        self.fix = fix
        self.kind = kind
        #: The parameter that the argument is compared with; "" is the first.
        self.other = other
        #: Is it looked at before those of all other parameters?
        self.first = False

    def failed(
        self, function: str, argument: str, value: Any, other: Any = None, position: int = 0
    ) -> Exception:
        """The error for `value`, which does not meet the requirement."""
        fields: dict[str, Any] = {
            "called": function, "function": function.rstrip("_"), "argument": argument, "value": value,
            "position": position, "class": type(other).__name__,
        }  # fmt: skip
        if isinstance(value, Tensor):
            array = value._array
            fields |= {"dtype": value.dtype.name, "ndim": array.ndim, "shape": list(array.shape)}
        if isinstance(other, Tensor):
            fields |= {
                "other": other.dtype.name, "other_ndim": other._array.ndim,
                "other_shape": list(other._array.shape),
            }  # fmt: skip
        error = self.error(self.message.format(**fields))
        return wrong_call(error, self.fix, self.kind) if self.fix else error


class Rank(Requirement):
    """A tensor with this number of dimensions, or one of these."""

    def __init__(
        self, ranks: int | tuple[int, ...], message: str, error: type[Exception] = RuntimeError
    ) -> None:
        test = f"!= {ranks}" if isinstance(ranks, int) else f"not in {ranks}"
        super().__init__("{0}._array.ndim " + test, message, error)


class RankAtLeast(Requirement):
    """A tensor with this number of dimensions or more."""

    def __init__(self, least: int, message: str, error: type[Exception] = RuntimeError) -> None:
        super().__init__(f"{{0}}._array.ndim < {least}", message, error)


class RankAtMost(Requirement):
    """A tensor with this number of dimensions or fewer."""

    def __init__(self, most: int, message: str, error: type[Exception] = RuntimeError) -> None:
        super().__init__(f"{{0}}._array.ndim > {most}", message, error)


class ZeroDim(Requirement):
    """A number, or a tensor without dimensions."""

    def __init__(self, message: str, error: type[Exception] = RuntimeError) -> None:
        super().__init__("isinstance({0}, _Tensor) and {0}._array.ndim", message, error)


class DimOf(Requirement):
    """A dimension of the tensor `other`, counted from either end; 0 or -1 of one without dimensions.

    The function itself reads it with `wrap_dim`, which also takes what is like an int: this one makes a wrong
    dim known before what is wrong with arguments that follow.
    """

    def __init__(self, other: str = "") -> None:
        ndim = "({1}._array.ndim or 1)"
        broken = f"{{0}}.__class__ is int and not -{ndim} <= {{0}} < {ndim}"
        super().__init__(broken, "", IndexError, other=other)

    def failed(
        self, function: str, argument: str, value: Any, other: Any = None, position: int = 0
    ) -> Exception:
        return no_such_dim(value, other._array.ndim)


class DtypeKind(Requirement):
    """A tensor whose numpy kind is one of these: b, u, i, f, c, and V for narrow floats.

    Without a text of its own the error is that of a kernel that PyTorch does not have, and is explained.
    """

    def __init__(
        self, kinds: str, message: str = "", error: type[Exception] = NotImplementedError
    ) -> None:
        explained = not message and "f" in kinds
        super().__init__(
            f"{{0}}._array.dtype.kind not in {kinds!r}",
            message or '"{function}" not implemented for {dtype}',
            error,
            "convert the tensor with .float()" if explained else "",
            kind="cut-dtype",
        )


class Dtype(Requirement):
    """A tensor of one of these dtypes, by name."""

    def __init__(
        self, names: tuple[str, ...], message: str, error: type[Exception] = RuntimeError
    ) -> None:
        super().__init__(f"{{0}}.dtype.name not in {names}", message, error)


class Long(Requirement):
    """A tensor of int64."""

    def __init__(self, message: str, error: type[Exception] = RuntimeError) -> None:
        super().__init__("{0}._array.dtype != _int64", message, error)


class Index(Requirement):
    """A tensor of int64 or int32; with `or_empty` one without elements may be of any type."""

    def __init__(
        self, message: str, error: type[Exception] = RuntimeError, *, or_empty: bool = False
    ) -> None:
        unless = "{0}._array.size and " if or_empty else ""
        super().__init__(unless + "{0}._array.dtype not in _index_types", message, error)


class SameDtype(Requirement):
    """A tensor of the dtype that the argument `other` has."""

    def __init__(self, other: str, message: str, error: type[Exception] = RuntimeError) -> None:
        super().__init__("{0}._array.dtype != {1}._array.dtype", message, error, other=other)


class AtLeast(Requirement):
    """A number that is this or more."""

    def __init__(self, least: float, message: str, error: type[Exception] = RuntimeError) -> None:
        super().__init__(f"not {{0}} >= {least}", message, error)


class Above(Requirement):
    """A number greater than this."""

    def __init__(self, bound: float, message: str, error: type[Exception] = RuntimeError) -> None:
        super().__init__(f"not {{0}} > {bound}", message, error)


class Within(Requirement):
    """A number for which this chain of comparisons with `x` holds, e.g. `"0 < x < 1"`."""

    def __init__(self, chain: str, message: str, error: type[Exception] = RuntimeError) -> None:
        super().__init__(f"not {chain.replace('x', '{0}')}", message, error)


class OneOf(Requirement):
    """One of these words."""

    def __init__(
        self, words: tuple[Any, ...], message: str, error: type[Exception] = RuntimeError
    ) -> None:
        super().__init__(f"{{0}} not in {words}", message, error)


R = TypeVar("R", bound=Requirement)


def first(requirement: R) -> R:
    """The requirement, which is looked at before those of other parameters."""
    requirement.first = True
    return requirement


class Each(Requirement):
    """A sequence each of whose tensors meets the requirement; `*tensors` is one."""

    def __init__(self, inner: Requirement) -> None:
        broken = f"isinstance({{0}}, _Tensor) and {inner.broken}"
        super().__init__(broken, inner.message, inner.error, inner.fix, other=inner.other)


class _Mask(Requirement):
    """A tensor of bools, as the second argument; also where no decorator looks for what is no tensor."""

    def __init__(self) -> None:
        message = "{called} only supports boolean masks, but got mask with dtype {dtype}"
        super().__init__("not isinstance({0}, _Tensor) or {0}._array.dtype.kind != 'b'", message)

    def failed(
        self, function: str, argument: str, value: Any, other: Any = None, position: int = 0
    ) -> Exception:
        if isinstance(value, Tensor):
            return super().failed(function, argument, value)
        return not_a_tensor(function, argument, 2, value)


# Requirements that several families share.

#: A dimension of the first argument.
Dim = Annotated[int, DimOf()]


#: bool, for masks.
MASK = _Mask()
#: Holds matrices.
MATRICES = RankAtLeast(2, "{function}: input tensor must have at least 2 dimensions, got {ndim}")
#: Holds floating point or complex numbers.
INEXACT = DtypeKind("fcV")
#: Holds floating point numbers.
FLOATING = DtypeKind("fV")
#: Holds integers, not bools.
INTEGRAL = DtypeKind("iu")


# From annotations to tests.


def checked(function: F) -> F:
    """`function`, which looks at the arguments whose annotations say what they must be.

    The tests are compiled at the first call into one function with the parameters of `function`, which looks
    and passes the arguments on; that costs no more than tests in `function` itself, and a call. For readers
    of signatures the annotations are the plain types from now on.
    """
    annotations: dict[str, Any] = getattr(function, "__annotations__", {})
    home = getattr(function, "__globals__", {})
    declared = {
        n: t for n, t in annotations.items() if t not in _USUAL and _is_declared(str(t), home)
    }
    if not declared:
        return function
    annotations.update({name: _plain(text, home) for name, text in declared.items()})

    def compile_and_call(*args: Any, **options: Any) -> Any:
        made = _compiled(function, declared, namespace)
        # `guard` is known by now to who calls it: it stays, with other code
        guard.__defaults__, guard.__kwdefaults__ = made.__defaults__, made.__kwdefaults__
        guard.__code__ = made.__code__
        return guard(*args, **options)

    namespace: dict[str, Any] = {
        "__name__": __name__,
        "__package__": __package__,  # by which its frame is known as the library's own
        "_function": function,
        "_compile_and_call": compile_and_call,
        "_int64": xp.dtype("int64"),
        "_index_types": (xp.dtype("int64"), xp.dtype("int32")),
        "_Tensor": Tensor,
    }
    guard: Any = FunctionType(_first_call.__code__, namespace)
    return cast("F", update_wrapper(guard, function))


#: Annotations that require nothing: nearly all, and import time is spent on the others.
_USUAL = frozenset(
    ("Any", "Tensor", "Tensor | None", "bool", "float", "int", "int | None", "None", "str")
)


def _first_call(*args: Any, **options: Any) -> Any:
    """The code of a checked function before its first call; its globals are its own."""
    return _compile_and_call(*args, **options)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]


def _is_declared(text: str, home: dict[str, Any]) -> bool:
    """Does the annotation require something: in its text, or as the name of one that does?"""
    return text.startswith("Annotated[") or hasattr(home.get(_required(text)), "__metadata__")


def _required(text: str) -> str:
    return text.removesuffix(" | None")


def _plain(text: str, home: dict[str, Any]) -> str:
    """`Annotated[Tensor, ...] | None` -> `Tensor | None`."""
    optional = " | None" if text.endswith(" | None") else ""
    named = home.get(_required(text))
    if named is not None:
        return named.__origin__.__name__ + optional
    return text.removeprefix("Annotated[").partition(",")[0] + optional


def _compiled(function: Any, declared: dict[str, str], namespace: dict[str, Any]) -> FunctionType:
    """A function that tests the arguments and calls `_function`, with its parameters and defaults."""
    home = inspect.unwrap(function).__globals__
    head: list[str] = []
    passed: list[str] = []
    tests: list[str] = []
    parameters = inspect.signature(function).parameters
    for name, p in parameters.items():
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        if p.kind is p.KEYWORD_ONLY and not any(text.startswith("*") for text in head):
            head.append("*")
        head.append(stars + name)
        passed.append(f"{name}={name}" if p.kind is p.KEYWORD_ONLY else stars + name)
        if name in declared:
            for requirement, lines in _tests(name, declared[name], home, function, namespace):
                tests[:0] = lines if requirement.first else []
                tests += [] if requirement.first else lines
    source = [f"def guard({', '.join(head)}):", *tests, f"return _function({', '.join(passed)})"]
    found: dict[str, Any] = {}
    exec("\n    ".join(source), namespace, found)  # noqa: S102  names, and tests of requirements
    made: FunctionType = found["guard"]
    given = {n: p.default for n, p in parameters.items() if p.default is not p.empty}
    by_name = {
        n: d for n, d in given.items() if parameters[n].kind is inspect.Parameter.KEYWORD_ONLY
    }
    made.__defaults__ = tuple(d for n, d in given.items() if n not in by_name)
    made.__kwdefaults__ = by_name
    return made


def _tests(
    name: str, text: str, home: dict[str, Any], function: Any, namespace: dict[str, Any]
) -> Iterator[tuple[Requirement, list[str]]]:
    """Each requirement of an argument, and the lines that raise if it is not met."""
    optional = f"{name} is not None and " if text.endswith(" | None") else ""
    names = list(inspect.signature(inspect.unwrap(function)).parameters)
    annotation = eval(_required(text), home)  # noqa: S307  the text of a declaration
    for number, requirement in enumerate(annotation.__metadata__):
        key = f"_{name}{number}"
        lines: list[str] = []
        namespace[key] = requirement
        other = requirement.other or names[0]
        beside = "None" if requirement.other is None else other
        each, indent = name, ""
        if isinstance(requirement, Each):
            lines.append(f"for _at, _each in enumerate({name}):")
            each, indent, beside = "_each", "    ", f"{beside}, _at"
        lines.append(
            f"{indent}if {optional}{requirement.broken.format(each, other)}: "
            f"raise {key}.failed({function.__name__!r}, {name!r}, {each}, {beside})"
        )
        yield requirement, lines
