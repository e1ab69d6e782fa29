"""Files of weights, data sets in batches."""

from vizgrad.utils import data as data
from vizgrad.utils import npz as npz
from vizgrad.utils import safetensors as safetensors
