"""Wrappers for several devices, as torch.nn.parallel."""

from vizgrad.nn.parallel.data_parallel import DataParallel as DataParallel
