"""Prints which rule is shown where: `python -m tests.rules [letter or number]`."""

from __future__ import annotations

import argparse

from tests.rules.report import lines
from tests.rules.scan import all_showings
from tests.rules.text import all_rules


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.rules", description=__doc__)
    parser.add_argument("rule", nargs="?", default="", help="F, or V-20: all places of these rules")
    asked = parser.parse_args().rule
    rules = {
        number: rule
        for number, rule in all_rules().items()
        if not asked or number == asked or number.partition("-")[0] == asked
    }
    for line in lines(rules, all_showings(), places=1000 if asked else 3):
        print(line)


if __name__ == "__main__":
    main()
