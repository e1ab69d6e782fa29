"""Random calls and programs on PyTorch and vizgrad: they agree, or the smallest that does not is shown."""
