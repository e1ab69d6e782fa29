"""Engines of ipyparallel, for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.debugger.ranks.numbered import LIMIT
from tests.debugger.ranks.one_cluster import OneCluster
from vizgrad.debugger.ranks import engines


@pytest.fixture(autouse=True)
def waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine on a busy machine is waited for."""
    monkeypatch.setattr(engines, "BUSY", LIMIT)


@pytest.fixture(scope="package")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneCluster]:
    """For the tests of this folder."""
    cluster = OneCluster(tmp_path_factory.mktemp("profile"))
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def view(cluster: OneCluster, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A DirectView of two engines. The variable `rank` of each says which it is."""
    yield from _given(cluster, request, 2)


@pytest.fixture(scope="module")
def four(cluster: OneCluster, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The same of four."""
    yield from _given(cluster, request, 4)


def _given(cluster: OneCluster, request: pytest.FixtureRequest, count: int) -> Iterator[Any]:
    failed = request.session.testsfailed
    with cluster.view(count) as view:
        yield view
    if request.session.testsfailed > failed:
        cluster.stop()  # nobody takes over what a failed test leaves
