"""Lines of a program: which nodes are theirs, in which turns, and the norms beside them over a run."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from math import sqrt
from typing import Any

import pytest
from hypothesis import given

import vizgrad as vg
from tests.debugger.session.test_stepping_property import Side, modes_of, move, quietly
from tests.fixtures.programs import Program
from tests.fixtures.strategies import moves, programs
from vizgrad.core.tensor.storage import tick
from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session.lines.line_table import LineTable
from vizgrad.debugger.session.lines.source_files import Ran
from vizgrad.debugger.session.session import Session


def table_of(session: Session) -> LineTable:
    with session.at_rest() as (_, look):
        assert look.lines is not None
        return look.lines.table


def run_of(session: Session) -> tuple[tuple[model.LineRun, ...], model.LineMark | None]:
    with session.at_rest() as (_, look):
        assert look.lines is not None
        return look.lines.all(), look.mark


def program(text: str, file: str, **variables: Any) -> dict[str, Any]:
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), variables)
    return variables


@pytest.fixture(autouse=True)
def no_files_stay() -> Iterator[None]:
    before = set(linecache.cache)
    yield
    for file in set(linecache.cache) - before:
        linecache.cache.pop(file, None)


def from_scratch(session: Session) -> tuple[model.LineRun, ...]:
    """What should stand beside the lines, read off the whole trace."""
    table = table_of(session)
    first: dict[tuple[int, int], int] = {}
    visits = session.trace.visits
    for index, visit in enumerate(visits):
        line = table.line(visit.node)
        if line is not None:
            first.setdefault((line, table.turn_of[visit.node]), index)
    found: list[model.LineRun] = []
    for line in sorted({line for line, _ in first}):
        began = sorted(index for (its, _), index in first.items() if its == line)
        visit = visits[began[-1]]
        norms = [s.norm for s in visit.incoming if s is not None and s.norm is not None]
        norm = (
            None if not norms else norms[0] if len(norms) == 1 else sqrt(sum(n * n for n in norms))
        )
        found.append(model.LineRun(line, len(began), visit.node, norm))
    return tuple(found)


@given(programs(), moves())
def test_folded_lines_are_those_from_scratch(program: Program, path: list[tuple[str, int]]) -> None:
    with quietly(), modes_of(program):
        side = Side(program)
        session = side.session() if side.backward else None
        if session is None:
            return
        for what, n in [*path, ("continue", 0), ("restart", 0)]:
            move(side, session, what, n)
            assert repr(run_of(session)[0]) == repr(from_scratch(session))  # NaN is NaN
        assert run_of(session)[0] == ()
        session.close()


LOOPS = """\
def model(x):
    for _ in range(3):
        x = x.tanh()
    h = sum([x * i for i in range(3)])
    return h * 2 + (
        x.sin().relu())
