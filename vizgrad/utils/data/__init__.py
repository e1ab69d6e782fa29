"""Data sets, and batches of them, as torch.utils.data: in this process."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vizgrad.utils.data import dataloader as dataloader
from vizgrad.utils.data.collate import default_collate as default_collate
from vizgrad.utils.data.collate import default_convert as default_convert
from vizgrad.utils.data.dataloader import DataLoader as DataLoader
from vizgrad.utils.data.dataloader import get_worker_info as get_worker_info
from vizgrad.utils.data.dataset import ChainDataset as ChainDataset
from vizgrad.utils.data.dataset import ConcatDataset as ConcatDataset
from vizgrad.utils.data.dataset import Dataset as Dataset
from vizgrad.utils.data.dataset import IterableDataset as IterableDataset
from vizgrad.utils.data.dataset import StackDataset as StackDataset
from vizgrad.utils.data.dataset import Subset as Subset
from vizgrad.utils.data.dataset import TensorDataset as TensorDataset
from vizgrad.utils.data.dataset import random_split as random_split
from vizgrad.utils.data.sampler import BatchSampler as BatchSampler
from vizgrad.utils.data.sampler import RandomSampler as RandomSampler
from vizgrad.utils.data.sampler import Sampler as Sampler
from vizgrad.utils.data.sampler import SequentialSampler as SequentialSampler
from vizgrad.utils.data.sampler import SubsetRandomSampler as SubsetRandomSampler
from vizgrad.utils.data.sampler import WeightedRandomSampler as WeightedRandomSampler

if TYPE_CHECKING:
    from vizgrad.utils.data.distributed import DistributedSampler as DistributedSampler


def __getattr__(name: str) -> Any:
    """A module that needs `vizgrad.distributed` is imported when it is first used."""
    if name in ("distributed", "DistributedSampler"):
        module = import_module(f"{__name__}.distributed")
        return module if name == "distributed" else module.DistributedSampler
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
