"""The coverage table: `python -m tests.names`."""

from __future__ import annotations

from collections import defaultdict

from tests.names.left_out import LATER, LEFT_OUT
from tests.names.listed import autograd_names, exists, missing, operations, public_names


def main() -> None:
    print(f"{'operations by rule':34} there  of")
    rules: dict[str, list[tuple[str, bool, bool]]] = defaultdict(list)
    for rule, name, starred in operations():
        rules[rule].append((name, starred, exists(name)))
    for rule, names in rules.items():
        there = sum(found for _, _, found in names)
        star = "★" if names[0][1] else " "
        lacking = " ".join(name for name, _, found in names if not found)
        print(f"{rule:6} {star:27} {there:5} {len(names):4}  {lacking}")
    print(f"\n{'names by list':34} there  of")
    for key, names in {**autograd_names(), **public_names()}.items():
        gone = missing(key, names)
        there = len(names) - len(gone)
        print(f"{key:34} {there:5} {len(names):4}  {100 * there / len(names):3.0f} %")
        if key in LATER:
            print(f"    {LATER[key]}: {' '.join(gone)}")
            continue
        for name in gone:
            print(f"    {name}: {LEFT_OUT.get(f'{key}.{name}', 'NO REASON GIVEN')}")


main()
