"""Assertions for tests: of gradients, and of values as in `torch.testing`."""

from __future__ import annotations

from vizgrad.testing.close import assert_close as assert_close
from vizgrad.testing.same_gradients import assert_same_gradients as assert_same_gradients

__all__ = ["assert_close", "assert_same_gradients"]
