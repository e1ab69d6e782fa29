"""Writes past the version counter to what a backward then read."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.core.tensor.source_location import written_name
from vizgrad.debugger.explain.cause import Cause, Phrase, cause
from vizgrad.debugger.explain.wording import line_place, operation
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.untracked_memory import HiddenWrite

#: They make a tensor over memory that is not vizgrad's: their operand is no tensor.
_OF_FOREIGN = ("from_numpy", "as_tensor", "asarray", "frombuffer", "from_dlpack")


def find(noting: Noting) -> Iterator[Cause]:
    for run in noting.runs:
        for visit, _, write in run.hidden:
            yield _of_write(
                write, Phrase("reader", call=operation(visit.site, visit.name), at=visit.site)
            )


def _of_write(write: HiddenWrite, reader: Phrase) -> Cause:
    if write.through == "assigned":
        name = source_expressions.assigned(write.site).removesuffix(".data") or "x"
        return cause("hidden-write", "data-replaced", write.site, name, name=name, reader=reader)
    if write.through == "data":
        target = written_name(write.site).removesuffix(".data")
        name = target or source_expressions.variable(write.lent_at)
        return cause(
            "hidden-write", "written-through-data", write.site, name, name=name, reader=reader
        )
    lent = write.lent_at
    name = source_expressions.variable(lent) or source_expressions.assigned(lent) or "x"
    place = line_place(write.line)
    where = Phrase("after-line", at=lent) if place is None else Phrase("on-line", at=place)
    foreign = source_expressions.called(lent) in _OF_FOREIGN
    return cause(
        "hidden-write", "written-by-numpy", place, name,
        fix="copy-foreign" if foreign else "copy-own", name=name, lent=lent, where=where, reader=reader,
    )  # fmt: skip
