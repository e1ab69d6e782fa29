"""Formulas as mathematics: well-formed, of known elements, the same value as the formula has."""

from __future__ import annotations

import re
from html import unescape
from xml.dom import minidom

import pytest

import vizgrad as vg
from tests.fixtures.folded import Folded
from vizgrad.core.function.primitive import REGISTRY
from vizgrad.debugger.drawing.mathematics import mathematics
from vizgrad.debugger.engines.vizgrad.graph_source import formulas_of, source_of, unmarked
from vizgrad.debugger.model import Formula

#: Loaded when they are used; their rows are looked at here.
assert callable(vg.nn.functional.nll_loss)
FORMULAS = {
    (op.name, name): Formula(name, source_of(formula), op.maths.get(name, ""))
    for op in REGISTRY.values()
    for name, formula in op.formulas.items()
}
KNOWN = {
    *(
        "math",
        "mrow",
        "mi",
        "mn",
        "mo",
        "mtext",
        "mspace",
        "mfrac",
        "msup",
        "msub",
        "msqrt",
        "mover",
    ),
    *("mtable", "mtr", "mtd"),
}


def flat(mathml: str) -> str:
    """The letters and signs in a row, fractions and powers as in a line."""
    text = re.sub(r"<msup>(.*?)</msup>", r"\1", mathml)
    return unescape(re.sub(r"<[^>]*>", "", text))


def test_most_formulas_are_mathematics() -> None:
    made = [mathematics(formula) for formula in FORMULAS.values()]
    assert sum(m is not None for m in made) > 0.55 * len(made)  # of many, only their source says it


def test_what_is_made_is_well_formed() -> None:
    with Folded() as case:
        for name, formula in FORMULAS.items():
            with case(*name):
                made = mathematics(formula)
                if made is not None:
                    document = minidom.parseString(made.mathml)
                    assert {e.tagName for e in document.getElementsByTagName("*")} <= KNOWN
                    assert made.text.count("∂L/∂") == 1


def test_each_declared_line_is_written() -> None:
    with Folded() as case:
        for op in REGISTRY.values():
            for name, text in op.maths.items():
                with case(op.name, name):
                    assert mathematics(Formula(name, "", text)) is not None


def written(text: str, input: str = "self") -> str:
    made = mathematics(Formula(input, "", text))
    assert made is not None
    return made.mathml.removeprefix('<math displaystyle="true"><mrow>').partition("<mo>=</mo>")[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("g * (1 - y**2)", "g⋅(1−y2)"),
        ("g - (x - y)", "g−(x−y)"),
        ("(g - x) - y", "g−x−y"),
        ("-g * x", "−g⋅x"),
        ("g * -x", "g⋅(−x)"),
        ("-(g + x)", "−(g+x)"),
        ("g * (y > 0)", "g⋅[y>0]"),
        ("keep(g, mask=x <= 1)", "g⋅[x≤1]"),
        ("drop(g + 1, mask=m)", "(g+1)⋅[¬m]"),
        ("sum(g * y)", "∑g⋅y"),
        ("sum(g + y) * x", "∑(g+y)⋅x"),
        ("abs(x)", "|x|"),
        ("max(p, 1e-12)", "max(p,10−12)"),
        ("2.5e-3 * g", "0.0025⋅g"),
        ("f(g, dim=dim, keep=True)", "f(g,dim,keep=True)"),
        ("(g if x > 0 else 0)", "{gif\xa0x>00otherwise"),
        ("reshape(g, shape=self_meta.shape)", "reshape(g,shape=x.shape)"),
        ("a < b", "[a<b]"),
    ],
)
def test_how_it_is_written(text: str, expected: str) -> None:
    assert flat(written(text)) == expected


def test_fractions_roots_and_powers_are_elements_of_their_own() -> None:
    assert "<mfrac><mrow><mi>g</mi></mrow>" in written("g / (x + 1)")
    assert "(" not in written("g / (x + 1)")
    assert "<msqrt>" in written("sqrt(x + 1)")
    assert "<msup><mrow><mo>(</mo>" in written("(x + 1)**2")
    assert "<msup><mi>e</mi>" in written("exp(-x)")
    assert "<mo>⊤</mo>" in written("mm(t(x), g)")


