"""What random calls found stays mended."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fuzz.compare import agree, precision
from tests.fuzz.found_calls import FOUND
from tests.fuzz.observe import observed
from tests.fuzz.written import Written

torch = pytest.importorskip("torch")
import vizgrad as vg  # noqa: E402

pytestmark = [pytest.mark.rule("T-95"), pytest.mark.filterwarnings("ignore")]


def differing(source: str) -> dict[str, Any]:
    """What PyTorch and vizgrad do not agree about."""
    call: Any = Written(tuple(source.split("; ")))
    theirs, ours = observed(torch, call), observed(vg, call)
    if "raises" in theirs or "raises" in ours:
        theirs, ours = ({"raises": seen.get("raises")} for seen in (theirs, ours))
    return {
        what: (theirs.get(what), ours.get(what))
        for what in {**theirs, **ours}
        if not agree(theirs.get(what), ours.get(what), precision(call), 1.0)
    }


@pytest.mark.parametrize("source", FOUND)
def test_calls_that_once_differed_agree(source: str) -> None:
    assert not differing(source)
