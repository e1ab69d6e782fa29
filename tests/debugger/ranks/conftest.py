"""Two engines of ipyparallel, for all tests of a file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from tests.debugger.ranks.numbered import LIMIT, numbered
from vizgrad.debugger.ranks import engines


@pytest.fixture(autouse=True)
def waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine on a busy machine is waited for."""
    monkeypatch.setattr(engines, "BUSY", LIMIT)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    import ipyparallel as parallel  # of the extra `test`: where it is missing, tests fail

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of its own start
        cluster = parallel.Cluster(
            n=2, engine_timeout=LIMIT, profile_dir=str(tmp_path_factory.mktemp("profile"))
        )
        cluster.start_cluster_sync()
        try:
            yield cluster
        finally:
            cluster.stop_cluster_sync()


@pytest.fixture(scope="module")
def view(cluster: Any) -> Iterator[Any]:
    """A DirectView of both. The variable `rank` of each says which it is."""
    client = cluster.connect_client_sync()
    try:
        client.wait_for_engines(2, timeout=LIMIT)
        yield numbered(client)
    finally:
        client.close()
