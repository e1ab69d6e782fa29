"""Parts of a loss that were computed from a gradient without a history: they change nothing."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.errors import Explanation
from vizgrad.explaining.said import line, name_of, said
from vizgrad.provenance.notes import Note
from vizgrad.provenance.noting import Noting

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
                            yield explained(note, term, root)
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


def explained(note: Note, term: Note, root: Note) -> Explanation:
    """`note`: the gradient; `term`: what was computed from it."""
    name = name_of(note, "the gradient")
    return said(
        "second-order-cut", note.site, name,
        f"`{name}` was taken on {line(note.site)} without create_graph, so it is a constant: the part of "
        f"`{name_of(root, 'the loss')}` that is computed from it has no gradient.",
        "take the gradient with create_graph=True",
    )  # fmt: skip


def _of_backward(run: object, note: Note, root: Note) -> Explanation:
    site = getattr(run, "site", None)
    return said(
        "second-order-cut", site, "grad",
        f"the .grad that backward on {line(site)} stored has no history, so the part of "
        f"`{name_of(root, 'the loss')}` that is computed from it has no gradient.",
        "call that backward with create_graph=True, or take the gradient with autograd.grad(..., "
        "create_graph=True)",
    )  # fmt: skip
