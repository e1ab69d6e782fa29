"""Several operations as one kernel of a device; see the README beside this file."""

from vizgrad.core.arrays.fusion.elements import fused

__all__ = ["fused"]
