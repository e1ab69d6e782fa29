"""Expressions: what they mean, that nothing else is understood, and that evaluating changes nothing."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import vizgrad as vg
from vizgrad.debugger.engines.vizgrad import opener as opener  # makes vizgrad's tensors known
from vizgrad.debugger.engines.vizgrad.edits import new_value
from vizgrad.debugger.expressions import CONSTANTS, FUNCTIONS, Elements, parse, parse_value
from vizgrad.debugger.expressions.interpreter import VALUES

G = np.array([[-2.0, 0.5], [3.0, 0.0]], dtype=np.float32)


class Odd:
    """A class of a user's whose every method would run code."""

    def __init__(self) -> None:
        self.epoch = 3
        self.inner = SimpleNamespace(rate=0.5)
        self.calls = 0

    def _run(self, *_: Any) -> bool:
        self.calls += 1
        return True

    __eq__ = __lt__ = __gt__ = __le__ = __ge__ = __bool__ = __len__ = __contains__ = _run
    __add__ = __radd__ = __mul__ = __rmul__ = __getitem__ = __getattr__ = _run
    __hash__ = None  # type: ignore[assignment]

    @property
    def computed(self) -> bool:
        return self._run()


class Text(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise AssertionError("code of the user's ran")

    __hash__ = None  # type: ignore[assignment]


def names() -> dict[str, Any]:
    return {
        "loss": vg.tensor(12.5, requires_grad=True),
        "w": vg.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True),
        "bad": vg.tensor([1.0, math.nan]),
        "step": 3,
        "rate": 0.1,
        "name": "MulBackward0",
        "losses": [4.0, 2.0],
        "logs": {"loss": 2.0},
        "off": False,
        "nothing": None,
        "odd": Odd(),
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(loss > 10).item()", True),
        ("loss.item() > 1", True),
        ("isnan(loss)", False),
        ("torch.isnan(bad)", True),
        ("isnan(bad).any() and not isfinite(bad)", True),
        ("isfinite(w) and not isinf(w)", True),
        ("step == 3", True),
        ("step % 2 == 1 and step // 2 == 1", True),
        ("w.norm() > 5", True),
        ("w.abs().max() == 4", True),
        ("abs(w).min() == 1", True),
        ("max(w) - min(w)", 6.0),
        ("w.mean()", 1.5),
        ("sum(w)", 6.0),
        ("w.shape == (2, 2)", True),
        ("w.dtype == 'float32'", True),
        ("w.requires_grad and w.grad is None", True),
        ("w.grad.norm() > 1", False),
        ("w[0][1].item()", -2.0),
        ("(w > 0).all()", False),
        ("(w > 0).any()", True),
        ("len(w) == 2 and len(losses) == 2", True),
        ("losses[-1] < losses[0]", True),
        ("logs['loss']", 2.0),
        ("max(losses) == 4", True),
        ("max(1, step, 2)", 3),
        ("'Mul' in name", True),
        ("name in ('AddBackward0', 'MulBackward0')", True),
        ("step not in (1, 2)", True),
        ("1 < step <= 3 < 4", True),
        ("3 == step == 4", False),
        ("not off", True),
        ("off or step", 3),
        ("nothing is None and nothing != 0", True),
        ("nothing.norm() > 1 or nothing < 2 or nothing + 1 > 0", False),
        ("name > 3", False),
        ("odd.epoch == 3", True),
        ("odd.inner.rate < 1", True),
        ("-rate < +rate", True),
        ("2 ** 10 == 1024 and 2.0 ** 0.5 < 1.5", True),
        ("rate < inf and nan != nan", True),
    ],
)
def test_what_an_expression_says(text: str, value: Any) -> None:
    known = names()
    found = parse(text).value(known)
    assert (type(found), found) == (type(value), value)
    assert parse(text).holds(known) is bool(value)
    assert known["odd"].calls == 0


