"""The figures of these programs: `python -m tests.pains.twins [ENGINE ...] [-k WORD] [-v]`."""

from __future__ import annotations

import argparse
import importlib
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.pains.twins.reading import Program, programs
from tests.pains.twins.running import ENGINES, Verdict, judge, run_twin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="*", default=ENGINES)
    parser.add_argument("-k", dest="word", default="")
    parser.add_argument("-v", dest="verbose", action="store_true", help="also what is right")
    args = parser.parse_args()
    chosen = [each for each in programs() if args.word in f"{each.family} {each.name}"]
    for engine in args.engines:
        importlib.import_module(engine)
        started, counts = time.process_time(), Counter[str]()
        with tempfile.TemporaryDirectory() as folder:
            for program in chosen:
                _count(program, engine, Path(folder), counts, args.verbose)
        print(f"\n{engine}: {dict(counts)}, {time.process_time() - started:.1f} s of CPU")


def _count(
    program: Program, engine: str, folder: Path, counts: Counter[str], verbose: bool
) -> None:
    counts["programs"] += 1
    verdicts, _ = judge(program, engine, folder)
    for verdict in verdicts:
        counts["questions"] += 1
        for fact in ("found", "line", "right", "named"):
            counts[fact] += getattr(verdict, fact)
        if verbose or not verdict.right:
            _show(program, verdict, engine, folder)
    alarms = [each for said in run_twin(program, engine, folder).said for each in said]
    counts["twins with an alarm"] += bool(alarms)
    for alarm in alarms:
        print(f"\n{engine}, {program.name}: false alarm\n  {alarm.kind}: {alarm}")


def _show(program: Program, verdict: Verdict, engine: str, folder: Path) -> None:
    question = verdict.question
    lines = ", ".join(f"{file}:{line}" for file, line in sorted(program.blamed(question.label)))
    fault = "right" if verdict.right else "wrong words" if verdict.line else "not explained"
    print(f"\n{engine}, {program.name}: {question.ask}: {fault}; {lines}: {question.words}")
    for each in verdict.said or ("nothing is said",):
        print(f"  {getattr(each, 'kind', '')}: {each}".replace(f"{folder}/", ""))


if __name__ == "__main__":
    main()
