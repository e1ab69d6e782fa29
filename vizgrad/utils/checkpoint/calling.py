"""`checkpoint`: a call whose intermediate values are not kept for backward (spec 05 F)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

from vizgrad.amp.mode import STATE, autocast, has_cuda
from vizgrad.autograd.grad_mode import enable_grad, no_grad
from vizgrad.autograd.running import backward
from vizgrad.core.arrays.backend import CPU, Device
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.arrays.random import default_generator
from vizgrad.core.errors import explained, function_place
from vizgrad.core.function.custom.function import Function
from vizgrad.core.function.transform_tensor import innermost, tensors_in
from vizgrad.core.ops.public.creation import empty
from vizgrad.core.ops.public.generators import get_state, set_state
from vizgrad.core.tensor.modes import MODES, is_grad_enabled
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn import Module, Sequential
from vizgrad.utils._pytree import tree_flatten, tree_iter
from vizgrad.utils.checkpoint import hooks_based
from vizgrad.utils.checkpoint.hooks_based import Frame, again, first

# --- what is restored for the second run: random numbers and autocast ---------------------------------


class DefaultDeviceType:
    """The kind of device that a checkpoint is for which has no tensors of a GPU among its arguments."""

    _default_device_type: str | None = None

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type() -> str:
        return DefaultDeviceType._default_device_type or ("cuda" if has_cuda() else "cpu")


def _devices(values: Any) -> list[Device]:
    """Other devices than the CPU on which the tensors among them are, each once."""
    found = (v.device for v in tree_iter(values) if isinstance(v, Tensor))
    return list(dict.fromkeys(device for device in found if device != CPU))


def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """(numbers of the GPUs on which the arguments are, states of their random numbers)."""
    devices = _devices(args)
    return [d.index or 0 for d in devices], [get_state(default_generator(d)) for d in devices]


def set_device_states(
    devices: list[int], states: list[Any], *, device_type: str | None = None
) -> None:
    """Puts the random numbers of these GPUs back to the states."""
    for number, state in zip(devices, states, strict=True):
        set_state(default_generator(Device(device_type or "cuda", number)), state)


def _autocast() -> list[tuple[str, DType, bool, bool]]:
    """The arguments of `autocast` for each kind of device."""
    return [
        (kind, STATE.dtypes[kind], on, STATE.cache_enabled) for kind, on in STATE.enabled.items()
    ]


class Surroundings:
    """As they are when this is made: autocast and, if `preserve`, the random numbers of the CPU and of the
    devices on which `arguments` are.
    """

    def __init__(self, arguments: Any, preserve: bool) -> None:
        self._devices = [CPU, *_devices(arguments)] if preserve else []
        self._states = [default_generator(d).snapshot() for d in self._devices]
        self._autocast = _autocast()

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Within the block they are again what they were; afterwards, what they were before the block."""
        now = [default_generator(d).snapshot() for d in self._devices]
        with ExitStack() as stack:
            for setting in self._autocast:
                if setting not in _autocast():
                    stack.enter_context(autocast(*setting))
            try:
                self._set(self._states)
                yield
            finally:
                self._set(now)

    def _set(self, states: list[Any]) -> None:
        for device, state in zip(self._devices, states, strict=True):
            default_generator(device).restore(state)


# --- the older form: one node, whose backward runs a backward of its own (H-2) ------------------------


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warns if none of the inputs requires grad: nothing would have a gradient."""
    if not any(isinstance(one, Tensor) and one.requires_grad for one in inputs):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None",
            UserWarning,
            stacklevel=2,
        )


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs, with tensors as leaves of their own. RuntimeError for what is no tuple."""
    if not isinstance(inputs, tuple):
        raise wrong_call(
            RuntimeError(
                "Only tuple of tensors is supported. Got Unsupported input type: "
                + type(inputs).__name__
            ),
            "put the tensors into a tuple",
        )
    return tuple(
        one.detach().requires_grad_(one.requires_grad) if isinstance(one, Tensor) else one
        for one in inputs
    )


