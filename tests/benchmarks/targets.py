"""What the numbers should be, and whether they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log

from tests.benchmarks.case import AUTOGRAD
from tests.benchmarks.timing import Times


@dataclass(frozen=True)
class Target:
    """`must`: asked for now; `aim`: where it should go. Both are upper bounds."""

    must: float | None
    aim: float | None = None


TINY = "tiny ops, geometric mean"

#: Ratios to PyTorch eager (to numpy for the import, to the unrecorded run for recording).
RATIOS: dict[str, Target] = {
    TINY: Target(1.0, 0.50),
    "MLP, batch 64": Target(0.85, 0.70),
    "MLP, batch 1024": Target(1.05, 0.95),
    "transformer block 8x64x128": Target(1.15, 0.95),
    "conv net 8x28x28": Target(1.20, 1.00),
    "10M elements x*y+tanh(z)": Target(0.65, 0.50),
    "LSTM cell, 200 steps": Target(0.70, 0.45),
    "chain of 100k muls": Target(1.0, 0.35),
    "wide, 10k muls": Target(1.0, 0.35),
    "double backward of an MLP": Target(0.75, 0.55),
    "jacrev of an MLP, 256 to 256": Target(1.0),
    "jacfwd of an MLP, 256 to 256": Target(1.0),
    "gradients of 256 examples": Target(1.0),
    "jacrev of an MLP, 256 to 256, against a loop": Target(0.1),
    "jacfwd of an MLP, 256 to 256, against a loop": Target(0.1),
    "recorded: MLP, batch 64": Target(1.15),
    "recorded: LSTM cell, 20 steps": Target(1.15),
    "watched: transformer block 8x64x128": Target(1.35, 1.2),
    "watched: LSTM cell, 200 steps": Target(2.0, 1.5),
    "watched, PyTorch: transformer block 8x64x128": Target(2.5, 2.0),
    "alarms: MLP, batch 256": Target(1.08, 1.03),
    "alarms: conv net 16x3x24x24": Target(1.08, 1.03),
    "alarms: GPT of 4 layers, 8x64x128": Target(1.08, 1.03),
    "alarms, PyTorch: MLP, batch 256": Target(1.08, 1.03),
    "alarms, PyTorch: conv net 16x3x24x24": Target(1.08, 1.03),
    "alarms, PyTorch: GPT of 4 layers, 8x64x128": Target(1.08, 1.03),
    "import vizgrad": Target(2.5),
}

#: Milliseconds from the click on Step to the picture, whatever the number of nodes: median and 95th
#: percentile.
STEP_TO_PICTURE = Target(30), Target(60)
#: From running the cell that opens a session to the first picture, by thousands of nodes; of a GPT of 1,000;
#: from frame to frame while it is moved.
FIRST_PICTURE: dict[int, Target] = {100: Target(1000)}
FIRST_PICTURE_OF_A_GPT = Target(300)
FRAME = Target(17.5)

#: Of a stepped backward: a step, a step back, where it stands (ms, at every size); opening (s, by thousands
#: of nodes); Continue against the plain backward, work in a recorded block against that outside; kilobytes of
#: a step's message; memory.
STEP_MS = Target(2.0, 0.5)
OPEN_SECONDS: dict[int, Target] = {1: Target(0.3), 100: Target(1.0), 1000: Target(10.0)}
CONTINUE = Target(3.0, 1.5)
RECORDED = Target(1.15)
STEP_BYTES = Target(4.0)
BYTES_A_NODE = Target(1000)


@dataclass(frozen=True)
class Figure:
    """One line of the summary: a number, and what it should be at most."""

    what: str
    value: float
    unit: str
    target: Target
    #: The most favourable value that was seen, and the value by the process's own clock.
    best: float | None = None
    cpu: float | None = None

    def verdict(self) -> str:
        """By the process's clock if there is one: it stands still while others have the processor."""
        value = self.value if self.cpu is None else self.cpu
        if self.target.aim is not None and value <= self.target.aim:
            return "aim reached"
        if self.target.must is not None:
            return "met" if value <= self.target.must else "MISSED"
        return "aim not reached" if self.target.aim is not None else ""


def figures(timed: Iterable[Times]) -> list[Figure]:
    """The summary: one figure per case, and one per family of cases."""
    found: list[Figure] = []
    families: dict[str, list[Times]] = {}
    for times in timed:
        if times.family:
            families.setdefault(times.family, []).append(times)
            continue
        found.append(
            Figure(
                times.name,
                times.ratio(),
                f"x {times.base}",
                RATIOS.get(times.name, Target(None)),
                times.best(),
                times.cpu_ratio(),
            )
        )
        found.extend(_measures(times))
    for family, members in families.items():
        name = f"{family}, geometric mean"
        value = geometric_mean(m.ratio() for m in members)
        best = geometric_mean(m.best() for m in members)
        cpu = geometric_mean(m.cpu_ratio() for m in members)
        target = RATIOS.get(name, Target(None))
        found.insert(0, Figure(name, value, f"x {members[0].base}", target, best, cpu))
    return found


def _measures(times: Times) -> list[Figure]:
    """Numbers that are not times: at most what the base needs, plus one part in ten."""
    return [
        Figure(
            f"{times.name}: {what}",
            by_peer[times.subject],
            f"({times.base} {by_peer[times.base]:.2f})",
            Target(by_peer[times.base] * 1.1),
        )
        for what, by_peer in times.measures.items()
    ]


def slower_than_autograd(timed: Iterable[Times]) -> list[str]:
    """Cases that break "every workload is faster than HIPS autograd"."""
    return [t.name for t in timed if AUTOGRAD in t.seconds and t.ratio(AUTOGRAD) > 1]


def geometric_mean(values: Iterable[float]) -> float:
    logs = [log(value) for value in values]
    return exp(sum(logs) / len(logs))
