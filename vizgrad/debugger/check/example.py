"""A custom Function and the arguments that it is examined on; each run is of fresh copies."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from vizgrad.autograd.running import grad
from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import CPU, to_host
from vizgrad.core.arrays.random import Generator, normal
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.errors import Place, function_place, returning_place
from vizgrad.core.function.custom.apply import apply
from vizgrad.core.function.custom.function import Function, context_like
from vizgrad.core.function.custom.nested_io import NestedIOFunction
from vizgrad.core.function.custom.nested_io import _apply as apply_nested
from vizgrad.core.graph.node import Edge
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.check.line_trace import Trail, code_of
from vizgrad.debugger.check.randomness import Randomness

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
                f"a class derived from vizgrad.autograd.Function is examined, not {function!r}"
            )
        self.nested = issubclass(self.cls, NestedIOFunction)
        self.inputs = inputs
        #: The tensors among the inputs, in the order in which gradients are returned.
        self.tensors = tensors_of(inputs, self.nested)
        asked = [t.requires_grad for t in self.tensors]
        #: Did anybody say which inputs are to be differentiated?
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
        """Of a tensor among the arguments of forward, as `ctx.needs_input_grad` counts them."""
        return [n for n, value in enumerate(self.inputs) if tensors_of((value,), False)][number]

    def name(self, number: int) -> str:
        return self.names[number] if number < len(self.names) else f"argument {number}"


def node_of(tensor: Tensor) -> Any:
    """The engine's node that a tensor is a result of; None of a leaf."""
    edge = tensor._edge
    return edge.node if edge.__class__ is Edge else edge


def tensors_of(value: Any, deep: bool = True) -> list[Tensor]:
    """Of a structure, in its order; sparse ones are passed over."""
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
