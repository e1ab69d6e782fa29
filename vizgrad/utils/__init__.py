"""Files of weights, data sets in batches, checkpoints, nests of containers."""

from importlib import import_module
from typing import Any

from vizgrad.utils import data as data
from vizgrad.utils import dlpack as dlpack
from vizgrad.utils import hooks as hooks
from vizgrad.utils import npz as npz
from vizgrad.utils import safetensors as safetensors


def __getattr__(name: str) -> Any:
    """Rarely used modules are imported when they are first used."""
    if name in ("_pytree", "checkpoint"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
