"""`assert_close` passes, and says, what PyTorch's does."""

from __future__ import annotations

import re
from typing import Any

import pytest

nan, inf = float("nan"), float("inf")

#: (actual, expected, options), each of them made by `t`.
CASES: dict[str, Any] = {
    "equal": lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 2.0]), {}),
    "close": lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 2.000001]), {}),
    "far": lambda t: (t.tensor([1.0, 2.0, 4.0]), t.tensor([1.0, 2.5, 3.0]), {}),
    "matrix": lambda t: (t.tensor([[1.0, 2.0], [3.0, 0.5]]), t.tensor([[1.0, 2.5], [3.0, 0.0]]), {}),
    "double": lambda t: (t.tensor([1.0], dtype=t.float64), t.tensor([1.1], dtype=t.float64), {}),
    "half": lambda t: (t.tensor([1.0]).half(), t.tensor([1.0005]).half(), {}),
    "int": lambda t: (t.tensor([1, 2]), t.tensor([1, 5]), {}),
    "bool": lambda t: (t.tensor([True, False]), t.tensor([True, False]), {}),
    "scalar": lambda t: (t.tensor(1.0), t.tensor(1.5), {}),
    "scalar of zero": lambda t: (t.tensor(1.0), t.tensor(0.0), {}),
    "given": lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 2.1]), {"rtol": 0.1, "atol": 0.0}),
    "given too small": lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 2.1]), {"rtol": 0, "atol": 0.01}),
    "exact": lambda t: (t.tensor([1.0]), t.tensor([1.5]), {"rtol": 0, "atol": 0}),
    "one tolerance": lambda t: (t.tensor([1.0]), t.tensor([1.0]), {"rtol": 0.1}),
    "nan": lambda t: (t.tensor([nan, 1.0]), t.tensor([nan, 1.0]), {}),
    "equal nan": lambda t: (t.tensor([nan, 1.0]), t.tensor([nan, 1.0]), {"equal_nan": True}),
    "inf": lambda t: (t.tensor([inf, 1.0]), t.tensor([inf, 1.0]), {}),
    "other inf": lambda t: (t.tensor([inf, 1.0]), t.tensor([-inf, 1.0]), {}),
    "inf allows nothing": lambda t: (t.tensor([1.0]), t.tensor([inf]), {"rtol": 1.0, "atol": 1.0}),
    "shape": lambda t: (t.ones(2), t.ones(3), {}),
    "dtype": lambda t: (t.ones(2), t.ones(2, dtype=t.float64), {}),
    "dtype not checked": lambda t: (t.ones(2), t.ones(2, dtype=t.float64), {"check_dtype": False}),
    "stride": lambda t: (t.ones(2, 3), t.ones(3, 2).t(), {"check_stride": True}),
    "stride not checked": lambda t: (t.ones(2, 3), t.ones(3, 2).t(), {}),
    "complex": lambda t: (t.tensor([1 + 1j]), t.tensor([1 + 2j]), {}),
    "empty": lambda t: (t.ones(0), t.ones(0), {}),
    "numbers": lambda t: (1.0, 1.5, {}),
    "close numbers": lambda t: (1.0, 1.0 + 1e-9, {}),
    "types of numbers": lambda t: (1, 1.0, {}),
    "none": lambda t: (None, 1.0, {}),
    "both none": lambda t: (None, None, {}),
    "booleans": lambda t: (True, False, {}),
    "list": lambda t: ([t.ones(2), t.ones(2)], [t.ones(2), t.zeros(2)], {}),
    "nested": lambda t: ({"a": [1, t.ones(1)]}, {"a": [1, t.zeros(1)]}, {}),
    "lengths": lambda t: ([1, 2], [1], {}),
    "keys": lambda t: ({"a": 1, "b": 2}, {"a": 1, "c": 2}, {}),
    "tensor and list": lambda t: (t.ones(2), [1.0, 1.0], {}),
    "text": lambda t: ("a", "a", {}),
    "message": lambda t: (1.0, 2.0, {"msg": "own"}),
    "called message": lambda t: (1.0, 2.0, {"msg": lambda text: f"own: {text}"}),
}  # fmt: skip


def outcome(t: Any, case: str) -> tuple[str, str]:
    actual, expected, options = CASES[case](t)
    try:
        t.testing.assert_close(actual, expected, **options)
    except (AssertionError, TypeError, ValueError) as error:
        text = re.sub(r"\bvizgrad\.(core\.tensor\.tensor\.)?", "torch.", str(error))
        return type(error).__name__, text.replace("torch.Tensor", "Tensor")
    return "passes", ""


@pytest.mark.parametrize("case", CASES)
def test_both_pass_or_say_the_same(case: str, oracle: Any, vizgrad: Any) -> None:
    assert outcome(vizgrad, case) == outcome(oracle, case)