HOSTILE = [
    "", "\0", "loss.__class__", "().__class__.__bases__", "loss.item.__globals__", "_", "__import__('os')",
    "__builtins__", "open('x')", "eval('1')", "getattr(loss, 'grad')", "loss.backward()", "loss.add_(1)",
    "loss.register_hook(step)", "loss.numpy()", "w.tolist()", "w.storage()", "name.upper()",
    "name.format(loss)", "'{0.__class__}'.format(loss)", "f'{loss}'", "losses.append(1)", "losses.clear()",
    "logs.pop('loss')", "lambda: 1", "(lambda: 1)()", "[x for x in losses]", "{x for x in losses}",
    "{x: x for x in losses}", "(x for x in losses)", "sum(x for x in losses)", "{1: 2}", "{1}",
    "loss if 1 else 2", "step := 4", "await step", "yield 1", "*losses", "f(*losses)",
    "max(*losses)", "max(w, default=1)",
    "w[0:1]", "w[step]", "w[...]", "1j", "b'x'", "...", "w @ w", "1 << 99999", "1 | 2", "~step", "step is 3",
    "import os", "step = 4", "del step", "step; step", "x\n1", "os.system('x')", "torch.load('x')",
    "np.fromfile('x')", "math.factorial(99999)", "print(1)", "isnan", "isnan()", "clip(w)", "max()",
    "(" * 250, "-" * 290 + "1", "+".join(["1"] * 140) + "+" + "1" * 200, "not " * 60 + "step" * 50,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_no_expression_is_refused_before_anything_is_evaluated(text: str) -> None:
    with pytest.raises(ValueError, match="is not understood"):
        parse(text, names())


@pytest.mark.parametrize(
    "text",
    [
        "9 ** 9 ** 9", "9 ** 9 ** 9 ** 9", "(2 ** 4000) ** 4000", "name * 10", "name * step", "name % 3",
        "'%99999999d' % 3", "losses * 9", "losses + losses", "losses < 3 + losses", "odd == 3", "odd + 1",
        "odd * w", "not odd", "odd and 1", "odd[0]", "odd in losses", "3 in odd", "len(odd)",
        "abs(odd)", "odd.computed",
        "odd.missing", "max(odd)", "1 / 0", "1 % 0", "losses[9]", "logs['x']", "w.item()",
        "w > 0 and w < 9", "not w", "w.norm", "w.foo", "step.real", "name[0].x", "losses.x",
        "w + [1, 2]", "int(nan)", "10.0 ** 999",
        "w[9]", "name in 3", "3 in name", "int('9')", "float(name)",
    ],
)  # fmt: skip
def test_what_has_no_value_is_an_error_and_runs_nothing(text: str) -> None:
    known = names()
    with pytest.raises(ValueError, match=r"has no value|is no condition"):
        parse(text).holds(known)
    assert known["odd"].calls == 0


def test_a_text_of_a_class_of_its_own_is_read_as_a_text() -> None:
    assert parse("name == 'a'").holds({"name": Text("a")})


def test_a_result_that_is_too_large_is_refused() -> None:
    wide, tall = np.zeros((1, 1 << 20)), np.zeros((1 << 20, 1))
    with pytest.raises(ValueError, match="too large"):
        parse("wide + tall").value({"wide": wide, "tall": tall})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lss > 1", "did you mean 'loss'"),
        ("other > 1", "names are: bad, grad, logs"),
        ("isnam(loss)", "did you mean 'isnan'"),
        ("loss.itm()", "did you mean 'item'"),
        ("norm > 1", "norm is a function"),
        ("loss._grad", "begins with an underscore"),
        ("grad.median > 1", "grad has no 'median', but "),
    ],
)
def test_a_refusal_says_what_there_is(text: str, words: str) -> None:
    with pytest.raises(ValueError, match="is not understood") as error:
        parse(text, {**names(), "grad": 0}, tensors={"grad"})
    assert words in str(error.value)


def test_a_name_that_is_unknown_when_it_is_asked_for() -> None:
    with pytest.raises(ValueError, match="no 'lost' here; did you mean 'loss'"):
        parse("lost > 1").holds(names())


# --- against Python --------------------------------------------------------------------------------------

WEIGHTS = vg.tensor([[1.0, -2.0], [3.0, 4.0]])
PLAIN: dict[str, Any] = {
    "a": 3, "b": -2.5, "c": 0, "flag": True, "text": "abc", "values": [4.0, 2.0], "nan_": math.nan,
}  # fmt: skip
LEAVES = st.sampled_from(
    [
        "a",
        "b",
        "c",
        "flag",
        "nan_",
        "w",
        "0",
        "1",
        "2",
        "0.5",
        "True",
        "inf",
        "pi",
        "values[0]",
        "values[-1]",
        "w[1]",
    ]
)
TEXTS = st.sampled_from(["text", "'abc'", "'b'", "''"])