y = model(w); z = model(w * 3)
loss = cross_entropy(y.view(1, 2), target) + z.sum().sqrt()
"""


@pytest.fixture
def loops() -> Session:
    made = program(
        LOOPS,
        "/tmp/program/loops.py",
        w=vg.ones(2, requires_grad=True),
        cross_entropy=vg.nn.functional.cross_entropy,
        target=vg.tensor([1]),
    )
    return open_session(made["loss"], names={})


def test_turns_are_what_was_evaluated_at_once(loops: Session) -> None:
    told = {(line.line, line.nodes, line.turns) for line in table_of(loops).told()}
    assert told == {
        (3, 6, 6),  # three turns in each of two calls
        (4, 12, 2),  # a comprehension and a sum of it are one turn of their line
        (5, 4, 2),
        (6, 4, 2),
        (7, 1, 1),
        (8, 6, 1),  # one call may record several nodes
    }


def test_the_norm_is_that_of_the_gradient_for_what_the_line_computed(loops: Session) -> None:
    table = table_of(loops)
    loops.step(1)
    (run,), mark = run_of(loops)
    assert (table.lines[run.line].line, run.norm, run.turns) == (8, 1.0, 1)
    loops.step(2)
    assert run_of(loops)[0] == (run,)  # other nodes of the line change nothing
    assert mark is not None
    assert mark.kind == "next"


def test_the_mark_knows_the_call_within_the_line(loops: Session) -> None:
    texts = []
    for _ in range(3):
        _, mark = run_of(loops)
        assert mark is not None
        assert mark.line is not None
        text = LOOPS.splitlines()[table_of(loops).lines[mark.line].line - 1]
        texts.append(text[mark.column : mark.end_column])
        loops.step()
    assert texts == [
        "cross_entropy(y.view(1, 2), target) + z.sum().sqrt()",
        "z.sum().sqrt()",
        "z.sum()",
    ]


def test_a_leaf_stands_at_the_line_that_its_gradient_came_from(loops: Session) -> None:
    loops.run_to("AccumulateGrad")
    table, mark = table_of(loops), run_of(loops)[1]
    assert mark is not None
    assert mark.node == loops.nodes - 1
    last = loops.trace.records[-1].visit.node
    assert mark.line == table.line(last) is not None
    loops.continue_()
    assert run_of(loops)[1] is None


def test_where_a_nan_was_born_its_line_is_marked() -> None:
    made = program(
        "y = x.sqrt()\nloss = (y * 0).sum()\n",
        "/tmp/program/nan.py",
        x=vg.tensor([0.0, 1.0], requires_grad=True),
    )
    session = open_session(made["loss"], names={})
    session.continue_()
    _, mark = run_of(session)
    assert mark is not None
    assert mark.line is not None
    assert (mark.kind, mark.name) == ("nonfinite", "SqrtBackward0")
    assert table_of(session).lines[mark.line].line == 1
    assert mark.text == str(session.stopped)
    session.back()
    assert (run_of(session)[1] or mark).kind == "next"


def test_a_nan_of_the_forward_pass_is_on_the_line_that_made_it() -> None:
    made = program(
        "a = x.exp()\nb = a * y\nloss = b.sum()\n",
        "/tmp/program/forward.py",
        x=vg.tensor([1000.0, 1.0], requires_grad=True),
        y=vg.ones(2, requires_grad=True),
    )
    session = open_session(made["loss"], names={})
    session.continue_()
    assert session.stopped is not None
    assert session.stopped.birth is not None
    assert session.stopped.birth.forward
    _, mark = run_of(session)
    assert mark is not None
    assert mark.line is not None
    assert mark.kind == "nonfinite"
    place = session.stopped.place
    assert place is not None
    assert table_of(session).lines[mark.line].line == place.line == 1


@pytest.mark.parametrize(
    ("hook", "error", "line"),
    [
        ("def hook(grad):\n    grad.missing\n", AttributeError, 2),
        ("def hook(grad):\n    return 3\n", TypeError, 2),
    ],
)
def test_a_hook_that_fails_is_marked_in_its_own_text(
    hook: str, error: type[Exception], line: int
) -> None:
    made = program(
        f"{hook}y = x.exp()\n_ = y.register_hook(hook)\nloss = y.sum()\n",
        "/tmp/program/hooked.py",
        x=vg.ones(2, requires_grad=True),
    )
    session = open_session(made["loss"], names={})
    with pytest.raises(error):
        session.continue_()
    _, mark = run_of(session)
    assert mark is not None
    assert (mark.kind, mark.name, mark.line) == ("error", "ExpBackward0", None)
    assert mark.text == str(session.stopped)
    assert mark.inside is not None
    assert (mark.inside.file.file, mark.inside.line) == ("/tmp/program/hooked.py", line)
    session.back()
    assert (run_of(session)[1] or mark).kind == "next"


CELL = "\n\n  \n    ü = '𝒙'; y = x.tanh()\n    z = y.sin()"


def test_lines_are_those_of_the_cell_as_a_person_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # IPython compiles it without empty lines at the beginning and without its indentation.
    file = "/tmp/kernel/1.py"
    compiled = "ü = '𝒙'; y = x.tanh()\nz = y.sin()\n"
    ran = Ran("abc", "%%record\n" + CELL, tick(), first=1)
    monkeypatch.setattr(UPCALLS, "cell_of", {file: "In [3]"}.get)
    monkeypatch.setattr(UPCALLS, "cells_run", {file: (ran,)}.get)
    made = program(compiled, file, x=vg.ones(2, requires_grad=True))
    session = open_session(made["z"], vg.ones(2), names={})
    table = table_of(session)
    (shown,) = table.files
    assert (shown.cell, shown.name, shown.text) == ("abc", "In [3]", ran.text)
    lines = ran.text.splitlines()
    assert [lines[line.line - 1].strip() for line in table.lines] == [
        "ü = '𝒙'; y = x.tanh()",
        "z = y.sin()",
    ]
    session.step()
    _, mark = run_of(session)
    assert mark is not None
    assert mark.line is not None
    units = lines[table.lines[mark.line].line - 1].encode("utf-16-le")
    assert mark.column is not None
    assert mark.end_column is not None
    assert units[2 * mark.column : 2 * mark.end_column].decode("utf-16-le") == "x.tanh()"


def test_cells_of_one_text_are_told_apart_by_when_they_ran(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file, text = "/tmp/kernel/2.py", "x = x.tanh()\n"
    x = vg.ones(2, requires_grad=True)
    runs: list[Ran] = []
    monkeypatch.setattr(UPCALLS, "cells_run", lambda name: tuple(runs) if name == file else ())
    for cell in ("a", "b", "a"):
        runs.append(Ran(cell, text, tick()))
        x = program(text, file, x=x)["x"]
    session = open_session(x, vg.ones(2), names={})
    table = table_of(session)
    nodes = {table.files[line.file].cell: line.nodes for line in table.lines}
    assert nodes == {"a": [0, 2], "b": [1]}


def test_a_line_that_is_no_longer_what_was_compiled_is_not_marked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = "/tmp/kernel/3.py"
    ran = Ran("abc", "!ls\ny = x.tanh()\n", tick())
    monkeypatch.setattr(UPCALLS, "cells_run", {file: (ran,)}.get)
    made = program("y = x.tanh()\n", file, x=vg.ones(2, requires_grad=True))
    session = open_session(made["y"], vg.ones(2), names={})
    assert table_of(session).lines == []
    _, mark = run_of(session)
    assert mark is not None
    assert mark.line is None


def test_what_a_module_recorded_is_marked_on_the_line_that_called_it() -> None:
    """Also where nothing else was recorded by that line."""
    text = "h = model(x)\nloss = h.sum()\n"
    net = vg.nn.Sequential(vg.nn.Linear(2, 3), vg.nn.Tanh())
    loss = program(text, "calls_a_module.py", model=net, x=vg.ones(4, 2))["loss"]
    session = vg.debug(loss)
    marks: dict[str, int | None] = {}
    while session.node is not None:
        mark = run_of(session)[1]
        assert mark is not None
        table = table_of(session)
        own = None if mark.line is None else table.lines[mark.line].line
        assert mark.inside is None or mark.inside.file.file.endswith("calls_a_module.py")
        marks[session.node.name] = own if mark.inside is None else mark.inside.line
        session.step()
    session.close()
    assert marks == {
        "SumBackward0": 2, "TanhBackward0": 1, "AddmmBackward0": 1, "TBackward0": 1, "AccumulateGrad": 1
    }  # fmt: skip


MODULES = """\
for part in parts:
    x = part(x)
