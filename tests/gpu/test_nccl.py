"""The backend NCCL of vizgrad.distributed, among ranks that are processes with a device each."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.distributed.ranks import in_processes

pytestmark = pytest.mark.gpu
PROGRAM = Path(__file__).with_name("nccl_ranks.py")
EMULATED = "tests.gpu.emulated.plugin" in sys.modules


def ranks(count: int, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if EMULATED:
        monkeypatch.setenv("EMULATED_RANKS", "1")
    else:
        import cupy

        if cupy.cuda.runtime.getDeviceCount() < count:
            pytest.skip(f"there are fewer than {count} devices")
    in_processes(PROGRAM, count, [name, str(folder)])


@pytest.mark.parametrize("name", ["collectives", "alone", "data_parallel", "faults"])
@pytest.mark.parametrize("count", [2, 3])
def test_one_device_a_rank(
    name: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranks(count, name, tmp_path, monkeypatch)


def test_gradients_are_those_of_one_process_where_the_device_is_far_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read before it was written is NaN on the emulated device."""
    monkeypatch.setenv("EMULATED_NCCL_DELAY", "20000")
    ranks(3, "data_parallel", tmp_path, monkeypatch)


def test_two_ranks_do_not_share_a_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ranks(2, "one_device", tmp_path, monkeypatch)
