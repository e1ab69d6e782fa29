"""Every text quotes code alone, names what is public, and says numbers that are so.

Over all programs of `tests/pains`, of whose texts the golden list is made, and of
`tests/debugger/explanations`, and over operations at the borders of where they are finite.
"""

from __future__ import annotations

import itertools
import linecache
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad as vg
from tests.debugger.explain import texts
from tests.debugger.explanations.test_explanations import PROGRAMS, run
from tests.debugger.explanations.wrong import Wrong
from tests.pains import corpus, programs
from tests.pains.corpus import PAINS, Pain, said_of
from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain.node_answers import why_node
from vizgrad.debugger.explain.wording import number

assert len(programs.ALL) > 1  # they are there
#: Texts of the engine that are not made here, and name what is no code: to be mended there.
ELSEWHERE = {"a_dirty_leaf", "hooks_on_a_value_that_is_not_needed"}
#: A variable of what runs the programs, which is the name of what one returns.
OF_THE_RUNNER = re.compile(r"`said\[\d\]`")


def written(tmp_path: Path, text: str) -> dict[str, Any]:
    """A program that is in a file, so that its lines are known; what it defines."""
    file = tmp_path / "program.py"
    file.write_text(text, encoding="utf-8")
    linecache.checkcache(str(file))
    scope: dict[str, Any] = {"vg": vg, "math": math, "__name__": "program"}
    exec(compile(text, str(file), "exec"), scope)
    return scope


def why_of_a_cut(tmp_path: Path, made: str) -> Explanation:
    """The explanation of `w`, where `made`, which computes `p` from it, cuts the history of the loss."""
    text = (
        "w = vg.tensor([1.0, 2.0], requires_grad=True)\n"
        "q = vg.tensor([1.0, 2.0], requires_grad=True)\n"
        f"p = {made}\n"
        "(p * q).sum().backward()\n"
    )
    with vg.watch():
        return vg.why(written(tmp_path, text)["w"])


# --- all programs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("pain", PAINS, ids=lambda pain: pain.__name__)
def test_what_is_said_of_a_bug(pain: Pain) -> None:
    said = said_of(pain.run)
    assert said
    found = [each for one in said for each in texts.problems(one, pain.run.__code__.co_filename)]
    assert [each for each in found if not OF_THE_RUNNER.search(each)] == []


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.run.__name__)
def test_what_is_said_of_an_error(program: Wrong) -> None:
    error: Any = run(program)
    found = list(texts.problems(error.explanation, program.run.__code__.co_filename))
    assert bool(found) is (program.run.__name__ in ELSEWHERE), found


def test_enough_is_checked() -> None:
    said = [each for pain in PAINS for each in said_of(pain.run)]
    assert sum(map(texts.quoted, said)) >= 200
    assert sum(map(texts.numbers, said)) >= 10
    assert sum(map(texts.arithmetic, said)) >= 15
    assert corpus.PAINS is PAINS


# --- numbers ---------------------------------------------------------------------------------------------


def _border(op: str) -> list[float]:
    """Numbers of 32 bits close to where an operation stops being finite."""
    at = {
        "log": [0.0], "log2": [0.0], "log10": [0.0], "log1p": [-1.0], "sqrt": [0.0], "reciprocal": [0.0],
        "exp": [88.72284], "expm1": [88.72284], "sinh": [89.41599], "cosh": [89.41599],
        "acos": [1.0, -1.0], "asin": [1.0, -1.0], "atanh": [1.0, -1.0], "acosh": [1.0],
    }[op]  # fmt: skip
    found: list[float] = []
    for each in at:
        near = np.float32(each)
        for way in (np.float32(-np.inf), np.float32(np.inf)):
            value = near
            for _ in range(3):
                found.append(float(value))
                value = np.nextafter(value, way)
    return sorted(set(found))


