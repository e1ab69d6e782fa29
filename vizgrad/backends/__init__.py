"""Settings of libraries that vizgrad does not use: they are kept, and nothing hangs on them.

But `mkldnn.enabled` says, as in PyTorch, whether a layer of `nn.LSTM` in float32 is one node of the graph.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from vizgrad.core.ops import recurrent
from vizgrad.core.ops.public.settings import (
    get_float32_matmul_precision,
    set_float32_matmul_precision,
)


class _Settings:
    """A library's settings by name; of a library that is not here, `is_available()` is False."""

    def __init__(self, **settings: Any) -> None:
        self.__dict__.update(settings)

    def is_available(self) -> bool:
        return False

    def is_built(self) -> bool:
        return False

    def version(self) -> None:
        """None: the library is not used."""


class _OneDNN(_Settings):
    """`enabled` is read and set where layers are run."""

    @property
    def enabled(self) -> bool:
        return recurrent.SETTINGS.one_node

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        recurrent.SETTINGS.one_node = bool(enabled)

    @contextmanager
    def flags(self, enabled: bool = False, **others: Any) -> Generator[None]:
        """Sets `enabled`, and whatever else is named, inside the block."""
        before = {name: getattr(self, name, None) for name in ("enabled", *others)}
        for name, value in {"enabled": enabled, **others}.items():
            setattr(self, name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(self, name, value)


class _MatrixProducts:
    """The older name of `set_float32_matmul_precision`."""

    @property
    def allow_tf32(self) -> bool:
        return get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        set_float32_matmul_precision("high" if allowed else "highest")


cudnn = _Settings(enabled=True, deterministic=False, benchmark=False, allow_tf32=True)
cuda = _Settings(matmul=_MatrixProducts())
mps = _Settings()
mkl = _Settings()
mkldnn = _OneDNN(deterministic=False, allow_tf32=True)
openmp = _Settings()
