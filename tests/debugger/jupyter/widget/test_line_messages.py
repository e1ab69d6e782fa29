"""What a notebook is told of lines, message by message, is how they are."""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad as vg
from tests.debugger.jupyter.widget.test_following_property import moved
from tests.debugger.jupyter.widget.views import View
from tests.debugger.session.test_stepping_property import Side, modes_of, quietly
from tests.fixtures.programs import Program
from tests.fixtures.sessions import no_sessions, small
from tests.fixtures.strategies import moves, programs
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget import line_messages
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.controller import after_cell
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.lines import source_files


class Notebook(View):
    """Folds what it is told of lines, as the extension does (`extension/src/lab/code/program.ts`)."""

    def __init__(self) -> None:
        super().__init__()
        self.follow()

    def follow(self) -> None:
        self.told = self.ask(p.FollowLines)
        self.session, self.number, self.mark = self.told.session, self.told.number, self.told.mark
        self.runs = {run.line: run for run in self.told.runs}

    def hear(self, *, seen: bool = True) -> int:
        """Folds what came; returns how many messages that were."""
        came = [event for event in self.events() if isinstance(event, p.LinesMoved)]
        for event in came:
            if event.session == "":
                self.session, self.runs, self.mark = "", {}, None
                self.number = event.number
            elif event.session != self.session or event.number != self.number + 1:
                self.follow()
                return len(came)
            else:
                self.number, self.mark = event.number, event.mark
                self.runs |= {run.line: run for run in event.runs}
                self.runs = {line: run for line, run in self.runs.items() if run.turns}
            if seen:
                self.ask(p.LinesSeen, self.number)
        return len(came)

    def agrees(self) -> None:
        whole = View().ask(p.FollowLines)
        assert (self.session, repr(self.mark)) == (whole.session, repr(whole.mark))
        assert repr(sorted(self.runs.items())) == repr([(run.line, run) for run in whole.runs])


@given(programs(), moves(), st.lists(st.booleans(), min_size=4, max_size=4))
def test_what_is_folded_is_what_is_told_whole(
    program: Program, path: list[tuple[str, int]], seen: list[bool]
) -> None:
    with quietly(), modes_of(program), no_sessions():
        early = Notebook()
        side = Side(program)
        session = side.session() if side.backward else None
        if session is None:
            return
        late = Notebook()
        for index, (what, n) in enumerate([*path, ("continue", 0), ("restart", 0)]):
            moved(session, what, n)
            early.hear(seen=seen[index % 4])
            late.hear()
        after_cell()  # what was held back is told
        early.hear()
        for notebook in (early, late):
            notebook.agrees()
        session.close()
        early.hear()
        assert early.session == ""
        early.agrees()


def test_the_session_that_was_moved_last_is_told_of() -> None:
    with no_sessions():
        *_, one = small()
        notebook = Notebook()
        *_, other = small()
        notebook.hear()
        assert notebook.session == other.id
        one.step()
        notebook.hear()
        assert notebook.session == one.id
        assert notebook.mark is not None
        # One that a person looks at is as if it had been moved, until another is.
        looked = notebook.ask(p.FollowLines, other.id)
        assert (looked.session, View().ask(p.FollowLines).session) == (other.id, other.id)
        assert isinstance(notebook.ask(p.FollowLines, "s1-of-another-kernel"), p.Failed)
        one.step()
        notebook.hear()
        assert notebook.session == one.id
        other.close()
        notebook.hear()
        assert notebook.session == one.id
        assert Notebook().session == one.id  # one that is closed was not moved
        one.close()
        notebook.hear()
        assert (notebook.session, notebook.runs, notebook.mark) == ("", {}, None)
        assert Notebook().session == ""


