"""Memory that is freed stays with the process: the next step causes no page faults."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

STEPS = """\
import resource, sys
if sys.argv[1] != "numpy alone":
    import vizgrad
if sys.argv[1] == "an optimizer":
    vizgrad.optim.SGD([vizgrad.ones(1, requires_grad=True)])
import numpy as np

def step():
    blocks = [np.ones(1 << 19, np.uint8) for _ in range(24)]

for _ in range(3):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the bound is glibc's")
def test_a_step_uses_the_memory_of_the_one_before() -> None:
    assert _faults("an optimizer") < 300


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the bound is glibc's")
@pytest.mark.parametrize("library", ["numpy alone", "vizgrad imported"])
def test_a_process_that_trains_nothing_keeps_its_heap_as_it_was(library: str) -> None:
    assert _faults(library) > 10_000


def _faults(library: str) -> int:
    command = [sys.executable, "-c", STEPS, library]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
