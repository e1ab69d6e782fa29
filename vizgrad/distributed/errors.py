"""The errors of torch.distributed."""

from __future__ import annotations


class DistError(RuntimeError):
    """An error of the distributed package."""


class DistBackendError(DistError):
    """A collective failed: another rank has ended, was too late, or called another collective."""


class DistNetworkError(DistError):
    """The network refused."""


class DistStoreError(DistError):
    """The store was not reached, or has no such key in time."""
