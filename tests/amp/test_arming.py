"""Operations ask for autocast once it has been entered, not before, and stay the objects they were."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from tests.fixtures.limits import HANG

pytestmark = pytest.mark.rule("X-11")

_PROGRAM = """
import inspect, vizgrad as vg
F = vg.nn.functional
held = vg.matmul, vg.Tensor.matmul, vg.cat, F.linear, F.cross_entropy
before = [(f.__code__, [c.cell_contents for c in f.__closure__ or ()]) for f in held]
signatures = [str(inspect.signature(f)) for f in held]
with vg.autocast("cpu", enabled=False):
    vg.ones(2, 2) @ vg.ones(2, 2)
print([(f.__code__, [c.cell_contents for c in f.__closure__ or ()]) for f in held] == before)
with vg.autocast("cpu"):
    print([f(vg.ones(2, 2), vg.ones(2, 2)).dtype for f in held[:2]])
print([str(inspect.signature(f)) for f in held] == signatures)
print((vg.matmul, vg.Tensor.matmul, vg.cat, F.linear, F.cross_entropy) == held)
print(vg.matmul(vg.ones(2, 2), vg.ones(2, 2)).dtype, vg.cat([vg.ones(1)], dim=0))
"""


def test_functions_are_exchanged_in_place_and_late() -> None:
    found = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, timeout=HANG, check=True
    ).stdout.splitlines()
    assert found == [
        "True",
        "[vizgrad.bfloat16, vizgrad.bfloat16]",
        "True",
        "True",
        "vizgrad.float32 tensor([1.])",
    ]


_WATCHED = """
import inspect, vizgrad as vg
held = vg.matmul, vg.bmm, vg.Tensor.matmul, vg.cat, vg.nn.functional.linear
signatures = [str(inspect.signature(f)) for f in held]
with vg.watch():
    with vg.autocast("cpu"):
        x = vg.ones(2, 2, requires_grad=True)
        made = vg.matmul(x, x)
    print(made.dtype, vg.why((made * float("nan")).sum()).culprit.line)
print([f.__code__.co_filename for f in held if "tap" in f.__code__.co_filename])
print([str(inspect.signature(f)) for f in held] == signatures)
import sys
called = []
sys.setprofile(lambda frame, event, arg: called.append(frame.f_code.co_filename))
vg.bmm(vg.ones(1, 2, 2), vg.ones(1, 2, 2))
sys.setprofile(None)
print([each for each in called if "debugger/watch" in each])
with vg.watch(), vg.autocast("cpu"):
    made = vg.matmul(vg.ones(2, 2), vg.ones(2, 2))
    print(made.dtype)
"""


def test_a_watch_steps_aside_for_the_exchange() -> None:
    """Autocast may be entered for the first time within it: nothing of the watch stays behind."""
    found = subprocess.run(
        [sys.executable, "-c", _WATCHED], capture_output=True, text=True, timeout=HANG, check=True
    ).stdout.splitlines()
    assert found == ["vizgrad.bfloat16 9", "[]", "True", "[]", "vizgrad.bfloat16"]


def test_another_thread_has_autocast_off() -> None:
    import threading

    import vizgrad as vg

    kinds = []
    with vg.autocast("cpu"):
        worker = threading.Thread(
            target=lambda: kinds.append((vg.ones(2, 2) @ vg.ones(2, 2)).dtype)
        )
        worker.start()
        worker.join()
    assert kinds == [vg.float32]


def test_a_parameter_written_to_is_converted_again() -> None:
    import vizgrad as vg

    w = vg.ones(2, 2, requires_grad=True)
    with vg.autocast("cpu"):
        first = vg.ones(1, 2) @ w
        with vg.no_grad():
            w.mul_(2)
        second = vg.ones(1, 2) @ w
    assert (first * 2).tolist() == second.tolist()


def test_the_signature_names_its_parameters() -> None:
    import vizgrad as vg

    assert list(inspect.signature(vg.autocast).parameters) == [
        "device_type", "dtype", "enabled", "cache_enabled",
    ]  # fmt: skip
