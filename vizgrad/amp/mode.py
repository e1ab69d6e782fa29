"""`autocast`: the mode, and which operations run in which type under it (PyTorch's lists for the CPU).

How operations come to ask for autocast: when it is entered for the first time, and not before.

Most of what autocast concerns is small, and most programs never use it: they should not pay for the question.
So a function is exchanged in place for one that asks; all references see it. Nearly all are wrapped already
(`takes_tensors` and its like): what the wrapper calls is exchanged. For the others the code is.
"""

from __future__ import annotations

import inspect
import threading
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial, wraps
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

from vizgrad.autograd.mode_context import ModeContext, only_bool
from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.backend import Device, namespace_for
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.state import LEAF, wrong_call
from vizgrad.core.tensor.tensor import Tensor

# --- which operations run in which type, and how one is run -------------------------------------------


# The settings of autocast in this thread, and the conversions that it caches.


class _State(threading.local):
    """A new thread starts with autocast off."""

    def __init__(self) -> None:
        self.enabled = {"cpu": False, "cuda": False}
        self.dtypes: dict[str, DType] = {"cpu": dtypes.bfloat16, "cuda": dtypes.float16}
        self.cache_enabled = True
        #: Blocks that are open.
        self.depth = 0
        #: id of a leaf -> the leaf, its version, and the leaf converted.
        self.known: dict[int, tuple[Any, int, Any]] = {}
        #: Is it on for any kind of device? False also while an operation that has chosen runs.
        self.on = False


STATE = _State()


def changed() -> None:
    """To be called after `enabled` was written to."""
    STATE.on = any(STATE.enabled.values())


#: In the type of autocast, by module.
LOW = {
    "": "matmul mm bmm addmm baddbmm addbmm einsum tensordot inner chain_matmul matrix_power",
    "linalg": "vecdot multi_dot matrix_power",
    "nn.functional": "linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d "
    "scaled_dot_product_attention prelu",
}
#: In float32.
WIDE = {
    "": "prod quantile nanquantile trace cdist polar view_as_complex stft cholesky cholesky_inverse "
    "cholesky_solve inverse lu_solve orgqr ormqr pinverse qr svd triangular_solve",
    "linalg": "solve cholesky svdvals eigvals eigvalsh inv householder_product tensorinv tensorsolve qr "
    "cholesky_ex svd eig eigh lstsq inv_ex cond matrix_rank",
    "fft": "fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft",
    "nn.functional": "avg_pool3d binary_cross_entropy binary_cross_entropy_with_logits grid_sample "
    "max_pool3d max_unpool2d max_unpool3d adaptive_avg_pool3d adaptive_max_pool3d fractional_max_pool2d "
    "fractional_max_pool3d mse_loss l1_loss smooth_l1_loss huber_loss nll_loss cross_entropy kl_div "
    "ctc_loss hinge_embedding_loss poisson_nll_loss cosine_embedding_loss margin_ranking_loss "
    "soft_margin_loss triplet_margin_loss multi_margin_loss multilabel_margin_loss",
}
#: In the widest type among the operands.
WIDEST = {"": "cat concat concatenate stack hstack vstack dstack index_copy"}


def in_low(function: Callable[..., Any], args: Any, options: Any) -> Any:
    """Operands in the type of autocast."""
    if function.__name__ == "einsum" and not _sums(args):
        return function(*args, **options)
    return _chosen(function, args, options, lambda kind: STATE.dtypes[kind])


def in_float32(function: Callable[..., Any], args: Any, options: Any) -> Any:
    """Operands in float32."""
    return _chosen(function, args, options, lambda kind: dtypes.float32)


def padding(function: Callable[..., Any], args: Any, options: Any) -> Any:
    """In float32 what repeats the image; constants in any type."""
    mode = options.get("mode", args[2] if len(args) > 2 else "constant")
    if mode in ("reflect", "replicate"):
        return in_float32(function, args, options)
    return function(*args, **options)


def in_widest(function: Callable[..., Any], args: Any, options: Any) -> Any:
    """Operands in the widest of their floating types."""
    found = [t.dtype for t in _tensors((args, options)) if _may_be_cast(t)]
    if len(set(found)) < 2:
        return function(*args, **options)
    widest = found[0]
    for dtype in found[1:]:
        widest = dtypes.promote_types(widest, dtype)
    return _chosen(function, args, options, lambda kind: widest)


