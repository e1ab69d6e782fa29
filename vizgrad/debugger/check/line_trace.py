"""The lines of a Function's methods, as they run, and what each made of which name."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import CodeType, FrameType, MethodType
from typing import Any, NamedTuple, Self

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import to_host
from vizgrad.core.errors import Place, place_at
from vizgrad.core.tensor.tensor import Tensor

#: Of a larger array every so many elements are compared.
_COMPARED = 1 << 16
#: Lines that are noted of one run.
_MOST = 5_000


class Seen(NamedTuple):
    """What a name stood for when a line was over."""

    value: Any
    #: None for what is no tensor.
    recorded: bool | None


class Line(NamedTuple):
    code: CodeType
    number: int
    #: By name; what the line returns is under "".
    made: dict[str, Seen]

    @property
    def place(self) -> Place:
        return place_at(self.code, self.number)


class Trail:
    """Lines of `codes` that this thread runs in the block, what they did to a context and to arguments."""

    def __init__(self, codes: Iterable[CodeType], ctx: Any = None, arguments: Any = ()) -> None:
        self._codes = frozenset(codes)
        self.lines: list[Line] = []
        self.ctx = ctx
        self._bits = [(a, _copy(a._array)) for a in arguments]
        #: Number of an argument -> where its elements were changed first.
        self.changed: dict[int, Place] = {}
        #: Where `save_for_backward` was called, and the names that its arguments had there.
        self.saved: Place | None = None
        self.saved_names: tuple[str, ...] = ()
        self._to_save: Any = None
        #: Attribute of the context -> where it was set, and the name that its value had there.
        self.kept: dict[str, tuple[Place, str]] = {}
        #: Numbers of the arguments that were marked dirty.
        self.dirty: frozenset[int] = frozenset()

    def __enter__(self) -> Self:
        self._before = sys.gettrace()
        sys.settrace(self._call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        return _Frame(self).trace if frame.f_code in self._codes else None

    def over(self, frame: FrameType, number: int, made: dict[str, Seen]) -> None:
        """A line has run."""
        if len(self.lines) >= _MOST:
            return
        line = Line(frame.f_code, number, made)
        self.lines.append(line)
        self._look(frame, line)

    def _look(self, frame: FrameType, line: Line) -> None:
        for nr, (argument, before) in enumerate(self._bits):
            if nr not in self.changed and not same(before, _copy(argument._array)):
                self.changed[nr] = line.place
        ctx = self.ctx
        if ctx is None:
            return
        if ctx.to_save is not None and ctx.to_save is not self._to_save:
            self._to_save = ctx.to_save
            self.saved = line.place
            names = {id(v): n for n, v in frame.f_locals.items() if isinstance(v, Tensor)}
            self.saved_names = tuple(names.get(id(t), "") for t in ctx.to_save)
        if ctx.dirty_tensors:
            marked = {id(t) for t in ctx.dirty_tensors}
            self.dirty = frozenset(n for n, (a, _) in enumerate(self._bits) if id(a) in marked)
        for name, value in ctx.__dict__.items():
            if name not in self.kept and not name.startswith("_fn_"):
                own = next((n for n, v in frame.f_locals.items() if v is value), name)
                self.kept[name] = line.place, own


class _Frame:
    """One call. A line is over when the next begins, or the call ends."""

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._line: int | None = None
        self._known: dict[str, Seen] = {}

    def trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event in ("line", "return"):
            self._over(frame, arg if event == "return" else None)
        if event == "line":
            if self._line is None:
                self._known = _names(frame)
            self._line = frame.f_lineno
        return self.trace

    def _over(self, frame: FrameType, returned: Any) -> None:
        if self._line is None:
            return
        now = _names(frame)
        made = {n: s for n, s in now.items() if n not in self._known or differ(self._known[n], s)}
        self._known = now
        if returned is not None:
            parts = returned if isinstance(returned, (tuple, list)) else (returned,)
            for nr, part in enumerate(parts):
                seen = _seen(part)
                if seen is not None:
                    made[f"({nr})"] = seen
        self._trail.over(frame, self._line, made)


def _names(frame: FrameType) -> dict[str, Seen]:
    found = {n: _seen(v) for n, v in frame.f_locals.items()}
    return {n: s for n, s in found.items() if s is not None}


def _seen(value: Any) -> Seen | None:
    if isinstance(value, Tensor):
        array = getattr(value, "_array", None)
        return None if array is None else Seen(_copy(array), value.requires_grad)
    if isinstance(value, (bool, int, float, complex)):
        return Seen(value, None)
    if isinstance(value, xp.ndarray):
        return Seen(_copy(value), None)
    return None


def _copy(array: Any) -> Any:
    if getattr(array, "size", 0) > _COMPARED:
        array = array.reshape(-1)[:: array.size // _COMPARED + 1]
    try:
        return to_host(array).copy()
    except Exception:  # noqa: BLE001  of a transform: it has no elements
        return None


def same(a: Any, b: Any) -> bool:
    """Bit for bit, but that a NaN is a NaN."""
    if not isinstance(a, xp.ndarray) or not isinstance(b, xp.ndarray):
        return type(a) is type(b) and (a == b or (a != a and b != b))
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    equal = a == b
    if a.dtype.kind in "fcV":
        equal = equal | ((a != a) & (b != b))
    return bool(equal.all())


def differ(a: Seen, b: Seen) -> bool:
    return a.recorded is not b.recorded or not same(a.value, b.value)


def first_difference(one: list[Line], other: list[Line]) -> tuple[Line, str] | None:
    """The first line that made something else of a name in another run; None if none did.

    Where the runs part, it is the line that decided.
    """
    before: Line | None = None
    for mine, theirs in zip(one, other, strict=False):
        if (mine.code, mine.number) != (theirs.code, theirs.number):
            return None if before is None else (before, "")
        for name, seen in mine.made.items():
            if name in theirs.made and not same(seen.value, theirs.made[name].value):
                return mine, name
        before = mine
    return None


def code_of(function: Any) -> CodeType | None:
    """Of what a person wrote, behind decorators such as `once_differentiable`."""
    if isinstance(function, MethodType):
        function = function.__func__
    seen = 0
    while hasattr(function, "__wrapped__") and seen < 20:
        function, seen = function.__wrapped__, seen + 1
    return getattr(function, "__code__", None)
