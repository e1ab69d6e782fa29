"""Which kernels `scaled_dot_product_attention` may use, as torch.nn.attention."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from enum import Enum

from vizgrad.nn.functional.attention import KERNELS


class SDPBackend(Enum):
    """The kernels that PyTorch has for attention. vizgrad has those of PyTorch's CPU: with `FLASH_ATTENTION`
    attention is one node, with `MATH` its steps are recorded.
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4  # codespell:ignore


@contextmanager
def sdpa_kernel(
    backends: SDPBackend | Iterable[SDPBackend], set_priority: bool = False
) -> Generator[None]:
    """Within the block attention uses one of these kernels: RuntimeError from
    `scaled_dot_product_attention` if none of them can. The result is the same with each.

    AssertionError for anything else than backends.
    """
    chosen = [backends] if isinstance(backends, SDPBackend) else list(_listed(backends))
    if not all(isinstance(each, SDPBackend) for each in chosen):
        raise _wrong(backends)
    before = KERNELS.flash, KERNELS.math
    KERNELS.flash = SDPBackend.FLASH_ATTENTION in chosen
    KERNELS.math = SDPBackend.MATH in chosen
    try:
        yield
    finally:
        KERNELS.flash, KERNELS.math = before


def _listed(backends: object) -> Iterable[object]:
    if not isinstance(backends, list | tuple | set):
        raise _wrong(backends)
    return backends


def _wrong(backends: object) -> AssertionError:
    return AssertionError(
        "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
        f"{type(backends).__name__}"
    )
