"""What a run's records fold into is the state that its session told, there and back."""

from __future__ import annotations

import json
from contextlib import suppress
from math import isfinite

import pytest
from hypothesis import given

from tests.debugger.session.record_fold import RecordFold
from tests.debugger.session.test_stepping_property import Side, modes_of, move, quietly
from tests.fixtures import recordings
from tests.fixtures.strategies import moves
from tests.fixtures.strategies import programs as programs_of_all_kinds
from tests.fixtures.whole import whole

programs = pytest.mark.parametrize("program", recordings.PROGRAMS, ids=lambda p: p.__name__)

conversations = pytest.mark.parametrize(
    "conversation", recordings.CONVERSATIONS, ids=lambda c: c.__name__
)


@programs
def test_the_file_is_what_a_session_tells(program):
    written = json.loads(recordings.path_of(program).read_text("utf-8"))
    now = json.loads(recordings.text_of(recordings.recording(program)))
    found = list(recordings.differences(now, written))
    assert not found, "run python -m tests.fixtures.recordings"


@conversations
def test_the_conversation_is_what_a_session_says(conversation):
    written = json.loads(recordings.path_of(conversation).read_text("utf-8"))
    now = json.loads(recordings.text_of(recordings.talk(conversation)))
    found = list(recordings.differences(now, written))
    assert not found, "run python -m tests.fixtures.recordings"


@programs
def test_folding_there_and_back_gives_the_states_that_were_told(program):
    with program() as session:
        fold = RecordFold(session.start)
        runs = [session.run]
        with suppress(Exception):
            while session.run.current is not None:
                session.step()
                runs.append(session.run)
        if session.position == len(runs):
            runs.append(session.run)  # the step that raised
        records = session.trace.records
    assert len(records) == len(runs) - 1 > 2
    forwards = range(len(records) + 1)
    for position in (*forwards, *reversed(forwards), *forwards):
        while fold.position < position:
            fold.apply(records[fold.position])
        while fold.position > position:
            fold.unapply(records[fold.position - 1])
        _same(fold, runs[position])


@given(programs_of_all_kinds(), moves())
def test_the_notes_of_the_engine_fold_into_what_its_records_do(program, path):
    """Of one run each step is put into words when it is done, of the other none before it is looked at."""
    with quietly(), modes_of(program):
        told, quiet = Side(program), Side(program)
        first = told.session() if told.backward else None
        second = quiet.session() if quiet.backward else None
        if first is None or second is None:
            return
        fold = RecordFold(first.start)
        for what, n in path:
            if what in ("on_thread", "under_no_grad"):
                continue
            move(told, first, what, n)
            move(quiet, second, what, n)
            steps = first._control.live().history.steps
            while fold.position < first.position:
                fold.apply(steps[fold.position].record)
            while fold.position > first.position:
                fold.unapply(steps[fold.position - 1].record)
            _agree(fold, second._control.live().history.fold)
            _agree(fold, first._control.live().history.fold)
            curves = [session._control.state.memory.held for session in (first, second)]
            assert curves[0] == curves[1]
        _same(fold, first.run)
        first.close()
        second.close()


def _agree(fold, other):
    """What a view is told of a run, before any step of it was put into words."""
    assert (fold.position, fold.current) == (other.position, other.current)
    assert list(other.visited()) == sorted(fold.visited, key=lambda n: fold.visited[n].order)
    odd = [n for n, v in fold.visited.items() if v.norm is not None and not isfinite(v.norm)]
    assert sorted(other.nonfinite()) == sorted(odd)
    # priorities are numbers of the whole process, and only of equal ones it matters which came first
    assert [each.node for each in fold.queue] == [each.node for each in other.queue]
    assert {k: v for k, v in fold.delivered.items() if v} == {
        k: v for k, v in other.delivered.items() if v
    }


def _same(fold, run):
    # Of NaN only the text is equal to itself.
    assert (fold.position, fold.current) == (run.position, run.current)
    assert whole(fold.queue) == whole(run.ready)
    assert whole(fold.waiting) == whole(run.buffers)
    assert whole(tuple(map(fold.node, range(len(run.nodes))))) == whole(run.nodes)
    flows = {(edge.node, edge.edge): edge.norm for edge in run.edges}
    assert whole(sorted(fold.flows.items(), key=str)) == whole(sorted(flows.items(), key=str))
