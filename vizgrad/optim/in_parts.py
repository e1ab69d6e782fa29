"""Complex parameters: rules step their real and imaginary parts as two numbers, as PyTorch does."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

from vizgrad.core.arrays import Array
from vizgrad.core.arrays.kernels.complexes import as_complex, as_real
from vizgrad.core.tensor.tensor import Tensor, new_tensor


class StateInParts(MutableMapping[str, Any]):
    """The state of a complex parameter as its rule sees it: complex tensors as pairs of real numbers.

    What the rule keeps for each number of `pairs` becomes a complex tensor of the state, on the same memory.
    """

    def __init__(self, state: MutableMapping[str, Any], pairs: Array) -> None:
        self._state = state
        self._shape = pairs.shape

    def __getitem__(self, name: str) -> Any:
        value = self._state[name]
        if isinstance(value, Tensor) and value._array.dtype.kind == "c":
            return new_tensor(as_real(value._array))
        return value

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor) and value._array.shape == self._shape:
            value = new_tensor(as_complex(value._array))
        self._state[name] = value

    def __delitem__(self, name: str) -> None:
        del self._state[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._state)

    def __len__(self) -> int:
        return len(self._state)


def flat_parts(array: Array) -> Array:
    """All elements as one vector; of complex ones their parts, one after the other."""
    return (as_real(array) if array.dtype.kind == "c" else array).reshape(-1)
