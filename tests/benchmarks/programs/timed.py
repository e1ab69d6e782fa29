"""Times the programs: `python -m tests.benchmarks programs`.

Each round times five training steps of each library in turn, by the clock of the process, which stands
still while others have the processor; the least of the rounds counts. Calls are counted, not timed: that
figure is the same on every machine.
"""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter, process_time

from tests.benchmarks.programs.program import BY_HAND, PROGRAMS, Step
from tests.benchmarks.programs.sampler import Sampler
from tests.benchmarks.targets import Figure, Target, geometric_mean

#: Training steps of one turn.
STEPS = 5
#: Seconds after which a program gets no more rounds, once it has had the fewest.
PATIENCE = 0.8
FEWEST = 3
#: Relative difference of the losses of the first five steps.
TOLERANCE = 2e-3


@dataclass(frozen=True)
class Timed:
    """One program: milliseconds of a training step, and what it is made of."""

    name: str
    ours: float
    theirs: float
    by_hand: float | None
    nodes: int
    calls: int
    #: The share of our time that is spent in the code of the interpreter itself; None where not known.
    interpreter: float | None

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def time_programs(wanted: Callable[[str], bool]) -> list[Figure]:
    """Times the programs whose names are wanted, prints a line for each, and returns the summary."""
    for family in ("dense", "images", "sequences", "graphs"):
        importlib.import_module(f"tests.benchmarks.programs.{family}")
    print(f"\n{'':42}    cpu  ms ours ms torch ms numpy  nodes  calls calls/node interpreter")
    # What the libraries keep for good is nobody's garbage: collections need not look at it.
    gc.collect()
    gc.freeze()
    timed: list[Timed] = []
    for name in PROGRAMS:
        if wanted(f"programs: {name}"):
            timed.append(time_program(name))
            print(_line(timed[-1]), flush=True)
    return list(_figures(timed))


def time_program(name: str) -> Timed:
    """Raises SystemExit where the two do not compute the same losses."""
    ours = PROGRAMS[name](importlib.import_module("vizgrad"))
    theirs = PROGRAMS[name](importlib.import_module("torch"))
    hand = BY_HAND[name]() if name in BY_HAND else None
    for number in range(STEPS):
        pair = ours(), theirs()
        if not abs(pair[0] - pair[1]) <= TOLERANCE * max(1.0, abs(pair[1])):
            raise SystemExit(f"{name}: the losses of step {number} are {pair}. Nothing was timed.")
    if hand is not None:
        hand()
    nodes, calls = count(ours)
    sampler = Sampler()
    best = dict.fromkeys(("ours", "theirs", "hand"), float("inf"))
    rounds, began = 0, perf_counter()
    while rounds < FEWEST or perf_counter() - began < PATIENCE:
        rounds += 1
        best["ours"] = min(best["ours"], _turn(ours, sampler))
        best["theirs"] = min(best["theirs"], _turn(theirs))
        if hand is not None:
            best["hand"] = min(best["hand"], _turn(hand))
    sampler.close()
    ms = {who: seconds / STEPS * 1e3 for who, seconds in best.items()}
    by_hand = None if hand is None else ms["hand"]
    return Timed(name, ms["ours"], ms["theirs"], by_hand, nodes, calls, sampler.share())


def _turn(step: Step, sampler: Sampler | None = None) -> float:
    gc.collect()
    if sampler is not None:
        sampler.start()
    began = process_time()
    for _ in range(STEPS):
        step()
    took = process_time() - began
    if sampler is not None:
        sampler.stop()
    return took


def count(step: Step) -> tuple[int, int]:
    """Of one training step with vizgrad: nodes recorded; calls of Python functions and of builtins.

    Operators and ufuncs are no calls to the interpreter's profiler: what is counted is the way to them.
    """
    from vizgrad.core.tensor.modes import add_listener, remove_listener

    nodes = calls = 0

    def recorded(node: object, outputs: object) -> None:
        nonlocal nodes
        nodes += 1

    def called(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    add_listener(recorded)
    try:
        step()
    finally:
        remove_listener(recorded)
    sys.setprofile(called)
    try:
        step()
    finally:
        sys.setprofile(None)
    return nodes, calls


def _line(timed: Timed) -> str:
    hand = "" if timed.by_hand is None else f"{timed.by_hand:.3g}"
    share = "" if timed.interpreter is None else f"{timed.interpreter:.0%}"
    per_node = timed.calls / max(1, timed.nodes)
    return (
        f"{timed.name:42} {timed.ratio:6.2f} {timed.ours:8.3g} {timed.theirs:8.3g} {hand:>8} "
        f"{timed.nodes:6} {timed.calls:6} {per_node:10.1f} {share:>11}"
    )


def _figures(timed: list[Timed]) -> Iterable[Figure]:
    if not timed:
        return
    mean = geometric_mean(one.ratio for one in timed)
    yield Figure(f"{len(timed)} programs, geometric mean", mean, "x torch", Target(0.75, 0.5))
    slowest = max(timed, key=lambda one: one.ratio)
    yield Figure(f"slowest: {slowest.name}", slowest.ratio, "x torch", Target(1.3))
    calls, nodes = sum(one.calls for one in timed), sum(one.nodes for one in timed)
    yield Figure("calls per node", calls / nodes, f"({calls} / {nodes})", Target(None))
    shares = [one.interpreter * one.ours for one in timed if one.interpreter is not None]
    if len(shares) == len(timed):
        share = sum(shares) / sum(one.ours for one in timed)
        yield Figure("share of the interpreter", share, "of the time", Target(None))
