"""A tensor as an object of a class of the user's own.

What operations make of it is a plain Tensor again: there is no `__torch_function__` here.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.ops import shape
from vizgrad.core.ops.forms import method
from vizgrad.core.tensor.leaves import leaf_over
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.core.tensor.wrong_call import wrong_call


@method
def as_subclass(self: Tensor, cls: Any) -> Any:
    """A view of all of the tensor, as a `cls`; gradients pass through.

    TypeError for what is no class, or one that does not inherit from Tensor.
    """
    _check_class(cls)
    out: Any = shape.alias.record(self)
    out.__class__ = cls
    return out


def _make_subclass(cls: Any, data: Tensor, require_grad: bool = False) -> Any:
    """A leaf of class `cls` on the memory of `data`: no history, the same version counter.

    Raises as `as_subclass`, TypeError for data that is no tensor, and RuntimeError when a gradient is wanted
    for numbers that are neither floating point nor complex.
    """
    _check_class(cls)
    if not isinstance(data, Tensor):
        raise wrong_call(
            TypeError(
                f"_make_subclass(): argument 'data' (position 2) must be Tensor, not {type(data).__name__}"
            ),
            "make a Tensor of it: `vizgrad.tensor(...)`",
        )
    return leaf_over(data, require_grad, cls)


def _check_class(cls: Any) -> None:
    if not isinstance(cls, type):
        raise wrong_call(
            TypeError(f"cls must be a type (got {type(cls).__name__})"), "give it the class itself"
        )
    if not issubclass(cls, Tensor):
        raise wrong_call(
            TypeError(
                "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible: "
                f"{cls.__name__} does not"
            ),
            f"class {cls.__name__}(Tensor): ...",
        )


Tensor._make_subclass = staticmethod(_make_subclass)
