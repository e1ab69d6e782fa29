"""Nothing of a test stays for the next: no session, and no thread in a backward."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator

import pytest

from tests.debugger.engines.pytorch.threads import held_threads
from tests.fixtures.sessions import no_sessions


def pytest_configure(config: pytest.Config) -> None:
    # Of PyTorch 2.4: its own checkpoints call what it has deprecated.
    config.addinivalue_line("filterwarnings", "ignore:.torch.cpu.amp.autocast:FutureWarning")


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(0)
        torch.set_num_threads(1)
    with no_sessions():
        yield
    if held_threads():
        gc.collect()
    for thread in held_threads():
        thread.join(60)
        assert not thread.is_alive()
