"""`vizgrad.multiprocessing.spawn`: the processes that it starts, and what it says of those that fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import vizgrad
import vizgrad.multiprocessing as mp
from tests.distributed.spawned import fails, trains, writes
from tests.fixtures.ports import free_port


def test_each_process_gets_its_number_and_a_copy_of_the_tensor(tmp_path: Path) -> None:
    assert mp.spawn(writes, args=(str(tmp_path), vizgrad.ones(2)), nprocs=2) is None
    assert [(tmp_path / name).read_text() for name in "01"] == ["[0.0, 0.0]", "[1.0, 1.0]"]


def test_what_a_process_raises_is_raised_with_its_traceback_and_the_others_are_ended() -> None:
    with pytest.raises(mp.ProcessRaisedException, match="Process 1 terminated with") as caught:
        mp.spawn(fails, args=("raise",), nprocs=2)
    assert "....." in str(caught.value)
    assert (caught.value.error_index, caught.value.pid > 0) == (1, True)


@pytest.mark.parametrize(
    ("how", "says", "code", "name"),
    [
        ("exit", "process 1 terminated with exit code 3", 3, None),
        ("kill", "process 1 terminated with signal SIGKILL", -9, "SIGKILL"),
    ],
)
def test_a_process_that_ends_by_itself_is_named(
    how: str, says: str, code: int, name: str | None
) -> None:
    with pytest.raises(mp.ProcessExitedException, match=says) as caught:
        mp.spawn(fails, args=(how,), nprocs=2)
    assert (caught.value.exit_code, caught.value.signal_name) == (code, name)


def test_without_join_the_processes_are_joined_one_by_one(tmp_path: Path) -> None:
    context = mp.spawn(writes, args=(str(tmp_path), vizgrad.ones(1)), nprocs=2, join=False)
    assert context is not None
    assert len(context.pids()) == 2
    while not context.join():
        pass
    assert sorted(each.name for each in tmp_path.iterdir()) == ["0", "1"]
    assert context.join()


def test_a_join_ends_after_its_timeout() -> None:
    context = mp.spawn(fails, args=("none of these",), nprocs=1, join=False)
    assert context is not None
    assert not context.join(timeout=0.1)
    context.processes[0].terminate()
    with pytest.raises(mp.ProcessExitedException, match="SIGTERM"):
        context.join()


def test_another_start_method_is_for_start_processes(tmp_path: Path) -> None:
    with pytest.warns(FutureWarning, match="only supports start_method=spawn"):
        mp.spawn(writes, args=(str(tmp_path), vizgrad.ones(1)), start_method="forkserver")
    mp.start_processes(writes, args=(str(tmp_path), vizgrad.ones(1)), start_method="forkserver")


def test_ranks_of_a_tutorial_are_started_by_spawn(tmp_path: Path) -> None:
    mp.spawn(trains, args=(2, free_port(), str(tmp_path)), nprocs=2)
    assert [(tmp_path / name).read_text() for name in "01"] == ["[[3.0, 3.0, 3.0]]"] * 2


def test_names_of_pythons_module_are_here_too() -> None:
    found = {"Process", "Queue", "set_start_method", "get_context"} - set(dir(mp))
    assert not found
    out = subprocess.run(
        [sys.executable, "-c", "from vizgrad.multiprocessing import *; print(Queue, spawn)"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert "spawn" in out.stdout
