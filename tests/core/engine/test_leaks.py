"""Nothing is left behind: thousands of rounds of each mechanism with the garbage collector off (E-96).

What a round made must be gone by reference counts alone: the number of live objects that the collector
knows is the same after many rounds as after few, and so is the memory of the process.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.core.engine.rounds import EXAMPLES
from tests.core.engine.session_rounds import a_session_opened_and_closed

pytestmark = pytest.mark.rule("E-96")

#: Rounds after which Python's own lists of free objects are as long as they get, at the latest; and rounds
#: that are measured then. A quarter of these tells whether the lists are: hardly a change of what is alive.
#: Those lists, and what other threads hold, differ between two moments by less than half an object a round.
#: What leaks grows by one or more in each.
WARM, MEASURED = 4_000, 500
#: Bytes by which the process may grow at once, when memory that other tests left in pieces is full.
PIECES = 1_500_000

ROUNDS = {**EXAMPLES, "a_session_opened_and_closed": a_session_opened_and_closed}
#: Rounds of what takes long: fewer, and what leaks is told from noise as surely.
FEWER = {"a_session_opened_and_closed": MEASURED // 2}


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
    measured = FEWER.get(name, MEASURED)
    quiet = measured // 4
    for _ in range(0, WARM, quiet):
        if change(one, quiet) < quiet // 4:
            break
    grown: list[tuple[int, int]] = []
    for _ in range(
        6
    ):  # what leaks grows each time, what is only kept or of another thread does not
        resident = resident_bytes()
        more = change(one, measured)
        grown.append((more, resident_bytes() - resident))
        if more < measured // 2 and grown[-1][1] < PIECES:
            return
    raise AssertionError(f"objects and bytes more after {measured} rounds each: {grown}")


def change(one: Callable[[], None], rounds: int) -> int:
    """By how much what is alive differs after so many rounds: what the collector knows, or all blocks."""
    tracked, blocks = len(gc.get_objects()), sys.getallocatedblocks()
    for _ in range(rounds):
        one()
    return max(abs(len(gc.get_objects()) - tracked), abs(sys.getallocatedblocks() - blocks))


def resident_bytes() -> int:
    """Memory of this process, arrays included; 0 where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * 4096 if statm.exists() else 0
