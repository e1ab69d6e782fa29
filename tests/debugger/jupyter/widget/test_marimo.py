"""In marimo a session is shown in the output of its cell; `make hosts` tries it in a real one."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

import vizgrad as vg
from tests.fixtures.sessions import alone as alone
from vizgrad.core import errors
from vizgrad.debugger.jupyter.widget.debugview import DebugView
from vizgrad.debugger.jupyter.widget.saved_data import SessionPicture
from vizgrad.debugger.session.session import Session


class Marimo(types.ModuleType):
    """As much of it as is asked for."""

    def __init__(self, running: bool) -> None:
        super().__init__("marimo")
        self.shown: list[Any] = []
        self.output = types.SimpleNamespace(append=self.shown.append)
        self.running_in_notebook = lambda: running


@pytest.fixture
def marimo(monkeypatch: pytest.MonkeyPatch) -> Marimo:
    made = Marimo(running=True)
    monkeypatch.setitem(sys.modules, "marimo", made)
    return made


def opened() -> Session:
    return vg.debug(vg.ones(3, requires_grad=True).exp().sum())


def displayed(session: Any) -> Any:
    """What marimo shows where a session is the last line of a cell."""
    return session._display_()


def test_debug_adds_the_live_view_to_the_output_of_its_cell(marimo: Marimo) -> None:
    session = opened()
    [view] = marimo.shown
    assert isinstance(view, DebugView)
    assert view.session_id == session.id


def test_as_the_last_line_a_session_is_the_view_that_its_cell_has_already(marimo: Marimo) -> None:
    session = opened()
    assert displayed(session) is marimo.shown[0]


def test_a_trace_is_shown_as_a_view(marimo: Marimo, tmp_path: Path) -> None:
    session = opened()
    session.continue_()
    session.trace.save(tmp_path / "run.vgtrace")
    loaded = vg.load_trace(tmp_path / "run.vgtrace")
    shown = displayed(loaded)
    assert isinstance(shown, DebugView)
    assert shown.session_id == loaded.id


def test_without_the_packages_of_views_there_is_a_picture(
    marimo: Marimo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "vizgrad.debugger.jupyter.widget.debugview", raising=False)
    monkeypatch.setattr(errors, "_warned", set())  # a test before may have heard it
    with pytest.warns(UserWarning, match=r"vizgrad\[notebook\]"):
        session = opened()
    assert isinstance(marimo.shown[0], SessionPicture)
    assert isinstance(displayed(session), SessionPicture)
    assert "image/svg+xml" in marimo.shown[0]._repr_mimebundle_()


def test_where_its_notebook_is_run_as_a_script_nothing_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = Marimo(running=False)
    monkeypatch.setitem(sys.modules, "marimo", script)
    opened()
    assert script.shown == []


def test_the_report_names_it(marimo: Marimo) -> None:
    assert vg.report().facts["host"] == "marimo"
