"""Custom Functions, hooks and checkpointed functions of a block: what they keep, change, and repeat."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from operator import is_
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.arrays.statistics import alike, sample
from vizgrad.core.errors import Place, function_place, hide_frames, place_at
from vizgrad.core.function.primitive import REGISTRY
from vizgrad.core.ops.forms import FORMS
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.scaling import CLIPPING, SCALING
from vizgrad.debugger.watch.source_expressions import tree_of

# --- ctx attributes --------------------------------------------------------------------------------------
# Where a custom Function keeps something on its ctx, read off its source.


def kept_at(cls: Any, name: str) -> tuple[Place | None, str]:
    """The line of forward, or setup_context, that assigns `ctx.NAME`, and what it assigns."""
    for method in (cls.__dict__.get("forward"), cls.__dict__.get("setup_context")):
        code = getattr(getattr(method, "__func__", method), "__code__", None)
        tree = None if code is None else tree_of(code.co_filename)
        if code is None or tree is None:
            continue
        last = max((each for _, _, each in code.co_lines() if each), default=code.co_firstlineno)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Assign) or not code.co_firstlineno <= node.lineno <= last:
                continue
            for target in node.targets:
                if isinstance(target, ast.Attribute) and target.attr == name:
                    return place_at(code, node.lineno), ast.unparse(node.value)
    return None, ""


# --- function hooks --------------------------------------------------------------------------------------
# Callbacks for every call of a function, through any reference to it, at no cost without a listener.
#
# A function stays the same object; for as long as it is tapped, what it does is replaced: its code calls
# a listener, which runs the function as it was. So names bound long ago (`from vizgrad import exp`),
# methods and functions of modules are heard alike, and afterwards nothing is left of it.


#: Called with (the tap, positional arguments, keywords); what it returns, the call returns.
Listener = Callable[["Tap", tuple[Any, ...], dict[str, Any]], Any]

_MARK, _TAP = 918_273_645, 918_273_646


@cache
def _template(free: int) -> CodeType:
    """The code of a function with that many variables of outer functions, which calls a constant."""
    names = [f"v{i}" for i in range(free)]
    source = (
        f"def make({', '.join(names)}):\n"
        " def tapped(*args, **kwargs):\n"
        f"  ({' '.join(name + ',' for name in names)})\n"
        f"  listener = {_MARK}\n"
        f"  tap = {_TAP}\n"
        "  try:\n"
        "   return listener(tap, args, kwargs)\n"
        "  except Exception as error:\n"
        "   tap.hide(error)\n"
        "   raise\n"
        " return tapped\n"
    )
    scope: dict[str, Any] = {}
    exec(compile(source, "<vizgrad tap>", "exec"), scope)  # noqa: S102  our own text
    return scope["make"](*names).__code__


class Tap:
    """One function that is listened to."""

    __slots__ = ("_code", "_listener", "_tapped", "function", "kind", "name", "original")

    hide = staticmethod(hide_frames)

    def __init__(self, function: FunctionType, name: str, kind: str, listener: Listener) -> None:
        self.function = function
        #: The user's name of it: "relu".
        self.name = name
        #: How it is listened to; see `hooked_functions.py`.
        self.kind = kind
        self._listener = listener
        code = function.__code__
        waits = "become" in function.__globals__ and "become" in code.co_names
        self._tapped = self._calling(code, self._first if waits else listener)
        self._take(code)

    def _calling(self, code: CodeType, listener: Any) -> CodeType:
        """Code that calls `listener`, in place of `code`."""
        template = _template(len(code.co_freevars))
        known = {_MARK: listener, _TAP: self}
        values = [known.get(c, c) for c in template.co_consts]
        return template.replace(co_consts=tuple(values), co_freevars=code.co_freevars)

    def _take(self, code: CodeType) -> None:
        """Keeps what the function does, and takes its place."""
        function = self.function
        self._code = code
        self.original = FunctionType(
            code,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        self.original.__kwdefaults__ = function.__kwdefaults__
        self.original.__dict__.update(function.__dict__)
        function.__code__ = self._tapped

    def _first(self, tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The first call of a function that is written then, and takes its place itself."""
        try:
            return self._listener(self, args, kwargs)
        finally:
            code = self.function.__code__
            if code is not self._tapped:
                self._tapped = self._calling(code, self._listener)
                self._take(code)

    def end(self) -> None:
        """The function does what it did."""
        if self.function.__code__ is self._tapped:
            self.function.__code__ = self._code


