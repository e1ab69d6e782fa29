"""Breakpoints at lines of a person's program."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session.session import Session

MODEL = """\
def model(x):
    for _ in range(3):
        x = x.tanh()
    return x * 2
"""
LOSS = """\
y = model(w)
z = y.sin() * y
loss = z.sum()
"""


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A notebook of two cells, of which the second has the larger number."""
    sources = {"/tmp/kernel/1.py": MODEL, "/tmp/kernel/2.py": LOSS}
    names = {"/tmp/kernel/1.py": "In [9]", "/tmp/kernel/2.py": "In [10]"}
    monkeypatch.setattr(UPCALLS, "cell_of", names.get)
    variables: dict[str, Any] = {"w": vg.ones(2, requires_grad=True)}
    for file, text in sources.items():
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        exec(compile(text, file, "exec"), variables)
    yield variables
    for file in sources:
        linecache.cache.pop(file, None)


def names(session: Session, found: frozenset[int]) -> list[str]:
    return [session.graph.nodes[number].name for number in sorted(found)]


def test_a_number_is_a_line_of_the_newest_cell(cells: dict[str, Any]) -> None:
    session = open_session(cells["loss"], names={})
    made = session.break_at(line=2)
    assert made.text == "line 2 of In [10]"
    assert names(session, made.nodes) == ["MulBackward0", "SinBackward0"]
    assert names(session, session.break_at(line=":3").nodes) == ["SumBackward0"]
    session.continue_()
    assert str(session.stopped) == "Stopped: breakpoint before MulBackward0 (line 2 of In [10])"
    session.continue_()
    assert session.status == "finished"  # the row of its nodes is one arrival


def test_a_line_in_a_loop_stops_in_each_turn(cells: dict[str, Any]) -> None:
    session = open_session(cells["loss"], names={})
    made = session.break_at(line="In [9]:3")
    assert names(session, made.nodes) == ["TanhBackward0"] * 3
    assert session.break_at(line="In[9]:3").nodes == made.nodes
    stops = []
    while session.status != "finished":
        session.continue_()
        stops.append(session.node and session.node.name)
    assert stops == ["TanhBackward0"] * 3 + [None]


def test_files_are_known_by_the_ends_of_their_paths(
    cells: dict[str, Any], monkeypatch: Any
) -> None:
    monkeypatch.setattr(UPCALLS, "cell_of", lambda file: None)
    session = open_session(cells["loss"], names={})
    for name in ("1.py", "kernel/1.py", "/tmp/kernel/1.py"):
        assert names(session, session.break_at(line=f"{name}:4").nodes) == ["MulBackward0"]
    assert session.break_at(line=2).text == "line 2 of 2.py"  # the file of the last node
    with pytest.raises(ValueError, match=r"recorded in ernel/1\.py, but in 1\.py, 2\.py"):
        session.break_at(line="ernel/1.py:4")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (7, r"on line 7 of In \[10\]; lines that recorded nodes: 2, 3"),
        ("In [9]:1", r"on line 1 of In \[9\]; lines that recorded nodes: 3, 4"),
        ("In [8]:1", r"recorded in In \[8\], but in In \[10\], In \[9\]"),
        ("train.py", "give a number, or a file or cell and a number"),
        ("train.py:", "give a number, or a file or cell and a number"),
    ],
)
def test_what_records_nothing_is_refused(cells: dict[str, Any], line: Any, said: str) -> None:
    session = open_session(cells["loss"], names={})
    with pytest.raises(ValueError, match=said):
        session.break_at(line=line)
    assert session.run.breakpoints == ()


def test_a_graph_without_places_is_refused() -> None:
    w = vg.ones(2, requires_grad=True)
    session = open_session(w, vg.ones(2), names={})
    with pytest.raises(ValueError, match="the lines that recorded this graph are not known"):
        session.break_at(line=3)


def test_a_leaf_stands_at_the_line_that_uses_it(cells: dict[str, Any]) -> None:
    """Also where another leaf ran between that and it."""
    cells["v"] = vg.ones(2, requires_grad=True)
    exec(compile("a = w * v\nloss = (a * w).sum()\n", "/tmp/kernel/2.py", "exec"), cells)
    session = open_session(cells["loss"], names={})
    lines: dict[int, int | None] = {}
    while session.status != "finished":
        with session.at_rest() as (_, look):
            mark, known = look.mark, look.lines
        assert mark is not None
        assert known is not None
        lines[mark.node] = None if mark.line is None else known.table.lines[mark.line].line
        session.step()
    assert [lines[leaf] for leaf in (session.nodes - 2, session.nodes - 1)] == [1, 1]
