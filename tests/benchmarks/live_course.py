"""The cost of the curves that a watched training draws while it runs: one update, by layers and steps.

    python -m tests.benchmarks.live_course

A loop pauses at least 50 times as long as the last update took before the next one (`PAUSES`): the share
in the last column is the most that a loop is slowed down by.
"""

from __future__ import annotations

import json
from time import perf_counter

import vizgrad as vg
from vizgrad.debugger.explain.watch_block import Watch
from vizgrad.debugger.jupyter.widget.live_course import EVERY, PAUSES, course_bundle


def measure(layers: int, steps: int) -> tuple[float, int]:
    """Seconds of one update, the median of seven, and its bytes."""
    net = vg.nn.Sequential(*(vg.nn.Linear(4, 4) for _ in range(layers)))
    optimizer = vg.optim.SGD(net.parameters(), lr=1e-7)
    x = vg.ones(2, 4)
    with Watch() as watch:
        for _ in range(steps):
            optimizer.zero_grad()
            net(x).sum().backward()
            optimizer.step()
        times: list[float] = []
        for _ in range(7):
            began = perf_counter()
            sent = json.dumps(course_bundle(watch.history.data))
            times.append(perf_counter() - began)
    return sorted(times)[3], len(sent)


def main() -> None:
    print("layers  steps  update    size      most of the loop's time")
    for layers, steps in ((2, 100), (12, 500), (48, 500)):
        seconds, size = measure(layers, steps)
        share = seconds / (seconds + max(EVERY, PAUSES * seconds))
        print(
            f"{layers:6}  {steps:5}  {seconds * 1000:4.1f} ms  {size / 1000:4.0f} kB  {share:7.1%}"
        )


if __name__ == "__main__":
    main()
