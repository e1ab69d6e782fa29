"""PyTorch's graphs in the same debugger: the engine behind `vizgrad.inspection` for `torch.Tensor`.

To be imported where PyTorch is.
"""

from vizgrad.pytorch.watching import watching

__all__ = ["watching"]
