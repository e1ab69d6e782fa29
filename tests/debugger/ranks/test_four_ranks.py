"""A GPT on four engines: its gradients are those of one process, and a NaN of one rank is found from another.
(Tests of PyTorch have torch in their names: `make parity` runs these.)
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from tests.debugger.ranks import gpt
from tests.debugger.ranks.numbered import LIMIT, numbered

COUNT = 4


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A DirectView of engines that both frameworks use, one after the other."""
    import ipyparallel as parallel  # of the extra `test`: where it is missing, tests fail

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of its own start
        cluster = parallel.Cluster(
            n=COUNT, engine_timeout=LIMIT, profile_dir=str(tmp_path_factory.mktemp("profile"))
        )
        client = cluster.start_and_connect_sync()
        try:
            yield numbered(client)
        finally:
            client.close()
            cluster.stop_cluster_sync()


def check(view: Any, framework: str) -> None:
    ranks = gpt.begin(view, framework)
    try:
        gpt.check_gradients(view, ranks)
        gpt.check_nan(view, ranks)
    finally:
        view.execute("dist.destroy_process_group()")


def test_a_gpt_on_four_ranks_is_stepped_and_its_nan_found(four: Any) -> None:
    check(four, "vizgrad")


def test_torch_a_gpt_on_four_ranks_is_stepped_and_its_nan_found(four: Any) -> None:
    pytest.importorskip("torch")
    check(four, "torch")
