"""Timings against PyTorch and HIPS autograd; `python -m tests.benchmarks`. Not tests."""
