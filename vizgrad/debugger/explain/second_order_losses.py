"""Parts of a loss that were computed from a gradient without a history: they change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from vizgrad.core.errors import Place, returning_place
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase, cause
from vizgrad.debugger.explain.wording import THE_GRADIENT, THE_LOSS, name_of
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note

_SUMS = frozenset(
    {
        "add", "sub", "mul", "truediv", "div", "neg", "sum", "mean", "rsub", "add_", "stack", "cat",
        "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__",
        "__neg__", "__iadd__",
    }
)  # fmt: skip


def find(noting: Noting) -> Iterator[Cause]:
    for run in noting.runs:
        if run.kind == "backward":
            for root in run.roots:
                for term in _constant_terms(root):
                    for note in term.ancestors():
                        if note.op == "grad" and note.cut == "create_graph":
                            yield from _of_term(noting, note, root)
                        elif note.op == "gradient" and note.detail is not None:
                            before = note.detail.run
                            if before is not None and not before.creates:
                                yield _of_backward(before, note, root)


def _constant_terms(root: Note) -> Iterator[Note]:
    """Summands without a history."""
    seen, todo = {id(root)}, [root]
    for note in todo:
        if not note.requires and note.dtype.kind in "fcV":
            yield note
        elif note.op in _SUMS:
            terms = note.op in ("mul", "__mul__", "__rmul__", "truediv", "div", "__truediv__")
            for parent in note.parents:
                if terms and not parent.requires:
                    continue  # a weight of a term
                if id(parent) not in seen and len(seen) < 10_000:
                    seen.add(id(parent))
                    todo.append(parent)


class Cut(NamedTuple):
    """Why a gradient has no history."""

    place: Site | Place | None
    #: What is said of the gradient.
    how: Phrase
    fix: str


def _of_term(noting: Noting, note: Note, root: Note) -> Iterator[Cause]:
    """`note`: a gradient of which a part of `root` was computed."""
    cut = cut_of(noting, note)
    if cut is None:
        return
    name = name_of(note, THE_GRADIENT)
    yield cause(
        "second-order-cut", "constant-term", cut.place, name,
        fix=cut.fix, gradient=name, how=cut.how, loss=name_of(root, THE_LOSS),
    )  # fmt: skip


def without_history(noting: Noting, note: Note, root: Note) -> Cause:
    """The same of a loss that has no history at all."""
    name, loss = name_of(note, THE_GRADIENT), name_of(root, THE_LOSS)
    linear = Cut(note.site, Phrase("taken-of-linear", at=note.site), "linear")
    cut = cut_of(noting, note) or linear
    return cause(
        "second-order-cut", "no-second-order", cut.place, name,
        fix=cut.fix, gradient=name, how=cut.how,
        neither=NOTHING if root is note else Phrase("neither", loss=loss),
    )  # fmt: skip


def cut_of(noting: Noting, note: Note) -> Cut | None:
    """Of a gradient; None if nothing cut it, and it is constant by itself."""
    run = note.detail
    if run is None or not run.creates:
        return Cut(note.site, Phrase("taken-without-graph", at=note.site), "create-graph")
    for root in run.roots:
        for each in root.tracked():
            cls = None
            if each.op == "apply" and each.site is not None:
                cls = noting.habits.keeping.get(each.site)
            if cls is not None:
                how = Phrase("taken-of-values", at=note.site, function=cls.__name__)
                return Cut(returning_place(cls.backward), how, "save-inputs")
    return None


def _of_backward(run: object, note: Note, root: Note) -> Cause:
    site = getattr(run, "site", None)
    loss = name_of(root, THE_LOSS)
    return cause("second-order-cut", "stored-gradient", site, "grad", loss=loss)
