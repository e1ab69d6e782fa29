"""Operations that a person declares, in a module or in the cells of a notebook (B21 of the review).

A notebook's names come one by one and are defined anew: what a formula calls is looked up when it runs.
"""

from __future__ import annotations

import gc
import traceback
import weakref
from typing import Any

import pytest

import vizgrad as torch
from vizgrad.core.function.primitive import REGISTRY

FIRST = """
from vizgrad.core.function.primitive import primitive

@primitive(pointwise=True)
class tripled_of_a_test:
    def forward(self):
        return self * 3

    def grad_self(grad):
        return grad * three()
"""

SECOND = """
@primitive(pointwise=True)
class squared_of_a_test:
    def forward(self):
        return power(self)

    def grad_self(grad, self):
        return twice(grad) * self
"""


class Notebook:
    """Cells run one after another in one set of globals, as IPython does it."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self._cells = 0

    def run(self, text: str) -> None:
        self._cells += 1
        exec(compile(text, f"<cell {self._cells}>", "exec"), self.names)

    def slope(self, name: str, create_graph: bool = False) -> list[float]:
        x = torch.tensor([2.0], requires_grad=True)
        y = self.names[name].record(x)
        (found,) = torch.autograd.grad(y, x, torch.ones(1), create_graph=create_graph)
        return found.tolist()


@pytest.fixture
def notebook() -> Any:
    before = dict(REGISTRY)
    yield Notebook()
    REGISTRY.clear()
    REGISTRY.update(before)


def test_a_helper_may_be_defined_after_the_operation(notebook: Notebook) -> None:
    notebook.run(FIRST)
    notebook.run("def three(): return 3")
    assert notebook.slope("tripled_of_a_test") == [3]


def test_a_helper_of_a_later_operation_is_found(notebook: Notebook) -> None:
    """The first formula to run once fixed the names of all that came later."""
    notebook.run(FIRST)
    notebook.run("def three(): return 3")
    assert notebook.slope("tripled_of_a_test") == [3]
    notebook.run("def twice(x): return x + x")
    notebook.run(SECOND)
    notebook.run("def power(x): return x * x")
    assert notebook.slope("squared_of_a_test") == [4]


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_helper_that_is_defined_anew_counts_from_then_on(
    notebook: Notebook, create_graph: bool
) -> None:
    notebook.run(FIRST)
    notebook.run("def three(): return 4")
    assert notebook.slope("tripled_of_a_test", create_graph) == [4]
    notebook.run("def three(): return 3")
    assert notebook.slope("tripled_of_a_test", create_graph) == [3]


def test_a_formula_may_call_an_operation_that_comes_later_or_is_declared_anew(
    notebook: Notebook,
) -> None:
    notebook.run("from vizgrad.core.function.primitive import primitive")
    notebook.run(SECOND.replace("twice(grad) * self", "late_of_a_test(grad) * self"))
    notebook.run("def power(x): return x * x")
    late = FIRST.replace("tripled_of_a_test", "late_of_a_test")
    notebook.run(late)
    assert notebook.slope("squared_of_a_test") == [6]
    notebook.run(late.replace("self * 3", "self * 5"))
    assert notebook.slope("squared_of_a_test") == [10]


def test_an_operation_that_is_declared_anew_is_let_go_of(notebook: Notebook) -> None:
    notebook.run(FIRST)
    notebook.run("def three(): return 3")
    notebook.slope("tripled_of_a_test")
    old = weakref.ref(notebook.names["tripled_of_a_test"])
    notebook.run(FIRST)
    gc.collect()
    assert old() is None


def test_a_notebook_is_let_go_of_with_its_operations(notebook: Notebook) -> None:
    notebook.run(FIRST)
    notebook.run("class Thing: pass\nthing = Thing()\ndef three(): return 3")
    notebook.slope("tripled_of_a_test")
    thing = weakref.ref(notebook.names["thing"])
    del REGISTRY["tripled_of_a_test"]
    notebook.names = {}
    gc.collect()
    assert thing() is None


def test_a_traceback_names_the_operation_and_shows_what_was_run(notebook: Notebook) -> None:
    notebook.run(FIRST)
    notebook.run("def three(): raise ValueError('not today')")
    with pytest.raises(ValueError, match="not today") as caught:
        notebook.slope("tripled_of_a_test")
    shown = "".join(traceback.format_exception(caught.value))
    assert 'File "<vizgrad tripled_of_a_test.run>"' in shown
    assert "formula_self" in shown
    with pytest.raises(TypeError) as refused:
        torch.ones(2).mul("two")
    assert any(f.filename == "<vizgrad mul.record>" for f in traceback.extract_tb(refused.tb))


TOGETHER = """
from vizgrad.core.function.primitive import primitive
from vizgrad.core.tensor.tensor import Tensor

calls = []

@primitive
class product_of_a_test:
    def forward(self, other, third):
        return self * other + third

    def grad_self(grad, other):
        return grad * other

    def grad_other(grad, self):
        return grad * self

    def grad_third(grad):
        return grad

    def together(grad, self, other, wanted):
        calls.append(wanted)
        return grad * other, grad * self, grad if wanted[2] else None
"""


@pytest.mark.parametrize(
    ("needed", "expected"),
    [
        ((True, True, True), [(True, True, True)]),
        ((True, True, False), [(True, True, False)]),
        ((True, False, True), []),
        ((False, True, True), []),
        ((False, False, True), []),
    ],
)
def test_derivatives_that_share_work_are_asked_for_together(
    notebook: Notebook, needed: tuple[bool, ...], expected: list[Any]
) -> None:
    notebook.run(TOGETHER)
    op = notebook.names["product_of_a_test"]
    inputs = [
        torch.tensor([v], requires_grad=n) for v, n in zip((2.0, 3.0, 5.0), needed, strict=True)
    ]
    leaves = [x for x in inputs if x.requires_grad]
    slopes = [s for s, n in zip((3.0, 2.0, 1.0), needed, strict=True) if n]
    plain = torch.autograd.grad(op.record(*inputs), leaves)
    assert [g.item() for g in plain] == slopes
    assert notebook.names["calls"] == expected
    recorded = torch.autograd.grad(op.record(*inputs), leaves, create_graph=True)
    assert [g.item() for g in recorded] == slopes
    assert notebook.names["calls"] == expected  # Tensors go through the formulas


def test_what_is_computed_together_is_what_the_first_two_formulas_ask_for(
    notebook: Notebook,
) -> None:
    with pytest.raises(TypeError, match="the first two formulas do not ask for"):
        notebook.run(TOGETHER.replace("other, wanted", "other, third, wanted"))
