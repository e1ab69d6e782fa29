"""`python -m tests.fuzz_files --count 100000`: reads so many damaged files of each kind."""

from __future__ import annotations

import argparse
import ast
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

#: Seconds one file may keep its process: a thousand times what the slowest needs.
_PATIENCE = 600
KINDS = ("zip", "legacy", "safetensors", "npz", "trace", "vgtrace", "page")


def faults(kind: str, seed: int, start: int, stop: int) -> list[tuple[int, str]]:
    """Number and description of each file of a kind that did harm."""
    found: list[tuple[int, str]] = []
    while start < stop:
        at, ended = _run(kind, seed, start, stop, found)
        if ended is None:
            break
        found.append((at, ended))
        start = at + 1
    return found


def _run(kind: str, seed: int, start: int, stop: int, found: list[Any]) -> tuple[int, str | None]:
    """Where the process of files `start` to `stop` got to, and how it ended if that was before its time."""
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz_files.worker"]
    numbers = [str(seed), str(start), str(stop)]
    child = subprocess.Popen(
        [*command, kind, *numbers], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONMALLOC": "malloc"},
        start_new_session=True,
    )  # fmt: skip
    try:
        return _heard(child, kind, start, found)
    finally:
        end_group(child)


def end_group(child: subprocess.Popen[Any]) -> None:
    """Ends a process that leads a group, with all that it started: a page's reader would read on for ever."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _heard(
    child: subprocess.Popen[str], kind: str, start: int, found: list[Any]
) -> tuple[int, str | None]:
    """What it says until it ends."""
    assert child.stdout is not None
    assert child.stderr is not None
    at, heard, ready, done, hung = start, time.monotonic(), False, False, False
    ended = threading.Event()

    def watch() -> None:
        nonlocal hung
        while not ended.wait(1):
            if time.monotonic() - heard > _PATIENCE:
                hung = True
                end_group(child)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    errors: list[str] = []
    drain = threading.Thread(target=lambda: errors.extend(child.stderr or ()), daemon=True)
    drain.start()
    for line in child.stdout:
        heard = time.monotonic()
        word, _, rest = line.strip().partition(" ")
        if word == "at":
            at = int(rest)
        elif word == "fault":
            number, _, text = rest.partition(" ")
            found.append((int(number), ast.literal_eval(text)))
        ready = ready or word == "ready"
        done = word == "done"
    code = child.wait()
    ended.set()
    watcher.join()
    drain.join()
    child.stdout.close()
    child.stderr.close()
    if done:
        return at, None
    if not ready:
        raise RuntimeError(f"the files of kind {kind} could not be made:\n{''.join(errors)}")
    why = f"hung for {_PATIENCE} s" if hung else f"ended its process with {code}"
    return at, f"{why}\n{''.join(errors)[-2000:]}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz_files", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="files of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--keep", type=Path, help="folder for the files that did harm")
    given = parser.parse_args()
    harm = 0
    for kind in given.kinds:
        began = time.monotonic()
        found = faults(kind, given.seed, given.start, given.start + given.count)
        harm += len(found)
        seconds = time.monotonic() - began
        told = f"{kind}: {given.count} files, {len(found)} did harm, {seconds:.0f} s"
        print(f"{told}, {given.count / max(seconds, 1e-9):.1f} files/s", flush=True)
        for number, what in found:
            print(f"--- {kind} --seed {given.seed} --start {number}\n{what}", flush=True)
            if given.keep is not None:
                from tests.fuzz_files.worker import damaged

                given.keep.mkdir(parents=True, exist_ok=True)
                (given.keep / f"{kind}-{given.seed}-{number}").write_bytes(
                    damaged(kind, given.seed, number)
                )
    sys.exit(harm > 0)


if __name__ == "__main__":
    main()
