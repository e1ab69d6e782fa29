"""One differentiation that is under way: where its arguments begin, and what its results are outside.

A transform needs no wrappers of its own. The function gets its arguments as fresh tensors over the same
memory, whose node, an `Argument`, is where gradients are asked for; each transform has its own, so nested
ones do not mix (C-5). Gradients are recorded only where something outside is reached, and what leads to
nothing but these arguments is cut off when the transform is over.

Is a tensor one that a function got from around it, and not as an argument? (C-7)

Nothing marks tensors that are made inside of a transform. But what a function reaches by its closure, its
globals or what it is bound to was there before, and that is asked only when something is written in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from types import CodeType, FunctionType, MethodType
from typing import Any, Self, TypeVar, cast

from vizgrad.core.batching.level import Batch, as_dimensions, as_wrappers, open_batches
from vizgrad.core.errors import explained
from vizgrad.core.function.transform_tensor import Level, Wrapped, wrap
from vizgrad.core.graph.edges import AccumulateGrad, edge_of, split_edge
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.tensor.duals import set_tangent, tangent_of
from vizgrad.core.tensor.modes import MODES, enter_inference, leave_inference, set_grad_mode
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import RESULT, Tensor
from vizgrad.utils._pytree import tree_leaves

# Is a tensor one that a function got from around it, and not as an argument? (C-7)


def is_captured(target: Tensor, function: Any, args: tuple[Any, ...]) -> bool:
    """Is `target`, or what it is a view of, captured by `function`?"""
    written = {id(target), id(getattr(target._view, "base", target))}
    if any(_below(leaf) & written for leaf in tree_leaves(args)):
        return False
    return any(_below(tensor) & written for tensor in _tensors(function, set()))


def refuse_captured(target: Tensor, function: Any, args: tuple[Any, ...]) -> None:
    """C-7: what was made outside of a transform is not written to."""
    if is_captured(target, function, args):
        raise explained(
            RuntimeError(
                "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call "
                "in-place operation that would mutate a captured Tensor. This is not supported: what was "
                "written would belong to the transform, and the tensor does not."
            ),
            kind="forbidden-write",
            fix="pass the tensor as an argument and return it, or write out of place",
        )


def _below(thing: Any) -> set[int]:
    """A tensor, and what it stands for below the wrappers of vmaps: that is what is written."""
    found = {id(thing)}
    while isinstance(thing, Wrapped):
        thing = thing.value
        found.add(id(thing))
    return found


def _tensors(thing: Any, seen: set[int]) -> Iterator[Tensor]:
    """The tensors that can be reached from a function's surroundings."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, Tensor):
        yield thing
        return
    for part in _parts(thing):
        yield from _tensors(part, seen)


def _parts(thing: Any) -> Iterator[Any]:
    if isinstance(thing, FunctionType):
        if thing.__module__ and thing.__module__.partition(".")[0] == "vizgrad":
            yield from _cells(thing)
            return
        yield from _cells(thing)
        for name in _names(thing.__code__):
            if name in thing.__globals__:
                found = thing.__globals__[name]
                if isinstance(found, (Tensor, list, tuple, dict, FunctionType)) or _is_module(
                    found
                ):
                    yield found
    elif isinstance(thing, MethodType):
        yield thing.__self__
        yield thing.__func__
    elif isinstance(thing, partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())
    elif isinstance(thing, (list, tuple)):
        yield from thing
    elif isinstance(thing, dict):
        yield from thing.values()
    elif _is_module(thing):
        yield from thing.parameters()
        yield from thing.buffers()


