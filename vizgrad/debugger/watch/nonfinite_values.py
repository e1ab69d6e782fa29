"""Where values that are not finite were born."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from vizgrad.core.arrays.magnitude import born, has_nan
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.source_expressions import divides
from vizgrad.debugger.watch.tensor_adapter import FLOATING, Look

T = TypeVar("T")
#: Operations of more operands are not shown element by element.
MOST_OPERANDS = 2
#: The kinds of operands that are shown.
SHOWN = FLOATING + "iub"
#: The non-finite values that they write are intended.
_MASKS = frozenset(
    {
        "masked_fill", "masked_fill_", "where", "full", "full_like", "tensor", "fill_", "given",
        "__setitem__", "triu", "tril", "nan_to_num", "scaled_dot_product_attention",
    }
)  # fmt: skip


_TIMES = frozenset({"mul", "mul_", "__mul__", "__rmul__", "__imul__", "multiply"})
#: Their results are finite where their operands are, whatever the values: nobody need look.
KEEPING = frozenset(
    {
        "T", "__getitem__", "__neg__", "abs", "broadcast_to", "cat", "chunk", "clone", "contiguous",
        "cos", "detach", "diagonal", "embedding", "expand", "expand_as", "flatten", "gather",
        "index_select", "mT", "movedim", "narrow", "neg", "permute", "relu", "repeat", "reshape",
        "reshape_as", "select", "sigmoid", "silu", "sin", "softmax", "split", "squeeze", "stack",
        "swapaxes", "t", "tanh", "tile", "transpose", "tril", "triu", "unbind", "unflatten", "unsqueeze",
        "view", "view_as",
    }
)  # fmt: skip


def look_at_values(note: Note, out: Any, parents: tuple[Note, ...], look: Look) -> None:
    """The value is not finite: notes where that began."""
    values = look.array(out)
    note.finite = False
    odd = [parent for parent in parents if not parent.finite]
    if odd:
        first = first_odd(odd)
        new = meant(first) and has_nan(values) and not holds_nan(first, look)
        # of a factor that met a zero, the two are told: a mask may have been meant
        if not new or (note.op not in _TIMES and _no_mask(first, look)):
            note.born = first
            return
    note.born = note
    note.half = str(values.dtype) == "float16"
    note.sizes = _sizes(parents, look, out)
    given = next((each for each in _operands(note.op, parents, look) if each is not out), None)
    if note.op in _OF_CLASSES and len(parents) > 1:
        note.ignored = _only_class(parents[1], look)
    places = born(values, None if given is None else look.array(given))
    note.detail = places, has_nan(values)
    if places and len(parents) <= MOST_OPERANDS:
        note.there = tuple(_there(values, parent, look, out) for parent in parents)


#: Losses that are the mean over the classes that are not to be ignored.
_OF_CLASSES = frozenset({"cross_entropy", "nll_loss"})


def _only_class(note: Note, look: Look) -> int | None:
    """The class of all elements, if it is a negative one: that to ignore, as another is refused."""
    tensor = note.tensor()
    if tensor is None or look.kind(tensor) != "i":
        return None
    classes = look.array(tensor)
    first = int(classes.flat[0]) if classes.size else 0
    return first if first < 0 and bool((classes == first).all()) else None


def _no_mask(note: Note, look: Look) -> bool:
    """Does a value from outside hold what no mask does, +inf?"""
    tensor = note.tensor()
    if note.op not in ("given", "tensor") or tensor is None or look.kind(tensor) not in FLOATING:
        return False
    return bool(float(look.array(tensor).max()) == float("inf"))


def first_odd(odd: list[Note]) -> Note:
    """Where the first began of operands that are not finite."""
    known = [parent.born for parent in odd if parent.born is not None]
    return min(known, key=lambda each: each.clock) if known else odd[0]


def in_order(op: str, operands: Sequence[T]) -> Iterator[T]:
    """The operands of an operation, the one first whose values tell most."""
    return reversed(operands) if divides(op) else iter(operands)


def _there(values: Any, parent: Note, look: Look, out: Any) -> float | None:
    """The value of an operand at the first place of `values` that is not finite."""
    tensor = parent.tensor()
    if tensor is None or tensor is out or look.kind(tensor) not in SHOWN:
        return None
    found: float | None = born(values, look.array(tensor))[0][2]
    return found


def _sizes(parents: tuple[Note, ...], look: Look, out: Any) -> tuple[float, ...]:
    """How large the operands are; nothing is known of what was written over."""
    tensors = [parent.tensor() for parent in parents]
    if any(each is None or each is out for each in tensors):
        return ()
    return tuple(float(look.largest(each)) for each in tensors)


def _operands(op: str, parents: tuple[Note, ...], look: Look) -> Iterator[Any]:
    for parent in in_order(op, parents):
        tensor = parent.tensor()
        if tensor is not None and look.kind(tensor) in SHOWN:
            yield tensor


def meant(note: Note) -> bool:
    """Was what is not finite written on purpose, as a mask is?"""
    return note.op in _MASKS or (not note.parents and note.op not in _COMPUTED)


#: Notes that refer to a backward in place of what they were made of.
_COMPUTED = frozenset({"gradient", "grad", "step"})


def holds_nan(note: Note, look: Look) -> bool:
    if isinstance(note.detail, tuple):
        return bool(note.detail[1])
    tensor = note.tensor()
    return tensor is not None and has_nan(look.array(tensor))