def rounded(function: Callable[..., Any], args: Any, options: Any) -> Any:
    """Computed in float32, and the result rounded to the type of autocast, as by one fused kernel."""
    found = in_float32(function, args, options)
    return mapped(found, lambda t: t.to(STATE.dtypes[t.device.type]) if _may_be_cast(t) else t)


def of_state(function: Callable[..., Any], args: Any, options: Any) -> Any:
    """Computed in float32 by a recurrent module, whose result has the type of its state (given, or zeros like
    the input) where that is wider than the type of autocast.
    """
    found = in_float32(function, args, options)
    given = [t for t in _tensors((args[1:], options)) if _may_be_cast(t)]
    if not given:
        return found
    wanted = dtypes.promote_types(STATE.dtypes[given[-1].device.type], given[-1].dtype)
    return mapped(found, lambda t: t.to(wanted) if _may_be_cast(t) else t)


def _chosen(
    function: Callable[..., Any], args: Any, options: Any, wanted: Callable[[str], DType]
) -> Any:
    """The call with its operands converted; operations inside it choose nothing any more."""
    if options.get("out") is not None:
        return function(*args, **options)
    args, options = mapped((args, options), lambda t: _converted(t, wanted))
    STATE.on = False
    try:
        return function(*args, **options)
    finally:
        changed()


def _converted(tensor: Tensor, wanted: Callable[[str], DType]) -> Tensor:
    if not _may_be_cast(tensor):
        return tensor
    kind = tensor.device.type
    dtype = wanted(kind)
    if tensor.dtype is dtype:
        return tensor
    if not (
        STATE.cache_enabled
        and MODES.grad
        and dtype is STATE.dtypes[kind]
        and tensor._tracked == LEAF
        and tensor.dtype is dtypes.float32
    ):
        return tensor.to(dtype)
    leaf, version, made = STATE.known.get(id(tensor), (None, 0, None))
    if leaf is not tensor or version != tensor._version or made.dtype is not dtype:
        made = tensor.to(dtype)
        STATE.known[id(tensor)] = tensor, tensor._version, made
    return made


def _may_be_cast(tensor: Tensor) -> bool:
    return (
        tensor.is_floating_point()
        and tensor.dtype is not dtypes.float64
        and STATE.enabled[tensor.device.type]
    )


def _sums(args: Any) -> bool:
    """Is there a label in the equation that the result has not? Otherwise it is no product of matrices."""
    if not (args and isinstance(args[0], str)):
        return True
    inputs, arrow, output = args[0].replace(" ", "").partition("->")
    labels = [c for c in inputs if c.isalpha()]
    return any(c not in output if arrow else labels.count(c) > 1 for c in labels)


def mapped(value: Any, change: Callable[[Tensor], Any]) -> Any:
    """Nested tuples, lists and dicts with `change` made to each tensor; those without one as they are."""
    if isinstance(value, Tensor):
        return change(value)
    if type(value) in (tuple, list):
        made = [mapped(v, change) for v in value]
        same = all(new is old for new, old in zip(made, value, strict=True))
        return value if same else type(value)(made)
    if type(value) is dict:
        return {key: mapped(v, change) for key, v in value.items()}
    return value


def _tensors(value: Any) -> list[Tensor]:
    found: list[Tensor] = []
    mapped(value, found.append)
    return found


# --- the mode -----------------------------------------------------------------------------------------


# How operations come to ask for autocast: when it is entered for the first time, and not before.

Policy = Callable[[Callable[..., Any], Any, Any], Any]

_armed = False

#: A watch, which replaces functions for a while, steps aside for the exchange.
ASIDE: list[Callable[[], AbstractContextManager[None]]] = []


def arm() -> None:
    """Makes every operation of the lists ask; does nothing the second time."""
    global _armed
    if _armed:
        return
    _armed = True
    with ExitStack() as stack:
        for aside in ASIDE:
            stack.enter_context(aside())
        _exchange_all()


def _exchange_all() -> None:
    for policy, lists in (
        (in_low, LOW),
        (in_float32, WIDE),
        (in_widest, WIDEST),
        (padding, {"nn.functional": "pad"}),
    ):
        for function in _functions(lists):
            _exchange(function, policy)
    modules = import_module("vizgrad.nn")
    for name in ("RNN", "LSTM", "RNNCell"):
        _exchange(getattr(modules, name).forward, rounded)
    for name in ("GRU", "GRUCell", "LSTMCell"):
        _exchange(getattr(modules, name).forward, of_state)
    _exchange(import_module("vizgrad.core.ops.public.matrix_products").operator, in_low)


