"""The debugger over sparse gradients: what it says of them, and stepping back over their accumulation."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from vizgrad.debugger.drawing.describe import summary_text
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.engines.vizgrad.summary import outline, summarize
from vizgrad.debugger.model import TensorSummary
from vizgrad.debugger.wire.wire import from_json, to_json

pytestmark = pytest.mark.rule("S-16")


def embedding() -> Any:
    made = vg.nn.Embedding(6, 2, sparse=True)
    with vg.no_grad():
        made.weight.copy_(vg.arange(12.0).reshape(6, 2))
    return made


def test_a_summary_is_of_what_is_stored() -> None:
    grad = vg.sparse_coo_tensor([[1, 4, 1]], [[1.0, 0.0], [3.0, -4.0], [1.0, 0.0]], (6, 2))
    found = summarize(grad)
    assert found is not None
    assert (found.layout, found.nnz, found.shape) == ("sparse_coo", 3, (6, 2))
    assert (found.min, found.max) == (-4, 3)
    assert found.norm == pytest.approx((4 + 9 + 16) ** 0.5)  # the two entries of row 1 are one of 2
    assert found.zeros == 12 - 3
    assert found.bytes == 3 * 8 + 6 * 4
    assert (found.values, found.heat) == (None, None)
    assert "sparse_coo, 3 stored" in summary_text(found)
    short = outline(grad)
    assert short is not None
    assert (short.layout, short.nnz) == ("sparse_coo", 3)
    dense = summarize(grad.to_dense())
    assert dense is not None
    assert (dense.layout, dense.nnz, dense.zeros) == ("strided", None, 9)


def test_layout_and_number_travel_to_the_browser() -> None:
    found = summarize(vg.eye(3).to_sparse_csr())
    assert from_json(TensorSummary, to_json(found)) == found


def test_a_session_shows_and_undoes_sparse_accumulation() -> None:
    table = embedding()
    table(vg.tensor([1, 2])).sum().backward()
    kept = table.weight.grad
    before = kept.to_dense().tolist()
    session = open_session((table(vg.tensor([2, 5, 5])) * 2).sum())
    session.continue_()
    assert table.weight.grad is kept
    after = kept.to_dense().tolist()
    assert after != before
    assert kept._nnz() == 5
    assert kept._version == 1
    visit = session.trace.visits[-1]
    assert visit.accumulate is not None
    assert visit.accumulate.decision == "added in place"
    assert visit.accumulate.before is not None
    assert visit.accumulate.after is not None
    assert (visit.accumulate.before.nnz, visit.accumulate.after.nnz) == (2, 5)
    session.back()
    assert kept.to_dense().tolist() == before
    assert (kept._nnz(), kept._version) == (2, 0)
    session.continue_()
    assert kept.to_dense().tolist() == after
    assert (kept._nnz(), kept._version) == (5, 1)


@pytest.mark.parametrize("first", ["sparse", "dense"])
def test_both_orders_of_sparse_and_dense_can_be_stepped_back(first: str) -> None:
    table = embedding()
    losses = {
        "sparse": lambda: table(vg.tensor([1, 1])).sum(),
        "dense": lambda: table.weight.mul(3).sum(),
    }
    losses[first]().backward()
    kept, before = table.weight.grad, table.weight.grad.to_dense().tolist()
    session = open_session(losses["dense" if first == "sparse" else "sparse"]())
    session.continue_()
    total = table.weight.grad.to_dense().tolist()
    assert total[1] == [5, 5]
    assert session.trace.visits[-1].accumulate.decision == (
        "new tensor" if first == "sparse" else "added in place"
    )
    session.back()
    assert table.weight.grad is kept
    assert kept.to_dense().tolist() == before
    session.continue_()
    assert table.weight.grad.to_dense().tolist() == total


def test_graphs_recordings_and_versions_show_sparse_programs() -> None:
    adjacency, x = vg.eye(3).to_sparse(), vg.ones(3, 2, requires_grad=True)
    with vg.record() as trace:
        loss = vg.sparse.mm(adjacency, x).sum()
        text = str(vg.graph(loss))
        loss.backward()
    assert "SparseAddmmBackward0" in text
    assert trace is not None
    grad = vg.eye(2).to_sparse()
    grad.mul_(2)
    assert "mul_" in str(vg.versions(grad))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_anomaly_mode_looks_at_what_is_stored() -> None:
    table = embedding()
    with (
        vg.autograd.detect_anomaly(),
        pytest.raises(RuntimeError, match="EmbeddingBackward0' returned nan values"),
    ):
        table(vg.tensor([1])).backward(vg.tensor([[float("nan"), 1.0]]))
