"""When two observations agree, and what to say when they do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.oracle.observations import GraphSeen, Raised, TensorSeen

#: (relative, absolute) tolerance by dtype (T-87). Integers and bools are compared exactly.
TOLERANCE = {
    "bfloat16": (1.6e-2, 4e-3),  # PyTorch rounds after more of its steps
    "float16": (1e-3, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}


def differences(where: str, theirs: Any, ours: Any) -> Iterator[str]:
    """What differs between PyTorch's observation and vizgrad's; nothing when they agree."""
    if isinstance(theirs, Raised) and isinstance(ours, Raised):
        if not same_error(theirs.kind, ours.kind):
            yield _plain(where, theirs, ours)
    elif type(theirs) is not type(ours):
        yield _plain(where, theirs, ours)
    elif isinstance(theirs, TensorSeen):
        yield from _tensors(where, theirs, ours)
    elif isinstance(theirs, (tuple, list, dict)):
        yield from _nests(where, theirs, ours)
    elif isinstance(theirs, (float, complex)):
        if not near(theirs, ours, "float64"):
            yield _plain(where, theirs, ours)
    elif theirs != ours:
        yield _plain(where, theirs, ours)


def _nests(where: str, theirs: Any, ours: Any) -> Iterator[str]:
    keys = list(theirs) if isinstance(theirs, dict) else list(range(len(theirs)))
    if keys != (list(ours) if isinstance(ours, dict) else list(range(len(ours)))):
        yield _plain(where, theirs, ours)
        return
    for key in keys:
        yield from differences(f"{where}[{key!r}]", theirs[key], ours[key])


def _tensors(where: str, theirs: TensorSeen, ours: TensorSeen) -> Iterator[str]:
    for field in ("dtype", "shape", "requires_grad", "is_leaf"):
        their, our = getattr(theirs, field), getattr(ours, field)
        if their != our:
            yield _plain(f"{where}: {field}", their, our)
    if theirs.shape == ours.shape and not near(theirs.values, ours.values, theirs.dtype):
        apart = f"values, {_apart(theirs.values, ours.values):.3g} apart at most"
        yield _plain(f"{where}: {apart}", theirs.values.tolist(), ours.values.tolist())


def _apart(theirs: np.ndarray, ours: np.ndarray) -> float:
    """The largest difference; what is infinite or NaN on both sides is none."""
    same = (theirs == ours) | ((theirs != theirs) & (ours != ours))
    with np.errstate(invalid="ignore"):
        return float(np.max(np.where(same, 0, np.abs(theirs * 1.0 - ours))))


def _plain(where: str, theirs: Any, ours: Any) -> str:
    return f"{where}\n    PyTorch {shown(theirs)}\n    vizgrad {shown(ours)}"


def near(theirs: Any, ours: Any, dtype: str) -> bool:
    if dtype not in TOLERANCE:
        return bool(np.array_equal(theirs, ours))
    relative, absolute = TOLERANCE[dtype]
    return bool(np.allclose(ours, theirs, rtol=relative, atol=absolute, equal_nan=True))


def same_error(theirs: type[BaseException], ours: type[BaseException]) -> bool:
    """vizgrad's class is PyTorch's, a subclass of it, or has the name of a class of torch's own."""
    return issubclass(ours, theirs) or any(
        base.__name__ == theirs.__name__ for base in ours.__mro__
    )


def meets(seen: Any, expected: Any) -> bool:
    """Does an observation have the literal value that a program gives in `expect=`?"""
    if isinstance(seen, TensorSeen):
        values = np.asarray(expected)
        # Literals are written with a few digits: they pin the rule, the comparison pins the bits.
        return values.shape == seen.shape and bool(
            np.allclose(seen.values, values, rtol=1e-5, atol=1e-6, equal_nan=True)
        )
    if isinstance(seen, (tuple, list)) and isinstance(expected, (tuple, list)):
        return len(seen) == len(expected) and all(map(meets, seen, expected))
    if isinstance(seen, float) and isinstance(expected, (int, float)):
        return bool(np.isclose(seen, expected, rtol=1e-5, atol=1e-6, equal_nan=True))
    if isinstance(seen, GraphSeen):
        return str(seen) == expected
    return type(seen) is type(expected) and bool(seen == expected)


def shown(seen: Any) -> str:
    """For messages: nests are shown item by item, so that arrays keep their short form."""
    if isinstance(seen, tuple):
        return f"({', '.join(map(shown, seen))})"
    if isinstance(seen, list):
        return f"[{', '.join(map(shown, seen))}]"
    if isinstance(seen, dict):
        return f"{{{', '.join(f'{key}: {shown(item)}' for key, item in seen.items())}}}"
    return repr(seen) if isinstance(seen, str) else str(seen)
