"""Timing peers side by side: a round times each once, so that what disturbs one disturbs all."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat
from statistics import median
from time import perf_counter_ns, process_time_ns

from tests.benchmarks.case import Case, Run
from tests.benchmarks.compare import check_gradients

#: Seconds that one peer works in one round: long against the clock, short against a disturbance.
LONG_ENOUGH = 0.004
#: Seconds after which a case is not given more rounds, once it has had the fewest.
PATIENCE = 12.0
FEWEST = 7
#: A base whose rounds differ by more than this share (between quartiles) was disturbed.
STEADY = 0.15


@dataclass(frozen=True)
class Times:
    """What rounds gave: seconds per step of each peer, one number a round."""

    name: str
    subject: str
    base: str
    family: str
    #: By the clock on the wall, and by that of the process, which stands still while others run.
    seconds: dict[str, list[float]]
    cpu: dict[str, list[float]]
    #: Other numbers: measure -> peer -> value.
    measures: dict[str, dict[str, float]]

    def ratios(self, over: str | None = None) -> list[float]:
        """Of each round: the subject's time over that of the base, or of another peer."""
        pairs = zip(self.seconds[self.subject], self.seconds[over or self.base], strict=True)
        return [ours / theirs for ours, theirs in pairs]

    def ratio(self, over: str | None = None) -> float:
        return median(self.ratios(over))

    def best(self) -> float:
        return min(self.ratios())

    def cpu_ratio(self) -> float:
        """The ratio by the process's clock: what to believe on a busy machine."""
        pairs = zip(self.cpu[self.subject], self.cpu[self.base], strict=True)
        return median(ours / theirs for ours, theirs in pairs)

    def microseconds(self, peer: str) -> float:
        return median(self.seconds[peer]) * 1e6

    def disturbed(self) -> bool:
        return spread(self.seconds[self.base]) > STEADY


def spread(values: list[float]) -> float:
    """The distance between the quartiles, as a share of the median."""
    ordered = sorted(values)
    quarter = len(ordered) // 4
    return (ordered[-1 - quarter] - ordered[quarter]) / median(ordered)


def time_case(case: Case, rounds: int) -> Times:
    """Checks that all peers compute the same gradients, then times them."""
    runs = {peer: make() for peer, make in case.peers.items()}
    check_gradients(case, runs)
    gc.collect()
    repeats = {peer: _repeats(run) for peer, run in runs.items()}
    seconds: dict[str, list[float]] = {peer: [] for peer in runs}
    cpu: dict[str, list[float]] = {peer: [] for peer in runs}
    order = list(runs)
    began = perf_counter_ns()
    for number in range(rounds):
        if number >= FEWEST and perf_counter_ns() - began > PATIENCE * 1e9:
            break
        for peer in order:
            wall, busy = _time(runs[peer].step, repeats[peer])
            seconds[peer].append(wall)
            cpu[peer].append(busy)
        order.append(order.pop(0))  # nobody always comes first
    measures = {
        what: {peer: measure(run) for peer, run in runs.items()}
        for what, measure in case.measures.items()
    }
    return Times(case.name, case.subject, case.base, case.family, seconds, cpu, measures)


def _time(step: Callable[[], object], times: int) -> tuple[float, float]:
    """Seconds per step, by the wall's clock and by the processor's."""
    gc.collect()  # the garbage of one peer is not another's work
    begin, busy = perf_counter_ns(), process_time_ns()
    for _ in repeat(None, times):
        step()
    end, idle = perf_counter_ns(), process_time_ns()
    return (end - begin) / times / 1e9, (idle - busy) / times / 1e9


def _repeats(run: Run) -> int:
    """How many steps take long enough to be timed as one."""
    times = 1
    while True:
        took = _time(run.step, times)[0] * times
        if took >= LONG_ENOUGH:
            return times
        times = max(times + 1, min(times * 10, int(times * LONG_ENOUGH / max(took, 1e-7)) + 1))