class Taps:
    """All functions that a watch listens to. The taps of one watch serve the next, as far as functions are
    the same: there are more than a thousand, and a watch of one step of a training may be short.
    """

    def __init__(self, listeners: Callable[[str], Listener]) -> None:
        """`listeners` says for a kind of functions who listens to them."""
        self._listeners = listeners
        #: Those that are in place.
        self.on: list[Tap] = []
        self._candidates: list[Any] = []
        self._taps: list[Tap] = []

    def begin(self) -> None:
        found = candidates()
        before = self._candidates
        if len(found) != len(before) or not all(map(is_, found, before)):
            self._candidates = found
            self._taps = self._taps_of(functions())
        taps = self._taps
        for place, tap in enumerate(taps):
            function = tap.function
            if function.__code__ is tap._code:
                function.__code__ = tap._tapped
            elif function.__code__ is not tap._tapped:  # it has been given other code since
                taps[place] = self._tap(function, tap.name, tap.kind)
        self.on = taps

    def _taps_of(self, found: list[tuple[FunctionType, str, str]]) -> list[Tap]:
        known = {id(tap.function): tap for tap in self._taps}
        taps: dict[int, Tap] = {}
        for function, name, kind in found:
            key = id(function)
            if key not in taps:
                tap = known.get(key)
                same = tap is not None and (tap.name, tap.kind) == (name, kind)
                taps[key] = tap if tap is not None and same else self._tap(function, name, kind)
        return list(taps.values())

    def _tap(self, function: FunctionType, name: str, kind: str) -> Tap:
        return Tap(function, name, kind, self._listeners(kind))

    def end(self) -> None:
        for tap in self.on:
            function = tap.function  # as `Tap.end`, without a call for each
            if function.__code__ is tap._tapped:
                function.__code__ = tap._code
        self.on = []


# --- hooked functions ------------------------------------------------------------------------------------
# Which functions are listened to, and how.


#: They take values out of tensors.
LEAKS = frozenset({"item", "tolist", "numpy", "__float__", "__int__", "__array__", "__complex__"})
#: Their results do not depend on the values of their operands.
LIKE = frozenset(
    {
        "zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "randint_like",
        "new_tensor", "new_zeros", "new_ones", "new_empty", "new_full", "zero_", "fill_", "normal_",
        "uniform_", "random_", "exponential_", "bernoulli_",
    }
)  # fmt: skip
#: They make tensors of values.
MAKE = frozenset(
    {
        "tensor", "as_tensor", "from_numpy", "asarray", "scalar_tensor", "full", "FloatTensor",
        "frombuffer", "from_dlpack",
    }
)  # fmt: skip

#: Name -> kind of a function; the others are operations.
_KINDS = dict.fromkeys(MAKE, "make") | dict.fromkeys(LIKE, "like") | dict.fromkeys(LEAKS, "leak")


def functions() -> list[tuple[FunctionType, str, str]]:
    """(function, name, kind), the more general first: the first mention of a function counts."""
    found: list[tuple[FunctionType, str, str]] = []
    for each, (name, kind) in zip(candidates(), _names(), strict=True):
        function = plain(each)
        if function is not None and kind:
            found.append((function, name, kind))
    return found


def candidates() -> list[Any]:
    """The objects among which `functions` are found. Each watch reads them, as a person may have written a
    class, or replaced a function: while they are the same, so are the functions.
    """
    from vizgrad.nn import functional

    forms, own = FORMS.values(), vars(Tensor)
    return [
        *[each for each, _, _ in _single()],
        *vars(functional).values(),
        *[each.function for each in forms],
        *[each.method for each in forms],
        *[own.get(name) for name in _OPERATORS],
        *[op.record for op in REGISTRY.values()],
    ]


def _names() -> Iterator[tuple[str, str]]:
    """Name and kind of each candidate, in the same order; no kind: it is private."""
    from vizgrad.nn import functional

    yield from [(name, kind) for _, name, kind in _single()]
    yield from [(name, "" if name[0] == "_" else "op") for name in vars(functional)]
    yield from [(name, _KINDS.get(name, "op")) for name in FORMS] * 2
    yield from [(name, "op") for name in _OPERATORS]
    yield from [(op.name, "op") for op in REGISTRY.values()]