@pytest.mark.parametrize("op", sorted(texts.UNARY))
def test_what_is_said_at_the_border(op: str, tmp_path: Path) -> None:
    said = 0
    for value in _border(op):
        scope = written(
            tmp_path,
            "def program(value):\n"
            "    a = vg.tensor([value], requires_grad=True)\n"
            f"    y = vg.{op}(a)\n"
            "    y.sum().backward()\n"
            "    return a, y\n",
        )
        with vg.watch():
            a, y = scope["program"](value)
        for each in (vg.why(y), vg.why(a)):
            if each.kind.startswith("nonfinite"):
                assert list(texts.problems(each, str(tmp_path / "program.py"))) == []
                said += texts.numbers(each)
    assert said > 0


@given(
    st.sampled_from(sorted(texts.UNARY)), st.floats(width=32, allow_nan=False, allow_infinity=False)
)
def test_a_number_that_is_said_is_odd_where_the_value_is(op: str, value: float) -> None:
    told = float(number(value, op))
    assert [told > at for at in (-1, 0, 1)] == [value > at for at in (-1, 0, 1)]
    assert [told < at for at in (-1, 0, 1)] == [value < at for at in (-1, 0, 1)]
    assert math.isclose(told, value, rel_tol=5e-3)
    with np.errstate(all="ignore"):
        if not np.isfinite(texts.UNARY[op](np.float32(value))):
            assert not np.isfinite(texts.UNARY[op](np.float32(told)))


def test_the_plain_cases_stay_short() -> None:
    assert [number(x) for x in (0.25, 1234.5, 0.0, -1.0, math.nan)] == [
        "0.25",
        "1.23e+03",
        "0",
        "-1",
        "NaN",
    ]
    assert number(1.0000001192092896, "acos") == "1.0000001"
    assert number(0.99996) == "0.99996"


# --- one by one --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "fix"),
    [
        ("vg.tensor([w[0] * 2, w[1] * 3])", "stack()"),
        ("vg.as_tensor([w[0] * 2, w[1] * 3])", "stack()"),
        ("vg.tensor(w)", "go on with `w` itself"),
    ],
)
def test_a_copy_is_no_detach(made: str, fix: str, tmp_path: Path) -> None:
    found = why_of_a_cut(tmp_path, made)
    assert found.kind == "cut-detach"
    assert "detach" not in f"{found.story} {found.fix}"
    assert fix in found.fix
    assert "copies values without their history" in found.story


@pytest.mark.parametrize(
    "inner", ["a.sqrt()", "(a\n    .sqrt())", "(a\n    .sqrt(\n    ))", "(vg\n    .sqrt(a))"]
)
def test_the_operand_is_found_over_several_lines(inner: str, tmp_path: Path) -> None:
    text = (
        f"a = vg.tensor([0.0, 4.0], requires_grad=True)\nz = ({inner}\n    .sum())\nz.backward()\n"
    )
    with vg.watch():
        found = vg.why(written(tmp_path, text)["a"])
    assert (found.kind, found.tensor) == ("nonfinite-backward", "a")
    assert "add a small eps (1e-12) to `a`" in found.fix
    assert "where `a` is 0" in found.story


@pytest.mark.parametrize("other", ["float('inf')", "math.inf", "c", "vg.full((1,), math.inf)"])
@pytest.mark.parametrize("turned", [False, True])
def test_the_infinite_factor_is_blamed(other: str, turned: bool, tmp_path: Path) -> None:
    product = f"{other} * a" if turned else f"a * {other}"
    text = f"a = vg.tensor([0.0], requires_grad=True)\nc = vg.tensor([math.inf])\ny = {product}\n"
    with vg.watch():
        found = vg.why(written(tmp_path, text)["y"])
    assert found.tensor == other
    assert f"do not multiply by `{other}`" in found.fix
    assert "`a` is 0" in found.story
    assert "keep the values of `a`" not in found.fix


def test_an_overflow_blames_the_large_operand(tmp_path: Path) -> None:
    text = "small = vg.ones(2, 2)\nlarge = vg.full((2, 2), 3e38)\ny = (small * 2) @ large\n"
    with vg.watch():
        found = vg.why(written(tmp_path, text)["y"])
    assert found.tensor == "large"
    assert "as large as 3e+38" in found.story


