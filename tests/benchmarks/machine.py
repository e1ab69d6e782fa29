"""The machine: how many threads the libraries may use, and whether it is busy with something else."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import sys

#: Read by numpy's and PyTorch's libraries when they are loaded, and not again.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def restart_with(threads: int, module: str = "tests.benchmarks") -> None:
    """Replaces this process by one that has the number of threads in its environment, if needed."""
    wanted = {name: str(threads) for name in THREADS}
    if all(os.environ.get(name) == value for name, value in wanted.items()):
        return
    command = [sys.executable, "-m", module, *sys.argv[1:]]
    os.execve(sys.executable, command, {**os.environ, **wanted})


def load() -> float:
    """How many processes wanted a core, over the last minute."""
    return os.getloadavg()[0]


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def busy(before: float) -> str:
    """A warning if others were at work when the benchmark began, or nothing."""
    if before <= 0.5:
        return ""
    return (
        f"The machine was busy when this began (load {before:.1f} on {cores()} cores): trust the ratios "
        "more than the times, and the minima more than the medians."
    )


def describe() -> dict[str, str]:
    """What to write beside the numbers."""
    return {
        "cores": str(cores()),
        "python": platform.python_version(),
        **{name: version(name) for name in ("vizgrad", "numpy", "torch", "autograd")},
        "processor": _processor(),
        "numpy's products": _products(),
    }


def version(distribution: str) -> str:
    if distribution == "vizgrad":  # may be used from the sources
        from vizgrad.version import __version__

        return __version__
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _products() -> str:
    """The library that numpy multiplies matrices with, and for which processor it takes this one.

    `OPENBLAS_CORETYPE` in the environment decides that: with `Haswell`, products on a processor with AVX-512
    take twice as long (note 0084).
    """
    from threadpoolctl import threadpool_info

    importlib.import_module("numpy")  # which loads the library
    found = [one for one in threadpool_info() if one["user_api"] == "blas"]
    told = ", ".join(f"{one['internal_api']} for {one.get('architecture')}" for one in found)
    return told + " (by OPENBLAS_CORETYPE)" * ("OPENBLAS_CORETYPE" in os.environ)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
