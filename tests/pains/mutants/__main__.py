"""Plants bugs in correct programs, and prints how many were explained: python -m tests.pains.mutants"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from tests.pains.mutants.planting import PLANTS
from tests.pains.mutants.running import Verdict, campaign


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--failed", type=Path, help="write there what was not explained")
    parser.add_argument("--only", default="", help="part of the name of a bug")
    options = parser.parse_args()
    for plant in [plant for plant in PLANTS if options.only not in plant]:
        del PLANTS[plant]
    verdicts: list[Verdict] = []
    alarms = campaign(options.count, options.seed, verdicts.append)
    by = {name: [v for v in verdicts if v.plant == name] for name in PLANTS}
    print("| planted | says | mutants | kind | kind and line |\n|---|---|---|---|---|")
    for name, found in by.items():
        if found:
            kinds, lines = sum(v.kind for v in found), sum(v.line for v in found)
            says = PLANTS[name][0].replace("|", ", ")
            print(f"| {name} | {says} | {len(found)} | {kinds} | {lines} |")
    kinds, lines = sum(v.kind for v in verdicts), sum(v.line for v in verdicts)
    print(f"| all | | {len(verdicts)} | {kinds} | {lines} |")
    print(
        f"programs: {len(Counter(v.program for v in verdicts))}, false alarms in correct ones: {alarms}"
    )
    if options.failed:
        with options.failed.open("w") as file:
            for verdict in verdicts:
                if not verdict.line:
                    file.write(
                        f"=== {verdict.program}: {verdict.plant}\n{verdict.said}\n{verdict.text}\n"
                    )


main()
