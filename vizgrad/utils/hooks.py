"""The handle of a hook, under PyTorch's name."""

from vizgrad.core.graph.node import RemovableHandle as RemovableHandle