def test_a_step_tells_of_its_line_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with no_sessions():
        x = vg.ones(2, requires_grad=True)
        y = x.tanh()
        z = y.sin()
        session = open_session(z, vg.ones(2), names={})
        notebook = Notebook()
        session.step()
        (told,) = [event for event in notebook.events() if isinstance(event, p.LinesMoved)]
        assert len(told.runs) == 1
        # Nothing more before that was seen, but once some time has passed.
        session.step()
        assert notebook.hear() == 0
        notebook.ask(p.LinesSeen, told.number)
        (told,) = [event for event in notebook.events() if isinstance(event, p.LinesMoved)]
        assert len(told.runs) == 1
        monkeypatch.setattr(line_messages, "PATIENCE", 0.0)
        session.back()
        assert len([e for e in notebook.events() if isinstance(e, p.LinesMoved)]) == 1


def test_a_line_knows_its_nodes_and_a_node_its_line() -> None:
    with no_sessions():
        x = vg.ones(2, requires_grad=True)
        for _ in range(3):
            x = x.tanh()
        session = open_session(x, vg.ones(2), names={})
        session.step()
        notebook = Notebook()
        (line,) = notebook.told.lines
        assert (line.nodes, line.turns) == (3, 3)
        told = notebook.ask(p.GetLineNodes, session.id, 0)
        assert [(n.node, n.turn, n.done) for n in told.nodes] == [
            (0, 2, True),
            (1, 1, False),
            (2, 0, False),
        ]
        mark = notebook.ask(p.GetNodeLine, session.id, 1).mark
        assert (mark.kind, mark.node, mark.line) == ("selected", 1, 0)
        assert mark.text == "selected: TanhBackward0, 2 of 3"
        own = Path(__file__).read_text().splitlines()[line.line - 1]
        assert own[mark.column : mark.end_column] == "x.tanh()"
        leaf = notebook.ask(p.GetNodeLine, session.id, 3).mark
        assert (leaf.node, leaf.line, leaf.column) == (3, 0, mark.column)  # where it is used
        for strange in (-1, 1, 10**9):
            assert isinstance(notebook.ask(p.GetLineNodes, session.id, strange), p.Failed)
        for path in (
            "/etc/passwd",
            "",
            ".",
            f"{__file__}/../test_line_messages.py",
            line_messages.__file__,
        ):
            assert isinstance(notebook.ask(p.GetSource, session.id, path), p.Failed)
        for strange in (-1, 4, 10**9):
            assert isinstance(notebook.ask(p.GetNodeLine, session.id, strange), p.Failed)


def test_the_text_of_a_file_comes_with_whether_it_is_what_ran(tmp_path: Path) -> None:
    with no_sessions():
        file = tmp_path / "train.py"
        text = "def model(x):\n    return x.tanh()\n"
        file.write_text(text)
        made: dict[str, Any] = {}
        exec(compile(text, str(file), "exec"), made)
        session = open_session(made["model"](vg.ones(2, requires_grad=True)), vg.ones(2), names={})
        notebook = Notebook()
        (shown,) = notebook.told.files
        assert (shown.name, shown.cell, shown.text) == ("train.py", "", "")
        told = notebook.ask(p.GetSource, session.id, str(file))
        assert (told.text, told.changed, told.gone) == (text, False, "")
        file.write_text("# later\n" + text)
        told = notebook.ask(p.GetSource, session.id, str(file))
        assert (told.text, told.changed) == ("# later\n" + text, True)
        file.unlink()
        told = notebook.ask(p.GetSource, session.id, str(file))
        assert told.text == ""
        assert "train.py" in told.gone
        linecache.clearcache()


def test_a_file_of_which_any_function_moved_has_changed(tmp_path: Path) -> None:
    with no_sessions():
        file = tmp_path / "train.py"
        first, second = "def f(x):\n    return x.tanh()\n", "def g(x):\n    return x.sin()\n"
        file.write_text(first + second)
        made: dict[str, Any] = {}
        exec(compile(first + second, str(file), "exec"), made)
        x = vg.ones(2, requires_grad=True)
        session = open_session(made["g"](made["f"](x)), vg.ones(2), names={})
        notebook = Notebook()
        assert not notebook.ask(p.GetSource, session.id, str(file)).changed
        file.write_text(first + second + "# at the end\n")
        assert not notebook.ask(p.GetSource, session.id, str(file)).changed
        file.write_text(first + "# between\n" + second)
        assert notebook.ask(p.GetSource, session.id, str(file)).changed
        linecache.clearcache()