def _cells(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # nothing was bound yet
            continue


def _names(code: CodeType) -> Iterator[str]:
    """Names that a function, and those that it defines, look up outside of themselves."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_module(thing: Any) -> bool:
    return hasattr(thing, "named_buffers") and not isinstance(thing, type)


F = TypeVar("F", bound=Callable[..., Any])


def in_normal_mode(function: F) -> F:
    """As if called outside of inference mode, which turns no transform off, as no_grad does not (C-6)."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if MODES.inference is None:
            return function(*args, **kwargs)
        before = enter_inference(False)
        set_grad_mode(False)
        try:
            return function(*args, **kwargs)
        finally:
            leave_inference(before)

    return cast("F", call)


class Argument(Node):
    """Where an argument of a transform begins. An incoming gradient goes on to the argument's value
    outside.
    """

    __slots__ = ("level",)

    level: Differentiation

    @property
    def public(self) -> Any:
        """None: inside of the transform the argument is a leaf."""
        return None

    def run(self, grad: Any) -> Any:
        return grad

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        return grads


class Differentiation(Level):
    """`grad`, `vjp` and related functions, while they call their function."""

    name = "grad"
    differentiates = True

    def __init__(self, function: Any, args: tuple[Any, ...]) -> None:
        super().__init__()
        self.function, self.args = function, args
        #: The vmaps around: their examples are dimensions of what autograd sees.
        self.batches: tuple[Batch, ...] = open_batches()
        #: Is what is computed here recorded outside?
        self.recorded_outside = MODES.grad

    def __enter__(self) -> Self:
        super().__enter__()
        set_grad_mode(True)
        return self

    def __exit__(self, *error: object) -> None:
        set_grad_mode(self.recorded_outside)
        super().__exit__(*error)

    def before_write(self, target: Tensor) -> None:
        refuse_captured(target, self.function, self.args)

    # --- arguments --------------------------------------------------------------------------------------

    def opened(self, argument: Any) -> Tensor:
        """The argument as the function gets it; to be called before the level is entered.

        ValueError for what is no tensor, RuntimeError for integers.
        """
        if not isinstance(argument, Tensor):
            raise wrong_call(
                ValueError(f"Thing passed to transform API must be Tensor, got {type(argument)}"),
                "make a Tensor of it: `vizgrad.tensor(...)`, or leave it out of argnums",
            )
        if not (argument.is_floating_point() or argument.is_complex()):
            raise explained(
                RuntimeError(
                    "only Tensors of floating point dtype can require gradients, this argument is "
                    f"{argument.dtype.name}"
                ),
                kind="cut-dtype",
                fix="convert it first, e.g. `x.float()`",
            )
        value = as_dimensions(argument, self.batches)
        if value.is_inference():  # a copy may be saved
            value = value.clone()
        node = object.__new__(Argument)
        node.level = self
        node.edges = (edge_of(value) if MODES.grad and value._tracked else None,)
        node.sequence_nr = tick()
        node.hooks = node.code = node.scope = None
        node.lasti = 0
        node.shape, node.dtype = value._array.shape, value._array.dtype
        out = apart(value)
        out._edge, out._tracked = node, RESULT
        return as_wrappers(out, self.batches)

    # --- results ----------------------------------------------------------------------------------------

    def closed(self, result: Tensor, reached: bool | None = None) -> Tensor:
        """A result as it is outside: with what history it has there, `reached` if that is known."""
        if isinstance(result, Wrapped):
            return wrap(result.level, self.closed(result.value, reached), result)
        if reached is None:
            reached = self.recorded_outside and self.reaches_outside([result])
        if reached:
            return result
        return apart(result)

    def reaches_outside(self, tensors: Sequence[Tensor]) -> bool:
        """Does the history of one of them lead to a leaf, or to another transform's argument?"""
        edges = [edge_of(plain(tensor)) for tensor in tensors]
        stack: list[Node] = [split_edge(edge)[0] for edge in edges if edge is not None]
        seen: set[Node] = set(stack)
        while stack:
            node = stack.pop()
            kind = node.__class__
            if kind is AccumulateGrad:
                return True
            if kind is Argument:
                level: Differentiation = node.level  # pyright: ignore[reportAttributeAccessIssue]
                if level is not self and level.open:
                    return True
            for edge in node.edges:
                if edge is not None:
                    following = edge.node if type(edge) is Edge else edge
                    if following not in seen:
                        seen.add(following)
                        stack.append(following)
        return False


def plain(tensor: Tensor) -> Tensor:
    """The value below all wrappers."""
    while isinstance(tensor, Wrapped):
        tensor = tensor.value
    return tensor


def apart(tensor: Tensor) -> Tensor:
    """The same memory without history, but with its tangents."""
    out = tensor.detach()
    for level in MODES.levels:
        tangent = tangent_of(tensor, level)
        if tangent is not None:
            set_tangent(out, level, tangent)
    return out