def _functions(lists: dict[str, str]) -> list[Any]:
    """The functions that the lists name, each once: some have two names."""
    found: dict[int, Any] = {}
    for package, names in lists.items():
        module = import_module(f"vizgrad.{package}" if package else "vizgrad")
        for name in names.split():
            function = getattr(module, name, None)
            if function is not None:
                found[id(function)] = function
    return list(found.values())


def _exchange(function: Any, policy: Policy) -> None:
    names = function.__code__.co_freevars
    if "function" in names:
        cell = function.__closure__[names.index("function")]
        cell.cell_contents = _asking(cell.cell_contents, policy)
        return
    if names:
        raise TypeError(f"{function.__qualname__} keeps variables of another function: wrap it")
    original = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__
    )
    original.__kwdefaults__ = function.__kwdefaults__
    function.__signature__ = inspect.signature(function)
    function.__code__ = _calling(_asking(original, policy), function.__code__)
    function.__defaults__ = function.__kwdefaults__ = None


def _asking(function: Any, policy: Policy) -> Any:
    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if STATE.on:
            return policy(function, args, options)
        return function(*args, **options)

    return call


def _calling(function: Any, like: CodeType) -> CodeType:
    """The code of a function that does nothing but call `function`, which is one of its constants."""
    scope: dict[str, Any] = {}
    exec("def call(*args, **options):\n    return (0.5).__call__(*args, **options)\n", scope)  # noqa: S102
    code: CodeType = scope["call"].__code__
    constants = tuple(function if c == 0.5 else c for c in code.co_consts)
    return code.replace(co_consts=constants, co_name=like.co_name, co_filename=like.co_filename)


_KINDS = ("cpu", "cuda")
_TYPES = (dtypes.bfloat16, dtypes.float16)


