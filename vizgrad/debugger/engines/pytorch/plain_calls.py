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
_number = torch._C._autograd._get_sequence_nr


class PlainCall:
    """A call before it is made."""

    __slots__ = ("args", "constant", "kwargs", "name", "number", "operands", "versions")

    def __init__(
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], operands: list[Any],
        versions: list[int], constant: bool,
    ) -> None:  # fmt: skip
        self.name, self.args, self.kwargs = name, args, kwargs
        #: The tensors among its arguments, and their counters before it.
        self.operands, self.versions = operands, versions
        #: Is a number among them?
        self.constant = constant
        #: The number that the next node gets.
        self.number = _number()

    def has_written(self) -> bool:
        """Did the counter of an operand go on?"""
        return [each._version for each in self.operands] != self.versions

    def before(self) -> list[tuple[Any, int]]:
        """The tensors, with their counters before the call."""
        return list(zip(self.operands, self.versions, strict=True))

    def one_node(self, node: Any) -> bool:
        """Is this node all that the call has recorded?"""
        return bool(node._sequence_nr() == self.number == _number() - 1)


def plain_call(  # noqa: C901  one loop, as each call of a function costs a tenth of the whole
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> PlainCall | None:
    """A call with these arguments; None where one is no plain tensor or may hold others, where another mode
    listens, and within a transform.
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
    for each in kwargs.values():
        kind = each.__class__
        if kind is _Tensor or kind is _Parameter:
            operands.append(each)
        elif kind not in _OTHERS:
            return None
    try:
        versions = [each._version for each in operands]
    except RuntimeError:  # inference tensors have none
        return None
    return PlainCall(name, args, kwargs, operands, versions, constant)
