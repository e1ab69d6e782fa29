"""The CPU with the functions of `vizgrad.cuda`: one device, always there, never to be waited for."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def is_available() -> bool:
    """Always: True."""
    return True


def device_count() -> int:
    """Always: 1."""
    return 1


def current_device() -> str:
    return "cpu"


def set_device(device: Any) -> None:
    """Changes nothing: there is one."""


def synchronize(device: Any = None) -> None:
    """Returns at once: what was asked for has been done."""


def __getattr__(name: str) -> Any:
    if name == "amp":  # loaded when it is asked for
        return import_module("vizgrad.cpu.amp")
    raise AttributeError(f"module 'vizgrad.cpu' has no attribute {name!r}")
