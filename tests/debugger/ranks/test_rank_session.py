"""A session over two engines: all moved, or one alone, and engines that do not answer."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

import vizgrad
from tests.debugger.ranks.numbered import LIMIT
from vizgrad.debugger.ranks import engines
from vizgrad.debugger.ranks.rank_group import Ranks

FORWARD = """
import vizgrad
vizgrad.manual_seed(rank)
w = vizgrad.randn(4, requires_grad=True)
with vizgrad.watch() as watched:
    x = (w * w * FACTOR).sqrt()
    loss = x.sum()
"""


@pytest.fixture(scope="module")
def ranks(view: Any) -> Ranks:
    return vizgrad.ranks(view)


def forward(view: Any, factor: str = "1.0") -> None:
    view.execute(FORWARD.replace("FACTOR", factor))


def test_all_ranks_move_together_and_back(view: Any, ranks: Ranks) -> None:
    forward(view)
    with ranks.debug("loss") as session:
        assert session.where == "both ranks: 0 of 5 nodes done; next is SumBackward0 (node 0)"
        assert session.step(2) == "both ranks: 2 of 5 nodes done; next is MulBackward0 (node 2)"
        assert session.back() == "both ranks: 1 of 5 nodes done; next is SqrtBackward0 (node 1)"
        assert session.seek(4).startswith("both ranks: 4 of 5")
        assert session.restart().startswith("both ranks: 0 of 5")
        assert session.continue_() == "both ranks: 5 of 5 nodes done; the backward is finished"
        view.execute("has_grad = w.grad is not None")
        assert view["has_grad"] == [True, True]
    assert session.where == "closed"
    with pytest.raises(RuntimeError, match="this session of ranks is closed"):
        session.step()


def test_one_rank_moves_alone(view: Any, ranks: Ranks) -> None:
    forward(view)
    with ranks.debug("loss") as session:
        told = session.step(2, rank=1)
        assert told.splitlines() == [
            "rank 0: 0 of 5 nodes done; next is SumBackward0 (node 0)",
            "rank 1: 2 of 5 nodes done; next is MulBackward0 (node 2)",
        ]
        arrived = {strip.node: [cell.arrived for cell in strip.cells] for strip in session.strips}
        assert arrived[0] == arrived[1] == [False, True]
        assert arrived[2] == [False, False]
        session.back(rank=1)
        assert [cell.arrived for cell in session.strips[1].cells] == [False, False]
        with pytest.raises(ValueError, match="there is no rank 7: they are ranks 0 and 1"):
            session.step(rank=7)


AT_THE_LINE = """
from vizgrad.debugger.session import registry
here = registry.find(KEYS[rank])
made = here.break_at(line=5)
"""


def test_a_line_is_one_stop_on_each_rank(view: Any, ranks: Ranks) -> None:
    forward(view)
    with ranks.debug("loss") as session:
        view.execute(AT_THE_LINE.replace("KEYS", repr([session.key(0), session.key(1)])))
        told = session.continue_()
        assert told.startswith("both ranks: 1 of 5 nodes done; stopped: breakpoint before Sqrt")
        assert session.continue_() == "both ranks: 5 of 5 nodes done; the backward is finished"
        view.execute("hit = here.breakpoints[0].hit")
        session.restart()
        view.execute("before = here.breakpoints[0].hit; del here")
        assert view["hit"] == [1, 1]
        assert view["before"] == [0, 0]


def test_a_nan_of_one_rank_is_found_from_the_notebook(view: Any, ranks: Ranks) -> None:
    assert repr(ranks) == "<ranks 0 and 1: .debug(name), .compare(name), .why(name), .findings>"
    forward(view, "(0.0 if rank == 1 else 1.0)")
    assert ranks.compare("loss").leaving == (1,)
    with ranks.debug("loss") as session:
        told = session.continue_()
        assert told.splitlines()[0] == "rank 0: 5 of 5 nodes done; the backward is finished"
        assert "rank 1: 2 of 5 nodes done; stopped: SqrtBackward0 made 4 inf of 4" in told
        first = session.compare().first
        assert first is None  # what it sent has not arrived yet
        session.continue_()
        assert [cell.rank for cell in session.compare().first.leaving] == [1]
        assert session.trace(1).trace.records[1].visit.node == 1
        picture = session._repr_mimebundle_()["image/svg+xml"]
        assert picture.count('class="cell"') == 2 * 6  # `w` is drawn at each use
        told = repr(ranks.why("w", rank=1))
        assert told.startswith("on rank 1: The derivative of")
        assert "x = (w * w * (0.0 if rank == 1 else 1.0)).sqrt()" in told
        assert not ranks.why("w", rank=0)
    view.execute("with vizgrad.watch() as watched:\n    (w.log() * 0).sum().backward()")
    assert {found for found, _ in zip(ranks.findings.ranks, ranks.findings, strict=True)}


def test_the_steps_of_all_ranks_are_written_from_the_notebook(
    view: Any, ranks: Ranks, tmp_path: Path
) -> None:
    forward(view, "(0.0 if rank == 1 else 1.0)")
    with ranks.debug("loss") as session:
        session.step(3)
        files = session.save(tmp_path / "run.vgtrace")
        text = session.export(tmp_path / "ranks.html").read_text("utf-8")
    assert [each.name for each in files] == ["run.rank0.vgtrace", "run.rank1.vgtrace"]
    traces = vizgrad.load_traces(tmp_path / "run.rank*.vgtrace")
    assert [len(each.trace.records) for each in traces.values()] == [3, 3]
    assert traces.compare().leaving == (1,)
    assert '<option value="1" selected>' in text  # the rank to look at
    assert 'id="vg-rank-0"' in text
    assert "rank 1 leaves the others at MulBackward0" in text or "3 of 5 nodes done" in text
    with pytest.raises(RuntimeError, match="closed"):
        session.save(tmp_path / "more.vgtrace")


def test_what_an_engine_raises_is_raised_with_its_rank(view: Any, ranks: Ranks) -> None:
    forward(view)
    view.client[view.targets[1]].execute("del loss", block=True)
    with pytest.raises(NameError, match="rank 1: name 'loss' is not defined"):
        ranks.debug("loss")
    with pytest.raises(ValueError, match="expected the name of a variable"):
        ranks.why("w.sum()")
    told = ranks.compare("loss").to_text()
    assert told.startswith("rank 1: its backward failed: NameError")
    with pytest.raises(TypeError, match="ranks takes a DirectView"):
        vizgrad.ranks(view.client)


def test_an_engine_that_runs_other_code_is_told_as_busy(
    view: Any, ranks: Ranks, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    forward(view)
    begun = tmp_path / "begun"
    with ranks.debug("loss") as session:
        other = view.client[view.targets[1]].execute(
            f"import time; open({str(begun)!r}, 'w').close(); time.sleep(7)",
            block=False, silent=True,
        )  # fmt: skip
        until = time.monotonic() + 120
        while not begun.exists() and time.monotonic() < until:
            time.sleep(0.05)
        monkeypatch.setattr(engines, "BUSY", 1.0)
        told = session.step()
        monkeypatch.setattr(engines, "BUSY", LIMIT)
        assert "rank 0: 1 of 5 nodes done" in told
        assert "rank 1: busy" in told
        other.get()
        until = time.monotonic() + 120
        while "busy" in session.where and time.monotonic() < until:
            time.sleep(0.2)
        assert session.where.startswith("both ranks: 1 of 5")


def test_an_engine_that_was_killed_loses_nothing_of_the_others(
    view: Any, ranks: Ranks, tmp_path: Path
) -> None:
    """The last of the file: one engine is gone after it."""
    forward(view)
    session = ranks.debug("loss")
    session.step(2)
    pid = view.client[view.targets[1]].apply_sync(os.getpid)
    os.kill(pid, signal.SIGKILL)
    told = session.step()
    assert "rank 0: 3 of 5 nodes done" in told
    assert re.search(r"rank 1: lost: its (process|engine)", told)
    assert [cell.arrived for cell in session.strips[0].cells] == [True, True]
    with pytest.raises(RuntimeError, match=r"rank 1: its (process|engine)"):
        session.trace(1)
    with pytest.warns(UserWarning, match=r"rank 1: its (process|engine).*this is of the others"):
        text = session.export(tmp_path / "ranks.html").read_text("utf-8")
    assert "Of 2, the steps of rank 0 are here." in text
    session.close()
