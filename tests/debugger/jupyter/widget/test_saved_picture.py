"""What a notebook keeps of a session, and who holds it for whom."""

from __future__ import annotations

import base64
import gc
import re
import sys
import types
from typing import Any

import nbformat
import pytest
from anywidget._util import enable_custom_widget_manager_once
from nbclient import NotebookClient
from nbconvert import HTMLExporter

import vizgrad as vg
from tests.debugger.jupyter.widget.views import View
from tests.fixtures.limits import HANG
from tests.fixtures.sessions import no_sessions, small
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget import debugview, saved_data
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.controller import Controller
from vizgrad.debugger.jupyter.widget.debugview import DebugView
from vizgrad.debugger.jupyter.widget.drawing import AUTOMATIC
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.session import Session

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(autouse=True)
def alone() -> Any:
    gc.collect()
    with no_sessions():
        yield


def session() -> Session:
    return small()[2]


def test_a_picture_says_which_state_it_shows() -> None:
    stepped = session()
    stepped.step(2)
    told = View().ask(p.GetPicture, stepped.id)
    assert told.saved == p.SavedView(stepped.id, "out", "paused", 2, 5)
    assert "2 of 5 nodes done" in told.svg
    assert "2 of 5 nodes done" in told.text
    bundle = saved_data.bundle(stepped, "view 7")
    assert bundle[saved_data.MIME]["view"] == "view 7"
    assert (bundle["image/svg+xml"], bundle["text/plain"]) == (told.svg, told.text)


def test_a_line_says_what_the_user_has_put_in_the_place_of_its_gradient() -> None:
    x = vg.tensor([0.0, 1.0, 4.0], requires_grad=True)
    changed = open_session((x.exp() * 2).tanh().sum())

    def beside_lines() -> list[str]:
        return re.findall(r'class="norm[^>]*>([^<]+)<', saved_data.svg_of_session(changed))

    changed.step()
    assert beside_lines() == ["1.73"]
    changed.set_grad(changed.node, "g * 100")  # it waits
    assert beside_lines() == ["1.73 → 173"]
    changed.set_grad(changed.node, "nan")
    changed.step()  # it was used
    assert beside_lines()[0] == "1.73 → NaN"
    changed.switch("original")
    assert beside_lines() == ["1.73"]


def test_the_picture_of_a_new_view_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, drawn = session(), saved_data.svg_of_session
    made: list[int] = []

    def drawing(of: Session) -> str:
        made.append(of.position)
        return drawn(of)

    monkeypatch.setattr(saved_data, "svg_of_session", drawing)
    view = DebugView(shown)
    bundle = view.picture()
    assert made == [0]
    assert bundle[saved_data.MIME]["view"] == view.view_id
    assert bundle["image/svg+xml"] == view.still["image/svg+xml"]
    later = DebugView(shown)
    shown.step(2)
    for each in (view, later):  # the run has moved since it was made
        assert "2 of 5 nodes done" in each.picture()["image/svg+xml"]
    assert made == [0, 0, 2, 2]


def test_of_a_large_graph_no_new_picture_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    large = session()
    monkeypatch.setattr(saved_data, "MOST_PICTURED_AGAIN", 4)
    told = View().ask(p.GetPicture, large.id)
    assert (told.svg, told.text, told.saved.total) == ("", "", 5)
    assert "image/svg+xml" in saved_data.bundle(large)
    monkeypatch.setattr(saved_data, "MOST_PICTURED", 4)
    assert saved_data.bundle(large)["text/plain"] == repr(large)
    assert "image/svg+xml" not in saved_data.bundle(large)


def test_an_output_has_a_type_for_every_host() -> None:
    """Our own for JupyterLab, the widget for VS Code and Colab, a picture or a text for who has neither."""
    data, metadata = DebugView(session())._repr_mimebundle_()
    assert set(data) == {WIDGET, saved_data.MIME, "image/svg+xml", "text/plain"}
    assert set(data[WIDGET]) == {"model_id", "version_major", "version_minor"}
    assert data["image/svg+xml"].startswith("<svg")
    assert metadata == {}


def test_a_widget_brings_a_picture_for_pages_that_show_it_without_a_kernel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stepped = session()
    stepped.step(2)
    still = DebugView(stepped).still
    assert still == saved_data.bundle(stepped)
    assert DebugView(stepped).get_state()["still"] == still
    monkeypatch.setattr(debugview, "MOST_PICTURED_AGAIN", 4)
    large = DebugView(stepped).still
    assert set(large) == {saved_data.MIME, "text/plain"}


def test_in_colab_widgets_of_others_are_switched_on_and_where_they_come_from_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    output = types.ModuleType("google.colab.output")
    output.__dict__["enable_custom_widget_manager"] = lambda: asked.append("widgets of others")
    output.__dict__["_widgets"] = types.SimpleNamespace(_installed_url="https://cdn/manager.js")
    monkeypatch.setitem(sys.modules, "google.colab.output", output)
    enable_custom_widget_manager_once.cache_clear()
    try:
        data, metadata = DebugView(session())._repr_mimebundle_()
    finally:
        enable_custom_widget_manager_once.cache_clear()
    assert asked == ["widgets of others"]
    assert metadata == {
        WIDGET: {"colab": {"custom_widget_manager": {"url": "https://cdn/manager.js"}}}
    }
    assert {WIDGET, "image/svg+xml", "text/plain"} <= set(data)


def held(view: str, name: str) -> bool:
    """Is the session there still, when a view in place of widget `view` has come and gone?"""
    shown = View()
    assert isinstance(shown.ask(p.Attach, name, AUTOMATIC, view), p.Shown)
    gc.collect()
    assert registry.find(name) is not None
    shown.controller.close()
    gc.collect()
    return registry.find(name) is not None


def test_a_widget_holds_its_session_until_something_is_shown_in_its_place() -> None:
    made: list[Any] = []
    opened = session()
    name = opened.id
    widget = Controller(made.append, opened, view="w1")
    del opened
    assert held("", name)
    assert held("another", name)
    assert not held("w1", name)
    assert widget is not None


def test_a_widget_that_is_shown_itself_keeps_its_session() -> None:
    opened = session()
    name = opened.id
    widget = Controller(lambda _: None, opened, view="w2")
    del opened
    widget.receive({"type": "attach", "request": 1})
    assert held("w2", name)


def test_an_attachment_to_what_is_gone_says_that_it_is_closed() -> None:
    told = View().ask(p.Attach, "s1-elsewhere")
    assert isinstance(told, p.Failed)
    assert told.closed
    opened = session()
    refused = View().ask(p.RunTo, opened.id, 77)
    assert isinstance(refused, p.Failed)
    assert not refused.closed


def test_a_notebook_run_by_a_program_has_the_picture_and_no_widget() -> None:
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(
                "import vizgrad as vg\nx = vg.ones(3, requires_grad=True)\nloss = x.exp().sum()"
            ),
            nbformat.v4.new_code_cell("s = vg.debug(loss); s.step()"),
        ]
    )
    NotebookClient(notebook, timeout=HANG, kernel_name="python3").execute()
    shown, result = notebook.cells[1].outputs
    assert WIDGET not in shown["data"]
    assert shown["data"][saved_data.MIME]["title"] == "loss, In [2]"
    assert "widgets" not in notebook.metadata
    assert result["data"]["text/plain"].startswith("1 of 3 nodes done")
    html, _ = HTMLExporter().from_notebook_node(notebook)
    pictures = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    assert len(pictures) == 1
    assert b"0 of 3 nodes done" in base64.b64decode(pictures[0])
