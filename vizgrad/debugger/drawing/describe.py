"""One plain way to say a shape, a size, a number, a place: shared by every tier.

Strings that come out of here are fit for one line: what strangers wrote (names, scopes, reprs)
goes through `plain`, which makes control characters visible and keeps all others as they are.
Escaping for SVG or DOT is the business of the module that writes that format.
"""

from __future__ import annotations

import unicodedata
from pathlib import PurePath

from vizgrad.core.errors import Place
from vizgrad.debugger.model import Batch, Saved, Tangent, TensorSummary, Write
from vizgrad.debugger.model.arrays import bytes_text as bytes_text
from vizgrad.debugger.model.figures import number_text as number_text
from vizgrad.debugger.model.figures import seconds_text as seconds_text

_DTYPES = {
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
    "uint8": "u8",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "bool": "bool",
}
_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"


def plain(text: str, limit: int | None = None) -> str:
    r"""`text` on one line, every character visible; cut to `limit` characters with an ellipsis.

    Characters that would break the line, move the cursor or reorder what follows (newlines,
    escapes, bidirectional overrides, zero-width ones, lone surrogates) are written as Python writes
    them (``\n``, ``\u202e``). Names in right-to-left scripts are isolated, so that a shape
    printed after one stays after it.
    """
    if text.isascii() and text.isprintable():
        return text if limit is None or len(text) <= limit else text[: limit - 1] + "…"
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    if any(unicodedata.bidirectional(c) in ("R", "AL") for c in shown):
        return _FIRST_STRONG_ISOLATE + shown + _POP_ISOLATE
    return shown


def columns(text: str) -> int:
    """Columns that `text` takes in a terminal: wide East Asian characters take two, marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(c) or c in (_FIRST_STRONG_ISOLATE, _POP_ISOLATE)
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )


def shape_text(shape: tuple[int, ...]) -> str:
    """``[2, 3]``; ``[]`` for a scalar, as PyTorch prints a size."""
    return "[" + ", ".join(map(str, shape)) + "]"


def dtype_text(dtype: str) -> str:
    """``f32`` for ``float32``; a dtype without a short name is shown in full."""
    return _DTYPES.get(dtype) or plain(dtype, 16)


def type_text(shape: tuple[int, ...], dtype: str, batches: tuple[Batch, ...] = ()) -> str:
    """``[2, 3] f32``; with batches ``[B: 32] × [2, 3] f32``, ``[3] × [B: 32 · 4] f32``."""
    if dtype == "unknown":
        return "type unknown"
    text = batched_text(shape, batches) if batches else shape_text(shape)
    return f"{text} {dtype_text(dtype)}".rstrip()


def batched_text(shape: tuple[int, ...], batches: tuple[Batch, ...]) -> str:
    """A shape, each dimension apart in which examples lie: ``[B: 32 · 4]``, of which each has four rows."""
    parts: list[str] = []
    others: list[int] = []
    for dim, length in enumerate(shape):
        own = sorted((batch for batch in batches if batch.dim == dim), key=lambda b: -b.rows)
        if not own:
            others.append(length)
            continue
        if others:
            parts.append(shape_text(tuple(others)))
            others = []
        parts.append(f"[{' · '.join(_factors(length, own))}]")
    single = len(batches) == len(shape) and all(batch.rows == 1 for batch in batches)
    if others or single or not parts:
        parts.append(shape_text(tuple(others)))
    return " × ".join(parts)


def _factors(length: int, batches: list[Batch]) -> list[str]:
    """The factors of a dimension, from the slowest to the fastest."""
    found: list[str] = []
    left = length
    for batch in batches:
        whole = batch.size * batch.rows
        if left != whole:
            found.append(str(left // max(whole, 1)))
        found.append(f"B: {batch.size}")
        left = batch.rows
    return found if left == 1 else [*found, str(left)]


def count_text(count: int, noun: str, plural: str = "") -> str:
    """``1 node``, ``12 nodes``, ``10,240 nodes``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def place_text(place: Place | None) -> str:
    """``train.py:12``, or ``In [3], line 2`` for a notebook cell; empty when it is not known."""
    if place is None:
        return ""
    if place.cell:
        return f"{plain(place.cell)}, line {place.line}"
    return f"{plain(PurePath(place.file).name or place.file)}:{place.line}"