def _single() -> list[tuple[Any, str, str]]:
    """Functions that are neither operations nor made of one."""
    from vizgrad.amp.grad_scaler import GradScaler
    from vizgrad.autograd import grad_mode, running, tensor_methods
    from vizgrad.core.function.custom.function import Function
    from vizgrad.nn.modules import batchnorm, dropout, module
    from vizgrad.nn.parameter import Parameter
    from vizgrad.nn.utils import clip_grad
    from vizgrad.optim import optimizer
    from vizgrad.utils.checkpoint import hooks_based

    own = vars(Tensor)
    found: list[tuple[Any, str, str]] = [
        (tensor_methods.backward, "backward", "backward"),
        (running.backward, "backward", "backward"),
        (running.grad, "grad", "grad"),
        (tensor_methods.register_hook, "register_hook", "hook"),
        (grad_mode.set_grad_enabled.__init__, "set_grad_enabled", "switch"),
        (own["requires_grad_"], "requires_grad_", "freeze"),
        (optimizer.Optimizer.step, "step", "step"),
        (optimizer.Optimizer.zero_grad, "zero_grad", "zero"),
        (vars(Function)["apply"], "apply", "apply"),
        # they behave differently in training, switch the mode, and run again
        (Parameter.__new__, "Parameter", "wrap"),
        (module.Module.train, "train", "mode"),
        (module.Module.eval, "eval", "mode"),
        (hooks_based.first, "first", "first"),
        (hooks_based.again, "again", "again"),
        (own["data"].fget, "data", "data"),
        (own["data"].fset, "data", "assign"),
    ]
    found += [(vars(GradScaler)[name], name, "tend") for name in SCALING]
    found += [(vars(clip_grad)[name], name, "tend") for name in CLIPPING]
    found += [(own[name], name, "leak") for name in _TAKING]
    for cls in _subclasses(optimizer.Optimizer):
        if "step" in vars(cls):
            found.append((vars(cls)["step"], "step", "step"))
    for cls in (*_subclasses(batchnorm.ChannelNorm), *_subclasses(dropout._Dropout)):
        if "forward" in vars(cls):
            found.append((vars(cls)["forward"], "forward", "layer"))
    return found


def _subclasses(cls: type) -> Iterator[type]:
    for each in cls.__subclasses__():
        yield each
        yield from _subclasses(each)


_TAKING = ("item", "tolist", "__float__", "__int__", "__array__", "__complex__")

_OPERATORS = (
    *[
        f"__{form}{name}__"
        for form in ("", "r", "i")
        for name in (
            "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
        )
    ],
    "__neg__", "__abs__", "__invert__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
    "__getitem__", "__setitem__", "__pos__", "T", "mT",
)  # fmt: skip


def plain(function: Any) -> FunctionType | None:
    """The function of Python's behind a method; None for anything else."""
    if isinstance(function, (staticmethod, classmethod)):
        function = function.__func__
    return function if isinstance(function, FunctionType) else None


# --- repeated functions ----------------------------------------------------------------------------------
# Functions that are run once and again by a backward, as reentrant checkpoints do: were both alike?


#: Results of one run that are remembered, and elements of each.
_MOST, _ELEMENTS = 512, 16
#: Runs that wait for their second time.
_WAITING = 64


class Result(NamedTuple):
    op: str
    site: Site | None
    sample: Any


class Difference(NamedTuple):
    """The first result of the first run that the second one did not have."""

    result: Result
    #: Did the second run compute it, too?
    computed: bool
    function: Place | None


class Repeats:
    def __init__(self) -> None:
        #: id of a call -> what it computed the first time.
        self._first: dict[int, list[Result]] = {}
        #: Results of the runs under way, the innermost last.
        self.running: list[list[Result]] = []
        #: The value that differed, or was not computed again, and where the function is.
        self.differences: list[Difference] = []

    def begin(self) -> None:
        self.running.append([])

    def made(self, note: Note, array: Any) -> None:
        if note.dtype.kind in "iu":
            return  # counters go on by themselves, as that of a batch norm does
        if self.running and len(self.running[-1]) < _MOST:
            kept = None if is_sparse(array) else sample(array, _ELEMENTS)
            self.running[-1].append(Result(note.op, note.site, kept))

    def end(self, call: Any, *, again: bool) -> None:
        results = self.running.pop()
        if not again:
            if len(self._first) >= _WAITING:
                self._first.pop(next(iter(self._first)))
            self._first[id(call)] = results
            return
        for before, now in zip(self._first.pop(id(call), ()), results, strict=False):
            # The line may be another: of a layer it is the one that called it, or the backward.
            if before.op != now.op or not _alike(before, now):
                place = function_place(call.run_function)
                self.differences.append(Difference(before, before.op == now.op, place))
                return


def _alike(before: Result, now: Result) -> bool:
    if before.sample is None or now.sample is None:
        return True
    return before.sample.shape == now.sample.shape and alike(before.sample, now.sample)
