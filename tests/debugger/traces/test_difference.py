"""Two runs of a program are compared node by node."""

from __future__ import annotations

import zipfile
from math import inf
from pathlib import Path
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget.trace_contents import FiledView
from vizgrad.debugger.traces.difference import TraceDiff
from vizgrad.debugger.wire.columnar import from_column_json
from vizgrad.debugger.wire.wire import to_wire


def run(w: list[float], *, dtype: Any = None, more: bool = False, path: Path | None = None) -> Any:
    x = vg.tensor([1.0, 2.0], dtype=dtype, requires_grad=True)
    y = vg.tensor(w, dtype=dtype, requires_grad=True)
    hidden = (x * y).tanh()
    if more:
        hidden = hidden.exp()
    session = open_session(hidden.sum(), names={id(x): "x", id(y): "y"})
    session.stop_at_nonfinite = False
    session.continue_()
    if path is None:
        return session.trace
    session.trace.save(path)
    return vg.load_trace(path)


def test_the_same_program_is_the_same() -> None:
    found = run([0.5, 0.25]).diff(run([0.5, 0.25]))
    assert found.same
    assert found.first is None
    assert found.to_text() == "no difference: 5 nodes compared"


def test_the_first_node_that_differs_in_the_order_of_the_run() -> None:
    found: TraceDiff = run([0.5, 0.25]).diff(run([0.5, 0.5]))
    assert not found.same
    assert found.first is not None
    # what arrives at SumBackward0 and TanhBackward0 is 1 in both
    assert found.first.name == "MulBackward0"
    assert found.to_text().startswith("first difference at MulBackward0 (#3): ")
    a = [1 - vg.tensor(v).tanh() ** 2 for v in ([0.5, 0.5], [0.5, 1.0])]
    expected = float((a[0] - a[1]).norm() / a[0].norm())
    assert found.first.relative == pytest.approx(expected, rel=1e-6)


def test_element_by_element_not_by_norms() -> None:
    x = vg.tensor([3.0, 4.0], requires_grad=True)

    def trace(gradient: list[float]) -> Any:
        session = open_session(x * 1, vg.tensor(gradient), names={})
        session.continue_()
        return session.trace

    found = trace([3.0, 4.0]).diff(trace([4.0, 3.0]))
    assert found.first.relative == pytest.approx(2**0.5 / 5)


def test_tolerance_is_relative(tmp_path: Path) -> None:
    single = run([0.3, 0.7], path=tmp_path / "single")
    double = run([0.3, 0.7], dtype=vg.float64)
    assert single.diff(double).first is not None
    close = single.diff(double, tolerance=1e-6)
    assert close.same
    assert "by more than 1e-06" in close.to_text()


def test_what_was_put_in_shifts_the_others() -> None:
    found = run([0.5, 0.25]).diff(run([0.5, 0.25], more=True))
    assert [node.name for node in found.only_there] == ["ExpBackward0"]
    assert not found.only_here
    pairs = {(node.node, node.other) for node in found.nodes}
    assert pairs == {(0, 0), (1, 2), (2, 3), (3, 4), (4, 5)}
    assert "1 only there" in found.to_text()
    assert "only there: ExpBackward0 (#2)" in found.to_text()
    assert "(#2, #3 there)" in run([0.5, 0.25]).diff(run([0.5, 0.5], more=True)).to_text()


def test_one_that_is_not_finite_differs_wholly() -> None:
    found = run([0.5, 0.25]).diff(run([0.5, float("nan")]))
    assert found.first.relative == inf
    assert "1 of 2 not finite on one side" in found.to_text()
    assert run([0.5, float("nan")]).diff(run([0.5, float("nan")])).same


def test_what_ran_on_one_side_only_is_not_compared() -> None:
    x = vg.tensor([1.0], requires_grad=True)
    session = open_session((x * 2).tanh(), names={})
    session.step()
    part = session.trace
    session.continue_()
    found = session.trace.diff(part)
    assert found.to_text() == "no difference: 1 nodes compared (2 not run on both sides)"


