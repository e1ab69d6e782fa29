"""Settings of libraries that vizgrad does not use: they are kept, and nothing hangs on them."""

from __future__ import annotations

from typing import Any

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
mkldnn = _Settings(enabled=True)
openmp = _Settings()
