"""JupyterLab starts with our extension in it, and runs a notebook."""

from __future__ import annotations

from tests.ui.lab import Lab

PLUGIN = "vizgrad:panel"


def test_the_extension_is_active(lab: Lab) -> None:
    assert lab.call("(app, id) => app.hasPlugin(id)", PLUGIN)
    assert lab.call("(app, id) => app.isPluginActivated(id)", PLUGIN)


def test_the_server_sends_answers_at_once(lab: Lab) -> None:
    said = lab.server.log.read_text()
    assert "vizgrad.widgets.server | extension was successfully loaded" in said


def test_a_notebook_runs(lab: Lab) -> None:
    notebook = lab.open_notebook("print(1 + 1)")
    notebook.run()
    assert notebook.text(0) == "2\n"
    assert notebook.output(0).inner_text().strip() == "2"


def test_the_panel_opens_and_says_what_is_missing(lab: Lab) -> None:
    lab.open_notebook("pass")
    lab.execute("vizgrad:open-panel")
    lab.page.locator("#vizgrad-panel").get_by_role("alert").get_by_text("import vizgrad").wait_for()
