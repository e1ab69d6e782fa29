"""Times vizgrad against its peers: `python -m tests.benchmarks`; see README.md."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

from tests.benchmarks import machine

#: What there is besides the workloads.
IMPORTS, BROWSER, STEPPING, PROGRAMS = "import", "browser", "stepping", "programs"


def main() -> int:
    asked = _arguments()
    machine.restart_with(asked.threads)
    before = machine.load()
    described = machine.describe() | {"threads": asked.threads, "load before": before}
    print(", ".join(f"{key} {value}" for key, value in described.items()))
    if warning := machine.busy(before):
        print(warning)

    from tests.benchmarks import report
    from tests.benchmarks.targets import figures

    if asked.before:
        from tests.benchmarks.before import compare

        compare(asked.before, asked.only, asked.rounds)
        return 0
    timed = [] if asked.what else _time_workloads(asked)
    if asked.what == IMPORTS or (not asked.what and _wanted(asked, "import vizgrad")):
        timed.append(_time_imports(asked))
    found = figures(timed)
    if asked.what == BROWSER or (not asked.what and _wanted(asked, "browser")):
        found += _time_browser(asked)
    if asked.what in (None, STEPPING):
        found += _time_stepping(asked)
    if asked.what in (None, PROGRAMS):
        found += _time_programs(asked)
    described["load after"] = machine.load()
    if not found:
        print(f"Nothing is called {asked.only!r}.")
        return 2
    print(f"\nLoad {before:.1f} before, {described['load after']:.1f} after.")
    print(report.summary(timed, found))
    if asked.json:
        report.write_json(asked.json, described, timed, found)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "what",
        nargs="?",
        choices=(IMPORTS, BROWSER, STEPPING, PROGRAMS),
        help="measure this and nothing else",
    )
    parser.add_argument(
        "--before",
        type=Path,
        metavar="TREE",
        help="small calls, beside the sources in another folder",
    )
    parser.add_argument("--only", default="", metavar="PATTERN", help="part of a case's name")
    parser.add_argument("--rounds", type=int, default=25, help="default: 25")
    parser.add_argument("--threads", type=int, default=1, help="of numpy and PyTorch; default: 1")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there")
    parser.add_argument("--steps", type=int, default=30, help="clicks on Step in the browser")
    return parser.parse_args()


def _wanted(asked: argparse.Namespace, name: str) -> bool:
    return asked.only.lower() in name.lower()


def _time_workloads(asked: argparse.Namespace) -> list:
    import gc

    if missing := [n for n in ("torch", "autograd") if importlib.util.find_spec(n) is None]:
        sys.exit(f"{' and '.join(missing)} must be installed to compare with: use `make bench`")
    import torch

    import vizgrad  # noqa: F401
    from tests.benchmarks import report
    from tests.benchmarks.timing import time_case
    from tests.benchmarks.workloads import all_cases

    torch.set_num_threads(asked.threads)
    # What the libraries keep for good is nobody's garbage: PyTorch's objects must not make vizgrad's
    # collections long, nor the other way round.
    gc.collect()
    gc.freeze()
    timed = []
    print("\n" + report.heading())
    for case in all_cases():
        if _wanted(asked, f"{case.family} {case.name}"):
            timed.append(time_case(case, asked.rounds))
            print(report.line(timed[-1]), flush=True)
    return timed


def _time_imports(asked: argparse.Namespace):
    from tests.benchmarks import report
    from tests.benchmarks.imports import time_imports

    times = time_imports(asked.rounds)
    print(report.line(times), flush=True)
    return times


def _time_stepping(asked: argparse.Namespace) -> list:
    from tests.benchmarks.stepping import time_stepping

    print()
    return time_stepping(lambda name: _wanted(asked, name))


def _time_programs(asked: argparse.Namespace) -> list:
    import torch

    from tests.benchmarks.programs.timed import time_programs

    torch.set_num_threads(asked.threads)
    return time_programs(lambda name: _wanted(asked, name))


def _time_browser(asked: argparse.Namespace) -> list:
    from tests.benchmarks.browser import time_browser

    return time_browser(asked.steps)


if __name__ == "__main__":
    raise SystemExit(main())
