"""The figures of this corpus: `python -m tests.pains.library [-k WORD] [-v]`."""

from __future__ import annotations

import argparse
import tempfile
import time
import traceback
from pathlib import Path

import torch

from tests.pains.library.judging import judged, missing, programs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", dest="word", default="")
    parser.add_argument("-v", dest="verbose", action="store_true", help="also what is right")
    args = parser.parse_args()
    torch.set_num_threads(1)
    found = alarms = ran = 0
    began = time.process_time()
    for program in programs():
        if args.word not in f"{program.family} {program.name}" or missing(program):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = judged(program, Path(folder))
            except Exception:  # noqa: BLE001  one program of many: the others are run
                print(f"\n{program.name}: FAILED")
                traceback.print_exc(limit=-3)
                continue
            ran, found, alarms = ran + 1, found + result.right, alarms + bool(result.alarms)
            if args.verbose or not result.right:
                print(f"\n{program.name}: {'right' if result.right else 'NOT FOUND'}")
                for question, said in zip(program.questions, result.said, strict=True):
                    print(
                        f"  ? {question.ask}: {sorted(program.blamed(question.label))} {question.words}"
                    )
                    for text in said or ("nothing is said",):
                        print(f"    {text}".replace(f"{folder}/", ""))
            for text in result.alarms:
                print(f"\n{program.name}: FALSE ALARM\n    {text}".replace(f"{folder}/", ""))
    print(f"\n{ran} programs, {found} found, {alarms} twins with an alarm, "
          f"{time.process_time() - began:.1f} s of CPU")  # fmt: skip


if __name__ == "__main__":
    main()
