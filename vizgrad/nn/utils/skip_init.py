"""Modules that are made without their starting values, as torch.nn.utils.skip_init."""

from __future__ import annotations

import inspect
from typing import Any

from vizgrad.nn.init import skipped
from vizgrad.nn.modules.module import Module


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """`module_cls(*args, **kwargs)`, whose parameters hold whatever is in memory: for values that come from
    elsewhere. The functions of `nn.init` do nothing while it is made, so no random numbers are drawn.

    RuntimeError for what is no class of modules, and for one whose constructor takes no `device`.
    """
    if not (inspect.isclass(module_cls) and issubclass(module_cls, Module)):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError(
            f"Module must support a 'device' arg to skip initialization: {module_cls.__name__} does not"
        )
    with skipped():
        return module_cls(*args, **kwargs)
