"""Wrappers for several devices and several processes, as torch.nn.parallel."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vizgrad.nn.parallel.data_parallel import DataParallel as DataParallel

if TYPE_CHECKING:
    from vizgrad.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel


def __getattr__(name: str) -> Any:
    """A module that needs `vizgrad.distributed` is imported when it is first used."""
    if name == "DistributedDataParallel":
        return import_module(f"{__name__}.distributed").DistributedDataParallel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
