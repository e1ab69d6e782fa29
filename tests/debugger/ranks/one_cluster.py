"""One cluster of ipyparallel that all files of this folder use, one after the other: to start it takes longer
than most of their tests.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from tests.debugger.ranks.numbered import LIMIT, numbered

#: As many as one file needs at most, and two files end one engine each.
COUNT = 4

#: An engine leaves its groups and forgets all variables, but not what it has imported.
CLEARED = """
import sys
for _name in ("vizgrad.distributed", "torch.distributed"):
    _groups = sys.modules.get(_name)
    if _groups is not None and _groups.is_initialized():
        _groups.destroy_process_group()
get_ipython().reset(new_session=False)
"""


class OneCluster:
    """Starts when engines are first asked for, and again where fewer live than are asked for."""

    def __init__(self, profile: Path) -> None:
        self._profile = profile
        self._running: Any = None
        #: By the number that ipyparallel gave it, the process of each engine.
        self._engines: dict[int, psutil.Process] = {}

    @property
    def running(self) -> Any:
        """The ipyparallel.Cluster."""
        return self._running

    @contextmanager
    def view(self, count: int) -> Iterator[Any]:
        """A DirectView of so many engines, without variables but `rank`, which says which it is."""
        if len(self._living()) < count:
            self.stop()
            self._start()
        targets = self._living()[:count]
        client = self._running.connect_client_sync()
        try:
            client.wait_for_engines(len(self._living()), timeout=LIMIT)
            yield numbered(client[targets], CLEARED)
        finally:
            client.close()

    def stop(self) -> None:
        if self._running is not None:
            self._running.stop_cluster_sync()
        self._running, self._engines = None, {}

    def _start(self) -> None:
        import ipyparallel as parallel  # of the extra `test`: where it is missing, tests fail

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those of its own start
            self._running = parallel.Cluster(
                n=COUNT, engine_timeout=LIMIT, profile_dir=str(self._profile)
            )
            client = self._running.start_and_connect_sync()
        try:
            view = numbered(client[:])
            pids = view.apply(os.getpid)
            self._engines = {
                target: psutil.Process(pid) for target, pid in zip(view.targets, pids, strict=True)
            }
        finally:
            client.close()

    def _living(self) -> list[int]:
        return [target for target, process in self._engines.items() if _lives(process)]


def _lives(process: psutil.Process) -> bool:
    """One that was killed may still be listed, until it is waited for."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
