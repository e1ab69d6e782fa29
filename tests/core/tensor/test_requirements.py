"""Annotations declare the requirements of a function on its arguments, and are read once."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest

import vizgrad as vg
from vizgrad.core.ops.public.arguments import takes_tensors
from vizgrad.core.tensor.requirements import (
    MASK,
    AtLeast,
    Dim,
    DtypeKind,
    Each,
    Index,
    Long,
    OneOf,
    Rank,
    RankAtLeast,
    RankAtMost,
    Requirement,
    SameDtype,
    Within,
    ZeroDim,
    checked,
    first,
)
from vizgrad.core.tensor.tensor import Tensor

VIZGRAD = Path(vg.__file__).parent
VECTOR = vg.tensor([1.0, 2.0])


def _made(requirement: Requirement) -> Any:
    """A function of one argument that has the requirement."""
    source = "def function(argument: Annotated[Any, requirement], beside=None): return argument"
    scope: dict[str, Any] = {"Annotated": Annotated, "Any": Any, "requirement": requirement}
    exec(source, scope)
    return checked(scope["function"])


@pytest.mark.parametrize(
    ("requirement", "right", "wrong", "error", "text"),
    [
        (Rank(1, "{function}: {ndim}D"), VECTOR, VECTOR[0], RuntimeError, "function: 0D"),
        (Rank((1, 2), "{shape}", IndexError), VECTOR, VECTOR[0], IndexError, "[]"),
        (RankAtLeast(1, "{ndim}"), VECTOR, VECTOR[0], RuntimeError, "0"),
        (RankAtMost(0, "{ndim}"), VECTOR[0], VECTOR, RuntimeError, "1"),
        (DtypeKind("b"), VECTOR > 1, VECTOR, NotImplementedError, '"function" not implemented for float32'),
        (Long("{argument} is {dtype}"), VECTOR.long(), VECTOR, RuntimeError, "argument is float32"),
        (AtLeast(1, "{value}"), 1, 0, RuntimeError, "0"),
        (AtLeast(1, "{value}"), 1, float("nan"), RuntimeError, "nan"),
        (Within("0 < x < 1", "{value}", ValueError), 0.5, 1, ValueError, "1"),
        (OneOf(("a", "b"), "{value!r}"), "b", "c", RuntimeError, "'c'"),
        (ZeroDim("{ndim}"), 1.0, VECTOR, RuntimeError, "1"),
        (Index("{dtype}"), VECTOR.int(), VECTOR, RuntimeError, "float32"),
        (Index("{dtype}", or_empty=True), VECTOR[:0], VECTOR, RuntimeError, "float32"),
        (Each(Rank(1, "{position}: {ndim}D")), [VECTOR, 1], [VECTOR, VECTOR[0]], RuntimeError, "1: 0D"),
        (MASK, VECTOR > 1, VECTOR, RuntimeError,
            "function only supports boolean masks, but got mask with dtype float32"),
        (MASK, VECTOR > 1, [True], TypeError,
            "function(): argument 'argument' (position 2) must be Tensor, not list"),
    ],
)  # fmt: skip
def test_a_requirement(
    requirement: Requirement, right: Any, wrong: Any, error: type[Exception], text: str
) -> None:
    function = _made(requirement)
    assert function(right) is right
    assert function(argument=right, beside=1) is right
    with pytest.raises(error) as caught:
        function(wrong)
    assert type(caught.value) is error
    assert str(caught.value) == text


def _several(
    first: Annotated[Tensor, Rank(1, "first")],
    second: Annotated[Tensor, SameDtype("first", "{dtype} beside {other}")] | None = None,
    *rest: Any,
    flag: Annotated[bool, OneOf((True, False), "flag")] = True,
    **options: Any,
) -> Any:
    return first, second, rest, flag, options


def test_parameters_defaults_and_signature_stay() -> None:
    function = checked(_several)
    for _ in range(2):  # compiled at the first call
        assert function(VECTOR) == (VECTOR, None, (), True, {})
        assert function(VECTOR, VECTOR, 3, flag=False, more=4)[2:] == ((3,), False, {"more": 4})
    assert str(inspect.signature(function)) == (
        "(first: 'Tensor', second: 'Tensor | None' = None, *rest: 'Any', flag: 'bool' = True, "
        "**options: 'Any') -> 'Any'"
    )
    assert (function.__name__, function.__module__) == ("_several", __name__)
    with pytest.raises(RuntimeError, match="float64 beside float32"):
        function(VECTOR, VECTOR.double())
    with pytest.raises(RuntimeError, match="flag"):
        function(VECTOR, flag=2)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'first'"):
        function()


_Other = Annotated[
    Tensor, Requirement("{0}._array.ndim > {1}._array.ndim", "{ndim} > {other_ndim}", other="")
]


def _turned(input: Tensor, dim: Dim = 0, other: _Other | None = None) -> Any:
    return input, dim, other


def test_an_annotation_may_have_a_name_and_compare_with_the_first_argument() -> None:
    function = checked(_turned)
    assert str(inspect.signature(function)) == (
        "(input: 'Tensor', dim: 'int' = 0, other: 'Tensor | None' = None) -> 'Any'"
    )
    for dim in (0, -1, True):  # what is no int is read by the function itself
        assert function(VECTOR, dim) == (VECTOR, dim, None)
        assert function(VECTOR[0], dim)[1:] == (dim, None)
    for wrong in (VECTOR, VECTOR[0]):
        with pytest.raises(IndexError, match=r"expected to be in range of \[-1, 0\], but got 1"):
            function(wrong, 1)
    with pytest.raises(RuntimeError, match="1 > 0"):
        function(VECTOR[0], other=VECTOR)


def _ordered(
    one: Annotated[int, AtLeast(0, "one")],
    two: Annotated[int, AtLeast(0, "two"), AtLeast(1, "two again")],
    three: Annotated[Any, first(Each(RankAtLeast(1, "three")))],
) -> Any:
    return one, two, three


def test_requirements_are_looked_at_in_order() -> None:
    function = checked(_ordered)
    assert function(0, 1, [VECTOR]) == (0, 1, [VECTOR])
    for wrong, text in [
        ((-1, -1, [VECTOR[0]]), "three"),
        ((-1, -1, []), "one"),
        ((0, -1, []), "two"),
        ((0, 0, []), "two again"),
    ]:
        with pytest.raises(RuntimeError) as caught:
            function(*wrong)
        assert str(caught.value) == text


def test_a_function_without_requirements_stays_itself() -> None:
    def plain(input: Tensor) -> Tensor:
        return input

    assert checked(plain) is plain


def test_what_is_no_tensor_is_named_before() -> None:
    def trace(input: Annotated[Tensor, Rank(2, "a matrix")]) -> Tensor:
        return input

    with pytest.raises(
        TypeError, match=r"argument 'input' \(position 1\) must be Tensor, not list"
    ):
        takes_tensors(trace)([1])


def test_the_line_of_the_caller_is_blamed() -> None:
    """Frames of tests of arguments are the library's own."""
    vector = vg.tensor([1.0, 2.0], requires_grad=True)
    product = vg.mm(vector[None], vector[:, None])
    assert product.grad_fn is not None
    selected = vg.take(vector, vg.tensor([0]))
    site = selected.grad_fn.site
    assert site is not None
    assert site.file == __file__


