"""Calls under transforms: fixed seeds, each operation forward, on a batch and by gradients of one; what was found."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fuzz.compare import agree
from tests.fuzz.found_under import FOUND
from tests.fuzz.fuzzing import Fuzzer
from tests.fuzz.open import OPEN
from tests.fuzz.operations import FAMILIES, operations
from tests.fuzz.transformed import differences, names_of, seen_of
from tests.fuzz.transforms import WAYS, Transformed, drawn
from tests.fuzz.values import Given

torch = pytest.importorskip("torch")
import vizgrad as vg  # noqa: E402

pytestmark = [
    pytest.mark.rule("T-95"),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.timeout(600),
]

CALLS = 3


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: Any) -> Fuzzer:
    torch.set_num_threads(1)
    return Fuzzer(torch, vg, tmp_path_factory.mktemp("fuzz") / "journal")


@pytest.mark.parametrize("way", sorted(set(WAYS)))
@pytest.mark.parametrize("family", FAMILIES)
def test_transformed_calls_agree(fuzzer: Fuzzer, family: str, way: str) -> None:
    names = [n for n, o in operations().items() if o.family == family]
    failures = [fuzzer.under(n, f"fixed.{k}", OPEN, way) for n in names for k in range(CALLS)]
    wrong = [f.text for f in failures if f is not None]
    assert not wrong, "\n".join(wrong)
    assert fuzzer.tried


def _seen(module: Any, source: str) -> dict[str, Any]:
    try:
        names = names_of(module, [source])
    except Exception as error:  # noqa: BLE001  whatever it is, it is compared
        return {"raises": error}
    return seen_of(module, "vmap", names["result"])


@pytest.mark.parametrize("source", FOUND)
def test_what_once_differed_agrees(source: str) -> None:
    theirs, ours = _seen(torch, source), _seen(vg, source)
    assert theirs.keys() == ours.keys(), (theirs, ours)
    assert theirs
    for what, there in theirs.items():
        assert agree(there, ours[what], 1e-6, 1.0), (what, there, ours[what])


A = Given((3,), "float64", (0.5, 1.0, 2.0))


def _call(way: str, batches: Any = ()) -> Transformed:
    return Transformed("exp", "function", "exp", (A,), way=way, batches=batches, chosen=(0,))


def _with(name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(vg, name, wrong)
    ways = [_call("jvp"), _call("vmap", ((2, (0,)),)), _call("vmap grad", ((2, (1,)),))]
    return [found.what for call in ways for found in differences(torch, vg, call)]


def test_a_wrong_tangent_a_wrong_batch_and_a_wrong_refusal_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from vizgrad.core.function.transform_tensor import Wrapped, stands_for_others

    right = vg.exp
    assert _with("exp", right, monkeypatch) == []

    def without_tangent(x: Any) -> Any:
        return right(x) if x.requires_grad or stands_for_others(x) else right(x.detach())

    assert _with("exp", without_tangent, monkeypatch) == ["jvp tangent0"]

    def turned(x: Any) -> Any:
        if not isinstance(x, Wrapped):
            return right(x)
        return right(x) + x.flip(0) * 1e-3

    assert "vmap is no loop value0" in _with("exp", turned, monkeypatch)

    def refusing(x: Any) -> Any:
        if stands_for_others(x):
            raise NotImplementedError("not of a batch")
        return right(x)

    assert "vmap raises" in _with("exp", refusing, monkeypatch)


def test_what_is_drawn_has_all_kinds_of_batches() -> None:
    from tests.fuzz.operations import Drawing

    drawing = Drawing(torch, vg)
    calls = [drawn(drawing, operations()["add"], k, "vmap") for k in range(60)]
    batches = [call.batches for call in calls if call is not None]
    assert {len(each) for each in batches} == {1, 2}  # nested ones, too
    dims = {dim for each in batches for _, found in each for dim in found}
    assert dims == {None, 0, 1, -1}
    assert any(call.writes for call in calls if call is not None)
