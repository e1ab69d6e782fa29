"""Nothing is left behind: thousands of rounds of each mechanism with the garbage collector off (E-96).

What a round made must be gone by reference counts alone: the number of live objects that the collector
knows is the same after many rounds as after few, and so is the memory of the process.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.rounds import EXAMPLES
from tests.engine.session_rounds import a_session_opened_and_closed

pytestmark = pytest.mark.rule("E-96")

#: Rounds until Python's own lists of free objects are as long as they get, and rounds that are measured then.
WARM, MEASURED = 4_000, 2_000
#: Objects by which those lists, and what other threads hold, differ between two moments. What leaks grows by
#: one or more in each round.
NOISE = MEASURED // 4
#: Bytes by which the process may grow at once, when memory that other tests left in pieces is full.
PIECES = 1_500_000

ROUNDS = {**EXAMPLES, "a_session_opened_and_closed": a_session_opened_and_closed}


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.mark.parametrize("name", ROUNDS)
@pytest.mark.usefixtures("no_collector")
def test_nothing_is_left_of(name: str) -> None:
    one = ROUNDS[name]()
    for _ in range(WARM):
        one()
    grown: list[int] = []
    for _ in range(3):  # what leaks grows each time
        tracked, blocks = len(gc.get_objects()), sys.getallocatedblocks()
        resident = resident_bytes()
        for _ in range(MEASURED):
            one()
        assert abs(len(gc.get_objects()) - tracked) < NOISE
        assert abs(sys.getallocatedblocks() - blocks) < NOISE
        grown.append(resident_bytes() - resident)
        if grown[-1] < PIECES:
            break
    assert min(grown) < PIECES


def resident_bytes() -> int:
    """Memory of this process, arrays included; 0 where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * 4096 if statm.exists() else 0
