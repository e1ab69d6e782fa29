"""Which operations run in which type under autocast (PyTorch's lists for the CPU), and how one is run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.state import LEAF
from vizgrad.core.tensor.tensor import Tensor

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
