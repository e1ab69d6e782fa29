"""A real kernel, shared by the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.debugger.jupyter.magics.kernel import Kernel


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    running = Kernel()
    running.run("import vizgrad as vg\n%load_ext vizgrad")
    yield running
    running.shut_down()
