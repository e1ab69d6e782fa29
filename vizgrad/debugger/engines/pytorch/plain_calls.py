"""The calls that a watch hears most: an operation makes a new tensor of plain ones, and writes to none.

The questions about any call take longer than such an operation itself. So its arguments are gone through
once, here, and a call that turns out to be of this kind is noted without further questions.
"""

from __future__ import annotations

from typing import Any

import torch

_Tensor, _Parameter = torch.Tensor, torch.nn.Parameter
#: Arguments that hold no tensors.
_OTHERS = frozenset(
    {
        int, float, bool, str, complex, type(None), slice, type(Ellipsis), torch.dtype, torch.device,
        torch.layout, torch.memory_format, torch.Size,
    }
)  # fmt: skip
_NUMBERS = (float, int)
_modes = torch._C._len_torch_function_stack
_transform = torch._C._functorch.peek_interpreter_stack
#: The tensors among the arguments of a call, their counters before it, and whether a number is among them.
Operands = tuple[list[Any], list[int], bool]


def plain_operands(  # noqa: C901  one loop, as each call of a function costs a tenth of the whole
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Operands | None:
    """The operands of a call with these arguments; None where one is no plain tensor or may hold others,
    where another mode listens, and within a transform.
    """
    if _modes() or _transform() is not None:
        return None
    operands: list[Any] = []
    constant = False
    for each in args:
        kind = each.__class__
        if kind is _Tensor or kind is _Parameter:
            operands.append(each)
        elif kind is tuple or kind is list:
            for inner in each:
                kind = inner.__class__
                if kind is _Tensor or kind is _Parameter:
                    operands.append(inner)
                elif kind not in _OTHERS:
                    return None
        elif kind in _NUMBERS:
            constant = True
        elif kind not in _OTHERS:
            return None
    for each in kwargs.values() if kwargs else ():
        kind = each.__class__
        if kind is _Tensor or kind is _Parameter:
            operands.append(each)
        elif kind not in _OTHERS:
            return None
    try:
        return operands, [each._version for each in operands], constant
    except RuntimeError:  # inference tensors have none
        return None
