"""What a CUDA device does late, and on a thread of its own: shown by stand-ins, for no device is here."""

from __future__ import annotations

import _thread
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tests.fixtures.limits import HANG  # noqa: E402
from vizgrad.debugger.engines.pytorch.device_streams import settle, told_late  # noqa: E402
from vizgrad.debugger.engines.pytorch.gate import Gate  # noqa: E402


def test_streams_are_waited_for_once_for_each_device(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[str] = []

    def stream(device: Any) -> Any:
        return SimpleNamespace(synchronize=lambda: waited.append(str(device)))

    monkeypatch.setattr(torch.cuda, "current_stream", stream)
    there = [SimpleNamespace(is_cuda=True, device=torch.device("cuda", n)) for n in (0, 1, 1)]
    settle([None, torch.ones(2), *there])
    assert sorted(waited) == ["cuda:0", "cuda:1"]


def test_an_error_of_a_device_may_be_an_earlier_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_LAUNCH_BLOCKING", raising=False)
    words = "CUDA error: device-side assert triggered"
    late, other, blocking = RuntimeError(words), RuntimeError("shape"), RuntimeError(words)
    told_late(late)
    told_late(other)
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    told_late(blocking)
    assert "CUDA_LAUNCH_BLOCKING=1" in late.__notes__[0]
    assert not hasattr(other, "__notes__")
    assert not hasattr(blocking, "__notes__")


def test_a_node_on_the_thread_of_a_device_is_interrupted_there() -> None:
    """Threads that PyTorch makes for devices are none of Python's `threading`."""
    ended: list[type] = []
    made, over = threading.Event(), threading.Event()

    def node() -> None:
        try:
            assert made.wait(HANG)  # `gate` has its name
            gate._before(0, None, "")([torch.ones(1)])
            deadline = time.monotonic() + HANG
            while time.monotonic() < deadline:
                sum(range(100))
        except BaseException as error:  # noqa: BLE001  as the engine, which hands it on
            ended.append(type(error))
        over.set()

    def start() -> None:
        _thread.start_new_thread(node, ())
        over.wait(HANG)

    gate = Gate([], [], start)
    made.set()
    assert gate.wait() is not None
    gate.pass_on()
    gate.close(at_once=True)
    assert over.wait(HANG)
    assert [each.__name__ for each in ended] == ["Abandoned"]
