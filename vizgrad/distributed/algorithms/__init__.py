"""Communication hooks, and training on inputs of different length, as torch.distributed.algorithms."""

from vizgrad.distributed.algorithms.join import Join as Join
from vizgrad.distributed.algorithms.join import Joinable as Joinable
from vizgrad.distributed.algorithms.join import JoinHook as JoinHook
