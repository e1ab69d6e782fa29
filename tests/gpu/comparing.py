"""What a program gives on a GPU beside what it gives on the CPU: types, shapes, values, errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from vizgrad.core.tensor.tensor import Tensor

#: By element type. Sums of a device are in no fixed order, and its functions have other last bits.
TOLERANCE = {
    "float16": 4e-3, "bfloat16": 2e-2, "float32": 2e-4, "complex64": 2e-4, "float64": 1e-8,
    "complex128": 1e-8,
}  # fmt: skip

#: How many "samples" were compared with the CPU.
COMPARED: Counter[str] = Counter()

#: (type, layout, values) of each result; what is raised.
Outcome = list[tuple[Any, tuple[int, ...], np.ndarray]] | str


def outcome(program: Callable[[list[Tensor]], list[Tensor]], given: list[Tensor]) -> Outcome:
    """Each result on the host; the class of what is raised, and its words."""
    try:
        return [(t.dtype, layout(t), _numbers(t.detach())) for t in program(given)]
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError) as error:
        return f"{type(error).__name__}: {error}"


def layout(t: Tensor) -> tuple[int, ...]:
    """The strides that say where elements lie: those of dimensions with more than one."""
    return tuple(s for s, n in zip(t.stride(), t.shape, strict=True) if n > 1) if t.numel() else ()


def _numbers(t: Tensor) -> np.ndarray:
    there = t.cpu()
    return (there.float() if there.dtype.name in ("float16", "bfloat16") else there).numpy()


def agree_within(there: Outcome, here: Outcome, kind: Any, layouts: bool = False) -> None:
    """AssertionError where the device gives what the CPU does not, with `layouts` also in other strides."""
    COMPARED["samples"] += 1
    if isinstance(there, str) or isinstance(here, str):
        raised = [
            found.partition(":")[0] if isinstance(found, str) else "" for found in (there, here)
        ]
        assert raised[0] == raised[1], f"on the device {there}, on the CPU {here}"
        return
    assert [dtype for dtype, _, _ in there] == [dtype for dtype, _, _ in here]
    for (dtype, lies_there, a), (_, lies_here, b) in zip(there, here, strict=True):
        assert a.shape == b.shape
        assert lies_there == lies_here or not layouts
        if b.dtype.kind not in "fc":
            np.testing.assert_array_equal(a, b)
            continue
        relative = max(TOLERANCE.get(dtype.name, 0), TOLERANCE.get(kind.name, 0))
        size = np.abs(b[np.isfinite(b)]).max(initial=1.0)
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(a, b, rtol=relative, atol=relative * min(size, 1e3))
