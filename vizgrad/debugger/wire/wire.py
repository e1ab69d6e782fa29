"""The JSON form of the model and of the messages: dataclass -> plain values, and back with checks.

A dataclass becomes an object of its fields without those that have their default, a tuple an array, a
non-finite float one of the strings "nan", "inf", "-inf" (JSON has no numbers for them). Reading trusts
nothing: what arrives came from a browser or from a file, so every value is checked against the field's
annotation, and the first mismatch raises `WireError`, which says where it was and what was expected
there. Fields that are not in the class are passed over, so that a newer writer may send more; fields
that are missing take their default.

Annotations are read once for each type, as `dataclasses` does with its methods; the model has no recursive
type, so the annotations themselves bound the depth that is read.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import repeat
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from vizgrad.core.arrays.files import Budget as MemoryBudget
from vizgrad.debugger.model import MODEL_VERSION, Trace

#: Characters of one string.
MAX_STRING = 10_000_000
#: Whole numbers are below this in magnitude (a leaf's sequence number is 2**64 - 1).
MAX_INTEGER = 2**64

_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}

#: In a browser JavaScript's null comes as an object of pyodide's own (0.28 and newer); elsewhere it is None.
NULL: object = None
if sys.platform == "emscripten":
    NULL = getattr(importlib.import_module("pyodide.ffi"), "jsnull", None)


class WireError(ValueError):
    """Data that is not what the model says. `path` is where, ``run.nodes[3].state``."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = ""

    def within(self, key: str | int) -> WireError:
        """The same error, seen from the object or array that holds the value at `key`."""
        step = f"[{key}]" if isinstance(key, int) else key
        joint = "." if self.path and not self.path.startswith("[") else ""
        self.path = step + joint + self.path
        self.args = (str(self),)
        return self

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}" if self.path else self.problem


class Budget:
    """How many more values may be read: a bound on the work one input can cause."""

    __slots__ = ("left",)

    def __init__(self, values: int) -> None:
        self.left = values

    def spend(self, values: int) -> None:
        self.left -= values
        if self.left < 0:
            raise WireError("expected less data: this has more values than the limit allows")


Decode = Callable[[Any, Budget], Any]


@dataclasses.dataclass(slots=True)
class Form:
    """How a value is written that JSON has no such value for; None in its place stays None.

    - "float": a number that need not be finite.
    - "array": `items` is the form of each item, or `parts` are those of the items, one by one. Without a form
      they are written as they are.
    - "object": `fields` are name, form, default and type of the default. A field that has its default is left
      out; required ones come first.
    """

    kind: Literal["float", "array", "object"]
    items: Form | None = None
    parts: tuple[Form | None, ...] = ()
    fields: tuple[tuple[str, Form | None, object, type[object]], ...] = ()


_FLOAT = Form("float")


def _written(value: Any, form: Form) -> Any:
    """The JSON values of `value`, in one walk: the messages of a step hold some hundred values."""
    root: list[Any] = [value]
    #: A value that is to be written, and where: in which array or object, and in which place of that.
    todo: list[tuple[Any, Any, Any, Form]] = [(root, 0, value, form)]
    while todo:
        out, place, value, form = todo.pop()
        if form.kind == "float":
            out[place] = float(value) if math.isfinite(value) else str(float(value))
        elif form.kind == "object":
            written: dict[str, Any] = {}
            out[place] = written
            for name, each, default, kind in form.fields:
                item = getattr(value, name)
                # 0.0 is no default of an integer, nor is -0.0 one of 0.0
                if item is default or (kind is type(item) is not float and item == default):
                    continue
                written[name] = item
                if each is not None and item is not None:
                    todo.append((written, name, item, each))
        else:
            array = out[place] = list(value)
            if form.items is not None or form.parts:
                for index, each in enumerate(form.parts or repeat(form.items, len(array))):
                    item = array[index]
                    if each is not None and item is not None:
                        todo.append((array, index, item, each))
    return root[0]


