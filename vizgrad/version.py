"""The version, where any layer can read it."""

from typing import Any

__version__ = "0.9.0"
debug = False
#: There is no build for AMD's or Intel's GPUs.
hip = xpu = None


def __getattr__(name: str) -> Any:
    """`cuda` is looked up when it is asked for."""
    if name == "cuda":
        return _cuda()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _cuda() -> str | None:
    """The version of CUDA that cupy's installed build is for ("12.9", or "12" if only that is known); None
    without cupy.
    """
    from importlib.metadata import (
        PackageNotFoundError,
        version,
    )  # slow to import, and rarely asked for

    for number in ("13", "12"):
        try:
            version(f"cupy-cuda{number}x")
        except PackageNotFoundError:
            continue
        for runtime in (f"nvidia-cuda-runtime-cu{number}", "nvidia-cuda-runtime"):
            try:
                found = version(runtime)
            except PackageNotFoundError:
                continue
            if found.startswith(f"{number}."):
                return ".".join(found.split(".")[:2])
        return number
    return None
