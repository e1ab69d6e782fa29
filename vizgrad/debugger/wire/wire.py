"""The JSON form of the model and of the messages: dataclass -> plain values, and back with checks.

A dataclass becomes an object of its fields without those that have their default, a tuple an array, a
non-finite float one of the strings "nan", "inf", "-inf" (JSON has no numbers for them). Reading trusts
nothing: what arrives came from a browser or from a file, so every value is checked against the field's
annotation, and the first mismatch raises `WireError`, which says where it was and what was expected
there. Fields that are not in the class are passed over, so that a newer writer may send more; fields
that are missing take their default.

How a single annotation is written and read is in `vizgrad.debugger.wire.wire_plan`.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any, TypeVar, cast

from vizgrad.core.arrays.budget import Budget as MemoryBudget
from vizgrad.debugger.model import MODEL_VERSION, Trace
from vizgrad.debugger.wire.wire_plan import Budget, describe, plan
from vizgrad.debugger.wire.wire_plan import WireError as WireError

T = TypeVar("T")

#: Values (array elements and objects) that one call of `from_wire` reads before it gives up.
MAX_VALUES = 20_000_000


def to_wire(value: Any) -> Any:
    """Plain JSON values of a model or protocol dataclass, or of a tuple of them."""
    if isinstance(value, tuple | list):
        return [to_wire(item) for item in cast("Iterable[Any]", value)]
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"to_wire takes a model or protocol dataclass, not {type(value).__name__}")
    return plan(type(value))[0](value)


def from_wire(cls: type[T], data: object, *, max_values: int = MAX_VALUES) -> T:
    """The `cls` that `data` (the result of `to_wire`, or of parsing its JSON) stands for.

    Raises `WireError` for data of another form, or larger than `max_values` values.
    """
    try:
        value: T = plan(cls)[1](data, Budget(max_values))
    except WireError as error:
        raise error if error.path else error.within(message_type(cls)) from None
    if isinstance(value, Trace):
        refuse_newer(value)
    return value


def refuse_newer(trace: Trace) -> None:
    """`WireError` for a trace that says more than this model knows."""
    if trace.version > MODEL_VERSION:
        raise WireError(
            f"expected at most {MODEL_VERSION}, got {trace.version}: "
            "a newer vizgrad wrote this trace, update vizgrad to read it"
        ).within("version")


def to_json(value: Any) -> str:
    """Compact JSON text of a dataclass: ASCII, and without ``<``, so that HTML may embed it."""
    text = json.dumps(to_wire(value), allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def from_json(cls: type[T], text: str | bytes, *, budget: MemoryBudget | None = None) -> T:
    """Reads what `to_json` wrote. Raises `WireError` also for text that is not JSON.

    `budget`: that of the file which the text is a part of.
    """
    return from_wire(cls, json_in(cls, text, MemoryBudget(len(text)) if budget is None else budget))


def json_in(cls: type, text: str | bytes, budget: MemoryBudget) -> object:
    """The values in a JSON text of a `cls`; `WireError` for text that is not JSON."""
    try:
        budget.spend(_taken(text))
        return json.loads(text)
    except (ValueError, RuntimeError) as error:  # of a nesting too deep: RecursionError
        raise WireError(f"expected JSON text: {error}").within(message_type(cls)) from None


def _taken(text: str | bytes) -> int:
    """About how many bytes the values of a JSON text take: its punctuation says how many there are."""
    marks = '[{:",' if isinstance(text, str) else (b"[", b"{", b":", b'"', b",")
    # the marks are of the kind that the text is
    lists, objects, keys, quotes, commas = (text.count(mark) for mark in marks)  # type: ignore[arg-type]
    strings = max(0, quotes - 2 * keys) // 2
    return len(text) + 85 * lists + 90 * objects + 60 * keys + 60 * strings + 8 * commas


def encode_message(message: object) -> dict[str, Any]:
    """A protocol message in its envelope: ``{"type": "run_to", "request": 1, ...}``."""
    return {"type": message_type(type(message)), **to_wire(message)}


def decode_message(data: object, classes: Iterable[type[T]]) -> T:
    """Reads an envelope as one of `classes` (``typing.get_args(Request)``); else `WireError`."""
    if not isinstance(data, dict):
        raise WireError(f"expected an object, got {describe(data)}").within("message")
    envelope = cast("dict[object, object]", data)
    known = {message_type(cls): cls for cls in classes}
    name = envelope.get("type")
    if not isinstance(name, str) or name not in known:
        words = ", ".join(sorted(known))
        raise WireError(f"expected one of {words}, got {describe(name)}").within("type")
    return from_wire(known[name], envelope)


@cache
def message_type(cls: type) -> str:
    """The ``type`` of a message's envelope: its class name in snake_case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
