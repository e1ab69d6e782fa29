"""Parts of a loss that were computed from a gradient without a history: they change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from vizgrad.core.errors import Explanation, Place, returning_place
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.explain.wording import THE_LOSS, Words, code, line, name_of, said
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note

_SUMS = frozenset(
    {
        "add", "sub", "mul", "truediv", "div", "neg", "sum", "mean", "rsub", "add_", "stack", "cat",
        "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__",
        "__neg__", "__iadd__",
    }
)  # fmt: skip


def find(noting: Noting) -> Iterator[Explanation]:
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
    how: str
    fix: str


def _of_term(noting: Noting, note: Note, root: Note) -> Iterator[Explanation]:
    """`note`: a gradient of which a part of `root` was computed."""
    cut = cut_of(noting, note)
    if cut is None:
        return
    name = name_of(note, Words("the gradient"))
    yield said(
        "second-order-cut", cut.place, name,
        f"{code(name)} {cut.how}, so it is a constant: the part of {code(name_of(root, THE_LOSS))} that is "
        "computed from it has no gradient.",
        cut.fix,
    )  # fmt: skip


def without_history(noting: Noting, note: Note, root: Note) -> Explanation:
    """The same of a loss that has no history at all."""
    name, loss = name_of(note, Words("the gradient")), name_of(root, THE_LOSS)
    cut = cut_of(noting, note) or Cut(
        note.site,
        f"was taken on {line(note.site)} with create_graph=True, but is the same wherever it is taken, as "
        "that of all that is linear",
        "leave out what is computed from it: its derivative is zero",
    )
    neither = "" if root is note else f", and neither has {code(loss)}, which is computed from it"
    return said(
        "second-order-cut", cut.place, name,
        f"{code(name)} {cut.how}, so it has no history{neither}.",
        cut.fix,
    )  # fmt: skip


def cut_of(noting: Noting, note: Note) -> Cut | None:
    """Of a gradient; None if nothing cut it, and it is constant by itself."""
    run = note.detail
    if run is None or not run.creates:
        how = f"was taken on {line(note.site)} without create_graph"
        return Cut(note.site, how, "take the gradient with create_graph=True")
    for root in run.roots:
        for each in root.tracked():
            cls = None
            if each.op == "apply" and each.site is not None:
                cls = noting.habits.keeping.get(each.site)
            if cls is not None:
                return Cut(
                    returning_place(cls.backward),
                    f"was taken on {line(note.site)} with create_graph=True, but {cls.__name__}.backward "
                    "computed it of values without history",
                    "save the inputs themselves, ctx.save_for_backward(...), and compute in backward "
                    "what is needed of them",
                )
    return None


def _of_backward(run: object, note: Note, root: Note) -> Explanation:
    site = getattr(run, "site", None)
    return said(
        "second-order-cut", site, "grad",
        f"the .grad that backward on {line(site)} stored has no history, so the part of "
        f"{code(name_of(root, THE_LOSS))} that is computed from it has no gradient.",
        "call that backward with create_graph=True, or take the gradient with autograd.grad(..., "
        "create_graph=True)",
    )  # fmt: skip