class autocast(ModeContext):
    """Inside, operations on tensors of `device_type` choose their type: products and convolutions run in
    `dtype`, losses and what needs many digits in float32, the rest in the type of what it is given.

    A context manager or a decorator; blocks may be nested, also with `enabled=False`. A parameter is
    converted once and remembered until the outermost block ends (`cache_enabled`). Raises RuntimeError for
    a kind of device that there is not; warns, and does nothing, where the device or the type is missing.
    """

    def __init__(
        self,
        device_type: str,
        dtype: DType | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(device_type, str):
            raise wrong_call(
                ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`"),
                'say autocast("cpu"), or "cuda"',
            )
        _check_kind(device_type)
        self.device = device_type
        self.fast_dtype = STATE.dtypes[device_type] if dtype is None else dtype
        self._given = device_type, dtype, enabled, cache_enabled
        self._cache_enabled = STATE.cache_enabled if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda" and not has_cuda():
            warnings.warn(
                "User provided device_type of 'cuda', but CUDA is not available. Disabling",
                UserWarning,
                stacklevel=2,
            )
            enabled = False
        if enabled and self.fast_dtype not in _TYPES:
            warnings.warn(
                f"In {device_type.upper()} autocast, but the target dtype is not supported. Disabling "
                f"autocast.\n{device_type.upper()} Autocast only supports dtypes of vizgrad.bfloat16 and "
                "vizgrad.float16 currently.",
                UserWarning,
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled

    def clone(self) -> autocast:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the decorator's object has said it
            return autocast(*self._given)

    def _switch(self) -> Any:
        if self._enabled:
            arm()
        kind = self.device
        before = STATE.enabled[kind], STATE.dtypes[kind], STATE.cache_enabled
        STATE.enabled[kind] = self._enabled
        STATE.dtypes[kind] = self.fast_dtype
        STATE.cache_enabled = self._cache_enabled
        STATE.depth += 1
        changed()
        return before

    def _restore(self, found: Any) -> None:
        kind = self.device
        STATE.enabled[kind], STATE.dtypes[kind], STATE.cache_enabled = found
        STATE.depth -= 1
        if not STATE.depth:
            STATE.known.clear()
        changed()


def has_cuda() -> bool:
    """Is there a CUDA device, and cupy to use it?"""
    try:
        namespace_for(Device("cuda"))
    except RuntimeError:
        return False
    return True


def _check_kind(device_type: str) -> None:
    if device_type not in _KINDS:
        raise wrong_call(
            RuntimeError(
                f"User specified an unsupported autocast device_type {device_type!r}: there are "
                + " and ".join(_KINDS)
            ),
            'say autocast("cpu"), or "cuda"',
        )


def is_autocast_available(device_type: str) -> bool:
    """Can `autocast` be used with this kind of device?"""
    return device_type in _KINDS


def is_autocast_enabled(*device_type: str) -> bool:
    """Is autocast on for a kind of device (without an argument: for CUDA) in this thread?"""
    (kind,) = device_type or ("cuda",)
    _check_word("is_autocast_enabled", kind)
    return STATE.enabled[kind]


def set_autocast_enabled(device_type: Any, *enabled: bool) -> None:
    """Switches autocast on or off for a kind of device; one argument alone is for CUDA."""
    kind, wanted = (device_type, *enabled) if enabled else ("cuda", device_type)
    only_bool("set_autocast_enabled", "enabled", wanted)
    _check_word("set_autocast_enabled", kind)
    if wanted:
        arm()
    STATE.enabled[kind] = wanted
    changed()


def get_autocast_dtype(device_type: str) -> DType:
    """The type that products run in: bfloat16 on the CPU and float16 on CUDA unless said otherwise."""
    _check_word("get_autocast_dtype", device_type)
    return STATE.dtypes[device_type]


def set_autocast_dtype(device_type: str, dtype: DType) -> None:
    """Sets the type that products run in."""
    if not isinstance(dtype, DType):
        raise wrong_call(
            TypeError(
                "set_autocast_dtype(): argument 'dtype' (position 2) must be a dtype, not "
                f"{type(dtype).__name__}"
            ),
            "pass vizgrad.bfloat16 or vizgrad.float16",
        )
    _check_word("set_autocast_dtype", device_type)
    STATE.dtypes[device_type] = dtype


def _check_word(function: str, device_type: Any) -> None:
    if not isinstance(device_type, str):
        raise wrong_call(
            TypeError(
                f"{function}(): argument 'device_type' (position 1) must be str, not "
                f"{type(device_type).__name__}"
            ),
            'say "cpu" or "cuda"',
        )
    _check_kind(device_type)


def is_autocast_cpu_enabled() -> bool:
    return STATE.enabled["cpu"]


def get_autocast_cpu_dtype() -> DType:
    return STATE.dtypes["cpu"]


def get_autocast_gpu_dtype() -> DType:
    return STATE.dtypes["cuda"]


def is_autocast_cache_enabled() -> bool:
    """Are converted parameters remembered?"""
    return STATE.cache_enabled


def set_autocast_cache_enabled(enabled: bool) -> None:
    STATE.cache_enabled = only_bool("set_autocast_cache_enabled", "enabled", enabled)


def clear_autocast_cache() -> None:
    """Forgets the converted parameters."""
    STATE.known.clear()


# `custom_fwd` and `custom_bwd`: a Function of one's own under autocast.


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: DType | None = None
) -> Any:
    """Decorates `forward`: it runs under the autocast of its caller, and remembers it for the backward.

    With `cast_inputs` floating-point operands of the device are converted to that type where autocast is
    on, and `forward` runs without autocast.
    """
    if fwd is None:
        return partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @wraps(fwd)
    def forward(*args: Any, **options: Any) -> Any:
        context = args[0]
        context._dtype = get_autocast_dtype(device_type)
        on = is_autocast_enabled(device_type)
        if cast_inputs is None or not on:
            context._fwd_used_autocast = on
            return fwd(*args, **options)
        context._fwd_used_autocast = False

        def convert(tensor: Any) -> Any:
            wanted = tensor.is_floating_point() and tensor.dtype is not dtypes.float64
            return (
                tensor.to(cast_inputs) if wanted and tensor.device.type == device_type else tensor
            )

        with autocast(device_type, enabled=False):
            return fwd(*mapped(args, convert), **mapped(options, convert))

    return forward


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Any:
    """Decorates `backward`: it runs under the autocast that its `forward` ran under."""
    if bwd is None:
        return partial(custom_bwd, device_type=device_type)

    @wraps(bwd)
    def backward(*args: Any, **options: Any) -> Any:
        context = args[0]
        with autocast(device_type, enabled=context._fwd_used_autocast, dtype=context._dtype):
            return bwd(*args, **options)

    return backward
