"""The parity suite: small programs, run once on PyTorch and once on vizgrad (see README.md)."""