def _deeper(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    sign = st.sampled_from(["+", "-", "*", "/", "//", "%", "**"])
    order = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    one = st.sampled_from(
        [
            "abs",
            "all",
            "any",
            "exp",
            "isfinite",
            "isinf",
            "isnan",
            "max",
            "min",
            "mean",
            "norm",
            "numel",
            "sign",
            "sqrt",
        ]
    )
    return st.one_of(
        st.tuples(inner, sign, inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(inner, order, inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(inner, order, inner, order, inner).map(lambda p: "(" + " ".join(p) + ")"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda p: "(" + " ".join(p) + ")"
        ),
        st.tuples(TEXTS, st.sampled_from(["in", "not in", "==", "<"]), TEXTS).map(
            lambda p: "(" + " ".join(p) + ")"
        ),
        st.tuples(inner, st.sampled_from(["in", "not in"]), inner, inner).map(
            lambda p: f"({p[0]} {p[1]} ({p[2]}, {p[3]}))"
        ),
        inner.map(lambda p: f"(not {p})"),
        inner.map(lambda p: f"(-{p})"),
        st.tuples(one, inner).map(lambda p: f"{p[0]}({p[1]})"),
        st.tuples(st.sampled_from(["max", "min", "maximum", "minimum"]), inner, inner).map(
            lambda p: f"{p[0]}({p[1]}, {p[2]})"
        ),
    )


@given(st.recursive(LEAVES, _deeper, max_leaves=8))
@example("(a == a == w)")
@example("(nan_ in (nan_, a))")
@example("(-(a and w))")
def test_the_value_is_that_of_pythons_own_evaluation(text: str) -> None:
    seen = Elements(source=WEIGHTS)
    scope = {**{name: f.call for name, f in FUNCTIONS.items()}, **CONSTANTS, **PLAIN, "w": seen}
    try:
        expression = parse(text)
    except ValueError as refused:
        assert "characters" in str(refused) or "parts" in str(refused)  # noqa: PT017
        return
    try:
        wanted = eval(text, {"__builtins__": {}}, scope)
    except Exception as error:  # noqa: BLE001  whatever Python raises
        if isinstance(error, TypeError):
            return  # what Python cannot order is undefined here
        with pytest.raises(ValueError, match="has no value"):
            expression.value({**PLAIN, "w": WEIGHTS})
        return
    try:
        found = expression.value({**PLAIN, "w": WEIGHTS})
    except ValueError as refused:
        assert "bits" in str(refused)  # noqa: PT017  a power that Python did compute
        return
    assert _told(found) == _told(wanted)


def _told(value: Any) -> Any:
    if isinstance(value, Elements):
        return value.dtype, value.shape, repr(value.array.tolist())
    return type(value), repr(value)


# --- nothing changes -------------------------------------------------------------------------------------

READING = [
    "isnan(loss)", "loss.item() > 1", "w.norm() > 1 and (w * 2 + 1 > 0).any()", "w.grad.norm() > 0",
    "abs(w).max()", "w.sum() + loss > 0", "clip(w, 0, 1).max() < 2", "where(w > 0, w, 0).sum()",
    "nan_to_num(w).min()", "sqrt(w).max()",
    "w.shape == (2, 2)", "(-w).mean()", "w[0][0] ** 2 > 1",
]  # fmt: skip


@pytest.mark.parametrize("text", READING)
def test_evaluating_changes_nothing_of_vizgrads_tensors(text: str) -> None:
    known = names()
    w, loss = known["w"], known["loss"]
    (w * w).sum().backward()
    total = w * 2
    before = total.grad_fn._sequence_nr()
    state = [(t._version, t.tolist(), t.grad is None or t.grad.tolist()) for t in (w, loss)]
    with vg.watch() as notes:
        parse(text).value(known)
    assert [(t._version, t.tolist(), t.grad is None or t.grad.tolist()) for t in (w, loss)] == state
    assert not notes.findings
    assert (w * 2).grad_fn._sequence_nr() == before + 1


@pytest.mark.parametrize("text", READING)
def test_evaluating_changes_nothing_of_pytorchs_tensors(text: str) -> None:
    torch = pytest.importorskip("torch")
    from torch.utils._python_dispatch import TorchDispatchMode

    heard: list[Any] = []

    class Hearing(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            heard.append(func)
            return func(*args, **(kwargs or {}))

    vg.debug(torch.ones(1, requires_grad=True).sum(), display=False).close()  # registers the engine
    known = names() | {
        "loss": torch.tensor(12.5, requires_grad=True),
        "w": torch.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True),
    }
    w, loss = known["w"], known["loss"]
    (w * w).sum().backward()
    before = (w * 2).grad_fn._sequence_nr()
    state = [(t._version, t.tolist(), t.grad is None or t.grad.tolist()) for t in (w, loss)]
    with Hearing():
        parse(text).value(known)
    assert [(t._version, t.tolist(), t.grad is None or t.grad.tolist()) for t in (w, loss)] == state
    assert {str(func) for func in heard} <= {"aten.detach.default"}
    assert (w * 2).grad_fn._sequence_nr() == before + 1


# --- new values ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0", [0, 0, 0, 0]),
        ("zero", [0, 0, 0, 0]),
        ("one", [1, 1, 1, 1]),
        ("-g", [2, -0.5, -3, 0]),
        ("negate", [2, -0.5, -3, 0]),
        ("g * 2 + 1", [-3, 2, 7, 1]),
        ("grad * 2 + 1", [-3, 2, 7, 1]),
        ("g.clip(-1, 1)", [-1, 0.5, 1, 0]),
        ("clip(g, 0, 2)", [0, 0.5, 2, 0]),
        ("clip to 1", [-1, 0.5, 1, 0]),
        ("Scale by 0.5", [-1, 0.25, 1.5, 0]),
        ("where(g > 0, g, 7)", [7, 0.5, 3, 7]),
        ("g.abs().maximum(1)", [2, 1, 3, 1]),
        ("g ** 2", [4, 0.25, 9, 0]),
        ("sum(g)", [1.5] * 4),
        ("g[1]", [3, 0, 3, 0]),
        ("1 / (1 + 1)", [0.5] * 4),
        ("inf", [math.inf] * 4),
    ],
)
def test_what_a_new_value_means(text: str, values: list[float]) -> None:
    made, words = new_value(G, text)
    assert made.ravel().tolist() == values
    assert (made.dtype, made.shape, words) == (G.dtype, G.shape, text)


def test_a_norm_and_what_is_no_number() -> None:
    assert np.linalg.norm(new_value(G, "norm to 2")[0]) == pytest.approx(2)
    with_nan = np.array([np.nan, 1.0])
    assert new_value(with_nan, "nan to 0")[0].tolist() == [0, 1]
    assert new_value(with_nan, "nan_to_num(g, 3)")[0].tolist() == [3, 1]


@pytest.mark.parametrize("value", [5, 2.5, [1.0, 2.0], np.ones((2, 2)), True])
def test_numbers_and_values(value: object) -> None:
    assert new_value(G, value)[0].tolist() == np.broadcast_to(value, (2, 2)).tolist()


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "g.__class__", "g.tobytes()", "lambda: 0", "g if g else g", "__import__('os')", "abs(g, g)",
        "clip()", "g.clip(min=0)", "clip to", "f'{g}'", "g := 1", "+".join(["g"] * 149), "(" * 250,
        "-" * 280 + "g",
        "1j", "g @ g",
    ],
)  # fmt: skip
def test_what_is_no_value_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="not understood"):
        parse_value(text)