def test_words_of_ours_are_not_quoted(tmp_path: Path) -> None:
    text = (
        "x = vg.tensor([1.0, 0.0], requires_grad=True)\n"
        "w = vg.ones(2, requires_grad=True)\n"
        "h = w * 2\n"
        "(x / x / 2).sum().backward()\n"
    )
    with vg.watch():
        scope = written(tmp_path, text)
        divided, unused = vg.why(scope["x"]), vg.why(scope["w"])
    assert "reached the loss" in divided.story
    assert [link.text for link in divided.chain][-1] == "x / x"
    assert "never reaches the loss" in unused.story


# --- a node that is asked about answers for itself ---------------------------------------------------------

BAD = {
    "x.log()": "log",
    "x.sqrt()": "sqrt",
    "x.reciprocal()": "reciprocal",
    "(x + 1).acos()": "acos",
}


@pytest.mark.parametrize("pair", list(itertools.permutations(BAD, 2)), ids=" and ".join)
@pytest.mark.parametrize("factors", [("0", "0"), ("mask", "0"), ("mask", "mask")], ids=" ".join)
def test_a_node_answers_for_itself(
    pair: tuple[str, str], factors: tuple[str, str], tmp_path: Path
) -> None:
    both = " + ".join(f"({op} * {by}).nansum()" for op, by in zip(pair, factors, strict=True))
    text = (
        "x = vg.tensor([0.0, 0.25, 0.5], requires_grad=True)\n"
        "mask = vg.tensor([0.0, 1.0, 1.0])\n"
        f"l = {both}\n"
    )
    scope = written(tmp_path, text)
    session: Any = vg.debug(scope["l"], display=False)
    try:
        session.stop_at_nonfinite = False
        while session.status != "finished":
            session.step()
        asked = 0
        with session.at_rest() as (_, look):
            for nr in range(len(look.source)):
                name = look.source.name(nr)
                op = next((text for text, op in BAD.items() if name.lower().startswith(op)), None)
                if op is None:
                    continue
                found = why_node(look, nr).explanation
                asked += 1
                assert found.kind.startswith("nonfinite"), (name, found)
                assert f"`{op}`" in found.story, (name, found)
                assert list(texts.problems(found, str(tmp_path / "program.py"))) == []
        assert asked == 2
    finally:
        session.close()


def test_the_zero_factor_is_no_mask(tmp_path: Path) -> None:
    text = (
        "p = vg.zeros(2, 3, requires_grad=True)\n"
        "d = p.pow(2).sum(-1).sqrt()\n"
        "(d * 0.0).sum().backward()\n"
    )
    with vg.watch():
        found = vg.why(written(tmp_path, text)["p"])
    assert "masked out" not in found.story
    assert (
        "at [0]: gradient 0 arrived, 1/(2 * sqrt(x)) is inf at x = 0, 0 * inf = NaN" in found.story
    )
    assert found.fix.startswith("add a small eps")


@pytest.mark.parametrize(("factor", "says"), [("0", "the factor `0`"), ("a", "`a` is zero where")])
def test_a_zero_factor_is_named(factor: str, says: str, tmp_path: Path) -> None:
    text = f"a = vg.zeros(3)\nq = vg.ones(3, requires_grad=True)\n(q * {factor}).sum().backward()\n"
    with vg.watch():
        found = vg.why(written(tmp_path, text)["q"])
    assert found.kind == "zero-derivative"
    assert says in found.fix


# --- counts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [3, 5, 8])
@pytest.mark.parametrize("before", [True, False])
def test_as_many_steps_are_said_as_there_were(steps: int, before: bool, tmp_path: Path) -> None:
    lines = ["loss = (w * 2).sum()", "total = total + loss", "loss.backward(retain_graph=True)"]
    if not before:
        lines[1:] = lines[:0:-1]
    body = "".join(f"    {each}\n" for each in lines)
    text = f"w = vg.ones(3, requires_grad=True)\ntotal = 0.0\nfor _ in range({steps}):\n{body}"
    with vg.watch() as watch:
        kept = written(tmp_path, text)
    assert kept
    (found,) = [each for each in watch.findings if each.kind == "history-kept"]
    assert f"carries the graphs of {steps} steps along" in found.story
    assert "item()" in found.fix


