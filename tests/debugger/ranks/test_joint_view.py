"""The view of all ranks: what it is told, and where its requests go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import vizgrad
from tests.debugger.ranks.programs import loss_of
from tests.debugger.ranks.test_rank_session import forward
from tests.debugger.ranks.test_rank_traces import saved
from vizgrad.debugger.jupyter.widget.controller import Controller
from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.ranks.joint_session import JointSession
from vizgrad.debugger.ranks.joint_traces import JointTraces
from vizgrad.debugger.ranks.rank_group import Ranks
from vizgrad.debugger.ranks.rank_rows import RankRows
from vizgrad.debugger.ranks.rank_session import RankSession

Message = dict[str, Any]


class View:
    """The browser's end: what it was told, by type."""

    def __init__(self, joint: Any) -> None:
        self.heard: list[Message] = []
        self._number = 0
        self.controller = Controller(self.heard.append, joint)

    def ask(self, kind: str, **fields: Any) -> Message:
        """The answer."""
        self._number += 1
        self.controller.receive({"type": kind, "request": self._number, **fields})
        (answer,) = (each for each in self.heard if each.get("request") == self._number)
        return answer

    def last(self, kind: str) -> Message:
        return next(each for each in reversed(self.heard) if each["type"] == kind)


@pytest.fixture(scope="module")
def ranks(view: Any) -> Ranks:
    return vizgrad.ranks(view)


@pytest.fixture
def session(view: Any, ranks: Ranks) -> Iterator[RankSession]:
    forward(view, "(0.0 if rank == 1 else 1.0)")
    with ranks.debug("loss") as session:
        yield session


def test_a_view_moves_all_ranks_and_sees_who_leaves_the_others(session: RankSession) -> None:
    shown = View(JointSession(session))
    first = shown.ask("attach", session=None, folding=FOLDING, view="")
    assert (first["type"], first["title"]) == ("shown", "loss")
    told = shown.last("ranks")
    assert (told["rank"], told["whole"], told["rows"], told["together"]) == (0, True, [], True)
    own, other = (member["session"] for member in told["members"])
    assert first["session"] == own

    assert shown.ask("step", session=own, count=2)["type"] == "done"
    assert [each["update"]["position"] for each in shown.heard if each["type"] == "updated"]
    assert session.where.startswith("both ranks: 2 of 5")
    shown.ask("step", session=own, count=1)
    told = shown.last("ranks")
    assert told["first"] == 2
    (row,) = (row for row in told["rows"] if row["node"] == 2)
    assert (row["cells"], row["leaving"]) == ("on", True)
    assert row["text"].startswith("rank 1: inf; ")
    assert "rank 1 leaves the others at MulBackward0 (node 2)" in told["text"]
    answer = shown.ask("get_ranks", session=own, node=2)
    assert [(each["rank"], each["leaving"]) for each in answer["ranks"]] == [(1, True), (0, False)]

    shown.ask("move_together", session=own, enabled=False)
    assert shown.last("ranks")["together"] is False
    shown.ask("step_back", session=own, count=2)
    assert session.where.splitlines()[0].startswith("rank 0: 1 of 5")
    assert session.where.splitlines()[1].startswith("rank 1: 3 of 5")

    again = shown.ask("attach", session=other, folding=FOLDING, view="")
    assert (again["session"], again["standing"]["position"]) == (other, 3)
    assert shown.last("ranks")["rank"] == 1
    node = shown.ask("inspect", session=other, node=2)
    assert node["visit"]["incoming"][0]["norm"] == "inf"  # of rank 1, asked there
    shown.controller.close()


def test_a_closed_session_of_ranks_says_so(view: Any, ranks: Ranks) -> None:
    forward(view)
    session = ranks.debug("loss")
    shown = View(JointSession(session))
    own = shown.ask("attach", session=None, folding=FOLDING, view="")["session"]
    session.close()
    assert {member["state"] for member in shown.last("ranks")["members"]} == {"closed"}
    answer = shown.ask("step", session=own, count=1)
    assert (answer["type"], answer["closed"]) == ("failed", True)


def test_traces_are_shown_rank_by_rank(tmp_path: Path) -> None:
    for rank in range(10):  # more than a kernel has sessions open
        saved(tmp_path, rank, f"run.rank{rank}.vgtrace", 0.0 if rank == 4 else 1.0)
    with vizgrad.debug(loss_of(vizgrad, 0), display=False) as live:
        traces = vizgrad.load_traces(tmp_path / "run.rank*.vgtrace")
        shown = View(JointTraces(traces))
        first = shown.ask("attach", session=None, folding=FOLDING, view="")
        told = shown.last("ranks")
        assert (told["session"], told["rank"]) == (first["session"], 4)  # the one to look at
        assert {row["cells"][4] for row in told["rows"] if row["leaving"]} == {"n"}
        assert told.get("together") is None
        shown.ask("step", session=first["session"], count=3)
        other = shown.ask("attach", session=told["members"][7]["session"], folding=FOLDING, view="")
        assert other["standing"]["position"] == 3  # where the other one stood
        assert shown.last("ranks")["rank"] == 7
        refused = shown.ask("move_together", session=other["session"], enabled=True)
        assert "stepped one at a time" in refused["message"]
        assert not live.closed


def test_a_graph_that_differs_is_said_beside_the_gradients(tmp_path: Path) -> None:
    saved(tmp_path, 0, "run.rank0.vgtrace")
    x = vizgrad.ones(2, 3, requires_grad=True)
    with vizgrad.debug((x.relu() * 2).tanh().sum(), display=False) as session:
        session.continue_()
        session.trace.save(tmp_path / "run.rank1.vgtrace")
    joint = JointTraces(vizgrad.load_traces(tmp_path / "run.rank*.vgtrace"))
    shown = View(joint)
    shown.ask("attach", session=None, folding=FOLDING, view="")
    told = shown.last("ranks")
    assert "the graph of rank 1 differs: it lacks" in told["text"]
    assert any("a" in row["cells"] and not row["leaving"] for row in told["rows"])
    assert "has no such node" in next(row["text"] for row in told["rows"] if "a" in row["cells"])


def test_of_many_ranks_a_cell_stands_for_several() -> None:
    with vizgrad.debug(loss_of(vizgrad, 0), display=False) as session:
        graph = session.graph
    readings = [
        RankReading(rank, graph, {0: float("nan") if rank == 77 else 1.0}) for rank in range(1000)
    ]
    rows = RankRows(graph, readings)
    ((row,), whole, number) = rows.since(-1)
    assert (rows.per_cell, len(row.cells), row.cells.index("n"), whole) == (16, 63, 77 // 16, True)
    assert row.text.startswith("rank 77: NaN; 1 on the other 999 ranks")
    readings[5].arrived[1] = 1.0  # type: ignore[index]  a dict
    rows.change({5: [1]})
    ((changed,), whole, _) = rows.since(number)
    assert (changed.node, whole) == (1, False)


FOLDING: Message = {"opened": [], "closed": [], "cells": [], "near": None}
