"""Each operation says its forms and names once: what `vizgrad`, Tensor and the stub have comes from there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad.core.function.primitive import REGISTRY, primitive
from vizgrad.core.ops import forms, stub
from vizgrad.core.ops.forms import FORMS, public

PUBLIC = Path(vg.__file__).parent / "core" / "ops" / "public"
#: Files of `core/ops/public` that are no families.
HELPERS = {"__init__", "arguments", "families"}


def test_the_stub_says_what_is_there() -> None:
    assert stub.STUB.read_text("utf-8") == stub.text(), "run python -m vizgrad.core.ops.stub"


def test_every_family_is_imported_with_vizgrad() -> None:
    files = {path.stem for path in PUBLIC.glob("*.py")} - HELPERS
    assert {name for name in files if f"vizgrad.core.ops.public.{name}" not in sys.modules} == set()
    listed = vars(sys.modules["vizgrad.core.ops.public.families"])
    assert sorted(files - listed.keys()) == []


def test_what_is_declared_is_there() -> None:
    for name, form in FORMS.items():
        assert form.function is not None or form.method is not None
        assert form.function is None or getattr(vg, name) is form.function
        assert form.method is None or vars(vg.Tensor)[name] is form.method


def test_a_name_has_one_home() -> None:
    """No function of `vizgrad` is there without having been declared, or under a name given elsewhere."""
    declared = {id(f.function): name for name, f in FORMS.items() if f.function and not f.alias_of}
    for name, value in vars(vg).items():
        if id(value) in declared:
            assert FORMS[name].alias_of in ("", declared[id(value)])
        elif callable(value) and (value.__module__ or "").startswith("vizgrad.core.ops"):
            pytest.fail(f"vizgrad.{name} is not declared by @primitive(public=True) or @public")


def test_a_second_home_is_refused() -> None:
    def add() -> None: ...

    with pytest.raises(
        TypeError, match=r"add is declared twice, in vizgrad\.core\.ops\.public\.arithmetic"
    ):
        public(add)
    assert vg.add is FORMS["add"].function


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("exp", r"exp is declared twice, in vizgrad\.core\.ops\.pointwise and in "),
        ("shape", r"Tensor\.shape is something else already"),
        ("backward", r"Tensor\.backward is something else already"),
    ],
)
def test_an_operation_takes_no_name_that_is_taken(name: str, message: str) -> None:
    before = REGISTRY.get(name), getattr(vg.Tensor, name), FORMS.get(name)
    with pytest.raises(TypeError, match=message):
        primitive(public=True)(type(name, (), {"forward": np.exp}))
    assert (REGISTRY.get(name), getattr(vg.Tensor, name), FORMS.get(name)) == before


@pytest.fixture
def _forget() -> object:
    before, registered, attributes = dict(FORMS), dict(REGISTRY), set(vars(vg.Tensor))
    yield
    for kept, table in ((before, FORMS), (registered, REGISTRY)):
        table.clear()
        table.update(kept)
    for name in set(vars(vg.Tensor)) - attributes:
        delattr(vg.Tensor, name)


@pytest.mark.usefixtures("_forget")
def test_forms_follow_from_the_declaration() -> None:
    @primitive(typing="float", pointwise=True, public=True, inplace="public", aliases="cube")
    class third_power:
        """x^3."""

        def forward(self: Any) -> Any:
            return self * self * self

        def grad_self(grad: Any, self: Any) -> Any:
            return grad * 3 * self * self

    x = vg.tensor([1.0, 2.0], requires_grad=True)
    for result in (vg.third_power(x), vg.cube(x), x.third_power(), x.cube()):
        (gradient,) = vg.autograd.grad(result.sum(), x)
        assert result.tolist() == [1, 8]
        assert gradient.tolist() == [3, 12]
    for write in (vg.Tensor.third_power_, vg.Tensor.cube_, vg.third_power_, vg.cube_):
        target = x * 1
        assert write(target) is target
        assert target.tolist() == [1, 8]
        assert vg.autograd.grad(target.sum(), x)[0].tolist() == [3, 12]
        assert target._version == 1
    out = vg.empty(2)
    assert vg.cube(x.detach(), out=out) is out
    assert out.tolist() == [1, 8]
    assert third_power(np.float64(2)) == 8
    assert (
        "def third_power(input: Tensor, *, out: Tensor | None = None) -> Tensor: ..." in stub.text()
    )


@pytest.mark.usefixtures("_forget")
def test_settings_and_several_operands() -> None:
    @primitive(typing="promote", public=True, inplace=True)
    class weighted:
        """self + weight * other."""

        def forward(self, other, *, weight):
            return self + weight * other

        def grad_self(grad):
            return grad

        def grad_other(grad, weight):
            return grad * weight

    x, y = vg.ones(2, requires_grad=True), vg.ones(2, requires_grad=True)
    for result in (
        vg.weighted(x, y, weight=3),
        x.weighted(y, weight=3),
        (x * 1).weighted_(y, weight=3),
    ):
        assert result.tolist() == [4, 4]
        assert [g.tolist() for g in vg.autograd.grad(result.sum(), (x, y))] == [[1, 1], [3, 3]]
    out = vg.empty(2)
    assert vg.weighted(x.detach(), y.detach(), weight=2, out=out) is out
    assert out.tolist() == [3, 3]
    with pytest.raises(TypeError, match="weight"):
        vg.weighted(x, y)


def test_without_a_derivative_history_ends() -> None:
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.ge_(1.5)
    assert y.tolist() == [0, 1]
    (y * 2 + x).sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_aliases_are_the_same_function() -> None:
    assert vg.arccos is vg.acos
    assert vg.Tensor.multiply_ is vg.Tensor.mul_
    assert forms.FORMS["arccos"].alias_of == "acos"