heads = [head(x) for head in (one, one)]
loss = last(norm(x)).sum() + sum(heads).sum()
"""


def test_a_line_that_only_calls_modules_has_a_norm_for_each_turn() -> None:
    """All that one call has recorded is one turn, also where it repeats (two layers of one kind)."""
    nn = vg.nn
    parts = [nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)) for _ in range(3)]
    given = {"one": nn.Linear(4, 4), "last": nn.Linear(4, 4), "norm": nn.LayerNorm(4)}
    made = program(MODULES, "modules.py", x=vg.ones(2, 4), parts=parts, **given)
    session = open_session(made["loss"], names={})
    table = table_of(session)
    assert [(line.line, line.turns) for line in table.told()] == [(2, 3), (3, 2), (4, 1)]
    session.continue_()
    runs = {table.lines[run.line].line: run for run in run_of(session)[0]}
    assert {line: run.turns for line, run in runs.items()} == {2: 3, 3: 2, 4: 1}
    assert all(run.norm for run in runs.values())
    session.close()


def test_a_breakpoint_beside_a_call_of_a_module_stops_at_what_it_recorded() -> None:
    made = program(
        "h = layer(x)\nloss = h.sum()\n", "stops.py", x=vg.ones(2, 4), layer=vg.nn.Linear(4, 3)
    )
    session = open_session(made["loss"], names={})
    session.break_at(line="stops.py:1")
    session.continue_()
    assert session.node is not None
    assert session.node.name == "AddmmBackward0"
    session.close()


OVERWRITTEN = """\
x = vg.ones(3, requires_grad=True)
h = x.exp()
y = h.sin()
{write}
loss = y.sum()
"""


def stopped_at_a_write(write: str, **others: Any) -> tuple[Session, model.LineMark]:
    made = program(OVERWRITTEN.format(write=write), "overwritten.py", vg=vg, **others)
    session = open_session(made["loss"])
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        session.continue_()
    _, mark = run_of(session)
    assert mark is not None
    return session, mark


def test_a_write_in_place_is_said_first_and_its_line_is_marked_as_well() -> None:
    session, mark = stopped_at_a_write("h.mul_(2)")
    table = table_of(session)
    assert mark.line is not None
    assert table.lines[mark.line].line == 3
    assert mark.text == "line 4 changed `h` in place, which SinBackward0 saved: h.mul_(2)"
    assert mark.blamed is not None
    assert (mark.blamed.line, mark.blamed.file) == (4, table.files[0])
    assert mark.blamed_text == "changes `h` in place, which SinBackward0 saved on line 3"
    assert str(session.stopped) == f"Stopped: {mark.text}"
    session.back()
    _, back = run_of(session)
    assert back is not None
    assert (back.kind, back.blamed) == ("next", None)


def test_a_write_in_another_file_is_said_with_its_name() -> None:
    text = "def write(h):\n    h.add_(1)\n"
    other = program(text, "writer.py")
    _, mark = stopped_at_a_write("change(h)", change=other["write"])
    assert mark.text.startswith(
        "writer.py:2 changed `h` in place, which SinBackward0 saved: h.add_(1)"
    )
    assert mark.blamed is not None
    assert (mark.blamed.line, mark.blamed.file.file) == (2, "writer.py")
    assert mark.blamed_text == "changes `h` in place, which SinBackward0 saved"
