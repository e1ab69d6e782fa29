"""Writes past the version counter to what a backward then read."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.core.errors import Explanation
from vizgrad.core.tensor.source_names import written_name
from vizgrad.debugger.explain.wording import code, line, line_place, operation, said
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting

#: They make a tensor over memory that is not vizgrad's: their operand is no tensor.
_OF_FOREIGN = ("from_numpy", "as_tensor", "asarray", "frombuffer", "from_dlpack")


def find(noting: Noting) -> Iterator[Explanation]:
    for run in noting.runs:
        for visit, _, write in run.hidden:
            reader = f"{operation(visit.site, visit.name)} ({line(visit.site)})"
            if write.through == "assigned":
                name = source_expressions.assigned(write.site).removesuffix(".data") or "x"
                yield said(
                    "hidden-write", write.site, name,
                    f"`{name}.data` was replaced on {line(write.site)}, past the version counter; "
                    f"{reader} had saved "
                    f"{code(name)}, and its gradient was computed with the new values.",
                    f"replace it after backward, or copy into a clone: {code(name)} must keep what "
                    "the graph has saved",
                )  # fmt: skip
                continue
            if write.through == "data":
                target = written_name(write.site).removesuffix(".data")
                name = target or source_expressions.variable(write.lent_at)
                yield said(
                    "hidden-write", write.site, name,
                    f"The write on {line(write.site)} went through .data, so the version counter "
                    "did not see it; "
                    f"{reader} had saved the old value, and its gradient was computed with the new one.",
                    f"write to a clone, or after backward: use `with no_grad():` on {code(name)} "
                    "itself, so that it is "
                    "counted",
                )  # fmt: skip
                continue
            name = (
                source_expressions.variable(write.lent_at)
                or source_expressions.assigned(write.lent_at)
                or "x"
            )
            place = line_place(write.line)
            where = f"on line {place.line}" if place is not None else f"after {line(write.lent_at)}"
            foreign = source_expressions.called(write.lent_at) in _OF_FOREIGN
            copied = f"{name}.copy()" if foreign else f"{name}.numpy().copy(), or {name}.clone()"
            yield said(
                "hidden-write", place, name,
                f"Memory of {code(name)}, shared with numpy since {line(write.lent_at)}, was written "
                f"{where}, past the "
                f"version counter; {reader} had saved the old value, and its gradient was "
                "computed with the new one.",
                f"copy {'it first' if foreign else 'before writing'}: {copied}",
            )  # fmt: skip
