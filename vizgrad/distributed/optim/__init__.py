"""The public names of torch.distributed.optim."""

from vizgrad.distributed.optim.zero_redundancy_optimizer import (
    ZeroRedundancyOptimizer as ZeroRedundancyOptimizer,
)
