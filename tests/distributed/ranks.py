"""Ranks in tests: threads of this process, or processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.fixtures.ports import free_port
from vizgrad.distributed.peers import Peers
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.distributed.rendezvous import Found
from vizgrad.distributed.store import HashStore

ROOT = Path(__file__).parents[2]
#: Seconds. Ends a hang.
LIMIT = 300.0
TIMEOUT = timedelta(seconds=LIMIT)


def in_threads(
    count: int, function: Callable[[ProcessGroup], Any], timeout: timedelta = TIMEOUT
) -> list[Any]:
    """What `function(group)` returns, or the error that it raises, in each of `count` ranks."""
    store = HashStore()
    results: list[Any] = [None] * count
    groups: list[ProcessGroup] = []

    def run(rank: int) -> None:
        peers = Peers(Found(store, rank, count), TIMEOUT)
        group = ProcessGroup(peers, range(count), "0", "gloo", timeout)
        groups.append(group)
        try:
            results[rank] = function(group)
        except RuntimeError as error:
            results[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    for group in groups:
        group.transport.close()
    assert not any(thread.is_alive() for thread in threads)
    return results


@dataclass(frozen=True)
class Process:
    """What a rank printed, and its exit status."""

    status: int
    out: str
    err: str


def environment(count: int, rank: int, port: int) -> dict[str, str]:
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    return {
        **os.environ, "PYTHONPATH": path, "RANK": str(rank), "WORLD_SIZE": str(count),
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1",
    }  # fmt: skip


def in_processes(
    script: Path, count: int, arguments: Sequence[str] = (), statuses: Sequence[int] = ()
) -> list[Process]:
    """Runs `script` in `count` processes, which `statuses` says the end of (0 if not given)."""
    port = free_port()
    started = [
        subprocess.Popen(
            [sys.executable, str(script), *arguments], env=environment(count, rank, port),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for rank in range(count)
    ]  # fmt: skip
    done: list[Process] = []
    try:
        for process in started:
            out, err = process.communicate(timeout=LIMIT)
            done.append(Process(process.returncode, out, err))
    finally:
        for process in started:
            process.kill()
    for process, status in zip(done, statuses or [0] * count, strict=True):
        assert process.status == status, process.err
    return done
