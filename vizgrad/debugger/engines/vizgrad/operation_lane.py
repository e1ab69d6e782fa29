"""The lines of a user's program that a node runs, and the operations that they call, in a lane beside it."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import islice
from textwrap import dedent
from types import CodeType, FrameType
from typing import Any, NamedTuple

from vizgrad.core.collector import collector_paused
from vizgrad.core.errors import Place, place_at
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.summary import outline, summarize
from vizgrad.debugger.session.moves_under_way import is_persons

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.MatMult: "matmul",
    ast.Pow: "pow", ast.Mod: "remainder", ast.FloorDiv: "floor_divide", ast.USub: "neg",
    ast.Gt: "gt", ast.Lt: "lt", ast.GtE: "ge", ast.LtE: "le", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip


@lru_cache(1024)
def written_call(code: CodeType, offset: int) -> str:
    """The source of the instruction at `offset`; empty where it is unknown."""
    at = offset // 2
    line, end_line, first, last = next(islice(code.co_positions(), at, at + 1), (None,) * 4)
    if line is None or end_line is None or first is None or last is None:
        return ""
    lines = [
        linecache.getline(code.co_filename, n).encode("utf-8", "surrogatepass")
        for n in range(line, end_line + 1)
    ]
    lines[-1] = lines[-1][:last]
    lines[0] = lines[0][first:]
    text = b"".join(lines).decode("utf-8", "replace")
    try:
        parsed = ast.parse(dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return _named(parsed.body[0]) if len(parsed.body) == 1 else ""


def _named(node: ast.AST) -> str:
    match node:
        case ast.Expr(value=value):
            return _named(value)
        case ast.Call(func=called):
            return _named(called)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case ast.AugAssign(op=operator):
            name = _OPERATORS.get(type(operator), "")
            return f"{name}_" if name else ""
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator):
            return _OPERATORS.get(type(operator), "")
        case ast.Compare(ops=[operator]):
            return _OPERATORS.get(type(operator), "")
        case ast.Subscript():
            return "getitem"
        case ast.Assign(targets=[ast.Subscript()]):
            return "setitem"
        case _:
            return ""


#: The limit for one node that is stepped into.
MOST_MADE = 2_000


class _Entry:
    """A `model.Made` that may still be given a name."""

    __slots__ = ("inputs", "kind", "label", "name", "output", "value")

    def __init__(
        self, name: str, kind: model.MadeKind, inputs: tuple[int, ...], value: Any, label: str = ""
    ) -> None:
        self.name, self.inputs, self.label = name, inputs, label
        self.kind: model.MadeKind = kind
        self.value = summarize(value)
        self.output = meta_of(value)

    def told(self) -> model.Made:
        return model.Made(self.name, self.kind, self.inputs, self.value, self.output, self.label)


class Operations:
    """The notes. Tensors are kept as long as it is: no two of them have one identity."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []
        #: By identity: the number of what gave a tensor.
        self._giver: dict[int, int] = {}
        self._kept: list[Any] = []

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def full(self) -> bool:
        return len(self._entries) >= MOST_MADE

    def told(self, first: int, last: int) -> tuple[model.Made, ...]:
        return tuple(entry.told() for entry in self._entries[first:last])

    def call(self, frame: FrameType) -> Callable[[FrameType, str, Any], Any] | None:
        """A line of a person's calls what is not: what traces that call."""
        if self.full:
            return None
        frame.f_trace_lines = False
        given = list(_tensors(frame.f_locals.values()))
        name = _name_of(frame)

        def trace(of: FrameType, event: str, arg: Any) -> Any:
            if event == "return" and arg is not None:
                self._returned(of, name, given, arg)
            return trace

        return trace

    def _returned(self, frame: FrameType, name: str, given: list[Tensor], result: Any) -> None:
        made = list(_tensors([result]))
        if not made:
            return
        caller = frame.f_back
        if name == "saved_tensors":
            for tensor in made:
                self._note("saved", "input", (), tensor)
            return
        inputs = tuple(dict.fromkeys(self.number(tensor, caller) for tensor in given))
        for tensor in made:
            self._note(name, "operation", inputs, tensor)

    def number(self, tensor: Tensor, frame: FrameType | None) -> int:
        """The number of the operation that gave a tensor; one from outside is entered, by its name in
        the frame.
        """
        known = self._giver.get(id(tensor))
        if known is None:
            names = () if frame is None else (*frame.f_locals.items(), *frame.f_globals.items())
            label = next((name for name, value in names if value is tensor), "")
            known = self._note(label or "tensor", "input", (), tensor)
        return known

    def note_visit(self, name: str, inputs: Sequence[int], value: Any, label: str) -> int:
        """A backward within the visit ran a node, at which `value` had arrived."""
        self._entries.append(_Entry(name, "visit", tuple(dict.fromkeys(inputs)), value, label))
        return len(self._entries) - 1

    def bind(self, name: str, tensor: Tensor) -> None:
        """A line has given a name to a tensor."""
        known = self._giver.get(id(tensor))
        if known is not None:
            entry = self._entries[known]
            if not entry.label and entry.name != name:
                entry.label = name

    def _note(
        self, name: str, kind: model.MadeKind, inputs: tuple[int, ...], tensor: Tensor
    ) -> int:
        self._entries.append(_Entry(name, kind, inputs, tensor))
        self._kept.append(tensor)
        self._giver[id(tensor)] = len(self._entries) - 1
        return len(self._entries) - 1