def write_text(write: Write | None) -> str:
    """``add_ at train.py:12 through view of w``: who wrote, where, and under which name."""
    if write is None:
        return ""
    where = f" at {place_text(write.place)}" if write.place else ""
    through = f" through {plain(write.alias, 60)}" if write.alias else ""
    return f"{plain(write.op, 40)}{where}{through}"


def version_text(saved: Saved) -> str:
    """``v0`` while the value is what was saved, ``v0→v1 stale`` once it is not; state in words."""
    if saved.value:
        return ""
    version = counter_text(saved.version_saved)
    if saved.state == "stale":
        return f"{version}→v{saved.version_now} stale"
    state = "" if saved.state == "alive" else f" {saved.state}"
    return f"{version}{state}{tangents_text(saved)}"


def tangents_text(saved: Saved) -> str:
    """`` ↑`` for each tangent of forward mode: it goes up, against the gradients."""
    return f" {'↑' * len(saved.tangents)}" if saved.tangents else ""


def counter_text(version: int | None) -> str:
    """``v3``; ``v?`` for a counter that is not known any more."""
    return "v?" if version is None else f"v{version}"


#: PyTorch's own names of numbers that it keeps of an input.
_KEPT = {"_sym_sizes": "size", "_sym_strides": "stride", "_sym_numel": "number of elements"}


def kept_name(name: str) -> str:
    """``size of self`` for `self_sym_sizes`; other names as they are."""
    end = next((end for end in _KEPT if name.endswith(end)), None)
    return name if end is None else f"{_KEPT[end]} of {name.removesuffix(end)}"


def saved_text(saved: Saved) -> str:
    """``other v0→v1 STALE (add_ at train.py:12)``, or ``dim=0`` for a plain value."""
    if saved.value:
        return f"{plain(kept_name(saved.name), 40)}={plain(saved.value, 40)}"
    name = plain(saved.name, 40)
    text = f"{name} {version_text(saved).replace('stale', 'STALE')}"
    return f"{text} ({write_text(saved.culprit)})" if saved.culprit else text


def sizes_text(norms: tuple[float | None, ...], digits: int = 3) -> str:
    """`` ↓36``: the norms of the tangents of a gradient, which go down with it; empty without."""
    return "".join(f" ↓{number_text(norm, digits)}" for norm in norms)


def tangent_text(tangent: Tangent, dtype: str) -> str:
    """``= [3, 36]``, or its norm: shape and type are those of what it is the tangent of."""
    if tangent.values:
        written = ", ".join(map(number_text, tangent.values))
        word = "magnitude " if dtype.startswith("complex") else ""
        return f"{word}= {written}" if len(tangent.values) == 1 else f"{word}= [{written}]"
    return f"norm {number_text(tangent.norm)}"


def summary_text(summary: TensorSummary | None) -> str:
    """A tensor on one line: type and values if they are few, else norm and range; how many are not finite;
    the tangents of a gradient behind it, ``tangent ↓ = [3, 36]``.
    """
    if summary is None:
        return "undefined"
    tangents = [f"tangent ↓ {tangent_text(t, summary.dtype)}" for t in summary.tangents]
    return "  ".join([_array_text(summary), *tangents])


def _array_text(summary: TensorSummary) -> str:
    parts = [type_text(summary.shape, summary.dtype)]
    if summary.nnz is not None:
        parts.append(f"{plain(summary.layout, 20)}, {summary.nnz:,} stored")
    if summary.values:
        written = ", ".join(map(number_text, summary.values))
        word = "magnitude " if summary.dtype.startswith("complex") else ""
        parts.append(f"{word}= {written}" if len(summary.values) == 1 else f"{word}= [{written}]")
    elif summary.norm is not None:
        parts.append(f"norm {number_text(summary.norm)}")
    wrong = ((summary.nans, "NaN"), (summary.infs, "inf"))
    parts += [f"{count:,} {word}" for count, word in wrong if count]
    if summary.values:
        return "  ".join(parts)
    if summary.min is not None and summary.max is not None and summary.min != summary.max:
        range_ = f"{number_text(summary.min)} … {number_text(summary.max)}"
        parts.append(f"others {range_}" if summary.nans or summary.infs else range_)
    return "  ".join(parts)
