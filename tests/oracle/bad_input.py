"""Wrong operands made of right ones, and what a call with them does: raises, or gives something."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.oracle.rows import NotThere

#: What is given in the place of a tensor.
THINGS: dict[str, Any] = {"a string": "text", "None": None, "a list": [1.0, 2.0]}


def _longer(array: np.ndarray, axis: int) -> np.ndarray:
    return np.concatenate([array, np.take(array, [0], axis)], axis)


def spoiled(array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """(what is wrong with it, the array), for all that can be made of this one."""
    if array.ndim:
        yield (
            "one dim less",
            np.asarray(array[0]) if len(array) else np.zeros(array.shape[1:], array.dtype),
        )
        yield (
            "a number",
            np.array(array.reshape(-1)[0]) if array.size else np.zeros((), array.dtype),
        )
        if array.size:
            yield "longer at the end", _longer(array, -1)
            yield "longer at the start", _longer(array, 0)
        yield "nothing in it", array[..., :0]
        yield "no rows", array[:0]
    yield "one dim more", array[None]
    kind = array.dtype.kind
    if kind == "f":
        yield "bool", array > 0
        yield "int", array.astype(np.int64)
        yield "complex", array.astype(np.complex128)
        yield "half as wide", array.astype(np.float32)
    elif kind in "iu":
        yield "float", array.astype(np.float64)
        yield "too large", array + 1000
        yield "too small", array - 1000
        yield "narrow", array.astype(np.int32)
    elif kind == "c":
        yield "real", np.ascontiguousarray(array.real)
    elif kind == "b":
        yield "float", array.astype(np.float64)


def mutations(arrays: tuple[np.ndarray, ...]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """(name, operands): each operand spoiled in turn."""
    for place, array in enumerate(arrays):
        for name, made in [*spoiled(array), *THINGS.items()]:
            yield f"{place}: {name}", (*arrays[:place], made, *arrays[place + 1 :])


def outcome(torch: Any, call: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
    """The arrays that the call gives, or the exception."""
    given = [torch.from_numpy(a.copy()) if isinstance(a, np.ndarray) else a for a in operands]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with torch.no_grad():
                return arrays_of(call(*given))
        except NotThere:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, it is compared
            return error


def arrays_of(made: Any) -> list[np.ndarray]:
    found = list(made) if isinstance(made, (tuple, list)) else [made]
    return [
        np.asarray(t.resolve_conj().numpy(force=True))
        if hasattr(t, "resolve_conj")
        else np.asarray(t)
        for t in found
    ]
