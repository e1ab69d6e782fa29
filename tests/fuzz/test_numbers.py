"""A number of numpy's means what Python's means: the same results, of the same types."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fuzz import report
from tests.fuzz.calls import Call
from tests.fuzz.compare import Difference, agree, precision
from tests.fuzz.fatal import fatal
from tests.fuzz.fuzzing import Fuzzer
from tests.fuzz.known import random_values
from tests.fuzz.observe import observed
from tests.fuzz.operations import FAMILIES, operations
from tests.fuzz.values import Code

pytestmark = [
    pytest.mark.rule("T-95"),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.timeout(1200),
]

CALLS = 4
#: A tensor of numbers of numpy's is of their type.
_OF_THEIR_TYPE = frozenset({"tensor", "as_tensor", "asarray", "T.new_tensor"})
#: The numbers of what is read from memory that nobody wrote, and of iterations that begin at random.
_BY_CHANCE = frozenset({"lobpcg", "T.new_empty", "T.resize_", "F.gumbel_softmax", "bernoulli"})


@pytest.mark.parametrize("family", FAMILIES)
def test_numbers_of_numpy_are_numbers(family: str) -> None:
    torch = pytest.importorskip("torch")
    import vizgrad

    torch.set_num_threads(1)
    fuzzer, tried = Fuzzer(torch, vizgrad), 0
    for name in (n for n, o in operations().items() if o.family == family):
        for k in range(CALLS):
            call = fuzzer.drawing.call(operations()[name], f"numpy.{k}")
            if call is None or fatal(call) or name in _BY_CHANCE | _OF_THEIR_TYPE:
                continue
            with_numpy = replace(
                call,
                args=tuple(map(_numpys, call.args)),
                words=tuple((word, _numpys(value)) for word, value in call.words),
            )
            if with_numpy != call:
                tried += _agree(torch, vizgrad, call, with_numpy)
    assert tried or family == "operators"


def _numpys(value: Any) -> Any:
    if type(value) in (int, float):
        return Code(f"__import__('numpy').{type(value).__name__}64({value!r})")
    if isinstance(value, (list, tuple)):
        return type(value)(map(_numpys, value))
    return value


def _agree(torch: Any, vizgrad: Any, call: Call, with_numpy: Call) -> bool:
    """Does vizgrad do the same with both, where it takes one, and PyTorch the other?"""
    plain = observed(vizgrad, call)
    if "raises" in plain or "operands" in plain or "raises" in observed(torch, with_numpy):
        return False
    ours = observed(vizgrad, with_numpy)
    for what in plain | ours:
        there, here = plain.get(what), ours.get(what)
        if agree(there, here, precision(call), 1.0):
            continue
        assert random_values(call, Difference(what, there, here)), (
            f"{what} of {report.short(with_numpy)}: {there} with Python's numbers, {here} with numpy's"
        )
    return True
