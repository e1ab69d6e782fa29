"""Faults of a loss: operands that broadcast, normalised twice, terms of gradients without a history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

from vizgrad.core.errors import Place, returning_place
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.explain.cause import HEALTHY, NOTHING, Cause, Phrase, cause
from vizgrad.debugger.explain.wording import (
    FIRST_OPERAND,
    OTHER_OPERAND,
    SECOND_OPERAND,
    THE_GRADIENT,
    THE_LOSS,
    THE_SCORES,
    WHAT_IS_GIVEN,
    call,
    name_of,
)
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.source_expressions import adds_a_dimension, statement_of

# --- suspects --------------------------------------------------------------------------------------------
# Operations that look like a bug when they are called. Whether they are is decided when the " "block has
# ended.


_DIFFERENCES = frozenset({"sub", "__sub__", "__rsub__", "rsub", "subtract", "isub", "__isub__"})
_LOSSES = frozenset(
    {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "poisson_nll_loss", "gaussian_nll_loss"}
)
_PRODUCTS = frozenset({"mul", "__mul__", "__rmul__", "multiply"})
_REDUCTIONS = frozenset({"sum", "mean", "nansum", "nanmean", "norm", "vector_norm"})
#: The operations of a loss on differences, or products, before the sum: without underscores.
_OF_A_LOSS = frozenset(
    {
        "pow", "square", "abs", "neg", "sqrt", "log", "log1p", "cosh", "clamp", "clamp_min", "relu", "where",
        "maximum", "minimum", "mul", "rmul", "multiply", "div", "truediv", "add", "radd", "sub", "rsub",
        "sum", "mean",
    }
)  # fmt: skip
#: The operations on products of pairs: each element of the one times the sum of the other is not a loss.
_SCALING = frozenset({"neg", "mul", "rmul", "multiply", "div", "truediv", "sum", "mean"})
#: Loss -> what it applies itself, and what must not come before.
_NORMALISING = {
    "binary_cross_entropy": ("sigmoid", "softmax"),  # once is right
    "cross_entropy": ("softmax", "sigmoid"),
    "binary_cross_entropy_with_logits": ("sigmoid", "softmax"),
    "multilabel_soft_margin_loss": ("sigmoid", "softmax"),
    "log_softmax": ("softmax",),
    "linear_cross_entropy": (),
    "nll_loss": ("softmax", "sigmoid"),
    "kl_div": ("softmax", "sigmoid"),
    "ctc_loss": ("softmax", "sigmoid"),
    "logsumexp": (
        "softmax",
    ),  # in a distribution, which makes logarithms of probabilities of its logits
}
#: Distributions that take `logits`, and normalise them.
_OF_LOGITS = frozenset({"Categorical", "OneHotCategorical", "RelaxedOneHotCategorical"})
#: They take logarithms of probabilities, and no probabilities.
_OF_LOGARITHMS = frozenset({"nll_loss", "kl_div", "ctc_loss"})
_LOGARITHMS = {"softmax": "log_softmax", "sigmoid": "logsigmoid"}
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


#: They are inspected only where the result has not the shape of the first operand.
BROADCASTING = _DIFFERENCES | _PRODUCTS
#: The inspected values.
OPERATIONS = _DIFFERENCES | _PRODUCTS | _REDUCTIONS | _LOSSES | _NORMALISING.keys()


class _Pair(NamedTuple):
    """The note of two operands with equal numbers of elements, and the shape that neither has."""

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
            if name == "kl_div" and len(note.parents) > 1:
                self._target(note, kwargs.get("log_target", args[5] if len(args) > 5 else False))
        elif len(note.parents) > 1:
            self._broadcast(name, note, args, kwargs)

    def _broadcast(
        self, name: str, note: Note, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        first, second = (*args, kwargs.get("target"), kwargs.get("other"))[:2]
        shape, other_shape = getattr(first, "shape", None), getattr(second, "shape", None)
        if shape == other_shape:  # of by far the most: nothing else is asked
            return
        look = self._noting.look
        if not (look.knows(first) and look.knows(second)):
            return
        a, b = tuple(shape or ()), tuple(other_shape or ())
        if not a or not b:
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

    def _target(self, note: Note, log_target: object) -> None:
        """The target of a divergence: probabilities, or with `log_target` their logarithms."""
        source = _normalising(note.parents[1])
        if source is None or not note.requires:
            return
        op = "softmax" if _softmax_by_hand(source) else source.op.removesuffix("_")
        if op in (("softmax",) if log_target else ("log_softmax", "logsigmoid")):
            case = "target-no-logarithms" if log_target else "target-of-logarithms"
            self._noting.suspects.append(("wrong-target", note, (source, op, case)))


def _normalising(note: Note) -> Note | None:
    """The origin of the values that a note passes on."""
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
    """The source of it through changes of shape alone."""
    found = {id(note)}
    while note.op in _PASSING and note.parents:
        note = note.parents[0]
        found.add(id(note))
    return found


# --- verified --------------------------------------------------------------------------------------------
# Suspicious operations whose result became part of a loss.


def suspects_of_losses(noting: Noting) -> Iterator[Cause]:
    if not noting.suspects:
        return
    reached: set[int] = set()
    for run in noting.runs:
        for root in run.roots:
            if id(root) not in reached:
                reached |= {id(note) for note in root.tracked()}
    for kind, note, more in noting.suspects:
        if id(note) in reached:
            found = _WORDED[kind](note, more)
            if found:
                yield replace(found, clocks=tuple(_alike(noting, kind, note)))


def _alike(noting: Noting, kind: str, note: Note) -> Iterator[int]:
    """When the same line did it; of backwards that are long past only the suspicion is kept."""
    for each, other, _ in noting.suspects:
        if each == kind and other.site == note.site:
            yield other.clock


def _broadcast(note: Note, shapes: tuple[tuple[int, ...], ...]) -> Cause:
    first, second, both = (list(shape) for shape in shapes)
    names = [name for name in source_expressions.operands(note.site) if name] or [
        FIRST_OPERAND,
        SECOND_OPERAND,
    ]
    one, other = (*names, OTHER_OPERAND)[:2]
    column, row = (one, other) if len(first) >= len(second) else (other, one)
    return cause(
        "shape-broadcast", "broadcast", note.site, one,
        call=call(note), one=one, first=first, other=other, second=second, both=both, column=column, row=row,
    )  # fmt: skip


def _normalised(note: Note, more: tuple[Note, str]) -> Cause:
    source, inner = more
    op = note.op.removesuffix("_")
    given = source_expressions.operands(note.site)[:1]
    apart = statement_of(source.site) != statement_of(note.site)
    shown = (apart and source_expressions.assigned(source.site)) or (
        given[0] if given and len(given[0]) <= source_expressions.SHORT else WHAT_IS_GIVEN
    )
    raw = (
        source_expressions.variable(source.site)
        if source_expressions.called(source.site) == inner
        else ""
    )
    if op in _OF_LOGARITHMS:
        return cause(
            "wrong-call", "no-logarithms", source.site, shown,
            op=op, name=shown, inner=inner, loss=note.site, log=_LOGARITHMS[inner],
        )  # fmt: skip
    if op == "logsumexp":
        taker = source_expressions.called(note.site)
        if taker not in _OF_LOGITS:
            return HEALTHY
        return cause(
            "double-normalised", "probabilities-as-logits", note.site, shown,
            op=taker, name=shown, inner=inner, before=source.site,
        )  # fmt: skip
    case = "normalised-twice" if op in ("sigmoid", "softmax") else "normalised-before"
    return cause(
        "double-normalised", case, note.site, shown,
        op=op, name=shown, inner=inner, before=source.site, given=raw or THE_SCORES, raw=raw,
    )  # fmt: skip


def _wrong_target(note: Note, more: tuple[Note, str, str]) -> Cause:
    source, inner, case = more
    given = source_expressions.operands(note.site)[1:2]
    apart = statement_of(source.site) != statement_of(note.site)
    shown = (apart and source_expressions.assigned(source.site)) or (
        given[0] if given and len(given[0]) <= source_expressions.SHORT else WHAT_IS_GIVEN
    )
    return cause("wrong-call", case, note.site, shown,
                 op=note.op.removesuffix("_"), name=shown, inner=inner, before=source.site)  # fmt: skip


_WORDED: dict[str, Callable[[Note, Any], Cause]] = {
    "shape-broadcast": _broadcast,
    "double-normalised": _normalised,
    "wrong-target": _wrong_target,
}


# --- second order losses ---------------------------------------------------------------------------------
# Parts of a loss that were computed from a gradient without a history: they change nothing.


_SUMS = frozenset(
    {
        "add", "sub", "mul", "truediv", "div", "neg", "sum", "mean", "rsub", "add_", "stack", "cat",
        "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__",
        "__neg__", "__iadd__",
    }
)  # fmt: skip


def constant_terms(noting: Noting) -> Iterator[Cause]:
    for run in noting.runs:
        if run.kind == "backward":
            for root in run.roots:
                for term in _constant_terms(root):
                    for note in term.ancestors():
                        if note.op == "grad" and note.cut == "create_graph":
                            for found in _of_term(noting, note, root):
                                yield replace(found, clocks=noting.clocks_of(run))
                        elif note.op == "gradient" and note.detail is not None:
                            before = note.detail.run
                            if before is not None and not before.creates:
                                found = _of_backward(before, note, root)
                                yield replace(found, clocks=noting.clocks_of(run))


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
    #: The sentence about the gradient.
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
    """The cut of a gradient; None if nothing cut it, and it is constant by itself."""
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
