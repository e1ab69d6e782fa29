"""How explanations are worded: names, lines, sizes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite
from string import Formatter
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.error_lines import how_to_note_lines
from vizgrad.core.errors import (
    Explanation,
    Place,
    Source,
    in_library,
    place_at,
    place_of,
    short_place,
)
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.explain.cause import Cause, Number, Phrase
from vizgrad.debugger.explain.phrases import FIXES, PHRASES
from vizgrad.debugger.explain.sentences import OF_A_LINE, SENTENCES
from vizgrad.debugger.explain.suggested_edit import mended
from vizgrad.debugger.explain.titles import TITLES
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.grad_history import Leaf
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note


class Words(str):
    """The description of an object without a name in the program: no code, and never in code quotes."""

    __slots__ = ()


THE_LOSS = Words("the loss")
#: The operand of an operation that is not to be seen in the source, or is long.
ITS_INPUT = Words("the input")
THE_PARAMETER = Words("the parameter")
THE_RESULT = Words("the result")
THE_TENSOR = Words("the tensor")
THE_GRADIENT = Words("the gradient")
THE_SCORES = Words("the scores")
WHAT_IS_GIVEN = Words("what it is given")
FIRST_OPERAND = Words("the first operand")
SECOND_OPERAND = Words("the second")
OTHER_OPERAND = Words("the other operand")
THE_VALUE = Words("The value")
IT, ITSELF = Words("It"), Words("the tensor")
RESULT_OF_LINE = Words("the result of that line")
AN_UNNAMED_TENSOR = Words("The tensor")
THE_GRAD = Words("The .grad")
A_WRITE = Words("a write")
A_LEAF = Words("a leaf")
AN_OPERAND = Words("an operand")
AN_OPERATION = Words("an operation")
_NODE = re.compile(r"\w+Backward\d*|AccumulateGrad")


def is_node(text: str) -> bool:
    """Is it the name of a node?"""
    return _NODE.fullmatch(text) is not None


def code(text: str) -> str:
    """In code quotes, if it is code: neither words of ours, nor the name of a node."""
    if not text:
        return THE_TENSOR
    return text if isinstance(text, Words) or _NODE.fullmatch(text) else f"`{text}`"


def code_or_input(text: str) -> str:
    """The operand of an operation, where all that is known may be the name of a node."""
    return ITS_INPUT if _NODE.fullmatch(text) else code(text)


def raw(operand: str) -> str:
    """An operand within code that is suggested: `x` where it is not known."""
    return operand if code_or_input(operand).startswith("`") else "x"


def operation_of(node: str) -> str:
    """`sqrt` of `SqrtBackward0`, as far as the two are alike."""
    return re.sub(r"Backward\d*$", "", node).lower()


def operation(site: Site | None, other: str) -> str:
    """The operation at an instruction, as the user wrote it; else what it is called."""
    return source_expressions.text_of(site) or other


def line(site: Site | None) -> str:
    """As in: line 14, or the cell and its line; its text is not read."""
    return line_of(place_of(site, None))


def line_of(place: Place | None) -> str:
    """The same of a place."""
    if place is None:
        return "a line that is not known"
    if place.cell or in_library(place):
        return short_place(place)
    return f"line {place.line}"


def line_place(found: tuple[Any, int] | None) -> Place | None:
    return None if found is None else place_at(*found)


def name_of(note: Note | None, other: str = "") -> str:
    """The user's name of the tensor of a note."""
    if note is None:
        return other
    return (
        source_expressions.assigned(note.site)
        or other
        or _short(source_expressions.expression_of(note.site))
        or _spoken(note.op)
    )


def _short(text: str) -> str:
    return text if len(text) <= source_expressions.SHORT else ""


def _spoken(op: str) -> str:
    """The description of an operation's result, where no line is known: never `__truediv__`."""
    return Words("a tensor" if op in ("given", "gradient") else f"a result of {op.strip('_')}")


def leaf_name(noting: Noting, leaf: Leaf) -> str:
    """The user's name of a leaf, which may be gone by now."""
    tensor = leaf.tensor()
    known = "" if tensor is None else noting.names.get(id(tensor), "")
    if known or leaf.name:
        in_a_container = "[" in known.partition(".")[0]
        return leaf.name if leaf.name and (in_a_container or not known) else known
    made = source_expressions.called(None if leaf.note is None else leaf.note.site)
    if type(tensor).__name__ == "Parameter" and made != "Parameter":
        return THE_PARAMETER  # of a module: what is assigned on its line is that
    return name_of(leaf.note, THE_PARAMETER)


def operand_of(note: Note, other: str = "") -> str:
    """The operand of a note's operation."""
    return (
        source_expressions.operand(note.site, note.op.strip("_"))
        or other
        or source_expressions.assigned(note.site)
        or ITS_INPUT
    )