class CheckpointFunction(Function):
    """Runs `run_function` without a graph; backward runs it again with one, and goes through that."""

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.surroundings = Surroundings(args, preserve_rng_state)
        ctx.places = [n for n, one in enumerate(args) if isinstance(one, Tensor)]
        ctx.args = [None if isinstance(one, Tensor) else one for one in args]
        ctx.save_for_backward(*(args[n] for n in ctx.places))
        with no_grad():
            return first(ctx, args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        task = MODES.task
        if task is None or task.captures is not None:
            raise explained(
                RuntimeError(
                    "When use_reentrant=True, vizgrad.utils.checkpoint is incompatible with .grad() or "
                    "passing an `inputs` parameter to .backward(). To resolve this error, you can either set "
                    "use_reentrant=False, or call .backward() without passing the `inputs` argument."
                ),
                kind="wrong-call",
                culprit=function_place(ctx.run_function),
                fix="pass use_reentrant=False to checkpoint",
            )
        inputs = list(ctx.args)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[place] = tensor
        leaves = detach_variable(tuple(inputs))
        with ctx.surroundings.restored(), enable_grad():
            made = again(ctx, leaves)
        outputs = (made,) if isinstance(made, Tensor) else made
        pairs = [
            (output, grad)
            for output, grad in zip(outputs, grads, strict=True)
            if isinstance(output, Tensor) and output.requires_grad
        ]
        if not pairs:
            raise explained(
                RuntimeError(
                    "none of output has requires_grad=True, this checkpoint() is not necessary"
                ),
                kind="cut-detach",
                culprit=function_place(ctx.run_function),
                fix="call the function without checkpoint",
                title="Checkpoint without gradients",
            )
        backward([output for output, _ in pairs], [grad for _, grad in pairs])
        return (None, None, *(x.grad if isinstance(x, Tensor) else None for x in leaves))


# --- the setting for all checkpoints in a block, whatever each call says ------------------------------


class _Settings:
    """None where each call decides."""

    early_stop: bool | None = None
    debug: bool | None = None


_SETTINGS = _Settings()


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Within the block, checkpoints are made whose recomputation stops as soon as it can, or never does.

    `checkpoint(..., early_stop=...)` says it of one. Only the block around the forward counts.
    """
    before, _SETTINGS.early_stop = _SETTINGS.early_stop, enable
    try:
        yield
    finally:
        _SETTINGS.early_stop = before


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Within the block, checkpoints compare every operation (`debug=True`), or none; None: as each says."""
    before, _SETTINGS.debug = _SETTINGS.debug, enabled
    try:
        yield
    finally:
        _SETTINGS.debug = before


def stops_early(asked: bool) -> bool:
    return asked if _SETTINGS.early_stop is None else _SETTINGS.early_stop


def debugs(asked: bool) -> bool:
    return asked if _SETTINGS.debug is None else _SETTINGS.debug


Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]
#: The values of `determinism_check`.
_CHECKS = ("default", "none")


