"""Functions that are run once and again by a backward, as reentrant checkpoints do: were both alike?"""

from __future__ import annotations

from typing import Any, NamedTuple

from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.arrays.statistics import alike, sample
from vizgrad.core.errors import Place, function_place
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.watch.notes import Note

#: Results of one run that are remembered, and elements of each.
_MOST, _ELEMENTS = 512, 16
#: Runs that wait for their second time.
_WAITING = 64


class Result(NamedTuple):
    op: str
    site: Site | None
    sample: Any


class Difference(NamedTuple):
    """The first result of the first run that the second one did not have."""

    result: Result
    #: Did the second run compute it, too?
    computed: bool
    function: Place | None


class Repeats:
    def __init__(self) -> None:
        #: id of a call -> what it computed the first time.
        self._first: dict[int, list[Result]] = {}
        self._now: list[list[Result]] = []
        #: What came out differently, or was not computed again, and where the function is.
        self.differences: list[Difference] = []

    def begin(self) -> None:
        self._now.append([])

    def made(self, note: Note, array: Any) -> None:
        if note.dtype.kind in "iu":
            return  # counters go on by themselves, as that of a batch norm does
        if self._now and len(self._now[-1]) < _MOST:
            kept = None if is_sparse(array) else sample(array, _ELEMENTS)
            self._now[-1].append(Result(note.op, note.site, kept))

    @property
    def running(self) -> bool:
        return bool(self._now)

    def end(self, call: Any, *, again: bool) -> None:
        results = self._now.pop()
        if not again:
            if len(self._first) >= _WAITING:
                self._first.pop(next(iter(self._first)))
            self._first[id(call)] = results
            return
        for before, now in zip(self._first.pop(id(call), ()), results, strict=False):
            # The line may be another: of a layer it is the one that called it, or the backward.
            if before.op != now.op or not _alike(before, now):
                place = function_place(call.run_function)
                self.differences.append(Difference(before, before.op == now.op, place))
                return


def _alike(before: Result, now: Result) -> bool:
    if before.sample is None or now.sample is None:
        return True
    return before.sample.shape == now.sample.shape and alike(before.sample, now.sample)
