"""Prints what programs see, on PyTorch and on vizgrad: `python -m tests.oracle views`."""

from __future__ import annotations

import argparse

from tests.oracle.compare import shown
from tests.oracle.harness import Run, execute, faults_of_the_program, faults_of_vizgrad, load
from tests.oracle.registry import Program, all_programs


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("pattern", nargs="?", default="", help="part of a program's id, or a rule")
    parser.add_argument("--torch", action="store_true", help="run on PyTorch alone")
    parser.add_argument("--faults", action="store_true", help="print only what is wrong")
    asked = parser.parse_args()
    chosen = [
        one for one in all_programs() if asked.pattern in one.id or asked.pattern in one.rules
    ]
    theirs, ours = load("torch"), None if asked.torch else load("vizgrad")
    theirs.set_num_threads(1)
    wrong = 0
    for one in chosen:
        run = execute(one, theirs)
        faults = faults_of_the_program(run)
        if ours is not None and not faults:
            faults = faults_of_vizgrad(run, execute(one, ours))
        wrong += bool(faults)
        if faults or not asked.faults:
            print_run(one, run, faults, quiet=asked.faults)
    print(f"{len(chosen)} programs, {wrong} with faults")
    return int(wrong > 0)


def print_run(one: Program, run: Run, faults: list[str], *, quiet: bool) -> None:
    print(f"{one.id} ({' '.join(one.rules)})")
    for name, seen in () if quiet else run.seen.items():
        print(f"  {name}: {shown(seen)[:400]}")
    for fault in faults:
        print("  ! " + fault.replace("\n", "\n    "))


if __name__ == "__main__":
    raise SystemExit(main())
