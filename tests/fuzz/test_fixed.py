"""The portion of the fuzzer that `make parity` runs: fixed seeds, so many calls of each operation."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fuzz.fuzzing import Fuzzer
from tests.fuzz.open import OPEN
from tests.fuzz.operations import FAMILIES, operations

pytestmark = [
    pytest.mark.rule("T-95"),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.timeout(1200),
]

CALLS, PROGRAMS, CHUNK = 10, 300, 50


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: Any) -> Fuzzer:
    torch = pytest.importorskip("torch")
    import vizgrad

    torch.set_num_threads(1)
    return Fuzzer(torch, vizgrad, tmp_path_factory.mktemp("fuzz") / "journal")


@pytest.mark.parametrize("family", FAMILIES)
def test_calls_agree(fuzzer: Fuzzer, family: str) -> None:
    names = [n for n, o in operations().items() if o.family == family]
    failures = [fuzzer.call(n, f"fixed.{k}", OPEN) for n in names for k in range(CALLS)]
    wrong = [f.text for f in failures if f is not None]
    assert not wrong, "\n".join(wrong)
    assert fuzzer.tried


@pytest.mark.parametrize("start", range(0, PROGRAMS, CHUNK))
def test_programs_agree(fuzzer: Fuzzer, start: int) -> None:
    failures = [fuzzer.program(f"fixed.{k}", OPEN) for k in range(start, start + CHUNK)]
    wrong = [f.text for f in failures if f is not None]
    assert not wrong, "\n".join(wrong)
