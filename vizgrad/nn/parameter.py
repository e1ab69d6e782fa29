"""Parameter: a tensor that a Module takes as its own when it is assigned as an attribute."""

from __future__ import annotations

from typing import Any, Self

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import on_device_of
from vizgrad.core.tensor.copying import leaf_over
from vizgrad.core.tensor.tensor import Tensor, new_tensor


class Parameter(Tensor):
    """A leaf that is learned: it requires grad, and `Module.parameters()` finds it.

    Shares memory and version counter with `data`. Raises RuntimeError when a gradient is wanted for a
    tensor that is neither floating point nor complex (T-51).
    """

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        if data is None:
            data = new_tensor(xp.empty(0, dtypes.get_default_dtype().np))
        elif not isinstance(data, Tensor):
            raise TypeError(
                f"a Parameter is made from a Tensor, not from {type(data).__name__}; "
                "wrap the values first: Parameter(vizgrad.tensor(values))"
            )
        return leaf_over(data, requires_grad, cls)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        """Values and flag alone: a copy of a model starts without gradients."""
        known = memo.get(id(self))
        if known is None:
            with on_device_of(self):
                known = type(self)(new_tensor(self._array.copy(order="K")), self.requires_grad)
            memo[id(self)] = known
        return known

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild, (type(self), self._array, self.requires_grad, dict(self.__dict__))

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


def _rebuild(
    cls: type[Parameter], array: Any, requires_grad: bool, attributes: dict[str, Any]
) -> Parameter:
    out = cls(new_tensor(dtypes.canonical(array)), requires_grad)
    out.__dict__.update(attributes)
    return out


class Buffer(Tensor):
    """A tensor that a Module keeps as state without learning it, when assigned as an attribute."""

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Self:
        if data is None:
            data = new_tensor(xp.empty(0, dtypes.get_default_dtype().np))
        out = leaf_over(data, False, cls)
        out.persistent = persistent
        return out
