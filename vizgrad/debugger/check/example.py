"""A custom Function and the arguments that it is examined on; each run is of fresh copies."""

from __future__ import annotations

import random as python_random
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType, MethodType
from typing import Any, NamedTuple, Self

from vizgrad.autograd.running import grad
from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import CPU, to_host
from vizgrad.core.arrays.random import Generator, default_generator, normal
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.errors import Place, function_place, place_at, returning_place
from vizgrad.core.function.custom.apply import apply
from vizgrad.core.function.custom.function import Function, context_like
from vizgrad.core.function.custom.nested_io import NestedIOFunction
from vizgrad.core.function.custom.nested_io import _apply as apply_nested
from vizgrad.core.graph.node import Edge
from vizgrad.core.tensor.tensor import Tensor, new_tensor

# --- randomness ------------------------------------------------------------------------------------------
# The same random numbers each time: for a Function that draws some, values can be compared only then.


class Randomness:
    """All sources that the methods of a Function may draw from; each goes back to where it was."""

    def __init__(self, functions: Iterable[Any], holders: Iterable[Any]) -> None:
        found: dict[int, tuple[Callable[[], Any], Callable[[Any], Any]]] = {}
        numpy = sys.modules.get("numpy")
        found[0] = python_random.getstate, python_random.setstate
        if numpy is not None:
            found[1] = numpy.random.get_state, numpy.random.set_state
        things = [default_generator(), *holders]
        for function in functions:
            things += _reached(function)
        for thing in things:
            pair = _state_of(thing)
            if pair is not None:
                found[id(thing)] = pair
        self._sources = list(found.values())
        self._kept = things
        self._start = self.states()

    def restart(self) -> None:
        self.restore(self._start)

    def states(self) -> list[Any]:
        return [get() for get, _ in self._sources]

    def restore(self, states: list[Any]) -> None:
        for (_, put), state in zip(self._sources, states, strict=True):
            put(state)

    def position(self) -> list[str]:
        """Moves when random numbers are drawn."""
        return [repr(get()) for get, _ in self._sources]


def _state_of(thing: Any) -> tuple[Callable[[], Any], Callable[[Any], Any]] | None:
    if isinstance(thing, Generator):
        return thing.snapshot, thing.restore
    if isinstance(thing, python_random.Random):
        return thing.getstate, thing.setstate
    bits = getattr(thing, "bit_generator", None)
    if bits is not None and hasattr(bits, "state"):
        return lambda: bits.state, lambda state: setattr(bits, "state", state)
    return None


def _reached(function: Any) -> list[Any]:
    """The names in the function: globals, and its closure."""
    code = getattr(function, "__code__", None)
    if code is None:
        return []
    cells = getattr(function, "__closure__", None) or ()
    found = [function.__globals__[n] for n in code.co_names if n in function.__globals__]
    for cell in cells:
        try:
            found.append(cell.cell_contents)
        except ValueError:  # not filled yet
            continue
    return found


# --- line trace ------------------------------------------------------------------------------------------
# The lines of a Function's methods, as they run, and what each made of which name.


#: A larger array is compared at a sample of its elements.
_COMPARED = 1 << 16
#: Lines that are noted of one run.
_MOST = 5_000


class Seen(NamedTuple):
    """The value of a name after a line."""

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
    """The code that the user wrote, behind decorators such as `once_differentiable`."""
    if isinstance(function, MethodType):
        function = function.__func__
    seen = 0
    while hasattr(function, "__wrapped__") and seen < 20:
        function, seen = function.__wrapped__, seen + 1
    return getattr(function, "__code__", None)


# --- example ---------------------------------------------------------------------------------------------


_METHODS = (
    "forward",
    "setup_context",
    "backward",
    "vjp",
    "jvp",
    "forward_extended",
    "backward_extended",
)
_WIDE = {"f": "float64", "V": "float64", "c": "complex128"}


@dataclass
class Call:
    """One run: leaves, what was given to forward, the context, the outputs."""

    leaves: list[Any]
    arguments: list[Tensor]
    ctx: Any
    result: Any
    #: Those that require grad.
    outputs: list[Tensor] = field(default_factory=list)

    def wanted(self) -> list[Tensor]:
        return [leaf for leaf in self.leaves if leaf is not None]

    def gradients(self, given: Sequence[Any], outputs: Any = None, **options: Any) -> list[Any]:
        """One for each leaf that wants one; None where nothing came."""
        found = grad(
            self.outputs if outputs is None else outputs,
            self.wanted(),
            list(given),
            allow_unused=True,
            **options,
        )
        return list(found)


