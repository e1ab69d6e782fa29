"""`python -m tests.fuzz`: random calls, programs and networks without end, or for some minutes; see README.md."""

from __future__ import annotations

import argparse
import faulthandler
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

MEMORY = 6 * 2**30


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make fuzz ARGS=...", description=__doc__)
    parser.add_argument("--minutes", type=float, help="how long; without, until it is interrupted")
    parser.add_argument(
        "--seed", type=int, default=0, help="where to begin; another seed, other calls"
    )
    parser.add_argument(
        "--only",
        metavar="OP",
        help="one operation (add, L.inv, F.relu, T.view), `saved`, `program`, or `network`",
    )
    parser.add_argument("--count", type=int, help="how many calls, programs and networks at most")
    parser.add_argument("--list", action="store_true", help="print the names of the operations")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--from", dest="start", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    given = arguments()
    if given.list:
        from tests.fuzz.operations import operations

        print(*operations(), sep="\n")
        return 0
    return fuzz(given) if given.child else watch(given)


def fuzz(given: argparse.Namespace) -> int:
    """In a process of its own: a crash of a library ends it, and the journal says where."""
    import torch

    import vizgrad
    from tests.fuzz.fuzzing import Fuzzer, seeds
    from tests.fuzz.open import OPEN

    faulthandler.enable()
    torch.set_num_threads(1)
    fuzzer = Fuzzer(torch, vizgrad, given.child / "journal")
    end = time.monotonic() + 60 * given.minutes if given.minutes else float("inf")
    failures: set[tuple[str, str]] = set(OPEN)
    found = 0
    for number, (name, seed) in enumerate(seeds(given.seed, given.only)):
        if time.monotonic() > end or number == given.count:
            break
        if number < given.start:
            continue
        _note(given.child, number, fuzzer.tried, found)
        if name == "program":
            failure = fuzzer.program(seed, frozenset(failures))
        elif name == "network":
            failure = fuzzer.network(seed, frozenset(failures))
        elif name.startswith("under "):
            failure = fuzzer.under(name.removeprefix("under "), seed, frozenset(failures))
        elif name.startswith("saved "):
            failure = fuzzer.saved(name.removeprefix("saved "), seed, frozenset(failures))
        else:
            failure = fuzzer.call(name, seed, frozenset(failures))
        if failure is not None:
            found += 1
            failures.add((failure.operation, failure.kind))
            print(failure.text, flush=True)
    _note(given.child, 0, fuzzer.tried, found)
    return 0


def _note(folder: Path, number: int, tried: int, found: int) -> None:
    """Where the child is; whole, even if the next call ends it."""
    new = folder / "count.new"
    new.write_text(f"{number} {tried} {found}")
    new.replace(folder / "count")


#: Seconds one call, with all that makes a failure small, may keep its process.
PATIENCE = 300


def watch(given: argparse.Namespace) -> int:
    """Runs the child, and again behind the call that ended it or does not come to an end."""
    # An exception could come between any two lines; what is asked for is heard where it is safe.
    # (And what a shell begins behind ignores an interrupt unless it is told to hear it.)
    interrupted = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: interrupted.set())
    end = time.monotonic() + 60 * given.minutes if given.minutes else None
    start, tried, found, ended = given.start, 0, 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while not interrupted.is_set() and (end is None or time.monotonic() < end):
            left = None if end is None else (end - time.monotonic()) / 60
            (folder / "count").unlink(missing_ok=True)
            code = _run(given, folder, start, left, interrupted)
            if (folder / "count").exists():
                at, more, wrong = map(int, (folder / "count").read_text().split())
                tried, found = tried + more, found + wrong
            elif not interrupted.is_set():
                return code or 2  # it could not even begin
            if not code or interrupted.is_set():
                break
            ended += 1
            journal = (folder / "journal").read_text()
            print(f"--- the process ended with {code} in\n{journal}\n", flush=True)
            start = at + 1
    kinds = (
        f"{found} kinds of failure, {ended} ended their process"
        if found or ended
        else "nothing found"
    )
    print(f"{tried} calls, programs and networks compared, {kinds}", flush=True)
    return 1 if found or ended else 0


def _run(
    given: argparse.Namespace,
    folder: Path,
    start: int,
    minutes: float | None,
    interrupted: threading.Event,
) -> int:
    """How a child from call number `start` on ended."""
    command = [
        sys.executable,
        "-m",
        "tests.fuzz",
        "--child",
        str(folder),
        "--seed",
        str(given.seed),
    ]
    command += ["--from", str(start)]
    command += ["--only", given.only] if given.only else []
    command += ["--count", str(given.count)] if given.count is not None else []
    command += ["--minutes", str(minutes)] if minutes is not None else []
    child = subprocess.Popen(command)
    count, began = folder / "count", time.time()
    while True:
        try:
            return child.wait(0.5)
        except subprocess.TimeoutExpired:
            if interrupted.is_set():
                child.terminate()
                return child.wait()
            heard = max(began, count.stat().st_mtime if count.exists() else 0)
            if time.time() - heard > PATIENCE:
                child.kill()


if __name__ == "__main__":
    sys.exit(main())
