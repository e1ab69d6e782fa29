"""`vizgrad.load_traces`: the traces that the ranks of a distributed run have written, side by side."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from weakref import WeakValueDictionary

from vizgrad.debugger.jupyter.widget.showing import show_joint
from vizgrad.debugger.model import Graph
from vizgrad.debugger.model.rank_files import rank_of
from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.model.trace import File
from vizgrad.debugger.ranks.comparison import RankComparison
from vizgrad.debugger.ranks.flight_records import (
    FlightRecordError,
    Record,
    compared,
    read_record,
)
from vizgrad.debugger.ranks.joint_traces import JointTraces
from vizgrad.debugger.ranks.outlines import outline
from vizgrad.debugger.ranks.page import export_ranks
from vizgrad.debugger.ranks.rank_calls import RankCalls, calls_of
from vizgrad.debugger.ranks.reading import of_trace
from vizgrad.debugger.traces.files import LoadedTrace, load_trace, read_trace


class RankTraces(Mapping[int, LoadedTrace]):
    """Traces by rank. `traces[1]` is the view of rank 1, `compare()` compares all of them. Prints the
    comparison; a notebook shows the view of a rank, with a strip of all ranks at each node.
    """

    def __init__(self, paths: Mapping[int, Path]) -> None:
        """TraceFileError as `load_trace`."""
        self._paths = dict(sorted(paths.items()))
        #: All that was recorded of each rank. Sessions are opened when they are asked for: a kernel has few.
        self.readings: dict[int, RankReading] = {}
        graphs: dict[bytes, Graph] = {}
        for rank, path in self._paths.items():
            trace = read_trace(path)
            graph = graphs.setdefault(outline(trace.graph), trace.graph)
            self.readings[rank] = of_trace(rank, graph, trace)
        #: Where ranks have not called the same collectives, by PyTorch's flight records beside the traces.
        self.collectives = tuple(compared(self._records()))
        self._opened: WeakValueDictionary[int, LoadedTrace] = WeakValueDictionary()
        self._compared: RankComparison | None = None
        self._joint: JointTraces | None = None

    def _records(self) -> dict[int, Record]:
        found: dict[int, Record] = {}
        for rank, path in self._paths.items():
            beside = path.with_suffix(".flight")
            if beside.is_file():
                try:
                    found[rank] = read_record(beside)
                except (FlightRecordError, OSError) as error:
                    warnings.warn(f"not read: {error}", stacklevel=4)
        return found

    def __getitem__(self, rank: int) -> LoadedTrace:
        known = self._opened.get(rank)
        if known is None or known.closed:
            known = self._opened[rank] = load_trace(self._paths[rank])
        return known

    def __iter__(self) -> Iterator[int]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def compare(self, *, tolerance: float | None = None) -> RankComparison:
        """The first node where a rank leaves the others, and all of them, as `vizgrad.compare_ranks`; of all
        that was recorded.
        """
        if tolerance is not None:
            return RankComparison(tuple(self.readings.values()), tolerance=tolerance)
        if self._compared is None:
            self._compared = RankComparison(tuple(self.readings.values()))
        return self._compared

    @property
    def calls(self) -> RankCalls:
        """The collectives that ranks have called: who came last to each, and how long the others waited."""
        return RankCalls(calls_of(tuple(self.readings.values())))

    def export(self, path: File) -> Path:
        """Writes one page for any browser: the strips of all ranks, and the steps of the one that is chosen,
        of at most 16 ranks. FileNotFoundError where the front end was not built.
        """
        compared = self.compare()
        traces = {rank: read_trace(each) for rank, each in self._paths.items()}
        return export_ranks(traces, compared, repr(self), compared.to_svg(), path)

    def __repr__(self) -> str:
        return "\n".join((self.compare().to_text(), *self.calls.lines(), *self.collectives))

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return self.compare()._repr_mimebundle_()

    def _ipython_display_(self) -> None:
        """A view of all ranks; a picture where a program runs the notebook."""
        from IPython.display import display

        from vizgrad.debugger.api import can_be_asked

        if not can_be_asked():
            display(self._repr_mimebundle_(), raw=True)
            return
        if self._joint is None:
            self._joint = JointTraces(self)
        show_joint(self._joint)


def load_traces(pattern: File) -> RankTraces:
    """Reads the traces of all ranks: ``vizgrad.load_traces("run.rank*.vgtrace")``.

    PyTorch's flight records that lie beside them (``run.rank1.flight``) are read, too: `collectives` says
    which collective not all ranks have called.

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
        rank = rank_of(path)
        if rank in found:
            raise ValueError(f"{found[rank].name!r} and {path.name!r} are both of rank {rank}")
        found[rank] = path
    return RankTraces(found)