FUNCTION = """\
import vizgrad as vg
class Double(vg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        twice = grad * 2
        return twice
"""


def test_the_file_that_a_node_runs_is_to_be_had_while_the_run_is_in_it(tmp_path: Path) -> None:
    with no_sessions():
        file = tmp_path / "double.py"
        file.write_text(FUNCTION)
        made: dict[str, Any] = {}
        exec(compile(FUNCTION, str(file), "exec"), made)
        x = vg.ones(2, requires_grad=True)
        session = open_session(made["Double"].apply(x).exp(), vg.ones(2), names={})
        session.step()
        notebook = Notebook()
        refused = notebook.ask(p.GetSource, session.id, str(file))
        assert isinstance(refused, p.Failed)
        session.step_in()
        told = notebook.ask(p.GetSource, session.id, str(file))
        assert (told.text, told.changed, told.gone) == (FUNCTION, False, "")
        file.write_text("# new\n" + FUNCTION)
        assert notebook.ask(p.GetSource, session.id, str(file)).changed
        linecache.clearcache()


def test_what_cannot_be_shown_is_said_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with no_sessions():
        file = tmp_path / "train.py"
        made: dict[str, Any] = {}
        text = "def model(x):\n    return x.tanh()\n"
        exec(compile(text, str(file), "exec"), made)
        session = open_session(made["model"](vg.ones(2, requires_grad=True)), vg.ones(2), names={})
        notebook = Notebook()

        def gone() -> str:
            told = notebook.ask(p.GetSource, session.id, str(file))
            assert (told.text, told.changed) == ("", False)
            return told.gone

        assert "cannot be read" in gone()
        os.mkfifo(file)  # nobody writes to it: to read it would never end
        assert gone() == f"{file} is not a file that can be shown"
        file.unlink()
        file.write_bytes(b"\xff\xfe\x00")
        assert "cannot be read" in gone()
        file.write_text(text)
        monkeypatch.setattr(source_files, "MOST_BYTES", 10)
        assert gone() == f"{file} is too large to be shown ({len(text)} bytes)"
        linecache.clearcache()


def test_no_session_is_held_by_being_followed() -> None:
    with no_sessions():
        notebook = Notebook()
        *_, session = small()
        notebook.hear()
        name = session.id
        del session
        assert registry.find(name) is None


def test_breakpoints_at_lines_are_told_as_they_are_set() -> None:
    with no_sessions():
        x = vg.ones(2, requires_grad=True)
        y = x.tanh()
        z = y.sin()
        session = open_session(z, vg.ones(2), names={})
        notebook = Notebook()
        file = notebook.told.files[0].file
        first = notebook.told.lines[0]
        assert not isinstance(
            notebook.ask(p.SetLineBreakpoint, session.id, file, first.named, True), p.Failed
        )
        (told,) = [event for event in notebook.events() if isinstance(event, p.LinesMoved)]
        assert [(stop.line, stop.enabled, stop.condition) for stop in told.stops or ()] == [
            (0, True, "")
        ]
        notebook.ask(p.LinesSeen, told.number)
        assert [stop.line for stop in View().ask(p.FollowLines).stops] == [0]
        session.step()
        (told,) = [event for event in notebook.events() if isinstance(event, p.LinesMoved)]
        assert told.stops is None
        notebook.ask(p.LinesSeen, told.number)
        notebook.ask(p.SetLineBreakpoint, session.id, file, first.named, False)
        (told,) = [event for event in notebook.events() if isinstance(event, p.LinesMoved)]
        assert told.stops == ()


@contextmanager
def beside_a_line() -> Iterator[tuple[Any, Notebook, tuple[str, int]]]:
    """A session, the code of its notebook, and a line of it where a breakpoint can be set."""
    with no_sessions():
        x = vg.ones(2, requires_grad=True)
        session = open_session(x.tanh().sin(), vg.ones(2), names={})
        notebook = Notebook()
        yield session, notebook, (notebook.told.files[0].file, notebook.told.lines[0].named)


