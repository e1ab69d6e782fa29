"""What a run's records fold into is the state that its session told, there and back."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from tests.fixtures import recordings
from vizgrad.inspection.fold import Fold

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
        fold = Fold(session.start)
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


def _same(fold, run):
    # Of NaN only the text is equal to itself.
    assert (fold.position, fold.current) == (run.position, run.current)
    assert repr(fold.queue) == repr(run.ready)
    assert repr(fold.waiting) == repr(run.buffers)
    assert repr(tuple(map(fold.node, range(len(run.nodes))))) == repr(run.nodes)
    flows = {(edge.node, edge.edge): edge.norm for edge in run.edges}
    assert repr(sorted(fold.flows.items(), key=str)) == repr(sorted(flows.items(), key=str))
