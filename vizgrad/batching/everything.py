"""All files of rules, for their declarations."""

from vizgrad.batching import indexing as indexing
from vizgrad.batching import layers as layers
from vizgrad.batching import loop as loop
from vizgrad.batching import losses as losses
from vizgrad.batching import pointwise as pointwise
from vizgrad.batching import products as products
from vizgrad.batching import random as random
from vizgrad.batching import reductions as reductions
from vizgrad.batching import shapes as shapes
from vizgrad.batching import sparse as sparse
from vizgrad.batching import strided as strided
