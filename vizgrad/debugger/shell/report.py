"""The result of a run, in words for a terminal and as data for other programs."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from vizgrad.core.errors import Explanation, Place, chain_text
from vizgrad.debugger.model.rank_files import rank_path
from vizgrad.debugger.shell.frames import UserFrame
from vizgrad.debugger.shell.stops import Stop
from vizgrad.version import __version__

#: Frames that are written out, or counted as those of a library.
_FRAMES = 40
#: Characters of a line that are shown.
_TEXT = 80
#: The rank and the number of ranks: of torchrun and others, of Open MPI, of MPICH. (Slurm's are there in a
#: batch script, too, which is no rank.)
_VARIABLES = (
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
)


@dataclass(frozen=True, slots=True)
class Rank:
    """Which of the processes of a distributed run this is; alone where there is one."""

    number: int = 0
    count: int = 1

    @classmethod
    def here(cls) -> Rank:
        """As torchrun, accelerate, mpirun and others say it to the processes that they start."""
        for rank, count in _VARIABLES:
            try:
                return cls(int(os.environ[rank]), int(os.environ[count]))
            except (KeyError, ValueError):
                continue
        return cls()

    @property
    def alone(self) -> bool:
        return self.count <= 1

    def beside(self, path: Path) -> Path:
        """A file of this process: ``run.rank1.vgtrace`` for ``run.vgtrace``."""
        if self.alone:
            return path
        return rank_path(path, self.number)

    def __str__(self) -> str:
        return "" if self.alone else f"rank {self.number} of {self.count}"


class Report:
    """The texts about one run. `folder` is the one that it was started in: names of files begin there."""

    def __init__(self, program: str, rank: Rank, folder: str | None = None) -> None:
        self.program = program
        self.rank = rank
        installed = [each for each in sys.path if each.endswith(("site-packages", "dist-packages"))]
        #: Files below these are named from there on.
        self._folders = [f"{each}{os.sep}" for each in (*installed, folder or str(Path.cwd()))]

    def line(self, text: str) -> str:
        """A line of vizgrad's own: ``vizgrad (rank 1 of 2): ...``."""
        return f"vizgrad{f' ({self.rank})' if str(self.rank) else ''}: {text}"

    def short(self, text: str) -> str:
        """With names of files as they are seen from the folder, or from that of installed packages."""
        for folder in self._folders:
            text = text.replace(folder, "")
        return text

    def place(self, place: Place | None) -> str:
        """``train.py:12``."""
        return "" if place is None else self.short(f"{place.file}:{place.line}")

    def stopped(self, stop: Stop) -> str:
        """A stop, as it is printed."""
        where = f" ({self.place(stop.place)})" if stop.place is not None else ""
        lines = [self.line(f"stopped {stop.headline}{where}")]
        if stop.error is not None:
            lines += [line.rstrip() for line in traceback.format_exception_only(stop.error)[:1]]
        if stop.explanation is not None:
            lines.append(str(stop.explanation))
        elif stop.reason not in ("at", "pause"):
            lines.append("It is not known which operation made it.")
        if stop.backward is not None and stop.backward.released and self.rank.alone:
            lines.append(
                f"  step it: start again with --at {stop.backward.number} if the program repeats "
                "exactly, else with --keep-graphs"
            )
        if len(stop.frames) > 1:
            lines += ["  called by:", *(f"    {each}" for each in self._frames(stop))]
        return self.short("\n".join(lines))

    def before(self, found: Explanation) -> str:
        """A finding from before a stop, which may be its cause."""
        return self.short(f"found before the stop: {found.heading}: {found}")

    def _frames(self, stop: Stop) -> Iterator[str]:
        """The user's frames, the innermost first; of libraries between them one each."""
        folded = groupby(stop.frames[:_FRAMES], key=lambda frame: frame.installed)
        for installed, frames in folded:
            first, *rest = frames
            yield self.frame(first)
            if installed and rest:
                yield f"({len(rest)} more in libraries)"
            elif not installed:
                yield from map(self.frame, rest)
        if len(stop.frames) > _FRAMES:
            yield f"({len(stop.frames) - _FRAMES} more)"

    def frame(self, frame: UserFrame) -> str:
        """``train.py:12 in main: loss.backward()``."""
        text = frame.place.text
        text = text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"
        return f"{self.place(frame.place)} in {frame.function}: {text}"

    def findings(self, found: Sequence[Explanation], watched: str, *, full: bool) -> str:
        """The findings of a program that was not stopped. `full`: each operation was watched."""
        if not found:
            return self.line(f"no {'problems' if full else 'NaN or Inf'} found ({watched})")
        count = "1 problem" if len(found) == 1 else f"{len(found)} problems"
        texts = [f"{each.heading}: {each}" for each in found]
        return self.short("\n\n".join([self.line(f"{count} found ({watched})"), *texts]))

    def data_of(self, found: Explanation) -> dict[str, Any]:
        """An explanation as JSON."""
        return {
            "kind": found.kind,
            "heading": found.heading,
            "where": self.place(found.culprit) or None,
            "tensor": found.tensor,
            "story": self.short(found.story),
            "when": found.when,
            "chain": self.short(chain_text(found.chain)),
            "fix": found.fix,
            "mended": found.mended,
            "text": self.short(str(found)),
        }

    def data(
        self,
        *,
        status: int,
        stop: Stop | None,
        found: Sequence[Explanation],
        dump: Path | None,
        log: Path | None,
    ) -> dict[str, Any]:
        """The JSON object of a run."""
        told = None if stop is None else stop.explanation
        return {
            "vizgrad": __version__,
            "program": self.program,
            "rank": None if self.rank.alone else self.rank.number,
            "status": status,
            "stopped": stop is not None,
            "reason": None if stop is None else stop.reason,
            "where": None if stop is None else self.place(stop.place) or None,
            "headline": "" if stop is None else self.short(stop.headline),
            "explanation": None if told is None else self.data_of(told),
            "findings": [self.data_of(each) for each in found],
            "dump": None if dump is None else str(dump),
            "log": None if log is None else str(log),
        }
