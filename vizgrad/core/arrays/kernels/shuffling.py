"""Moving elements between channels and space, and among channels: always copies, in C order."""

from __future__ import annotations

from vizgrad.core.arrays.backend import Array


def pixel_shuffle(x: Array, r: int) -> Array:
    *lead, channels, height, width = x.shape
    n, c = len(lead), channels // (r * r)
    parts = x.reshape(*lead, c, r, r, height, width)
    parts = parts.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return parts.copy().reshape(*lead, c, height * r, width * r)


def pixel_unshuffle(x: Array, r: int) -> Array:
    *lead, channels, height, width = x.shape
    n = len(lead)
    parts = x.reshape(*lead, channels, height // r, r, width // r, r)
    parts = parts.transpose(*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return parts.copy().reshape(*lead, channels * r * r, height // r, width // r)


def channel_shuffle(x: Array, groups: int) -> Array:
    n, channels, *size = x.shape
    parts = x.reshape(n, groups, channels // groups, *size).swapaxes(1, 2)
    return parts.copy().reshape(x.shape)
