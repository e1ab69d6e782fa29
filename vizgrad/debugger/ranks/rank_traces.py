"""`vizgrad.load_traces`: the traces that the ranks of a distributed run have written, side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from vizgrad.debugger.model.trace import File
from vizgrad.debugger.ranks.comparison import RankComparison
from vizgrad.debugger.ranks.reading import of_run
from vizgrad.debugger.traces.files import LoadedTrace, load_trace

#: ``run.rank1.vgtrace``: as `python -m vizgrad --dump run.vgtrace` names the file of a rank.
_RANK = re.compile(r"\brank(\d+)\b")


class RankTraces(Mapping[int, LoadedTrace]):
    """Traces by rank. `traces[1]` is the view of rank 1, `compare()` compares all of them. Prints the
    comparison; a notebook shows the graph with a strip of ranks at each node.
    """

    def __init__(self, traces: Mapping[int, LoadedTrace]) -> None:
        self._traces = dict(sorted(traces.items()))

    def __getitem__(self, rank: int) -> LoadedTrace:
        return self._traces[rank]

    def __iter__(self) -> Iterator[int]:
        return iter(self._traces)

    def __len__(self) -> int:
        return len(self._traces)

    def compare(self, *, tolerance: float | None = None) -> RankComparison:
        """The first node where a rank leaves the others, and all of them, as `vizgrad.compare_ranks`; of all
        that was recorded.
        """
        readings = []
        for rank, loaded in self._traces.items():
            with loaded.at_rest():
                stood = loaded.position
                loaded.seek(len(loaded.trace.records))
                visits = {visit.node: visit for visit in loaded.trace.visits}
                readings.append(of_run(rank, loaded.graph, loaded.run, visits))
                loaded.seek(stood)
        return RankComparison(readings, tolerance=tolerance)

    def __repr__(self) -> str:
        return self.compare().to_text()

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return self.compare()._repr_mimebundle_()


def load_traces(pattern: File) -> RankTraces:
    """Reads the traces of all ranks: ``vizgrad.load_traces("run.rank*.vgtrace")``.

    In the name of the file `*` stands for anything. The number of a rank is the one in it (``rank1``).
    FileNotFoundError where no file fits, ValueError where a name has no such number or two have the same,
    TraceFileError as `load_trace`.
    """
    path = Path(pattern)
    paths = sorted(path.parent.glob(path.name))
    if not paths:
        raise FileNotFoundError(f"no trace fits {str(pattern)!r}")
    found: dict[int, Path] = {}
    for path in paths:
        numbers = _RANK.findall(path.stem)
        if not numbers:
            raise ValueError(f"the name of {path.name!r} does not say its rank (run.rank1.vgtrace)")
        rank = int(numbers[-1])
        if rank in found:
            raise ValueError(f"{found[rank].name!r} and {path.name!r} are both of rank {rank}")
        found[rank] = path
    return RankTraces({rank: load_trace(path) for rank, path in found.items()})
