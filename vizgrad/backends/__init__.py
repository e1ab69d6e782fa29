"""Settings of libraries that vizgrad does not use: they are kept, and nothing hangs on them."""

from __future__ import annotations

from typing import Any


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


cudnn = _Settings(enabled=True, deterministic=False, benchmark=False, allow_tf32=True)
cuda = _Settings(matmul=_Settings(allow_tf32=False))
mps = _Settings()
mkl = _Settings()
mkldnn = _Settings(enabled=True)
openmp = _Settings()
