"""`python -m tests.fuzz`: random calls and programs without end, or for some minutes; see README.md."""

from __future__ import annotations

import argparse
import faulthandler
import subprocess
import sys
import tempfile
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
        "--only", metavar="OP", help="one operation (add, L.inv, F.relu, T.view), or `program`"
    )
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
    spare_the_machine()
    torch.set_num_threads(1)
    fuzzer = Fuzzer(torch, vizgrad, given.child / "journal")
    counted = given.child / "count"
    end = time.monotonic() + 60 * given.minutes if given.minutes else float("inf")
    failures: set[tuple[str, str]] = set(OPEN)
    found = 0
    for number, (name, seed) in enumerate(seeds(given.seed, given.only)):
        if time.monotonic() > end:
            break
        if number < given.start:
            continue
        counted.write_text(str(number))
        if name == "program":
            failure = fuzzer.program(seed, frozenset(failures))
        else:
            failure = fuzzer.call(name, seed, frozenset(failures))
        if failure is not None:
            found += 1
            failures.add((failure.operation, failure.kind))
            print(failure.text, flush=True)
    print(f"{fuzzer.tried} calls and programs, {found} kinds of failure")
    return 1 if found else 0


def spare_the_machine() -> None:
    """A call that asks for more memory than that is refused by both, instead of ending the process."""
    try:
        import resource
    except ImportError:  # not everywhere
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def watch(given: argparse.Namespace) -> int:
    """Runs the child, and again behind the call that ended it."""
    end = time.monotonic() + 60 * given.minutes if given.minutes else None
    start, status = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while True:
            left = None if end is None else (end - time.monotonic()) / 60
            if left is not None and left <= 0:
                return status
            command = [
                sys.executable,
                "-m",
                "tests.fuzz",
                "--child",
                folder,
                "--seed",
                str(given.seed),
            ]
            command += ["--from", str(start)]
            command += ["--only", given.only] if given.only else []
            command += ["--minutes", str(left)] if left is not None else []
            try:
                code = subprocess.run(command, check=False).returncode
            except KeyboardInterrupt:
                return status
            if code in (0, 1):
                return max(status, code)
            journal, count = Path(folder, "journal"), Path(folder, "count")
            if not count.exists():
                return code
            print(f"--- the process ended with {code} in\n{journal.read_text()}\n", flush=True)
            start, status = int(count.read_text()) + 1, 1


if __name__ == "__main__":
    sys.exit(main())