class Example:
    def __init__(self, function: Any, inputs: tuple[Any, ...]) -> None:
        self.instance = None if isinstance(function, type) else function
        self.cls: Any = function if isinstance(function, type) else type(function)
        if not (isinstance(self.cls, type) and issubclass(self.cls, Function)):
            raise TypeError(
                f"check() and card() examine a class derived from autograd.Function, not {function!r}"
            )
        self.nested = issubclass(self.cls, NestedIOFunction)
        self.inputs = inputs
        #: The tensors among the inputs, in the order in which gradients are returned.
        self.tensors = tensors_of(inputs, self.nested)
        asked = [t.requires_grad for t in self.tensors]
        #: Did the caller say which inputs are to be differentiated?
        self.told = any(asked)
        self.wants = asked if self.told else [_is_floating(t) for t in self.tensors]
        self.codes = self._codes()
        self.randomness = Randomness(
            [f for n in _METHODS if (f := _method(self.cls, n)) is not None],
            [*inputs, *vars(self.cls).values()],
        )
        self.names: tuple[str, ...] = ()
        self._source = Generator().manual_seed(7)

    # --- what a person wrote ------------------------------------------------------------------

    def _codes(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in _METHODS:
            code = code_of(_method(self.cls, name))
            if code is not None and not _is_ours(code):
                found[name] = code
        return found

    @property
    def backward(self) -> Any:
        """As the person wrote it."""
        for name in ("backward_extended", "vjp", "backward"):
            if name in self.codes:
                return _plain(_method(self.cls, name))
        return None

    @property
    def forward(self) -> Any:
        name = "forward_extended" if "forward_extended" in self.codes else "forward"
        return _plain(_method(self.cls, name))

    def returning(self) -> Place | None:
        return None if self.backward is None else returning_place(self.backward)

    def forward_place(self) -> Place | None:
        return function_place(self.forward)

    @property
    def title(self) -> str:
        return self.cls.__name__

    # --- runs ---------------------------------------------------------------------------------

    def wide(self) -> list[Any]:
        """The elements of the tensors, in double precision."""
        return [_wide(t) for t in self.tensors]

    def given(self) -> list[Any]:
        return [t._array for t in self.tensors]

    def run(
        self,
        arrays: Sequence[Any],
        wants: Sequence[bool] | None = None,
        *,
        trace: bool = False,
        restart: bool = True,
        make: Callable[[Tensor], Tensor] | None = None,
    ) -> tuple[Call, Trail | None]:
        """Forward on copies of `arrays`. Each argument is a result of a leaf, so it may be written to."""
        wants = self.wants if wants is None else wants
        leaves: list[Any] = []
        arguments: list[Tensor] = []
        for array, wanted in zip(arrays, wants, strict=True):
            leaf = new_tensor(array.copy())
            leaves.append(leaf.requires_grad_() if wanted else None)
            argument = leaf.clone() if wanted else leaf
            arguments.append(argument if make is None else make(argument))
        ctx = context_like(self.instance) if self.instance is not None else self.cls._backward_cls()
        args = _rebuilt(self.inputs, iter(arguments), self.nested)
        trail = Trail(self.codes.values(), ctx, arguments) if trace else None
        if restart:
            self.randomness.restart()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if trail is None:
                result = self._apply(ctx, args)
            else:
                with trail:
                    result = self._apply(ctx, args)
        if not self.names:
            self.names = tuple(ctx._tensor_names())
        call = Call(leaves, arguments, ctx, result)
        call.outputs = [o for o in tensors_of(result) if o.requires_grad]
        return call, trail

    def _apply(self, ctx: Any, args: tuple[Any, ...]) -> Any:
        if self.nested:
            return apply_nested(self.cls, ctx, args)
        return apply(self.cls, args, {}, ctx)

    def random_like(self, tensor: Any) -> Any:
        """Random numbers of an array's shape and type, none of them small."""
        array = tensor._array if isinstance(tensor, Tensor) else tensor
        found = normal(array.shape, xp.dtype("float64"), CPU, self._source)
        found = found + xp.sign(found) * 0.25
        if array.dtype.kind == "c":
            other = normal(array.shape, xp.dtype("float64"), CPU, self._source)
            found = found + 1j * other
        return xp.asarray(found).astype(array.dtype)

    def position(self, number: int) -> int:
        """The place of a tensor among the arguments of forward, as `ctx.needs_input_grad` counts them."""
        return [n for n, value in enumerate(self.inputs) if tensors_of((value,), False)][number]

    def name(self, number: int) -> str:
        return self.names[number] if number < len(self.names) else f"argument {number}"


def node_of(tensor: Tensor) -> Any:
    """The engine's node that a tensor is a result of; None of a leaf."""
    edge = tensor._edge
    return edge.node if edge.__class__ is Edge else edge


def tensors_of(value: Any, deep: bool = True) -> list[Tensor]:
    """The tensors of a structure, in its order; sparse ones are passed over."""
    if isinstance(value, Tensor):
        return [] if is_sparse(value._array) else [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    if not isinstance(value, (tuple, list)):
        return []
    return [t for v in value if deep or isinstance(v, Tensor) for t in tensors_of(v)]


def _rebuilt(value: Any, tensors: Iterator[Tensor], deep: bool) -> Any:
    """The same structure with other tensors."""
    if isinstance(value, Tensor):
        return value if is_sparse(value._array) else next(tensors)
    if isinstance(value, dict):
        return {n: _rebuilt(v, tensors, deep) for n, v in value.items()}
    if isinstance(value, (tuple, list)):
        parts = [
            _rebuilt(v, tensors, deep) if deep or isinstance(v, Tensor) else _constant(v)
            for v in value
        ]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return _constant(value)


def _constant(value: Any) -> Any:
    """A copy of an argument that has no gradient."""
    if isinstance(value, (dict, tuple, list)):
        return _rebuilt(value, (t.detach().clone() for t in tensors_of(value)), True)
    return value.copy() if isinstance(value, xp.ndarray) else value


def _method(cls: Any, name: str) -> Any:
    found = getattr(cls, name, None)
    return None if found is getattr(Function, name, None) else found


def _plain(function: Any) -> Any:
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def _is_ours(code: Any) -> bool:
    from vizgrad.core.function.custom import function

    return code.co_filename.startswith(function.__file__.rsplit("/", 1)[0])


def _is_floating(tensor: Tensor) -> bool:
    return tensor._array.dtype.kind in _WIDE


def _wide(tensor: Tensor) -> Any:
    kind = tensor._array.dtype.kind
    wide = _WIDE.get(kind) if _is_floating(tensor) else None
    return to_host(tensor._array).astype(wide) if wide is not None else tensor._array
