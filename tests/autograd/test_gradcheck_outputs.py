"""Another number of outputs at another evaluation: a clear error (X-2)."""

import pytest

import vizgrad as vg


@pytest.mark.rule("X-2")
@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("counts", [(2, 2, 1), (1, 2, 3), (1, 1, 2)])
def test_another_number_of_outputs(fast, counts):
    calls = []

    def function(x):
        calls.append(1)
        return (x * 2,) * counts[min(len(calls), 3) - 1]

    x = vg.ones(2, dtype=vg.float64, requires_grad=True)
    with pytest.raises(AssertionError, match="same number of outputs at each evaluation"):
        vg.autograd.gradcheck(function, (x,), fast_mode=fast)
