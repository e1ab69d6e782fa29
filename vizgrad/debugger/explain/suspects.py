"""Operations that look like a bug when they are called. Whether they are is decided when the "
"block has ended.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.source_expressions import adds_a_dimension, statement_of

_DIFFERENCES = frozenset({"sub", "__sub__", "__rsub__", "rsub", "subtract", "isub", "__isub__"})
_LOSSES = frozenset(
    {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "poisson_nll_loss", "gaussian_nll_loss"}
)
_PRODUCTS = frozenset({"mul", "__mul__", "__rmul__", "multiply"})
_REDUCTIONS = frozenset({"sum", "mean", "nansum", "nanmean", "norm", "vector_norm"})
#: What a loss does to differences, or products, before it adds them up: without underscores.
_OF_A_LOSS = frozenset(
    {
        "pow", "square", "abs", "neg", "sqrt", "log", "log1p", "cosh", "clamp", "clamp_min", "relu", "where",
        "maximum", "minimum", "mul", "rmul", "multiply", "div", "truediv", "add", "radd", "sub", "rsub",
        "sum", "mean",
    }
)  # fmt: skip
#: What it does to products of pairs: each element of the one times the sum of the other is nobody's loss.
_SCALING = frozenset({"neg", "mul", "rmul", "multiply", "div", "truediv", "sum", "mean"})
#: Loss -> what it applies itself, and what must not come before.
_NORMALISING = {
    "binary_cross_entropy": ("sigmoid", "softmax"),  # once is right
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
#: Pairs of which it is not known yet what becomes of them; notes between them and their sum.
_PAIRS_KEPT, _STEPS = 32, 32
#: Those by which a person says that a shape is meant.
_SHAPING = frozenset(
    {
        "unsqueeze", "view", "reshape", "expand", "unflatten", "meshgrid", "T", "t", "transpose",
    }
)  # fmt: skip
_PLACES = frozenset({"__getitem__", "getitem"})


#: What is looked at.
OPERATIONS = _DIFFERENCES | _PRODUCTS | _REDUCTIONS | _LOSSES | _NORMALISING.keys()


class _Pair(NamedTuple):
    """Of two operands of as many elements, and the shape that neither has."""

    note: Note
    shapes: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    product: bool


class Suspects:
    def __init__(self, noting: Noting) -> None:
        self._noting = noting
        #: Results in which every element met every other, by the id of their notes.
        self._pairs: dict[int, _Pair] = {}

    def look(self, name: str, note: Note, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if self._pairs and (name in _REDUCTIONS or name in _LOSSES):
            self._reduced(note)
        if name in _REDUCTIONS:
            return
        if name in _NORMALISING:
            if note.parents:
                self._normalised(name, note)
        else:
            self._broadcast(name, note, args, kwargs)

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
        if name in _LOSSES:
            self._noting.suspects.append(("shape-broadcast", note, (a, b, both)))
            return
        one, other = note.parents[0], note.parents[-1]
        if (
            len(a) != len(b)
            and prod(a) == prod(b)
            and one.requires != other.requires
            and not _meant(one, note)
            and not _meant(other, note)
            and not _sources(one) & _sources(other)
        ):
            self._pair(_Pair(note, (a, b, both), name in _PRODUCTS))

    def _pair(self, pair: _Pair) -> None:
        if len(self._pairs) >= _PAIRS_KEPT:
            del self._pairs[next(iter(self._pairs))]
        self._pairs[id(pair.note)] = pair

    def _reduced(self, reduction: Note) -> None:
        """A loss of pairs, if nothing is made of the pairs themselves before they are added up."""
        todo = [(parent, True) for parent in reduction.parents]
        for note, as_they_are in todo:
            pair = self._pairs.get(id(note))
            if pair is not None and (as_they_are or not pair.product):
                del self._pairs[id(note)]
                self._noting.suspects.append(("shape-broadcast", note, pair.shapes))
            elif note.op.strip("_") in _OF_A_LOSS and len(todo) < _STEPS:
                scaled = len(note.parents) == 1 and note.op.strip("_") in _SCALING
                todo += [(parent, as_they_are and scaled) for parent in note.parents]

    def _normalised(self, name: str, note: Note) -> None:
        before = _NORMALISING[name]
        source = _normalising(note.parents[0])
        if source is not None and name == "binary_cross_entropy" and source.op in before:
            note, source = source, _normalising(source.parents[0])
        if source is None or not note.requires:
            return
        op = "softmax" if _softmax_by_hand(source) else source.op.removesuffix("_")
        if op in before:
            self._noting.suspects.append(("double-normalised", note, (source, op)))


def _normalising(note: Note) -> Note | None:
    """What made the values that a note hands on."""
    for _ in range(12):
        if note.op not in _PASSING or not note.parents:
            return note
        note = note.parents[0]
    return None


def _softmax_by_hand(note: Note) -> bool:
    """exp(x) / exp(x).sum()"""
    if note.op.strip("_") not in ("truediv", "div", "divide") or len(note.parents) != 2:
        return False
    above, below = note.parents
    return above.op == "exp" and below.op == "sum" and below.parents[:1] == (above,)


def _meant(operand: Note, note: Note) -> bool:
    """Was the operand given its shape in the statement of the difference itself?"""
    shaped = operand.op in _SHAPING or (operand.op in _PLACES and adds_a_dimension(operand.site))
    return shaped and statement_of(operand.site) == statement_of(note.site)


def _sources(note: Note) -> set[int]:
    """What it was made of through changes of shape alone."""
    found = {id(note)}
    while note.op in _PASSING and note.parents:
        note = note.parents[0]
        found.add(id(note))
    return found
