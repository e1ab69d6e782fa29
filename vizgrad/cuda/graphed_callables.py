"""`make_graphed_callables`: functions and modules whose forward and backward are graphs of launches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from vizgrad.amp.mode import is_autocast_cache_enabled, is_autocast_enabled
from vizgrad.autograd.running import grad
from vizgrad.core.function.custom.function import Function
from vizgrad.core.function.custom.once import once_differentiable
from vizgrad.core.ops.public.from_values import empty_like
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.cuda.devices import synchronize
from vizgrad.cuda.graphs import CUDAGraph, graph, graph_pool_handle
from vizgrad.cuda.streams import Stream
from vizgrad.cuda.streams import stream as on_stream
from vizgrad.nn.modules.module import Module
from vizgrad.utils._pytree import tree_flatten, tree_leaves, tree_unflatten


class _Given(NamedTuple):
    """One callable, and the tensors that its graphs read: its arguments, then the parameters of a module."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    leaves: tuple[Tensor, ...]
    parameters: tuple[Tensor, ...]

    @property
    def read(self) -> tuple[Tensor, ...]:
        return self.leaves + self.parameters

    @property
    def differentiated(self) -> tuple[Tensor, ...]:
        return tuple(x for x in self.read if x.requires_grad)


class _Forward(NamedTuple):
    graph: CUDAGraph
    outputs: tuple[Any, ...]
    form: Any


class _Backward(NamedTuple):
    graph: CUDAGraph
    #: The gradient that arrives at each output, None where none does.
    arriving: tuple[Tensor | None, ...]
    #: The gradient of each tensor that is read, None where it has none.
    gradients: tuple[Tensor | None, ...]


def make_graphed_callables(
    callables: Any,
    sample_args: Any,
    num_warmup_iters: int = 3,
    allow_unused_input: bool = False,
    pool: tuple[int, int] | None = None,
) -> Any:
    """Callables, one or a tuple of them, that run as graphs of launches: forward one, backward another.

    `sample_args` are the arguments of a first call, tensors alone, for each callable; later ones have the
    same shapes, types and requires_grad, and are copied to where these lie. A module is returned itself, with
    its `forward` exchanged. Several callables run in the order in which they are given. There are no
    gradients of gradients. RuntimeError under autocast with its cache; AssertionError for hooks on a module,
    a buffer that requires grad, and for arguments other than tensors.
    """
    if is_autocast_enabled("cuda") and is_autocast_cache_enabled():
        raise RuntimeError(
            "make_graphed_callables does not support the autocast caching. Please set `cache_enabled=False`."
        )
    several = isinstance(callables, tuple)
    given = [
        _checked(function, tuple(arguments))
        for function, arguments in (
            zip(callables, sample_args, strict=True) if several else [(callables, sample_args)]
        )
    ]
    _warm_up(given, num_warmup_iters, allow_unused_input)
    handle = graph_pool_handle() if pool is None else pool
    # In the order in which they will run, as they share memory.
    forwards = [_forward(each, handle) for each in given]
    backwards = [
        _backward(each, forward, handle, allow_unused_input)
        for each, forward in zip(reversed(given), reversed(forwards), strict=True)
    ]
    backwards.reverse()
    made = [_made(*each) for each in zip(given, forwards, backwards, strict=True)]
    return tuple(made) if several else made[0]


def _checked(function: Any, arguments: tuple[Any, ...]) -> _Given:
    parameters: tuple[Tensor, ...] = ()
    if isinstance(function, Module):
        hooks = (function._backward_hooks, function._forward_hooks, function._forward_pre_hooks)
        if any(hooks):
            raise AssertionError(
                "Modules must not have hooks registered at the time they are passed. Register them after "
                "make_graphed_callables"
            )
        if any(buffer.requires_grad for buffer in function.buffers()):
            raise AssertionError("make_graphed_callables: no buffer of a module may require grad")
        parameters = tuple(function.parameters())
    leaves = tuple(tree_leaves(arguments))
    if not all(isinstance(leaf, Tensor) for leaf in leaves):
        raise AssertionError(
            "sample_args for each callable must contain only Tensors. Other types are not allowed."
        )
    return _Given(function, arguments, leaves, parameters)


def _warm_up(given: Sequence[_Given], times: int, unused: bool) -> None:
    """Compiles, and makes what is made once."""
    synchronize()
    with on_stream(Stream()):
        for each in given:
            for _ in range(times):
                outputs = _recorded(tree_leaves(each.function(*each.arguments)))
                if outputs:
                    grad(
                        outputs,
                        each.differentiated,
                        [empty_like(x) for x in outputs],
                        allow_unused=unused,
                    )
    synchronize()


def _recorded(outputs: Sequence[Any]) -> list[Tensor]:
    return [x for x in outputs if isinstance(x, Tensor) and x.requires_grad]


def _forward(given: _Given, pool: tuple[int, int]) -> _Forward:
    made = CUDAGraph()
    with graph(made, pool=pool):
        found = given.function(*given.arguments)
    outputs, form = tree_flatten(found)
    return _Forward(made, tuple(outputs), form)


def _backward(given: _Given, forward: _Forward, pool: tuple[int, int], unused: bool) -> _Backward:
    made = CUDAGraph()
    arriving = tuple(empty_like(x) if x.requires_grad else None for x in forward.outputs)
    outputs = _recorded(forward.outputs)
    found: list[Tensor | None] = []
    if outputs:
        with graph(made, pool=pool):
            found = list(
                grad(
                    outputs,
                    given.differentiated,
                    [x for x in arriving if x is not None],
                    allow_unused=unused,
                )
            )
    gradients = iter(found)
    return _Backward(
        made,
        arriving,
        tuple(next(gradients) if x.requires_grad and found else None for x in given.read),
    )


def _made(given: _Given, forward: _Forward, backward: _Backward) -> Callable[..., Any]:
    class Graphed(Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Tensor) -> tuple[Tensor, ...]:
            for own, new in zip(
                given.leaves, inputs, strict=False
            ):  # parameters are where they were
                if own.data_ptr() != new.data_ptr():
                    own.detach().copy_(new)
            forward.graph.replay()
            return tuple(x.detach() for x in forward.outputs)

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
            for own, new in zip(backward.arriving, grads, strict=True):
                if own is not None and own.data_ptr() != new.data_ptr():
                    own.copy_(new)
            backward.graph.replay()
            return tuple(x if x is None else x.detach() for x in backward.gradients)

    def run(*arguments: Any) -> Any:
        out = Graphed.apply(*tree_leaves(arguments), *given.parameters)
        return tree_unflatten(out if isinstance(out, tuple) else (out,), forward.form)

    if not isinstance(given.function, Module):
        return run
    module, plain, training = given.function, given.function.forward, given.function.training

    def forward_of_module(*arguments: Any, **options: Any) -> Any:
        """In training or in evaluation the graph was captured; in the other the module runs as before."""
        return (
            run(*arguments, **options)
            if module.training == training
            else plain(*arguments, **options)
        )

    module.forward = forward_of_module
    return module
