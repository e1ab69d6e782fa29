"""What random programs found stays mended."""

from __future__ import annotations

import pytest

from tests.fuzz.found_programs import FOUND
from tests.fuzz.program_compare import differences

torch = pytest.importorskip("torch")
import vizgrad as vg  # noqa: E402

pytestmark = [pytest.mark.rule("T-95"), pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("each_line", [True, False], ids=["each line", "the end"])
@pytest.mark.parametrize("name", FOUND)
def test_programs_that_once_differed_agree(name: str, each_line: bool) -> None:
    found = differences(torch, vg, list(FOUND[name]), each_line, judged=False)
    assert not found, f"{found[0]}\nin " + "\n   ".join(FOUND[name])
