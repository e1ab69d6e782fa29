"""Kernels that are more than one numpy call: pure functions over arrays."""
