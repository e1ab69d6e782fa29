"""The button *Save the trace*."""

from __future__ import annotations

from pathlib import Path

import pytest

import vizgrad as vg
from tests.debugger.jupyter.widget.views import View
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.trace_saving import free_name
from vizgrad.debugger.session.session import Session


def test_the_file_is_beside_the_notebook_and_over_no_other(
    view: View, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session.step(2)
    for name in ("out.vgtrace", "out-2.vgtrace"):
        answer = view.ask(p.SaveTrace, session.id)
        assert isinstance(answer, p.TraceSaved)
        assert (answer.file, answer.folder) == (name, str(tmp_path))
        assert answer.size.endswith("kB")
        with vg.load_trace(tmp_path / name) as loaded:
            assert loaded.position == 2
    assert session.position == 2


def test_a_folder_that_nothing_can_be_written_to_is_said(
    view: View, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "cwd", lambda: tmp_path / "gone")
    answer = view.ask(p.SaveTrace, session.id)
    assert isinstance(answer, p.Failed)
    assert "gone" in answer.message


def test_a_title_of_strangers_is_a_plain_name(tmp_path: Path) -> None:
    names = [free_name(tmp_path, title).name for title in ("../a b/(x).sum()", "", "ä" * 100)]
    assert names == ["a-b-x-sum.vgtrace", "trace.vgtrace", f"{'ä' * 60}.vgtrace"]
