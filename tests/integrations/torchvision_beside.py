"""Makes torchvision importable beside a PyTorch that it was not built for.

timm, and trainers that look whether it is there, import torchvision for its transforms, which are Python.
The builds of torchvision on PyPI are for CUDA. Beside PyTorch's build for the CPU the library of its
operators does not load, which torchvision bears, but for two operators, which it describes whether they
exist or not. So these are declared here, without an implementation. Detection models, which call them, do
not work so; nothing here uses them.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any

import torch

#: Kept: a declaration is gone with its library.
_libraries: list[Any] = []


def make_importable() -> None:
    """To be called before a library that uses torchvision is imported. Does nothing where torchvision is not
    installed, or can be imported as it is.
    """
    if "torchvision" in sys.modules or find_spec("torchvision") is None:
        return
    try:
        import torchvision
    except RuntimeError as error:
        if "torchvision::nms" not in str(error):
            raise
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        library = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        _libraries.append(library)
        import torchvision  # noqa: F401  it is the import that matters
