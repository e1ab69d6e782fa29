"""The requirements of a function on its arguments, written in their annotations.

    @public
    def trace(input: Annotated[Tensor, Rank(2, "trace: expected a matrix, but got {ndim} dimensions")])

`@public`, `@method` and the decorators of `arguments.py` read the annotations (`checked`) and raise the error
for an argument that does not meet one; the function itself need not look. The text is PyTorch's, and may
have these fields:

    {function} {argument}       their names; that of an in-place form without "_"
    {value}                     the argument
    {dtype} {ndim} {shape}      of the argument, if it is a Tensor
    {other}                     dtype of the argument that it is compared with
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType
from typing import Any, TypeVar, cast

from vizgrad.core.arrays import xp
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])


class Requirement:
    """A condition on one argument, and the error for what does not meet it.

    `broken` is the source of an expression that is true for a wrong argument, which it calls `{0}`. `fix` is
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
        other: str = "",
    ) -> None:
        self.broken = broken
        self.message = message
        self.error = error
        self.fix = fix
        self.kind = kind
        #: The parameter that the argument is compared with.
        self.other = other

    def failed(self, function: str, argument: str, value: Any, other: Any = None) -> Exception:
        """The error for `value`, which does not meet the requirement."""
        fields: dict[str, Any] = {
            "function": function.rstrip("_"), "argument": argument, "value": value,
        }  # fmt: skip
        if isinstance(value, Tensor):
            array = value._array
            fields |= {"dtype": value.dtype.name, "ndim": array.ndim, "shape": list(array.shape)}
        if isinstance(other, Tensor):
            fields["other"] = other.dtype.name
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


class SameDtype(Requirement):
    """A tensor of the dtype that the argument `other` has."""

    def __init__(self, other: str, message: str, error: type[Exception] = RuntimeError) -> None:
        broken = f"{{0}}._array.dtype != {other}._array.dtype"
        super().__init__(broken, message, error, other=other)


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


# Requirements that several families share.

#: bool, for masks.
MASK = DtypeKind(
    "b", "{function} only supports boolean masks, but got mask with dtype {dtype}", RuntimeError
)
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
    declared = {n: t for n, t in annotations.items() if str(t).startswith("Annotated[")}
    if not declared:
        return function
    annotations.update({name: _plain(text) for name, text in declared.items()})

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
    }
    guard: Any = FunctionType(_first_call.__code__, namespace)
    return cast("F", update_wrapper(guard, function))


def _first_call(*args: Any, **options: Any) -> Any:
    """The code of a checked function before its first call; its globals are its own."""
    return _compile_and_call(*args, **options)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]


def _plain(text: str) -> str:
    """`Annotated[Tensor, ...] | None` -> `Tensor | None`."""
    optional = " | None" if text.endswith(" | None") else ""
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
            tests += _tests(name, declared[name], home, function.__name__, namespace)
    lines = [f"def guard({', '.join(head)}):", *tests, f"return _function({', '.join(passed)})"]
    found: dict[str, Any] = {}
    exec("\n    ".join(lines), namespace, found)  # noqa: S102  names, and tests of requirements
    made: FunctionType = found["guard"]
    given = {n: p.default for n, p in parameters.items() if p.default is not p.empty}
    by_name = {
        n: d for n, d in given.items() if parameters[n].kind is inspect.Parameter.KEYWORD_ONLY
    }
    made.__defaults__ = tuple(d for n, d in given.items() if n not in by_name)
    made.__kwdefaults__ = by_name
    return made


def _tests(
    name: str, text: str, home: dict[str, Any], function: str, namespace: dict[str, Any]
) -> list[str]:
    """Lines that raise for an argument that does not meet what its annotation requires."""
    optional = f"{name} is not None and " if text.endswith(" | None") else ""
    annotation = eval(text.removesuffix(" | None"), home)  # noqa: S307  the text of a declaration
    lines: list[str] = []
    for requirement in annotation.__metadata__:
        key = f"_{name}{len(lines)}"
        namespace[key] = requirement
        beside = f", {requirement.other}" if requirement.other else ""
        lines.append(
            f"if {optional}{requirement.broken.format(name)}: "
            f"raise {key}.failed({function!r}, {name!r}, {name}{beside})"
        )
    return lines
