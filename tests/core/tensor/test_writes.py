"""The write log: compared with a list of all writes, for any mixture of lines and any tick.

What it answers is the truth or "not known"; never a line that did not write first, never a version that
was not the counter's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad as torch
from tests.fixtures.sessions import no_sessions
from vizgrad.core.tensor import storage as module
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import WriteLog, Written
from vizgrad.debugger.drawing.text import versions_text
from vizgrad.debugger.drawing.timeline import versions_scene
from vizgrad.debugger.engines.vizgrad.opener import open_session

CODE = compile("a = 1", "<written>", "exec")
OTHER = compile("b = 1", "<written too>", "exec")


def site(line: int) -> Site | None:
    return None if line == 0 else Site(CODE if line % 2 else OTHER, line // 2)


class Naive:
    """All writes, for ever."""

    def __init__(self) -> None:
        self.all: list[Written] = []

    def add(self, clock: int, op: str, at: Site | None, alias: str) -> None:
        self.all.append(Written(clock, len(self.all) + 1, op, at, alias))

    def first_after(self, clock: int) -> Written | None:
        return next((w for w in self.all if w.clock is not None and w.clock > clock), None)


def check(log: WriteLog, naive: Naive, clock: int) -> bool:
    """Is what the log says of this tick true? Returns whether it knows all."""
    truth, said = naive.first_after(clock), log.first_after(clock)
    version = log.version_at(clock)
    if truth is None or said is None:
        assert truth is said
        assert version == len(naive.all)
        return True
    if said.version is None:
        assert version is None
        assert said.clock is None
        if said.op:  # the line is known, the time is not
            assert said[2:] == truth[2:]
        else:
            assert (said.site, said.alias) == (None, "")
        return False
    assert said == truth
    assert truth.version is not None
    assert version == truth.version - 1
    return True


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 40), st.integers(1, 3)), max_size=60),
    st.sampled_from([2, 3, 8, 1024]),
    st.sampled_from([1, 2, 256]),
)
def test_it_says_the_truth_or_nothing(
    runs: list[tuple[int, int, int]], kept: int, lines: int
) -> None:
    """`runs`: (line, how often it writes in a row, ticks between two writes)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "WRITES_KEPT", kept)
        patch.setattr(module, "LINES_KEPT", lines)
        log, naive, clock = WriteLog(), Naive(), 0
        for line, times, gap in runs:
            for _ in range(times):
                clock += gap
                for one in (log, naive):
                    one.add(clock, f"op{line}", site(line), "")
        assert len(log) == len(naive.all)
        copy = log.copy()
        for tick in range(clock + 2):
            known = check(log, naive, tick)
            if len(naive.all) <= kept:
                assert known
            assert copy.first_after(tick) == log.first_after(tick)
        latest = list(log.latest(kept // 2))
        assert latest == naive.all[len(naive.all) - len(latest) :]
        assert len(latest) == min(kept // 2, len(naive.all))


@pytest.mark.parametrize("innocent", [0, 1, 63, 64, 65, 1000, 1023, 1024, 5000])
def test_one_line_is_exact_however_often_others_wrote_since(innocent: int) -> None:
    log = WriteLog()
    log.add(10, "add_", site(1), "")
    for i in range(innocent):
        log.add(11 + i, "mul_", site(2 + i % 2), "")
    assert log.first_after(5) == Written(10, 1, "add_", site(1), "")
    assert log.version_at(5) == 0
    assert log.first_after(10 + innocent) is None
    assert log.version_at(10 + innocent) == 1 + innocent


def test_a_line_that_wrote_before_and_long_after_is_named_but_not_the_time() -> None:
    log = WriteLog()
    for clock in range(1, 5001):
        log.add(clock, "mul_", site(1), "")
    assert log.first_after(700) == Written(None, None, "mul_", site(1), "")
    assert log.version_at(700) is None
    assert log.first_after(0) == Written(1, 1, "mul_", site(1), "")
    assert log.version_at(4900) == 4900


def test_memory_is_bounded_by_the_lines_of_the_program() -> None:
    log = WriteLog()
    for clock in range(1, 20_001):
        log.add(clock, "mul_", Site(compile("a", f"<cell {clock}>", "exec"), 0), "")
    assert len(log) == 20_000
    assert len(log._clocks) <= module.WRITES_KEPT
    assert len(log._older) <= module.LINES_KEPT
    assert len(log._what) == len(log._numbers) <= module.WRITES_KEPT + module.LINES_KEPT
    assert log.first_after(3) == Written(None, None, "", None, "")


@pytest.fixture
def sessions() -> Any:
    with no_sessions():
        yield


def _culprit(h: Any) -> None:
    h.add_(1)  # the culprit


@pytest.mark.rule("V-20")
@pytest.mark.parametrize("innocent", [*range(8), 62, 63, 64, 65, 100, 1000, 1500])
@pytest.mark.parametrize("earlier", [0, 70])
def test_the_error_and_the_picture_name_the_first_write_after_the_save(
    innocent: int, earlier: int, sessions: Any
) -> None:
    """Among any number of other writes, before and after, on other lines."""
    x = torch.ones(2, requires_grad=True)
    h = x * 2
    with torch.no_grad():
        for _ in range(earlier):
            h.mul_(1.0)
    z = (h * h).sum()
    _culprit(h)
    for i in range(innocent):
        h.mul_(1.0) if i % 3 else h.add_(0)
    session = open_session(z, names={})
    (_, saved), *_ = [(n, s) for n, s in session.saved if s.state == "stale"]
    assert saved.culprit is not None
    assert saved.culprit.place is not None
    assert "# the culprit" in saved.culprit.place.text
    assert (saved.culprit.version, saved.version_saved) == (earlier + 1, earlier)
    assert saved.version_now == earlier + 1 + innocent
    (block,) = [b for b in session.versions if b.id == saved.storage]
    marks = [mark for mark in block.saves if mark.state == "stale"]
    assert {mark.version for mark in marks} == {earlier}
    following = [w for w in block.writes if w.clock > marks[0].clock]
    assert following[0] == saved.culprit
    assert len(block.writes) + block.writes_dropped == block.version
    session.close()
    with pytest.raises(RuntimeError, match=f"expected version {earlier} instead") as caught:
        z.backward()
    error: Any = caught.value
    assert f"is at version {earlier + 1 + innocent};" in str(error)
    assert "# the culprit" in error.explanation.culprit.text


def test_where_the_line_is_not_known_none_is_named(sessions: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    h = x * 2
    saving = 1000
    z: Any = None
    with torch.no_grad():
        for i in range(6000):
            h.mul_(1.0)
            h.add_(0)
            if i == saving:
                with torch.enable_grad():
                    z = (h * h).sum()
    session = open_session(z, names={})
    stale = [s for _, s in session.saved if s.state == "stale"]
    assert stale
    assert all((s.version_saved, s.culprit) == (None, None) for s in stale)
    assert "v?   saved as" in versions_text(session.versions, limit=200)
    short = [replace(block, writes=block.writes[-2:]) for block in session.versions]
    assert "v?: stale" in repr(versions_scene(short))
    session.close()
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        z.backward()
    error: Any = caught.value
    assert "is at version 12000; expected an earlier version instead" in str(error)
    assert error.explanation.culprit is None
    assert "one of several lines" in "\n".join(error.__notes__)
