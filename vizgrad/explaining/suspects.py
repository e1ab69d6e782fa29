"""Operations that look like a bug when they are called. Whether they are is decided when the "
"block has ended.
"""

from __future__ import annotations

from math import prod
from typing import Any

from vizgrad.provenance.notes import Note
from vizgrad.provenance.noting import Noting
from vizgrad.provenance.written import statement_of

_DIFFERENCES = frozenset({"sub", "__sub__", "__rsub__", "rsub", "subtract", "isub", "__isub__"})
_LOSSES = frozenset(
    {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "poisson_nll_loss", "gaussian_nll_loss"}
)
#: Loss -> what it applies itself, and what must not come before.
_NORMALISING = {
    "cross_entropy": ("softmax", "sigmoid"),
    "binary_cross_entropy_with_logits": ("sigmoid", "softmax"),
    "multilabel_soft_margin_loss": ("sigmoid", "softmax"),
    "log_softmax": ("softmax",),
    "linear_cross_entropy": (),
}
#: Operations that hand values on as they are.
_PASSING = frozenset(
    {
        "view", "reshape", "squeeze", "unsqueeze", "flatten", "transpose", "permute", "T", "t",
        "mT", "__getitem__", "getitem", "select", "narrow", "contiguous", "clone", "to", "to_copy",
        "float", "double", "half", "expand", "movedim", "swapaxes", "unbind", "slice", "view_as",
        "reshape_as", "index", "chunk", "split", "unflatten",
    }
)  # fmt: skip
#: Those by which a person says that a shape is meant.
_SHAPING = frozenset(
    {
        "unsqueeze", "view", "reshape", "__getitem__", "getitem", "expand", "unflatten", "meshgrid",
        "T", "t", "transpose",
    }
)  # fmt: skip


#: What is looked at.
OPERATIONS = _DIFFERENCES | _LOSSES | _NORMALISING.keys()


class Suspects:
    def __init__(self, noting: Noting) -> None:
        self._noting = noting

    def look(self, name: str, note: Note, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if name in _DIFFERENCES or name in _LOSSES:
            self._broadcast(name, note, args, kwargs)
        if name in _NORMALISING and note.parents:
            self._normalised(name, note)

    def _broadcast(
        self, name: str, note: Note, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        first, second = (*args, kwargs.get("target"), kwargs.get("other"))[:2]
        look = self._noting.look
        if first is None or second is None or not (look.knows(first) and look.knows(second)):
            return
        a, b = tuple(first.shape), tuple(second.shape)
        if a == b or not a or not b or not note.parents:
            return
        width = max(len(a), len(b))
        left, right = (1,) * (width - len(a)) + a, (1,) * (width - len(b)) + b
        both = tuple(max(x, y) if 0 not in (x, y) else 0 for x, y in zip(left, right, strict=True))
        if prod(both) <= max(prod(a), prod(b)) or both in (left, right):
            return
        loss = name in _LOSSES
        if not loss and (len(a) == len(b) or prod(a) != prod(b)):
            return
        one, other = note.parents[0], note.parents[-1]
        if not loss:
            if one.requires == other.requires or _meant(one, note) or _meant(other, note):
                return
            if _sources(one) & _sources(other):
                return
        self._noting.suspects.append(("shape-broadcast", note, (a, b, both)))

    def _normalised(self, name: str, note: Note) -> None:
        before = _NORMALISING[name]
        source: Note | None = note.parents[0]
        for _ in range(12):
            if source is None:
                return
            op = source.op.removesuffix("_")
            if op in before:
                if note.requires:
                    self._noting.suspects.append(("double-normalised", note, source))
                return
            if op not in _PASSING or not source.parents:
                return
            source = source.parents[0]


def _meant(operand: Note, note: Note) -> bool:
    """Was the operand given its shape in the statement of the difference itself?"""
    return operand.op in _SHAPING and statement_of(operand.site) == statement_of(note.site)


def _sources(note: Note) -> set[int]:
    """What it was made of through changes of shape alone."""
    found = {id(note)}
    while note.op in _PASSING and note.parents:
        note = note.parents[0]
        found.add(id(note))
    return found
