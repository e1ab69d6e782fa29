"""Which backend the tensors of a kind of device go through, as `init_process_group` is told."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from vizgrad.core.arrays.backend import Device, namespace_for
from vizgrad.core.tensor.state import wrong_call

#: Those of the host, which take tensors on a device as well: copied to the host and back.
_OF_HOST = ("gloo", "mpi")
NCCL = "nccl"
#: NCCL where it can be used, else gloo: found out when a tensor on a device is first given.
UNDEFINED = "undefined"


def backends_of(config: str | None) -> tuple[str, dict[str, str]]:
    """(the name of the configuration, backends by type of device). ``gloo`` and ``mpi`` are for all tensors,
    ``nccl`` for those on a device; ``cpu:gloo,cuda:nccl`` says it for each. Without a configuration, which is
    called ``undefined`` as in PyTorch, it is that one where NCCL can be used, else ``gloo``.

    AssertionError for a backend that is not known, ValueError for a configuration of another form.
    """
    if config is None:
        return UNDEFINED, {"cpu": "gloo", "cuda": UNDEFINED}
    name = str(config).lower()
    if ":" not in name:
        _check(name, config)
        return name, {"cuda": NCCL} if name == NCCL else {"cpu": name, "cuda": name}
    found: dict[str, str] = {}
    for part in name.split(","):
        device, _, backend = part.strip().partition(":")
        if device not in ("cpu", "cuda") or not backend or device in found:
            raise wrong_call(
                ValueError(
                    f"Invalid device:backend pairing: {part!r} in {config!r}: a device is cpu or cuda, "
                    "and is named once"
                ),
                'write it as "cpu:gloo,cuda:nccl"',
            )
        _check(backend, config)
        if backend == NCCL and device == "cpu":
            raise wrong_call(
                ValueError(
                    f"NCCL moves tensors between CUDA devices, and {config!r} gives it the CPU"
                ),
                'write "cpu:gloo,cuda:nccl"',
            )
        found[device] = backend
    return name, found


def _check(backend: str, config: str) -> None:
    if backend not in (*_OF_HOST, NCCL):
        raise wrong_call(
            AssertionError(f"Unknown backend type {config}"),
            'use "gloo", "nccl" or, under mpirun, "mpi"',
        )


def of_host(backends: Mapping[str, str]) -> str:
    """The backend that carries messages of the host: objects, and what ranks have to agree on."""
    return "mpi" if "mpi" in backends.values() else "gloo"


def available() -> bool:
    """Can NCCL be used here? cupy is imported by this question."""
    try:
        bindings()
    except RuntimeError:
        return False
    return True


def bindings() -> Any:
    """cupy's module of NCCL. RuntimeError where there is none, or no device."""
    try:
        found = import_module(f"{namespace_for(Device('cuda')).__name__}.cuda.nccl")
    except (ImportError, RuntimeError) as error:
        raise _missing(str(error)) from error
    if not found.available:
        raise _missing("cupy finds no libnccl.so.2")
    return found


def _missing(why: str) -> RuntimeError:
    return wrong_call(
        RuntimeError(f"Distributed package doesn't have NCCL built in: {why}"),
        'install vizgrad[cuda12] with nvidia-nccl-cu12 (or cuda13, cu13), or use the backend "gloo", which '
        "copies tensors on a device to the host and back",
    )
