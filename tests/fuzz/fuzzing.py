"""Draws, compares, shrinks: one failure after the other."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fuzz import (
    network_compare,
    networks,
    program_compare,
    programs,
    report,
    saved,
    saved_compare,
    transformed,
    transforms,
)
from tests.fuzz.calls import Call
from tests.fuzz.compare import Difference, differences
from tests.fuzz.fatal import fatal
from tests.fuzz.known import known, random_values
from tests.fuzz.known_networks import known_network
from tests.fuzz.known_saved import known_saved
from tests.fuzz.known_under import known_under
from tests.fuzz.operations import Drawing, operations
from tests.fuzz.saved import Saved
from tests.fuzz.shrink import smallest
from tests.fuzz.transforms import Transformed


@dataclass(frozen=True)
class Failure:
    operation: str
    kind: str
    seed: object
    text: str
    short: str


class Fuzzer:
    """Compares calls, programs and networks of PyTorch and vizgrad. `journal` is told each before it runs."""

    def __init__(self, torch: Any, vizgrad: Any, journal: Path | None = None) -> None:
        self.torch, self.vizgrad = torch, vizgrad
        self.drawing = Drawing(torch, vizgrad)
        self.journal = None if journal is None else os.open(journal, os.O_WRONLY | os.O_CREAT)
        self.tried = 0

    def note(self, text: str) -> None:
        """Survives a crash of either library."""
        if self.journal is not None:
            written = os.pwrite(self.journal, text.encode(), 0)
            os.ftruncate(self.journal, written)  # after it: the process may be killed in between

    def wrong(self, call: Call) -> list[Difference]:
        if fatal(call):
            return []
        if isinstance(call, Transformed):
            found = transformed.differences(self.torch, self.vizgrad, call)
            return [f for f in found if not known_under(call, f)]
        if isinstance(call, Saved):
            found = saved_compare.differences(self.torch, self.vizgrad, call)
            return [f for f in found if not known_saved(call, f)]
        found = differences(self.torch, self.vizgrad, call)
        return [f for f in found if not random_values(call, f) and not known(call, f)]

    def call(
        self, name: str, seed: object, skip: frozenset[tuple[str, str]] = frozenset()
    ) -> Failure | None:
        """The failure of one drawn call of the operation, made small; None when the two agree."""
        return self._compared(name, seed, self.drawing.call(operations()[name], seed), skip)

    def under(
        self, name: str, seed: object, skip: frozenset[tuple[str, str]] = frozenset(), way: str = ""
    ) -> Failure | None:
        """The same of a call under a transform; one of each if `way` says which."""
        operation = operations()[name]
        if operation.random:
            return None
        return self._compared(
            name, seed, transforms.drawn(self.drawing, operation, seed, way), skip
        )

    def saved(
        self, name: str, seed: object, skip: frozenset[tuple[str, str]] = frozenset()
    ) -> Failure | None:
        """The same of what a call keeps for its backward."""
        return self._compared(name, seed, saved.drawn(self.drawing, operations()[name], seed), skip)

    def _compared(
        self, name: str, seed: object, call: Call | None, skip: frozenset[tuple[str, str]]
    ) -> Failure | None:
        if call is None:
            return None
        self.note(f"{name} {seed}\n{report.short(call)}")
        self.tried += 1
        found = [f for f in self.wrong(call) if (name, f.kind) not in skip]
        if not found:
            return None
        kind = found[0].kind

        def fails(smaller: Call) -> bool:
            self.note(f"{name} {seed}\n{report.short(smaller)}")
            return any(f.kind == kind for f in self.wrong(smaller))

        small = smallest(call, fails)
        # what is read from memory that nobody wrote differs from run to run
        difference = next((f for f in self.wrong(small) if f.kind == kind), found[0])
        text = report.told(small, difference, seed)
        return Failure(name, kind, seed, text, report.short(small))

    def program(
        self, seed: object, skip: frozenset[tuple[str, str]] = frozenset()
    ) -> Failure | None:
        program = programs.drawn(
            self.torch, seed, lambda text: self.note(f"program {seed}\n{text}")
        )
        self.note(f"program {seed}\n" + "\n".join(program))
        self.tried += 1
        # who looks after each line changes what is seen: of every second program only the end is
        each_line = zlib.crc32(str(seed).encode()) % 2 == 0
        found = program_compare.differences(self.torch, self.vizgrad, program, each_line)
        if not found or ("program", program_compare.kind_of(found[0])) in skip:
            return None
        kind = program_compare.kind_of(found[0])
        small = program_compare.smallest(self.torch, self.vizgrad, program, kind, each_line)
        again = program_compare.differences(self.torch, self.vizgrad, small, each_line)
        difference = next(iter(again), found[0])
        looked = "each line" if each_line else "the end"
        text = (
            f"--- program: {kind}   (seed {seed}, seen after {looked})\n{programs.shown(small)}\n"
            f"  differs in {difference}\n"
        )
        return Failure("program", kind, seed, text, "; ".join(small))

    def network(
        self, seed: object, skip: frozenset[tuple[str, str]] = frozenset()
    ) -> Failure | None:
        network = networks.drawn(self.torch, seed)
        self.note(f"network {seed}\n" + "\n".join(network.source()))
        self.tried += 1
        found = network_compare.differences(self.torch, self.vizgrad, network)
        kind = network_compare.kind_of(found[0]) if found else ""
        if not found or ("network", kind) in skip or known_network(network, found[0]):
            return None
        small = network_compare.smallest(self.torch, self.vizgrad, network, kind)
        again = network_compare.differences(self.torch, self.vizgrad, small)
        text = network_compare.told(small, next(iter(again), found[0]), seed)
        return Failure("network", kind, seed, text, repr(small))


def seeds(seed: int, only: str | None) -> Iterator[tuple[str, str]]:
    """(operation, seed) without end: each operation once in each way, programs and networks between.

    Then all again. What is to be transformed has "under " before its name, "saved " where it is asked what is saved.
    """
    names = [n for n in operations() if only in (None, n)]
    names += [f"under {n}" for n in names]
    names += [f"saved {n}" for n in operations() if only in (None, n, "saved")]
    if only in (None, "program"):
        names += ["program"] * (1 if only else 40)
    if only in (None, "network"):
        names += ["network"] * (1 if only else 40)
    number = 0
    while True:
        for k, name in enumerate(sorted(names, key=lambda n: zlib.crc32(f"{seed} {n}".encode()))):
            yield (
                name,
                f"{seed}.{number}.{k}" if name in ("program", "network") else f"{seed}.{number}",
            )
        number += 1
