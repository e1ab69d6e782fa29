"""Values of the user's expressions, told without a call of the user's code."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, cast

from vizgrad.debugger import model
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.expressions import Elements, Gradient

#: Characters of a text, and items of a container, that are shown.
_LONGEST, _MOST_ITEMS = 200, 8


def summary_of(value: Elements) -> model.TensorSummary | None:
    """All that is to be seen of a tensor, or of a result; of a gradient that is not kept its statistics."""
    if isinstance(value, Gradient):
        try:
            return summarizer.summarize_closely(value.array)
        except LookupError:
            return value.summary
    return summarizer.summarize_closely(value.array if value.source is None else value.source)


def in_words(value: Any) -> str:
    """A value that is no tensor, without a call of the user's code: of an object of theirs its type."""
    if value is None or type(value) in (bool, int, complex):
        return _short(repr(value))
    if isinstance(value, float):
        return float.__repr__(value)
    if type(value) is str:
        return _short(repr(value[: _LONGEST + 1]))
    if isinstance(value, Elements):
        return f"tensor {list(value.shape)} {value.dtype}"
    if type(value) in (list, tuple):
        items = cast("Sequence[Any]", value)
        begun, ended = "[]" if type(value) is list else "()"
        shown = ", ".join(map(_of_item, items[:_MOST_ITEMS]))
        return _short(f"{begun}{shown}{', …' if len(items) > _MOST_ITEMS else ''}{ended}")
    if type(value) is dict:
        pairs = islice(cast("dict[Any, Any]", value).items(), _MOST_ITEMS)
        shown = ", ".join(f"{_of_item(key)}: {_of_item(each)}" for key, each in pairs)
        more = ", …" if len(cast("dict[Any, Any]", value)) > _MOST_ITEMS else ""
        return _short(f"{{{shown}{more}}}")
    return f"<{type(value).__name__}>"


def _of_item(value: Any) -> str:
    if summarizer.has_array(value):
        return "tensor"
    return f"<{type(value).__name__}>" if type(value) in (list, tuple, dict) else in_words(value)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