@pytest.mark.parametrize(
    "source",
    [
        "",
        "def f(:",
        "def f(grad):\n    if grad is None:\n        return None\n    return grad",
        "def f(grad):\n    for g in grad:\n        pass\n    return grad",
        "def f(grad):\n    return [g for g in grad]",
        "def f(grad):\n    return grad.method(1)",
        "def f(grad):\n    return isinstance(grad, int)",
        "def f(grad):\n    raise RuntimeError('no')",
        "def f(grad):\n    x = 1",
        "x = 1",
        "(" * 500,
    ],
)
def test_what_is_a_program_stays_source(source: str) -> None:
    assert mathematics(Formula("self", source)) is None


#: A function of which nothing but its name is said is no formula.
INTERNAL = re.compile(r"_backward\b|\b_\w+\(|\bscaled\(|\bto_index\(|\bshare\w*\(|\bspread\w*\(")


def test_no_formula_calls_a_function_that_users_do_not_know() -> None:
    with Folded() as case:
        for name, formula in FORMULAS.items():
            made = mathematics(formula)
            if made is not None:
                with case(*name):
                    assert not INTERNAL.search(made.text), made.text
    for source in ("grad_of(grad)", "g_backward(grad, self)", "grad * _slope(self)", "f(g)(x)"):
        assert mathematics(Formula("self", f"f = lambda grad, self: {source}")) is None


@pytest.mark.parametrize(
    ("op", "input", "text"),
    [
        ("nll_loss", "self", "∂L/∂x = -g * (c == t) / n"),
        ("weighted_nll_loss", "self", "∂L/∂x = -g * weight[t] * (c == t) / n"),
        ("pow_number", "self", "∂L/∂x = g * exponent * x**(exponent - 1)"),
        ("amax", "self", "∂L/∂x = g * (x == y) / sum(x == y)"),
        ("embedding", "weight", "∂L/∂weight = index_add(0, 0, indices, g)"),
        ("addmm", "mat1", "∂L/∂mat1 = alpha * mm(g, t(mat2))"),
        ("mul_number", "self", "∂L/∂x = other * g"),
        ("div_number", "self", "∂L/∂x = g / other"),
    ],
)
def test_formulas_of_every_model_are_read_as_mathematics(op: str, input: str, text: str) -> None:
    made = mathematics(FORMULAS[op, input])
    assert made is not None
    assert made.text == text
    if op == "nll_loss":
        assert "c a class" in made.where
        assert "t the target" in made.where


def test_lines_before_the_last_have_their_names() -> None:
    made = mathematics(
        Formula("self", "def f(grad, self):\n    s = sigmoid(self)\n    return grad * s")
    )
    assert made is not None
    assert made.text == "s = sigmoid(x); ∂L/∂x = g * s"
    assert made.where == "g the incoming gradient, x the input self"


def test_a_stranger_s_text_is_text() -> None:
    made = mathematics(Formula("<b>&", "", "g * x['<script>']"))
    assert made is not None
    assert "<script>" not in made.mathml
    assert "<b>" not in made.mathml
    minidom.parseString(made.mathml)


def test_a_session_s_formula_is_told_with_its_node() -> None:
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    with vg.debug(x.tanh().sum()) as session:
        node = next(n for n in session.graph.nodes if n.name == "TanhBackward0")
        made = mathematics(node.formulas[0])
        assert made is not None
        assert made.text == "∂L/∂x = g * (1 - y**2)"


def test_it_is_spoken_with_the_letters_that_are_written() -> None:
    made = mathematics(
        Formula(
            "self",
            "def f(grad, self_meta, other_meta):\n    return cat(grad, self_meta.shape, other_meta)",
        )
    )
    assert made is not None
    assert made.text == "∂L/∂x = cat(g, x.shape, other)"
    assert flat(made.mathml).endswith("=cat(g,x.shape,other)")


def test_our_own_formulas_are_shown_without_notes_to_a_formatter() -> None:
    loss = vg.nn.functional.nll_loss(vg.ones(2, 3, requires_grad=True), vg.tensor([0, 1]))
    assert loss.grad_fn is not None
    (formula,) = formulas_of(loss.grad_fn)
    assert formula.source.endswith("ignore_index=ignore_index,\n    )")
    comments = "def f(g):  # keep\n    return g  # of a person: fmt: as it was"
    assert unmarked(comments) == comments
