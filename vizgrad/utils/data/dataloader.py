"""The loader under the name of PyTorch's module, from which older programs import it."""

from vizgrad.utils.data.collate import default_collate as default_collate
from vizgrad.utils.data.collate import default_convert as default_convert
from vizgrad.utils.data.dataset import Dataset as Dataset
from vizgrad.utils.data.dataset import IterableDataset as IterableDataset
from vizgrad.utils.data.loader import DataLoader as DataLoader
from vizgrad.utils.data.sampler import BatchSampler as BatchSampler
from vizgrad.utils.data.sampler import RandomSampler as RandomSampler
from vizgrad.utils.data.sampler import Sampler as Sampler
from vizgrad.utils.data.sampler import SequentialSampler as SequentialSampler