def call(note: Note) -> str:
    """The operation as the user wrote it, shortened."""
    return call_of(note.site, note.op.strip("_"))


def call_of(site: Site | None, other: str) -> str:
    """The call at an instruction as the user wrote it; `other` where that is not known, or long."""
    text = source_expressions.text_of(site)
    return text if text and len(text) <= 60 else Words(other)


#: The usual name of an operation -> numpy's name, where they differ.
_IN_NUMPY = {"acos": "arccos", "asin": "arcsin", "atanh": "arctanh", "acosh": "arccosh"}
_OF_ONE = frozenset(
    {
        "log", "log2", "log10", "log1p", "sqrt", "exp", "exp2", "expm1", "sinh",
        "cosh", "arccos", "arcsin", "arctanh", "arccosh", "square", "reciprocal",
    }
)  # fmt: skip


def one_operand(op: str) -> bool:
    """Is it an operation of one operand, whose value tells whether the result is finite?"""
    return _IN_NUMPY.get(op, op) in _OF_ONE


def number(value: float, op: str = "") -> str:
    """In the fewest digits, three at least, that say no other thing than the value: on the same side of 0
    and of +-1, and the operation `op` of them is not finite either, if its of the value is not.
    """
    return shortest(value, _not_finite(op, value))


def shortest(value: float, holds: Callable[[float], bool] | None) -> Words:
    """The same, where `holds` is to be true of the digits, too."""
    if not isfinite(value):
        return Words("NaN" if value != value else f"{value:.3g}")
    for digits in range(3, 18):
        text = f"{value:.{digits}g}"
        told = float(text)
        same = all((told > at) == (value > at) and (told < at) == (value < at) for at in (-1, 0, 1))
        if same and (holds is None or holds(told)):
            return Words(text)
    return Words(repr(value))


def _not_finite(op: str, value: float) -> Callable[[float], bool] | None:
    """Is what an operation makes of a number not finite? None if of `value` it is, in every type."""
    name = _IN_NUMPY.get(op, op)
    if name not in _OF_ONE:
        return None
    function = getattr(xp, name)
    for kind in map(quiet, (xp.float64, xp.float32, xp.float16)):

        @quiet
        def odd(each: float, kind: Any = kind) -> bool:
            return not xp.isfinite(function(kind(each)))

        if float(kind(value)) == value and odd(value):
            return odd
    return None


# From a cause to its explanation: all words are those of `sentences.py` and `phrases.py`.


class _Speaker(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        return say(value, format_spec)


_SPEAKER = _Speaker()


def say(value: Any, how: str = "") -> str:
    """A fact, as sentences say it."""
    if isinstance(value, Phrase):
        return filled(PHRASES[value.row], value.facts)
    if isinstance(value, Cause):
        return _said(value)[how == "fix"]
    if how in ("on", "recorded"):
        return "" if value is None else filled(PHRASES[how], {"at": value})
    if how == "raw":
        return str(value)
    if isinstance(value, str):
        return code_or_input(value) if how == "input" else code(value)
    if value is None or isinstance(value, Site):
        return line(value)
    if isinstance(value, Place):
        return line_of(value)
    if isinstance(value, Number):
        return number(*value)
    return number(value) if isinstance(value, float) else str(value)


def filled(text: str, facts: Mapping[str, Any]) -> str:
    """A sentence with its facts."""
    return _SPEAKER.vformat(text, (), facts)


def _said(cause: Cause) -> tuple[str, str]:
    """The sentence on it, and the advice."""
    story, fix = SENTENCES[cause.case]
    facts = {"at": cause.site, **cause.facts}
    text = filled(story, facts)
    if cause.site is None and cause.case in OF_A_LINE:
        text += filled(PHRASES["no-line"], {"how": how_to_note_lines()})
    return text, filled(FIXES[cause.fix] if cause.fix else fix, facts)


def title(cause: Cause) -> str:
    """The heading of its case; "" where that of its kind says as much."""
    if isinstance(inner := cause.facts.get("why"), Cause):
        return title(inner)
    return filled(TITLES.get(cause.case, ""), cause.facts)


def explain(cause: Cause, source: Source) -> Explanation:
    """Says a cause in words. The text of lines is read from `source` alone."""
    story, fix = _said(cause)
    place = cause.site if isinstance(cause.site, Place) else place_of(cause.site, source)
    near = cause.near if place is not None and in_library(place) else None
    return Explanation(
        cause.kind, place, cause.tensor, fix, story, cause.path, mended(cause, place, source),
        say(cause.when), cause.backward, title=title(cause),
        nearest=None if near is None else place_of(near.site, source),
        within="" if near is None else near.within,
    )  # fmt: skip
