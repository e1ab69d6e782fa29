"""Memory shared with other libraries, as torch.utils.dlpack."""

from vizgrad.core.ops.public.exchange import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
