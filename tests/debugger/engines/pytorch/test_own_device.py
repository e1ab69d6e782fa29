"""PyTorch's engine runs the nodes of a GPU in a thread of its own. Here it does so for a device on the memory
of this machine (`own_device/`), in a process of its own; most tests of the engine hold there, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
from tests.debugger.engines.pytorch.own_device.building import compiler  # noqa: E402
from tests.fixtures.limits import HANG  # noqa: E402

HERE = Path(__file__).parent
FILES = (
    "own_device/checks.py", "test_captured.py", "test_moving.py", "test_second_order.py", "test_why.py",
    "test_looking.py", "test_thread.py", "test_torch_notes.py", "test_torch_watch.py", "test_pains.py",
    "test_kept_backwards.py", "test_error_lines.py", "test_trainings.py", "test_watched_trainings.py",
)  # fmt: skip
#: By a part of a test's name, why it says nothing there.
LEFT_OUT = {
    "a_sparse_gradient": "the device has no sparse tensors",
    "lstm_of_sequences": "the device has no fused cells",
    "recurrent_by_hand": "the device has no fused cells",
    "infinite_input_of_a_recurrent_layer": "the device has no fused cells",
    "distributed": "gloo has no tensors of the device",
    "sharded": "gloo has no tensors of the device",
    "nodes_describe_themselves": "it names the device",
    "numpy": "numpy shares no memory with a device",
    "a_buffer_behind_a_tensor": "numpy shares no memory with a device",
    "a_helper_centres_an_array": "numpy shares no memory with a device",
    "tensors_graphs_and_memory_die": "numpy shares no memory with a device",
    "run_to_and_breakpoints": "two sessions at once: refused there",
    "what_is_not_finite_is_found_where_it_is_made": "two sessions at once: refused there",
    "another_backward_through_the_same_nodes": "a backward beside a session: refused there",
    "work_is_shared_among_as_many_threads": "the threads of a device are PyTorch's affair",
}


@pytest.mark.skipif(
    tuple(map(int, torch.__version__.split(".")[:2])) < (2, 13),
    reason="the device is written with the C++ of PyTorch 2.13",
)
def test_sessions_and_watches_hold_over_the_thread_of_a_device() -> None:
    if compiler() is None:
        if os.environ.get("CI") == "true":
            pytest.fail("g++ is missing, which compiles the device")
        pytest.skip("g++ is missing, which compiles the device")
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider",
            "-p", "tests.debugger.engines.pytorch.own_device.plugin",
            # Kernels of the CPU are called with results of another shape.
            "-W", "ignore:An output with one or more elements was resized",
            "-k", f"not ({' or '.join(LEFT_OUT)})", *(str(HERE / file) for file in FILES),
        ],
        capture_output=True, text=True, timeout=10 * HANG, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "skipped" not in done.stdout.splitlines()[-1]
