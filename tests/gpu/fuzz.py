"""Random programs of `tests/fuzz` on a device and on the CPU: `python -m tests.gpu.fuzz --count 2000`.

On the emulated device, unless `--real`. Each program is drawn by running it on the CPU, then run line by line
on both, and all that is visible is compared after each line, or of every second program at its end.
Differences are printed, with the smallest program that has them; the exit code is 1 if there is one.

Left out are programs with random numbers (a device has others) and with `.numpy()` (which a device refuses).
"""

from __future__ import annotations

import argparse
import sys
import time
import zlib

from tests.fuzz import program_compare, programs
from tests.fuzz.compare import Difference

#: Words of lines that do something else on a device by right.
_LEFT_OUT = ("Dropout", "dropout", "rand", "bernoulli", "RReLU", ".numpy(")


#: A device is not asked whether a divisor is 0, as in PyTorch; what follows has nothing to be compared with.
_REFUSED_HERE = "an integer tensor was divided by 0"


class _There(programs.Side):
    """The side on the device: what a line makes is made there."""

    def run(self, line: str) -> None:
        with self.module.device("cuda"):
            super().run(line)


def differences(program: programs.Program, each_line: bool) -> list[Difference]:
    """What differs first, unless that is rounding."""
    import vizgrad

    here, there = programs.Side(vizgrad), _There(vizgrad)
    for number, line in enumerate(program):
        here.run(line)
        there.run(line)
        a, b = here.outcomes[-1], there.outcomes[-1]
        if _REFUSED_HERE in str(a) and not isinstance(b, Exception):
            return []
        if type(a) is not type(b):
            return [Difference(f"raises, line {number}", a, b)]
        found = program_compare._states(here, there, each_line or number == len(program) - 1)
        if found:
            ran = program[: number + 1]
            return (
                []
                if program_compare._rounding(vizgrad, here, ran, found[0])
                or program_compare._unstable(vizgrad, ran, found[0])
                else found
            )
    return []


def smallest(program: programs.Program, kind: str, each_line: bool) -> programs.Program:
    """Without each line that the difference does not need."""
    at = len(program) - 1
    while at >= 0:
        shorter = program[:at] + program[at + 1 :]
        found = differences(shorter, each_line)
        if found and program_compare.kind_of(found[0]) == kind:
            program = shorter
        at -= 1
    return program


def compared(seed: str) -> tuple[str, str] | None:
    """(the kind of difference, what to print) of one program; None where there is none."""
    import vizgrad

    program = programs.drawn(vizgrad, seed)
    if any(word in line for line in program for word in _LEFT_OUT):
        return None
    each_line = zlib.crc32(seed.encode()) % 2 == 0
    found = differences(program, each_line)
    if not found:
        return None
    kind = program_compare.kind_of(found[0])
    small = smallest(program, kind, each_line)
    again = next(iter(differences(small, each_line)), found[0])
    lines = "\n".join(small)
    return kind, f"--- {kind} (seed {seed})\n{lines}\n  CPU: {again.theirs}\n  device: {again.ours}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.gpu.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="where to begin")
    parser.add_argument("--first", type=int, default=0, help="the number of the first of them")
    parser.add_argument("--real", action="store_true", help="on a real device")
    given = parser.parse_args()
    if not given.real:
        from tests.gpu import emulated

        emulated.start()
    began, kinds = time.monotonic(), dict[str, str]()
    for number in range(given.first, given.first + given.count):
        found = compared(f"{given.seed}.{number}")
        if found is not None and found[0] not in kinds:
            kinds[found[0]] = found[1]
            print(found[1], flush=True)
        if (number + 1) % 100 == 0:
            print(f"{number + 1} programs", flush=True)
    seconds = time.monotonic() - began
    print(
        f"{given.count} programs, {len(kinds)} kinds of difference, {seconds:.0f} s{_account(given.real)}"
    )
    return 1 if kinds else 0


def _account(real: bool) -> str:
    if real:
        return ""
    from tests.gpu.emulated.account import ACCOUNT

    launched = ACCOUNT.launched + len(ACCOUNT.launches)
    return f", {launched:,} launches of {len(ACCOUNT.kernels)} kernels"


if __name__ == "__main__":
    sys.exit(main())
