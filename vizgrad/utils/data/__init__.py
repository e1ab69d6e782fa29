"""Data sets, and batches of them, as torch.utils.data: in this process."""

from vizgrad.utils.data import dataloader as dataloader
from vizgrad.utils.data.collate import default_collate as default_collate
from vizgrad.utils.data.collate import default_convert as default_convert
from vizgrad.utils.data.dataloader import DataLoader as DataLoader
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
