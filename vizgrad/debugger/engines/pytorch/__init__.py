"""PyTorch's graphs in the same debugger: the engine behind `vizgrad.debugger.session` for `torch.Tensor`.

To be imported where PyTorch is.
"""

from vizgrad.debugger.engines.pytorch.torch_watch import watching

__all__ = ["watching"]
