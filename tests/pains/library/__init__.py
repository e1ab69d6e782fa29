"""Bugs in models of other libraries, and their mended twins."""