def test_recordings_and_sessions_are_taken_too() -> None:
    x = vg.tensor([1.0], requires_grad=True)
    with vg.record() as recording:
        x.tanh().sum().backward()
    session = open_session(x.tanh().sum(), names={id(x): "x"})
    session.continue_()
    assert [n.name for n in recording.diff(session).nodes][:2] == ["SumBackward0", "TanhBackward0"]
    with pytest.raises(TypeError, match="not with int"):
        recording.diff(3)


def test_the_table_has_a_row_for_each() -> None:
    html = run([0.5, 0.25]).diff(run([0.5, 0.5], more=True))._repr_html_()
    assert html.count("<tr>") == 1 + 4 + 1
    assert "only there" in html


def opened(w: list[float], *, more: bool = False) -> Any:
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    hidden = (x * vg.tensor(w)).tanh()
    if more:
        hidden = hidden.exp()
    return open_session(hidden.sum(), names={id(x): "x"}, title="loss")


def test_another_run_is_laid_beside_one_that_goes_on() -> None:
    session, other = opened([0.5, 0.25]), opened([0.5, 0.5])
    other.continue_()
    session.step(2)
    assert [each.relative for each in session.compare(other, "before")] == [0.0, 0.0]
    assert session.comparison("before").first is None
    session.continue_()
    told = session.comparison("before")
    assert told.first == 2
    relative = other.trace.diff(session.trace).first
    assert relative is not None
    found = {each.node: each for each in told.differences}
    assert found[2].here == pytest.approx(session.trace.visits[2].incoming[0].norm)
    assert found[2].there == pytest.approx(other.trace.visits[2].incoming[0].norm)
    # laid beside a second time it is the same; another gets a name of its own
    session.compare(other.trace)
    assert [each.name for each in session._control.state.beside] == ["before", "the other run"]
    assert session.branches[1:] == ()
    with pytest.raises(ValueError, match="there is a branch 'before' already"):
        session.branch("before")
    session.drop_branch("before")
    with pytest.raises(ValueError, match="there is no branch 'before'"):
        session.comparison("before")
    with pytest.raises(TypeError, match="not with int"):
        session.compare(3)


def test_what_only_one_of_them_has_is_said() -> None:
    session, other = opened([0.5, 0.25], more=True), opened([0.5, 0.25])
    for each in (session, other):
        each.continue_()
    session.compare(other, "before")
    told = session.comparison("before")
    assert told.text == "1 node only here"
    alone = [each for each in told.differences if each.there is None]
    assert [session.name_of(each.node).name for each in alone] == ["ExpBackward0"]
    assert other.compare(session, "after")[-1].what == ""
    assert other.comparison("after").text == "1 node only in after"


def test_on_a_branch_it_is_compared_with_that() -> None:
    session, other = opened([0.5, 0.25]), opened([0.5, 0.25])
    for each in (session, other):
        each.continue_()
    session.compare(other, "before")
    session.seek(1)
    session.set_grad(session.node, "g * 2")
    session.continue_()
    assert session.comparison("before", "branch 1").first == 1
    with pytest.raises(ValueError, match="go to 'original' first"):
        session.comparison("before", "original")
    session.switch("original")
    assert session.comparison("before").first is None
    assert session.comparison("branch 1", "original").first == 1


def test_a_file_of_a_difference_has_it_for_a_page(tmp_path: Path) -> None:
    one, other = opened([0.5, 0.25]), opened([0.5, 0.5])
    for each in (one, other):
        each.continue_()
    one.trace.diff(other).save(tmp_path / "x.vgtrace")
    with zipfile.ZipFile(tmp_path / "x.vgtrace") as file:
        (beside,) = to_wire(from_column_json(FiledView, file.read("view.json")))["beside"]
    assert (beside["name"], beside["recorded"], beside["first"]) == ("the other run", 4, 2)
    assert beside["total"] == len(beside["differences"]) == 4
    assert vg.load_trace(tmp_path / "x.vgtrace").diff(one).same
