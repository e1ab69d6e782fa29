"""When a finding of a program that still runs is certain."""

from __future__ import annotations

from vizgrad.core.errors import Explanation, Place
from vizgrad.debugger.shell.running_findings import RunningFindings


def finding(kind: str, line: int = 1) -> Explanation:
    return Explanation(kind, Place("train.py", line), "w")


class Told:
    """A program that takes `cost` seconds to be looked at, and 1 second for each step."""

    def __init__(self, cost: float = 0.0) -> None:
        self.now = 0.0
        self.cost = cost
        self.looks = 0
        self.found: list[Explanation] = []
        self.events: list[tuple[str, str]] = []
        self.noticing = RunningFindings(
            self.look,
            lambda each: self.events.append(("found", each.kind)),
            lambda each: self.events.append(("withdrawn", each.kind)),
            lambda: self.now,
        )

    def look(self) -> list[Explanation]:
        self.looks += 1
        self.now += self.cost
        return self.found

    def step(self, number: int) -> Explanation | None:
        self.now += 1.0
        return self.noticing.step(number)


def test_what_has_happened_is_certain_at_once_and_told_once() -> None:
    told = Told()
    assert told.step(1) is None
    told.found = [finding("shape-broadcast")]
    assert told.step(2) == told.found[0]
    assert told.step(3) is None
    told.found = []
    assert told.step(4) is None
    assert told.events == [("found", "shape-broadcast")]
    assert told.noticing.end([]) == [finding("shape-broadcast")]  # its tensors are gone


def test_what_may_still_change_has_to_stay() -> None:
    told = Told()
    told.found = [finding("module-mode")]
    steps = [number for number in range(3, 40) if told.step(number) is not None]
    assert steps == [16]  # seen at 3: 10 steps, and as many again as there were
    told.found = []
    assert told.step(40) is None
    assert told.events == [("found", "module-mode"), ("withdrawn", "module-mode")]
    assert told.noticing.end([]) == []


def test_what_goes_before_it_is_certain_is_never_told() -> None:
    told = Told()
    told.found = [finding("not-optimized")]
    for number in range(1, 8):
        told.step(number)
    told.found = []
    told.step(8)
    assert told.events == []


def test_looking_takes_a_fiftieth_of_the_time() -> None:
    told = Told(cost=2.0)
    for number in range(1, 1000):
        told.step(number)
    assert 8 <= told.looks <= 12  # 1,000 seconds of steps, 2 each
    assert told.looks * told.cost <= 0.03 * told.now


def test_the_end_tells_what_was_not_told() -> None:
    told = Told()
    told.found = [finding("module-mode")]
    told.step(1)
    both = [finding("module-mode"), finding("unused", 2)]
    assert told.noticing.end(both) == both
    assert told.events == [("found", "module-mode"), ("found", "unused")]
