"""Buggy programs and their mended twins: what is said of each, on both engines."""
