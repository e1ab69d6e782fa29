"""Several operations as one kernel of a device; see the README beside this file."""

from vizgrad.core.arrays.fusion.elements import as_laid_out, fused

__all__ = ["as_laid_out", "fused"]
