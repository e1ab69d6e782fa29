"""Indices out of range on a device are an error where a program is debugged; elsewhere nobody waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

import vizgrad as vg
from tests.fixtures import strict_array, strict_module
from vizgrad.debugger.engines.vizgrad.opener import open_session

TABLE = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "embedding": lambda x, i: vg.nn.functional.embedding(i, x),
    "gather": lambda x, i: x.gather(0, i.reshape(-1, 1)),
    "index_select": lambda x, i: x.index_select(0, i),
    "x[i]": lambda x, i: x[i],
    "x[:, i]": lambda x, i: x.T[:, i],
    "x[i] = 1": lambda x, i: x.clone().index_put_((i,), vg.ones(2, device=x.device)),
    "scatter": lambda x, i: x.scatter(0, i.reshape(-1, 1), 1.0),
    "index_fill": lambda x, i: x.index_fill(0, i, 1.0),
}
ASKING: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "watch": vg.watch,
    "anomaly mode": vg.autograd.detect_anomaly,
}


@pytest.fixture(autouse=True)
def cuda() -> Iterator[None]:
    with strict_module.as_cuda():
        yield


def given(device: str, at: list[int]) -> tuple[Any, Any]:
    return vg.tensor(TABLE, device=device), vg.tensor(at, device=device)


@pytest.mark.parametrize("asking", ASKING)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore:Anomaly Detection:UserWarning")
def test_one_out_of_range_is_an_error_as_on_the_host(name: str, asking: str) -> None:
    said: list[str] = []
    for device in ("cpu", "cuda"):
        with ASKING[asking](), pytest.raises((IndexError, RuntimeError)) as caught:
            CALLS[name](*given(device, [0, 7]))
        said.append(f"{type(caught.value).__name__}: {str(caught.value).splitlines()[0]}")
    assert said[0] == said[1]
    assert "7" in said[0]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore:Anomaly Detection:UserWarning")
def test_one_in_range_is_none_and_is_waited_for_only_where_that_is_asked(name: str) -> None:
    here = CALLS[name](*given("cpu", [0, 2])).tolist()
    operands = given("cuda", [0, 2])
    del strict_array.reads[:]
    there = CALLS[name](*operands)
    assert strict_array.reads == []
    with vg.autograd.detect_anomaly():
        again = CALLS[name](*operands)
    assert len(strict_array.reads) >= 1
    assert there.tolist() == again.tolist() == here


BACK: dict[str, Callable[[Any, Any], Any]] = {
    "EmbeddingBackward0": CALLS["embedding"],
    "GatherBackward0": CALLS["gather"],
    "IndexSelectBackward0": CALLS["index_select"],
    "IndexBackward0": CALLS["x[i]"],
    "TakeBackward0": lambda x, i: x.take(i),
}


@pytest.mark.parametrize("node", BACK)
def test_a_debugged_backward_ends_at_the_node_whose_index_is_out_of_range(node: str) -> None:
    """Of the forward nobody has asked anything: it read elsewhere."""
    table, at = given("cuda", [0, 7])
    table.requires_grad_()
    with open_session((BACK[node](table, at) * 2).sum(), names={}) as session:
        with pytest.raises((IndexError, RuntimeError), match="7"):
            session.continue_()
        assert session.where.startswith("2 of 4 nodes done; failed: ")
        assert f"while running {node}," in session.where
    BACK[node](table, at).sum().backward()


@pytest.mark.parametrize("node", BACK)
def test_a_debugged_backward_of_indices_in_range_is_as_any(node: str) -> None:
    found = []
    for device in ("cpu", "cuda"):
        table, at = given(device, [0, 2])
        table.requires_grad_()
        with open_session((BACK[node](table, at) * 2).sum(), names={}) as session:
            session.continue_()
        found.append(table.grad.tolist())
    assert found[0] == found[1]