def test_a_breakpoint_of_an_earlier_session_is_set_with_all_that_it_asks() -> None:
    with beside_a_line() as (session, notebook, place):
        log, condition = "norm {grad.norm():.3g}", "grad.norm() > 0.5"
        notebook.ask(p.SetLineBreakpoint, session.id, *place, True, condition, 2, "", True)
        notebook.ask(p.SetLineBreakpoint, session.id, *place, True, "", 0, log)
        stops = View().ask(p.FollowLines).stops
        assert [stop.log for stop in stops] == ["", log]
        assert (stops[0].condition, stops[0].hits, stops[0].enabled) == (condition, 2, False)
        assert not any(stop.refused for stop in stops)


def test_one_that_asks_for_a_name_that_is_gone_says_so_and_loses_nothing() -> None:
    with beside_a_line() as (session, notebook, place):
        notebook.ask(p.SetLineBreakpoint, session.id, *place, True, "gone > 1")
        notebook.ask(p.SetLineBreakpoint, session.id, *place, True, "limit > 1", 0, "is {gone}")
        stop, log = View().ask(p.FollowLines).stops
        assert (stop.condition, stop.enabled) == ("gone > 1", True)
        assert (log.condition, log.log) == ("limit > 1", "is {gone}")
        assert "there is no 'gone' here" in stop.refused
        assert "there is no 'gone' here" in log.refused
        assert "there is no 'limit' here" in log.refused
        session.continue_()
        assert session.status == "finished"
        assert any("does not hold anywhere" in line.text for line in session.logged)
        with pytest.raises(ValueError, match="there is no 'gone' here"):
            session.break_at(line=f"{place[0]}:{place[1]}", condition="gone > 1")


def test_what_this_session_has_set_is_not_replaced_by_what_was_kept() -> None:
    with no_sessions():
        x = vg.ones(2, requires_grad=True)
        y = x.tanh()
        session = open_session(y.sin(), vg.ones(2), names={})
        notebook = Notebook()
        file, line = notebook.told.files[0].file, notebook.told.lines[0].named
        session.break_at(line=f"{file}:{line}", hits=3)
        notebook.ask(p.SetLineBreakpoint, session.id, file, line, True, "grad.norm() > 1")
        (stop,) = View().ask(p.FollowLines).stops
        assert (stop.hits, stop.condition) == (3, "")


def test_a_condition_that_is_a_function_says_that_it_was_not_kept() -> None:
    with no_sessions():
        x = vg.ones(2, requires_grad=True)
        y = x.tanh()
        session = open_session(y.sin(), vg.ones(2), names={})
        notebook = Notebook()
        file, line = notebook.told.files[0].file, notebook.told.lines[0].named
        session.break_at(line=f"{file}:{line}", condition=lambda visit: visit.node == 1)
        (told,) = View().ask(p.FollowLines).stops
        session.clear_breakpoints()
        notebook.ask(p.SetLineBreakpoint, session.id, file, line, True, told.condition)
        (kept,) = View().ask(p.FollowLines).stops
        assert (
            kept.refused == "its condition is a function, which was not kept: set it again in code"
        )
        assert kept.condition == told.condition


def test_a_branch_has_norms_of_its_own() -> None:
    with no_sessions():
        x = vg.tensor([0.5, 1.0], requires_grad=True)
        y = x.tanh()
        z = y.sin()
        session = open_session(z, vg.ones(2), names={})
        session.continue_()
        notebook = Notebook()
        ran = dict(notebook.runs)
        session.restart()
        notebook.hear()
        session.branch("other")
        session.set_grad(0, "zero")
        session.continue_()
        notebook.hear()
        notebook.agrees()
        assert [run.norm for run in notebook.runs.values()] == [0.0, 0.0]
        session.switch("original")
        notebook.hear()
        session.continue_()
        notebook.hear()
        notebook.agrees()
        assert notebook.runs == ran
