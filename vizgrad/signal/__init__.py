"""Signals: see the README."""

from vizgrad.signal import windows as windows
