"""No operation is forgotten, and the fuzzer finds what is wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fuzz import not_called
from tests.fuzz.calls import Call
from tests.fuzz.compare import Difference, differences
from tests.fuzz.fuzzing import Fuzzer
from tests.fuzz.operations import PREFIXES, operations
from tests.fuzz.values import Given

torch = pytest.importorskip("torch")
import vizgrad as vg  # noqa: E402

MODULES = {"": "", "L": "linalg", "fft": "fft", "S": "special", "F": "nn.functional"}


def _owner(module: Any, path: str) -> Any:
    for part in filter(None, path.split(".")):
        module = getattr(module, part)
    return module


def _public() -> set[str]:
    """Every public function that both have, and every method: `add`, `L.inv`, `T.view`."""
    found = set()
    for prefix, path in MODULES.items():
        ours, theirs = _owner(vg, path), _owner(torch, path)
        for name in dir(ours):
            made = getattr(ours, name)
            if (
                not name.startswith("_")
                and callable(made)
                and not isinstance(made, type)
                and hasattr(theirs, name)
            ):
                found.add(f"{prefix}.{name}" if prefix else name)
    methods = {
        f"T.{n}" for n in dir(vg.Tensor) if not n.startswith("_") and hasattr(torch.Tensor, n)
    }
    return found | methods


def _called() -> set[str]:
    """Names under which the operations are called: a function's method and in-place form come with it."""
    found = set()
    for name, operation in operations().items():
        found |= {name, name + "_"}
        if operation.path == name:
            found |= {f"T.{name}", f"T.{name}_"}
    return found


def test_every_public_operation_is_called() -> None:
    left = _public() - _called() - not_called.NAMES.keys()
    assert not left, f"say in tests/fuzz/signatures how they are called: {sorted(left)}"


def test_every_primitive_is_reached_by_a_name() -> None:
    """An operation without a public name of its own is part of one that has."""
    assert not {n for n in not_called.NAMES if n in _called()}, "called after all"


def test_every_operation_has_a_form_on_both() -> None:
    drawing = Fuzzer(torch, vg).drawing
    without = [
        n for n, o in operations().items() if not o.signatures[0].template and not drawing.forms(o)
    ]
    assert not without
    assert PREFIXES["L"] == "linalg"


@pytest.mark.parametrize("name", operations())
@pytest.mark.filterwarnings("ignore")
def test_most_calls_are_accepted(name: str) -> None:
    """A generator whose calls are all refused tests nothing."""
    from tests.fuzz.observe import run

    drawing = Fuzzer(torch, vg).drawing
    for seed in range(60):
        call = drawing.call(operations()[name], seed)
        if call is None:
            continue
        try:
            run(torch, call.source())
        except Exception:  # noqa: BLE001  refused: the next may not be
            continue
        return
    pytest.fail("60 calls, none accepted")


class _Changed:
    """A module with one function replaced."""

    def __init__(self, module: Any, **functions: Any) -> None:
        self._module = module
        self.__dict__.update(functions)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


CALL = Call("sin", "function", "sin", (Given((2,), "float64", (0.5, 1.5), grad=True),))
WRONG = {
    "value": lambda x: torch.sin(x) * 2,
    "shape": lambda x: torch.sin(x)[None],
    "dtype": lambda x: torch.sin(x).float(),
    "requires_grad": lambda x: torch.sin(x).detach(),
    "gradient": lambda x: torch.sin(x) * 2 - torch.sin(x).detach(),
    "second": lambda x: torch.sin(x).detach() + (x - x.detach()) * torch.cos(x).detach(),
    "shares": lambda x: x,
    "a after": lambda x: (x.data.add_(1), torch.sin(x.detach() - 1).requires_grad_())[1],
    "raises: nothing, RuntimeError": lambda x: torch.sin(x).reshape(7),
    "kind": lambda x: (torch.sin(x),),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_found(kind: str) -> None:
    found = differences(torch, _Changed(torch, sin=WRONG[kind]), CALL)
    assert kind in [f.kind for f in found]
    assert not differences(torch, torch, CALL)


def test_a_failing_call_becomes_small() -> None:
    from tests.fuzz.shrink import smallest

    large = replace(
        CALL, args=(Given((2, 3, 4), "float32", tuple(0.1 * k for k in range(60)), "turned", True),)
    )

    def fails(call: Call) -> bool:
        found = differences(torch, _Changed(torch, sin=WRONG["value"]), call)
        return any(f.kind == "value" for f in found)

    small = smallest(large, fails)
    (given,) = small.operands()
    assert (given.shape, given.memory, given.grad) == ((), "plain", False)


def test_differences_are_told_as_a_program() -> None:
    from tests.fuzz.report import program, told

    text = told(CALL, Difference("second 0", 1, 2), 3)
    assert "import vizgrad as torch" in text
    for module in (torch, vg):  # it runs on both
        exec(
            program(CALL, "second 0").replace("import torch", "pass"),
            {"torch": module, "print": lambda *a: None},
        )
