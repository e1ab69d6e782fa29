"""Hooks for `DistributedDataParallel.register_comm_hook`, as torch.distributed.algorithms.ddp_comm_hooks."""

from vizgrad.distributed.algorithms.ddp_comm_hooks import default_hooks as default_hooks
