"""All files of rules, for their declarations."""

from vizgrad.core.batching import indexing as indexing
from vizgrad.core.batching import layers as layers
from vizgrad.core.batching import products as products
from vizgrad.core.batching import random as random
from vizgrad.core.batching import reductions as reductions
from vizgrad.core.batching import shapes as shapes
from vizgrad.core.batching import sparse as sparse
