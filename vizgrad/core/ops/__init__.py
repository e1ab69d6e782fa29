"""Operations, one family a file; importing this package makes functions and methods of them."""

from importlib import import_module
from typing import Any

from vizgrad.core.ops import forms as forms
from vizgrad.core.ops import operators as operators
from vizgrad.core.ops.public import families as families


def __getattr__(name: str) -> Any:
    """PyTorch's names of operations, which few programs need."""
    if name == "aten":
        return import_module(f"{__name__}.aten")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