@pytest.mark.parametrize(
    "text",
    [
        "9 ** 9 ** 9 ** 9", "1 / 0", "where(g, g)", "(-1) ** 0.5", "'g'", "g and g", "1 < g < 2",
        "g.data", "[g]", "True",
        "None", "g.shape", "g[9]",
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  each has a text of its own
        new_value(G, text)


@pytest.mark.parametrize(
    ("text", "why", "example"),
    [
        ("g /", "something is missing after 'g /'", "g * 0.5"),
        ("(g + 1", "something is missing after '(g + 1'", "g * 0.5"),
        ("1 2", "'2' does not belong there", "g * 0.5"),
        ("g * 2)", "unmatched ')'", "g * 0.5"),
        ("g = 3", "an assignment has no value, write '3' alone", "g * 0.5"),
        ("0.5g", "write '0.5 * g' for '0.5g'", "g * 0.5"),
        ("zeros", "there is no 'zeros' here", "zero"),
        ("norm to", "'to' does not belong there", "norm to 1"),
        ("g.clp(1)", "there is no method 'clp', did you mean 'clip'?", "g * 0.5"),
        ("[1, 2]", "is not a number and not a tensor", "g * 0.5"),
        ("None", "is not a number and not a tensor", "g * 0.5"),
        ("1 / 0", "division by zero", "g * 0.5"),
    ],
)
def test_a_refused_value_says_what_was_typed_what_is_wrong_and_what_works(
    text: str, why: str, example: str
) -> None:
    there = vg.tensor([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="write one like") as error:
        new_value(there.numpy(), text)
    said = str(error.value)
    assert repr(text) in said
    assert why in said
    assert "does not fit" not in said
    assert said.partition("; write one like ")[2].startswith(f"'{example}'")
    new_value(there.numpy(), example)


@pytest.mark.parametrize("text", VALUES)
def test_each_example_of_a_value_works(text: str) -> None:
    new_value(vg.tensor([1.0, 2.0, 3.0]).numpy(), text)


@given(st.text(alphabet="gabsclipwhere()+-*/.,<>=0123456789e _\"'[]{}:", max_size=40))
def test_any_text_is_a_value_or_refused(text: str) -> None:
    try:
        made, _ = new_value(G, text)
    except ValueError:
        return
    assert (made.shape, made.dtype) == (G.shape, G.dtype)