def meta_of(value: Any) -> model.OutputMeta | None:
    found = outline(value)
    return None if found is None else model.OutputMeta(found.shape, found.dtype, found.device)


def _tensors(values: Any) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from (each for each in value if isinstance(each, Tensor))


def _name_of(frame: FrameType) -> str:
    """As it is written where it is called, else that of what is called."""
    caller = frame.f_back
    written = "" if caller is None else written_call(caller.f_code, caller.f_lasti)
    return written or frame.f_code.co_name.strip("_")


#: Lines that are noted of one node.
MOST_LINES = 2_000


class _Line(NamedTuple):
    """A line that is over; `made` operations were noted until then."""

    stage: int
    place: Place
    values: tuple[model.BoundValue, ...]
    made: int


@contextmanager
def code_lines(stage: Callable[[], int], lane: Operations) -> Generator[list[model.CodeStep]]:
    """Notes the lines that this thread runs in the block, and in `lane` what they call. The list is filled at
    the end. `stage()` tells which stage a line is of.

    Slow, and not seen by another debugger or coverage meanwhile: for a node that is gone into.
    """
    told: list[model.CodeStep] = []
    found: list[_Line] = []
    before = sys.gettrace()

    def call(frame: FrameType, event: str, arg: Any) -> Any:
        file = frame.f_code.co_filename
        if len(found) >= MOST_LINES or file.startswith("<string>"):  # by Python, for a class
            return None
        if not file.startswith("<vizgrad") and is_persons(frame):
            return _Frame(found, stage, lane).trace
        caller = frame.f_back
        if caller is not None and isinstance(getattr(caller.f_trace, "__self__", None), _Frame):
            return lane.call(frame)
        return None

    try:
        with collector_paused():  # who is told of a collection would stand among the lines
            sys.settrace(call)
            try:
                yield told
            finally:
                sys.settrace(before)
    finally:
        made = 0
        for line in found:
            told.append(
                model.CodeStep(line.stage, line.place, line.values, lane.told(made, line.made))
            )
            made = line.made


class _Frame:
    """One call. A line is noted when it is over: at the next line, or at the end of the call."""

    def __init__(self, found: list[_Line], stage: Callable[[], int], lane: Operations) -> None:
        self._found, self._stage, self._lane = found, stage, lane
        self._line: tuple[int, int] | None = None
        self._known: dict[str, int] = {}

    def trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event in ("line", "return"):
            self._over(frame)
        if event == "line":
            self._line = frame.f_lineno, self._stage()
            self._known = {n: id(v) for n, v in frame.f_locals.items() if isinstance(v, Tensor)}
        return self.trace if len(self._found) < MOST_LINES else None

    def _over(self, frame: FrameType) -> None:
        if self._line is None:
            return
        (line, stage), self._line = self._line, None
        values: list[model.BoundValue] = []
        for name, value in frame.f_locals.items():
            if isinstance(value, Tensor) and self._known.get(name) != id(value):
                self._lane.bind(name, value)
                with suppress(Exception):  # a tensor of a person's own class may be half made
                    summary = summarize(value)
                    if summary is not None:
                        values.append(model.BoundValue(name, summary))
        place = place_at(frame.f_code, line)
        self._found.append(_Line(stage, place, tuple(values), len(self._lane)))
