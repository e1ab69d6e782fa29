"""`python -m tests.benchmarks.long_alarms [--minutes 60]`: an hour of training in PyTorch under alarms.

Two processes train the same small transformer, one under ``vizgrad.watch(level="alarms")``, one without. Each
reports every minute how many steps it made, with how much processor time and resident memory; so the two can
run beside other work. The last batch of the watched one has constant rows, whose deviation is 0: its loss is
NaN. Printed are the cost of a step, the growth of memory, and what the watch found.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

_STATUS = Path("/proc/self/status")
#: Seconds between reports.
_PERIOD = 60.0


def resident() -> int:
    """Bytes of this process that are in memory."""
    for line in _STATUS.read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise KeyError("VmRSS")


class Training:
    """A classifier of sequences, whose rows are standardized first."""

    def __init__(self) -> None:
        import torch

        torch.manual_seed(0)
        torch.set_num_threads(1)
        self.torch = torch
        layer = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.1, batch_first=True)
        self.model = torch.nn.Sequential(
            torch.nn.Linear(16, 64), torch.nn.TransformerEncoder(layer, 4), torch.nn.Linear(64, 10)
        )
        self.optimizer = torch.optim.AdamW(self.model.parameters(), 1e-4)

    def batch(self, *, constant: bool = False) -> tuple[Any, Any]:
        x = self.torch.randn(16, 24, 16)
        return (self.torch.ones_like(x) if constant else x), self.torch.randint(10, (16,))

    def step(self, batch: tuple[Any, Any]) -> None:
        x, labels = batch
        x = (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True)
        self.optimizer.zero_grad()
        loss = self.torch.nn.functional.cross_entropy(self.model(x).mean(1), labels)
        loss.backward()
        self.torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()


def train(minutes: float, watched: bool) -> None:
    """Prints a line of JSON each minute, and what was found at the end."""
    import vizgrad

    training = Training()
    for _ in range(20):
        training.step(training.batch())
    watch = vizgrad.watch(level="alarms") if watched else None
    if watch is not None:
        watch.__enter__()
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        steps, began, until = 0, time.process_time(), time.monotonic() + _PERIOD
        while time.monotonic() < min(until, end):
            if watch is None:
                training.step(training.batch())
            else:
                watch.run(training.step, training.batch())
            steps += 1
        seconds = time.process_time() - began
        print(json.dumps({"steps": steps, "cpu": seconds, "memory": resident()}), flush=True)
    if watch is not None:
        watch.run(training.step, training.batch(constant=True))
        watch.__exit__(None, None, None)
        print(json.dumps({"found": [str(each) for each in watch.findings]}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--child", choices=["plain", "watched"], help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        train(asked.minutes, asked.child == "watched")
        return
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks.long_alarms",
        "--minutes",
        str(asked.minutes),
    ]
    both = [
        subprocess.Popen([*command, "--child", kind], stdout=subprocess.PIPE, text=True)
        for kind in ("plain", "watched")
    ]
    plain, watched = (
        [json.loads(line) for line in each.communicate()[0].splitlines()] for each in both
    )
    if any(each.returncode for each in both):
        raise SystemExit("A training failed: its error is above.")
    *watched, last = watched
    costs = [
        1e3 * sum(row["cpu"] for row in rows) / sum(row["steps"] for row in rows)
        for rows in (plain, watched)
    ]
    by_minute = [
        1e3 * median(row["cpu"] / row["steps"] for row in rows) for rows in (plain, watched)
    ]
    print(f"{asked.minutes:g} minutes; steps: {sum(row['steps'] for row in plain):,} and, under alarms, "
          f"{sum(row['steps'] for row in watched):,}")  # fmt: skip
    print(f"processor time of a step: {costs[0]:.2f} and {costs[1]:.2f} ms, {costs[1] / costs[0]:.3f} times; "
          f"median of the minutes {by_minute[1] / by_minute[0]:.3f} times")  # fmt: skip
    for name, rows in (("plain", plain), ("under alarms", watched)):
        memory = [row["memory"] / 1e6 for row in rows]
        print(f"memory {name}: {memory[0]:.1f} MB after the first minute, {memory[-1]:.1f} at the end, "
              f"at most {max(memory):.1f}")  # fmt: skip
    print("found:", *last["found"], sep="\n")


if __name__ == "__main__":
    main()
