"""What calls keep for their backward: fixed seeds, so many calls of each operation; what is wrong is found."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fuzz.found_saved import FOUND
from tests.fuzz.fuzzing import Fuzzer
from tests.fuzz.open import OPEN
from tests.fuzz.operations import FAMILIES, Drawing, operations
from tests.fuzz.report import program
from tests.fuzz.saved import Saved, drawn
from tests.fuzz.saved_compare import differences
from tests.fuzz.saved_observe import held_of_arrays, held_of_packed, observed
from tests.fuzz.values import Given

torch = pytest.importorskip("torch")
import vizgrad as vg  # noqa: E402

pytestmark = [
    pytest.mark.rule("T-95"),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.timeout(600),
]

CALLS = 2


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: Any) -> Fuzzer:
    torch.set_num_threads(1)
    return Fuzzer(torch, vg, tmp_path_factory.mktemp("fuzz") / "journal")


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_is_kept(fuzzer: Fuzzer, family: str) -> None:
    names = [n for n, o in operations().items() if o.family == family]
    failures = [fuzzer.saved(n, f"fixed.{k}", OPEN) for n in names for k in range(CALLS)]
    wrong = [f.text for f in failures if f is not None]
    assert not wrong, "\n".join(wrong)
    assert fuzzer.tried


@pytest.mark.parametrize("call", FOUND, ids=lambda call: call.operation)
def test_what_was_found_stays_mended(fuzzer: Fuzzer, call: Saved) -> None:
    assert observed(vg, call).keys() == observed(torch, call).keys() != set()
    assert fuzzer.wrong(call) == []


VALUES = tuple(0.1 * k for k in range(8))
CALL = Saved("exp", "function", "exp", (Given((8,), "float64", VALUES, grad=True),))


def _exp(keep: Any, slope: Any) -> Any:
    """`exp` as a function of the user's that saves `keep(x, result)`."""

    class Exp(vg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            result = x.detach().exp()
            keep(ctx, x, result)
            return result

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * slope(ctx)

    return Exp.apply


def _aside(ctx: Any, x: Any, result: Any) -> None:
    ctx.hidden = result._array


WRONG = {
    "refused after a write to operand": (
        lambda ctx, x, result: ctx.save_for_backward(x),
        lambda ctx: ctx.saved_tensors[0].exp(),
    ),
    "held": (
        lambda ctx, x, result: ctx.save_for_backward(x, result),
        lambda ctx: ctx.saved_tensors[1],
    ),
    "kept": (_aside, lambda ctx: vg.from_numpy(ctx.hidden.copy())),
    "spoilt by a write to result": (_aside, lambda ctx: vg.from_numpy(ctx.hidden.copy())),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_found(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not differences(torch, vg, CALL)
    made = _exp(*WRONG[kind])
    monkeypatch.setattr(vg, "exp", made)
    assert kind in [found.kind for found in differences(torch, vg, CALL)]


def test_a_second_backward_that_is_refused_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    call = Saved("neg", "function", "neg", (Given((8,), "float64", VALUES, grad=True),))
    assert not differences(torch, vg, call)
    right = vg.neg
    monkeypatch.setattr(vg, "neg", lambda x: right(x * x) / x)
    assert "again refused" in [found.kind for found in differences(torch, vg, call)]


def test_what_is_seen_of_a_product() -> None:
    """A factor that is a constant needs nothing of the other one."""
    factors = (Given((8,), "float64", VALUES, grad=True), Given((8,), "float32", VALUES))
    call = Saved("mul", "function", "mul", factors)
    for module, measure in ((torch, held_of_packed), (vg, held_of_arrays)):
        seen = observed(module, call)
        assert (seen["write operand 1"], seen["again"]) == ("refused", "refused")
        assert seen["write operand 0"][0].tolist() == seen["gradients"][0].tolist()
        assert seen["write result 0"][0].tolist() == seen["gradients"][0].tolist()
        held, kept = measure(module, call)
        assert sum(held) in (32, 64)  # as it was given, or in the result's type
        assert kept == []


def test_what_is_drawn_writes_in_place_and_has_several_results() -> None:
    drawing = Drawing(torch, vg)
    calls = [drawn(drawing, operations()["mul"], k) for k in range(30)]
    assert {"in-place", "function", "method"} <= {call.form for call in calls if call is not None}
    seen = observed(
        vg, Saved("max", "function", "max", (Given((2, 3), "float64", VALUES, grad=True), 0))
    )
    assert {"write operand 0", "write result 0", "write result 1"} <= seen.keys()


@pytest.mark.parametrize("what", ["held", "again refused", "refused after a write to operand 0"])
def test_a_failure_is_told_as_a_program(what: str) -> None:
    text = program(CALL, what)
    for module in (torch, vg):  # it runs on both, as far as the backward that is refused
        said: list[Any] = []
        scope = {"torch": module, "print": lambda *a, said=said: said.append(a)}
        try:
            exec(text.replace("import torch", "pass"), scope)
        except RuntimeError:
            assert said