@cache
def plan(annotation: Any) -> tuple[Form | None, Decode]:
    """How to write a value of this type (None: as it is), and the function that reads and checks one."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in _SIMPLE:
        return _SIMPLE[annotation]
    if origin is Literal:
        return None, _literal(arguments)
    if origin in (Union, types.UnionType):
        inner = [argument for argument in arguments if argument is not types.NoneType]
        if len(inner) == 1 and len(arguments) == 2:
            form, decode = plan(inner[0])
            return form, _optional(decode)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            form, decode = plan(arguments[0])
            return Form("array", items=form), _array(decode)
        plans = [plan(argument) for argument in arguments]
        forms = tuple(form for form, _ in plans)
        return Form("array", parts=forms), _fixed([decode for _, decode in plans])
    if dataclasses.is_dataclass(annotation) and isinstance(annotation, type):
        return _object(annotation)
    raise TypeError(f"no wire form is defined for the annotation {annotation!r}")


def _integer(value: Any, budget: Budget) -> int:
    if type(value) is not int or not -MAX_INTEGER < value < MAX_INTEGER:
        raise WireError(f"expected a whole number, got {describe(value)}")
    return value


def _float(value: Any, budget: Budget) -> float:
    if type(value) is float and math.isfinite(value):
        return value
    if type(value) is int and -MAX_INTEGER < value < MAX_INTEGER:
        return float(value)
    if type(value) is str and value in _NOT_FINITE:
        return _NOT_FINITE[value]
    raise WireError(f'expected a number, "nan", "inf" or "-inf", got {describe(value)}')


def _string(value: Any, budget: Budget) -> str:
    if type(value) is not str:
        raise WireError(f"expected a string, got {describe(value)}")
    if len(value) > MAX_STRING:
        raise WireError(f"expected at most {MAX_STRING} characters, got {len(value)}")
    return value


def _boolean(value: Any, budget: Budget) -> bool:
    if type(value) is not bool:
        raise WireError(f"expected true or false, got {describe(value)}")
    return value


_SIMPLE: dict[object, tuple[Form | None, Decode]] = {
    int: (None, _integer),
    float: (_FLOAT, _float),
    str: (None, _string),
    bool: (None, _boolean),
}


def _literal(words: tuple[str, ...]) -> Decode:
    known = frozenset(words)

    def decode(value: Any, budget: Budget) -> str:
        if type(value) is not str or value not in known:
            raise WireError(f"expected one of {', '.join(words)}, got {describe(value)}")
        return value

    return decode


def _optional(decode: Decode) -> Decode:
    def decode_optional(value: Any, budget: Budget) -> Any:
        return None if value is None or value is NULL else decode(value, budget)

    return decode_optional


def _array(decode: Decode) -> Decode:
    def decode_array(value: Any, budget: Budget) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise WireError(f"expected an array, got {describe(value)}")
        items = cast("list[object]", value)
        budget.spend(len(items))
        out: list[Any] = []
        try:
            for item in items:  # not a comprehension: the error tells how many were good
                out.append(decode(item, budget))  # noqa: PERF401  see above
        except WireError as error:
            raise error.within(len(out)) from None
        return tuple(out)

    return decode_array


def _fixed(decoders: list[Decode]) -> Decode:
    def decode(value: Any, budget: Budget) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(cast("list[object]", value)) != len(decoders):
            raise WireError(f"expected an array of {len(decoders)}, got {describe(value)}")
        out: list[Any] = []
        try:
            for each, item in zip(decoders, cast("list[object]", value), strict=True):
                out.append(each(item, budget))
        except WireError as error:
            raise error.within(len(out)) from None
        return tuple(out)

    return decode


def _object(cls: type) -> tuple[Form, Decode]:
    hints = get_type_hints(cls)
    fields = dataclasses.fields(cls)
    plans = [(field.name, *plan(hints[field.name])) for field in fields]
    defaults: dict[str, object] = {field.name: field.default for field in fields}
    required = {name for name, default in defaults.items() if default is dataclasses.MISSING}
    written = tuple((name, each, defaults[name], type(defaults[name])) for name, each, _ in plans)
    form = Form("object", fields=tuple(sorted(written, key=lambda one: one[0] not in required)))

    def decode(value: Any, budget: Budget) -> Any:
        if not isinstance(value, dict):
            raise WireError(f"expected an object, got {describe(value)}")
        source = cast("dict[object, object]", value)
        budget.spend(1)
        out: dict[str, Any] = {}
        for name, _, read in plans:
            try:
                if name in source:
                    out[name] = read(source[name], budget)
            except WireError as error:
                raise error.within(name) from None
            if name in required and name not in out:
                raise WireError("expected a value, got nothing").within(name)
        return cls(**out)

    return form, decode


def describe(value: Any) -> str:
    """A value in a few words, never the whole of it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the string {value if len(value) <= 40 else value[:40] + '…'!r}"
    if isinstance(value, int):
        return str(value) if abs(value) < MAX_INTEGER else "a larger whole number"
    if isinstance(value, float):
        return str(value)
    if isinstance(value, list):
        return f"an array of {len(cast('list[object]', value))}"
    return "an object" if isinstance(value, dict) else f"a {type(value).__name__}"


# --- whole messages ---------------------------------------------------------------------------------------

T = TypeVar("T")

#: Values (array elements and objects) that one call of `from_wire` reads before it gives up.
MAX_VALUES = 20_000_000


def to_wire(value: Any) -> Any:
    """Plain JSON values of a model or protocol dataclass, or of a tuple of them."""
    if isinstance(value, tuple | list):
        return [to_wire(item) for item in cast("Iterable[Any]", value)]
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"to_wire takes a model or protocol dataclass, not {type(value).__name__}")
    form = plan(type(value))[0]
    assert form is not None  # of a dataclass there is one
    return _written(value, form)


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


def messages(classes: Iterable[type[T]]) -> dict[str, type[T]]:
    """The classes by the ``type`` of their messages."""
    return {message_type(cls): cls for cls in classes}


def decode_message(data: object, known: Mapping[str, type[T]]) -> T:
    """Reads an envelope as one of the classes in `known` (`messages`); else `WireError`."""
    if not isinstance(data, dict):
        raise WireError(f"expected an object, got {describe(data)}").within("message")
    envelope = cast("dict[object, object]", data)
    name = envelope.get("type")
    if not isinstance(name, str) or name not in known:
        words = ", ".join(sorted(known))
        raise WireError(f"expected one of {words}, got {describe(name)}").within("type")
    return from_wire(known[name], envelope)


@cache
def message_type(cls: type) -> str:
    """The ``type`` of a message's envelope: its class name in snake_case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