def noop_context_fn() -> Contexts:
    """Nothing around the forward, nothing around the recomputation."""
    return nullcontext(), nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """`function(*args, **kwargs)`, computed again in backward, so that its saved values need no memory.

    The recomputation sees the arguments, random numbers (`preserve_rng_state=True`) and autocast of the
    forward, runs between what the second of `context_fn()` does on entering and leaving (the first is for the
    forward), and ends with the last value that is needed (`early_stop`). It must do what the forward did:
    CheckpointError if it saves another number of tensors, of other shapes or types, or if a sample of the
    values is different or their memory was written since. `determinism_check="none"` compares the number
    alone; `debug=True` also compares all operations, and many more values.

    With `use_reentrant=True` the function runs without a graph, and all of it runs again, inside a node of
    its own: needs an argument that requires grad, takes no keywords, knows `backward()` alone (no `grad`, no
    `inputs=`) and first derivatives alone. Left out it is False; in PyTorch, True with a warning.

    Raises ValueError for settings that there are not or that the form does not know.
    """
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise wrong_call(
                ValueError("Unexpected keyword arguments: " + ",".join(kwargs)),
                "pass use_reentrant=False, or the arguments by position",
            )
        if context_fn is not noop_context_fn or debug:
            raise wrong_call(
                ValueError(
                    "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
                ),
                "pass use_reentrant=False",
            )
        return CheckpointFunction.apply(function, preserve, *args)
    if determinism_check not in _CHECKS:
        raise wrong_call(
            ValueError(
                f"determinism_check should be one of {list(_CHECKS)}, but got {determinism_check}"
            ),
            'pass "default", or "none" to compare less',
        )
    before, around = context_fn()
    if not is_grad_enabled():
        return function(*args, **kwargs)
    if any(level.differentiates for level in MODES.transforms):
        raise wrong_call(
            RuntimeError(
                "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks, which "
                "checkpoint needs"
            ),
            "checkpoint outside of the transform, or call the function itself",
        )
    if (
        innermost(tensors_in((args, kwargs))) is not None
    ):  # there are no examples any more in the backward
        return function(*args, **kwargs)
    inputs = _Inputs(args, kwargs)
    surroundings = Surroundings((args, kwargs), preserve)

    @contextmanager
    def again() -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
        given = inputs.read()
        with surroundings.restored(), around:
            yield given

    frame = Frame(
        again,
        function,
        early_stop=stops_early(early_stop),
        check=determinism_check == "default",
        debug=debugs(debug),
    )
    with frame.forward(), before:
        result = hooks_based.first(frame, args, **kwargs)
    frame.complete = True
    return result


class _Inputs:
    """The arguments of a call as they are, to be read later.

    The tensors among them are saved as those of an operation are: RuntimeError on reading if one was changed
    in place since, and a checkpoint around this one forgets them, too.
    """

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._values, self._spec = tree_flatten((args, kwargs))
        self._numbers = [n for n, value in enumerate(self._values) if isinstance(value, Tensor)]
        tensors = [self._values[n] for n in self._numbers]
        self._node = CheckpointInputs.apply(empty(0, requires_grad=True), *tensors).grad_fn
        for n in self._numbers:
            self._values[n] = None

    def read(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        values = list(self._values)
        for n, tensor in zip(self._numbers, self._node.saved_tensors, strict=True):
            values[n] = tensor
        return self._spec.unflatten(values)


class CheckpointInputs(Function):
    """Keeps the tensors that a checkpointed function was called with."""

    @staticmethod
    def forward(first: Tensor, *tensors: Tensor) -> Tensor:
        return first.detach()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise AssertionError("nothing is computed from this node")

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> None:
        return None  # nor in forward mode


# `checkpoint_sequential`: a chain of functions in checkpointed segments.


def checkpoint_sequential(
    functions: Sequential | Sequence[Callable[[Any], Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """The chain of `functions` on `input`; each of `segments` equal parts but the last is a checkpoint.

    The last part takes what does not divide evenly. `preserve_rng_state` as in `checkpoint`; ValueError for
    other keywords, and for more segments than functions.
    """
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise wrong_call(
            ValueError("Unexpected keyword arguments: " + ",".join(kwargs)),
            "preserve_rng_state is the only one",
        )
    chain = list(functions.children() if isinstance(functions, Module) else functions)
    size = len(chain) // segments
    if not size:
        raise wrong_call(
            ValueError(
                f"checkpoint_sequential: segments must not be more than the functions, got {segments} for "
                f"{len(chain)}"
            ),
            "ask for fewer segments",
        )
    end = size * (segments - 1)
    for start in range(0, end, size):
        input = checkpoint(
            _chained(chain[start : start + size]), input,
            use_reentrant=use_reentrant, preserve_rng_state=preserve,
        )  # fmt: skip
    return _chained(chain[end:])(input)


def _chained(functions: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def run(input: Any) -> Any:
        for function in functions:
            input = function(input)
        return input

    return run