def test_no_item_of_a_tensor_of_many(tmp_path: Path) -> None:
    text = (
        "p = vg.zeros(3, requires_grad=True)\nkept = vg.zeros(3)\nfor _ in range(6):\n"
        "    h = p * 2\n    kept = kept + h\n    h.sum().backward(retain_graph=True)\n"
    )
    with vg.watch() as watch:
        kept = written(tmp_path, text)
    assert kept
    (found,) = [each for each in watch.findings if each.kind == "history-kept"]
    assert "item()" not in found.fix
    assert "h.detach()" in found.fix


def test_the_bias_of_keys_is_no_finding(tmp_path: Path) -> None:
    text = (
        "vg.manual_seed(0)\nq, k, v = (vg.nn.Linear(8, 8, dtype=vg.float64) for _ in range(3))\n"
        "x = vg.randn(4, 8, dtype=vg.float64)\n"
        "(((q(x) @ k(x).T).softmax(-1) @ v(x)).pow(2).mean() * 1e3).backward()\n"
    )
    with vg.watch():
        bias = written(tmp_path, text)["k"].bias
    assert float(bias.grad.abs().max()) < 1e-9
    assert not vg.why(bias)


# --- the arithmetic at the element -------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["vizgrad", "torch"])
@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("l = (x.log() * 0).nansum()", "at [0]: gradient 0 arrived, 1/x is inf at x = 0, 0 * inf = NaN"),
        ("l = x.sqrt().sum()", "gradient 1 arrived, 1/(2 * sqrt(x)) is inf at x = 0, 1 * inf = inf"),
        ("l = (x ** 0.5).sum()", "gradient 1 arrived, 0.5 * x^(-0.5) is inf at x = 0, 1 * inf = inf"),
        ("l = (1 - x).acos().sum()", "-1/sqrt(1 - x^2) is -inf at x = 1, 1 * -inf = -inf"),
        ("l = (one / x)[1:].sum()", "gradient 0 arrived, -x/y^2 is -inf at x = 1 and y = 0, 0 * -inf = NaN"),
        ("l = (x / x).sum()", ": 0 / 0 = NaN at [0], where `x` is 0"),
        ("l = (x - 1).log().sum()", ": log(-1) = NaN at [0], where `x - 1` is -1"),
        ("l = (big + big).sum()", ": 3e+38 + 3e+38 = inf at [0], where `big` is 3e+38"),
        ("l = big.exp().sum()", ": exp(3e+38) = inf at [0], where `big` is 3e+38"),
    ],
)  # fmt: skip
def test_the_numbers_that_met_are_shown(
    engine: str, program: str, says: str, tmp_path: Path
) -> None:
    pytest.importorskip(engine)
    text = (
        f"import {engine} as T\n"
        "x = T.tensor([0.0, 0.25], requires_grad=True)\n"
        "one, big = T.ones(2), T.full((1,), 3e38)\n"
        f"{program}\n"
        "if l.requires_grad: l.backward()\n"
    )
    with vg.watch():
        scope = written(tmp_path, text)
        found = next(each for each in map(vg.why, (scope["l"], scope["x"])) if each)
    assert says in found.story
    assert texts.arithmetic(found) == 1
    assert list(texts.problems(found, str(tmp_path / "program.py"))) == []


@given(
    st.sampled_from(["+", "-", "*", "/"]),
    st.floats(width=32, allow_nan=False),
    st.floats(width=32, allow_nan=False),
)
def test_numbers_that_are_said_to_meet_give_that(sign: str, a: float, b: float) -> None:
    scope: dict[str, Any] = {"a": vg.tensor([a]), "b": vg.tensor([b])}
    with vg.watch():
        exec(f"y = a {sign} b", scope)
        found = vg.why(scope["y"])
    if math.isfinite(a) and math.isfinite(b) and found:
        assert texts.arithmetic(found) == 1
        assert not [each for each in texts.problems(found, __file__) if "not so" in each]