def _declared() -> list[tuple[str, ast.FunctionDef]]:
    """Functions whose parameters have requirements, in the text of the annotation or by a name for it."""
    trees = {
        path: ast.parse(text)
        for path in VIZGRAD.rglob("*.py")
        if "requirements import" in (text := path.read_text("utf-8"))
    }
    named = {
        target.id
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("Annotated[")
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert "_Index" in named
    return [
        (f"{path.name}: {node.name}", node)
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for given in (*node.args.args, *node.args.kwonlyargs, node.args.vararg)
        if given is not None and given.annotation is not None
        for text in (ast.unparse(given.annotation),)
        if "Annotated[" in text or text.removesuffix(" | None") in {*named, "Dim"}
    ]


def test_every_declared_requirement_is_read() -> None:
    """An annotation is read by a decorator; on a function without one it would say nothing."""
    readers = {
        "public", "method", "takes_tensors", "takes_out", "takes_axis", "of_examples", "checked",
    }  # fmt: skip
    declared = _declared()
    assert len(declared) > 100
    unread: list[str] = []
    for name, node in declared:
        used = {ast.unparse(d).partition("(")[0] for d in node.decorator_list}
        if not used & readers:
            unread.append(name)
    assert unread == []


@pytest.mark.parametrize(
    "call",
    [
        lambda: vg.meshgrid(VECTOR, VECTOR),
        lambda: vg.cov(VECTOR[:1]),
        lambda: vg.std(VECTOR[:1]),
        lambda: vg.tril(VECTOR[None], out=vg.ones(3)),
        lambda: vg.nn.functional.huber_loss(VECTOR, VECTOR[:1]),
        lambda: vg.nn.functional.kl_div(VECTOR, VECTOR),
    ],
)
def test_a_warning_names_the_line_of_the_caller(call: Callable[[], Any]) -> None:
    """Whatever stands between: decorators, and the tests of arguments."""
    with pytest.warns(
        UserWarning, match="indexing|freedom|resized|target size|batchmean"
    ) as caught:
        call()
    assert [Path(each.filename) for each in caught] == [Path(__file__)]
