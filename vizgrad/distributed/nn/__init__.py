"""The public names of torch.distributed.nn: collectives that have a derivative."""

from vizgrad.distributed.nn import functional as functional
from vizgrad.distributed.nn.functional import all_gather as all_gather
from vizgrad.distributed.nn.functional import all_reduce as all_reduce
from vizgrad.distributed.nn.functional import all_to_all as all_to_all
from vizgrad.distributed.nn.functional import all_to_all_single as all_to_all_single
from vizgrad.distributed.nn.functional import broadcast as broadcast
from vizgrad.distributed.nn.functional import gather as gather
from vizgrad.distributed.nn.functional import reduce as reduce
from vizgrad.distributed.nn.functional import reduce_scatter as reduce_scatter
from vizgrad.distributed.nn.functional import scatter as scatter
