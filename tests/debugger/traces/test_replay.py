"""A trace that was filed is the session it was taken from: it is seen alike at every position."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vizgrad as vg
from tests.fixtures import recorded_programs
from tests.fixtures.programs import Program, backward_of, build
from tests.fixtures.sessions import small
from tests.fixtures.strategies import programs
from tests.fixtures.whole import whole
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget import protocol, query_answers
from vizgrad.debugger.jupyter.widget.drawing import AUTOMATIC
from vizgrad.debugger.model import ArrayName
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.traces import LoadedTrace


def again(session: Session, folder: Path) -> LoadedTrace:
    session.trace.save(folder / "it.vgtrace")
    return vg.load_trace(folder / "it.vgtrace")


def plain(summary: model.TensorSummary | None) -> model.TensorSummary | None:
    """Without what only who looks closely is told."""
    return None if summary is None else replace(summary, histogram=(), heat=None, phases=None)


def run_of(session: Session) -> model.Run:
    run = session.run
    buffers = tuple(replace(b, value=plain(b.value)) for b in run.buffers)
    return replace(run, buffers=buffers, modes=model.Modes(), earliest=0)


def seen(session: Session, position: int) -> Any:
    session.seek(position)
    shown: Any = query_answers.shown(1, session, AUTOMATIC, "")
    standing = replace(
        shown.standing, modes=model.Modes(), storages=(), quiet=0, earliest=0, can_change=False
    )
    buffers = tuple(replace(b, value=plain(b.value)) for b in standing.buffers)
    return run_of(session), shown.drawing, replace(standing, buffers=buffers)


def told(session: Session, node: int) -> Any:
    """What is said about a node; values that nodes saved are told as they are now by a session alone, as is
    where the tensor of a leaf comes from.
    """
    found: Any = query_answers.inspection(session, protocol.Inspect(1, session.id, node))
    leaf = found.leaf and replace(found.leaf, made=None, written=None, unnoted="")
    return replace(
        found, session="", revision=0, storages=(), buffers=tuple(map(plain, found.buffers)),
        grad=plain(found.grad), leaf=leaf,
    )  # fmt: skip


def assert_same(live: Session, loaded: LoadedTrace) -> None:
    last = live.position
    for position in (*range(last + 1), *range(last, -1, -1)):
        assert whole(seen(loaded, position)) == whole(
            seen(live, position)
        )  # NaN is not equal to itself
        for node in range(live.nodes):
            assert whole(told(loaded, node)) == whole(told(live, node))


@pytest.mark.parametrize("name", ["mlp", "shared", "layers", "inputs", "nonfinite", "undefined"])
def test_is_seen_as_the_session_was(name: str, tmp_path: Path) -> None:
    live = getattr(recorded_programs, name)()
    with suppress(RuntimeError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        live.seek(live.total)
    assert_same(live, again(live, tmp_path))


@given(programs())
@settings(max_examples=30, deadline=None)
def test_any_program(program: Program) -> None:
    world = build(program)
    backward = backward_of(program, world)
    if backward is None:
        return
    with warnings.catch_warnings(), TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        try:
            live = open_session(backward.tensors, backward.gradients, names={}, **backward.settings)
        except (RuntimeError, TypeError, NotImplementedError):
            return
        with live:
            with suppress(RuntimeError, TypeError, NotImplementedError):
                live.seek(live.total)
            if live.status == "failed":
                return
            with again(live, Path(folder)) as loaded:
                loaded.seek(loaded.total)
                assert whole(run_of(loaded)) == whole(run_of(live))
                loaded.restart()
                assert loaded.position == 0
                assert loaded.run.nodes[0].order is None


def test_gradients_are_there_bit_for_bit(tmp_path: Path) -> None:
    _, _, live = small()
    live.continue_()
    loaded = again(live, tmp_path)
    loaded.seek(loaded.total)
    found = 0
    for record in live.trace.records:
        for nr in range(len(record.visit.incoming)):
            of = ArrayName(record.visit.node, "incoming", nr)
            own, filed = live._control.state.value(of), loaded._control.state.value(of)
            assert own.tobytes() == filed.tobytes()
            assert (own.shape, own.dtype) == (filed.shape, filed.dtype)
            found += 1
    assert found == 5
    asked = protocol.GetPart(1, loaded.id, ArrayName(0, "incoming", 0), (), None, None)
    part: Any = query_answers.part(loaded, asked)
    assert part.part is not None


def test_values_that_nodes_saved_are_not_in_it(tmp_path: Path) -> None:
    _, _, live = small()
    live.continue_()
    loaded = again(live, tmp_path)
    part: Any = query_answers.part(
        loaded, protocol.GetPart(1, loaded.id, ArrayName(0, "saved", 0, "self"), (), None, None)
    )
    assert "not in a trace" in part.gone


def test_the_trace_of_a_session_that_was_closed_is_saved_without_gradients(tmp_path: Path) -> None:
    x = vg.tensor([0.0, 1.0], requires_grad=True)
    live = open_session(x.sqrt().sum(), names={id(x): "x"})
    live.stop_at_nonfinite = False
    live.continue_()
    before, run = live.trace, live.run
    live.close()
    for trace in (before, live.trace):
        trace.save(tmp_path / "it")
        loaded = vg.load_trace(tmp_path / "it")
        loaded.seek(loaded.total)
        assert loaded.run.nodes == run.nodes
        loaded.restart()
        assert "SqrtBackward0 made 1 inf of 2" in loaded.continue_()


def test_room_for_gradients_is_kept_to(tmp_path: Path) -> None:
    _, _, live = small()
    live.continue_()
    live.trace.save(tmp_path / "none", arrays=0)
    loaded = vg.load_trace(tmp_path / "none")
    loaded.step()
    with pytest.raises(LookupError):
        loaded._control.state.value(ArrayName(0, "incoming", 0))
    live.seek(1)
    assert run_of(loaded) == run_of(live)


def test_of_a_run_that_is_not_done_there_is_so_much(tmp_path: Path) -> None:
    _, _, live = small()
    live.step(2)
    loaded = again(live, tmp_path)
    assert loaded.position == 2
    assert "2 of 5 nodes done" in loaded.continue_()
    assert "saved when 2 of 5 nodes were done" in loaded.step()
    assert loaded.stopped is not None
    assert loaded.status == "paused"
    assert "1 of 5" in loaded.back()
    assert loaded.stopped is None


def test_a_node_that_raised_is_shown_and_not_raised_again(tmp_path: Path) -> None:
    x = vg.tensor([1.0], requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: 1 / 0)
    live = open_session(y, names={id(x): "x"})
    with pytest.raises(ZeroDivisionError):
        live.continue_()
    loaded = again(live, tmp_path)
    assert loaded.status == "failed"
    loaded.restart()
    assert "ZeroDivisionError" in loaded.continue_()
    assert loaded.status == "failed"
    assert loaded.run.nodes == live.run.nodes
    assert "0 of" in loaded.back()


def test_stops_where_a_nan_was_born(tmp_path: Path) -> None:
    x = vg.tensor([0.0, 1.0], requires_grad=True)
    live = open_session((x.sqrt() * 0).sum(), names={id(x): "x"})
    live.stop_at_nonfinite = False
    live.continue_()
    loaded = again(live, tmp_path)
    assert loaded.position == 0  # that of a run that had finished stands at its start
    live.stop_at_nonfinite = True
    live.restart()
    live.continue_()
    loaded.continue_()
    assert loaded.stopped == live.stopped
    assert "SqrtBackward0 made 1 NaN of 2" in str(loaded.stopped)
    there = again(live, tmp_path)
    assert (there.position, there.stopped) == (live.position, live.stopped)


def test_breakpoints_and_names_are_those_of_a_session(tmp_path: Path) -> None:
    _, _, live = small()
    live.continue_()
    loaded = again(live, tmp_path)
    loaded.break_at("Tanh*")
    assert "breakpoint before TanhBackward0" in loaded.continue_()
    assert loaded.node is not None
    assert loaded.node.name == "TanhBackward0"
    assert loaded.title == "out"
    assert loaded.name == "out, it.vgtrace"


def test_what_was_loaded_can_be_saved_again(tmp_path: Path) -> None:
    _, _, live = small()
    live.continue_()
    loaded = again(live, tmp_path)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "it.vgtrace").read_bytes()


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 4))
def test_a_recording_is_stepped_one_backward_at_a_time(rounds: int) -> None:
    w = vg.tensor([1.0, 2.0], requires_grad=True)
    with vg.record("training") as recording:
        for _ in range(rounds):
            (w * w).sum().backward()
    with TemporaryDirectory() as folder:
        recording.save(Path(folder, "it"))
        for number in range(1, rounds + 1):
            with vg.load_trace(Path(folder, "it"), backward=number) as loaded:
                assert loaded.total == 3
                assert loaded.trace == recording.trace
                done = loaded.step(2)
                assert "2 of 3" in done
                assert loaded.continue_().endswith("the backward is finished")
                assert [n.order is not None for n in loaded.run.nodes].count(True) == 3
                assert "2 of 3" in loaded.back()
        with pytest.raises(ValueError, match=f"it has {rounds}"):
            vg.load_trace(Path(folder, "it"), backward=rounds + 1)
