"""JupyterLab starts with our extension in it, and runs a notebook."""

from __future__ import annotations

from tests.fixtures.warm_kernels import COLD
from tests.ui.lab import Lab
from tests.ui.test_following import at
from tests.ui.test_tour import press

PLUGIN = "vizgrad:panel"


def test_the_extension_is_active(lab: Lab) -> None:
    assert lab.call("(app, id) => app.hasPlugin(id)", PLUGIN)
    assert lab.call("(app, id) => app.isPluginActivated(id)", PLUGIN)


def test_the_server_sends_answers_at_once(lab: Lab) -> None:
    said = lab.server.log.read_text()
    assert "vizgrad.debugger.jupyter.server | extension was successfully loaded" in said


def test_the_panel_opens_and_says_what_is_missing(lab: Lab) -> None:
    lab.open_notebook("pass")
    lab.execute("vizgrad:open-panel")
    lab.page.locator("#vizgrad-panel").get_by_role("alert").get_by_text("import vizgrad").wait_for()


def test_a_kernel_that_has_loaded_nothing_imports_shows_and_steps(lab: Lab) -> None:
    """Those of all other tests have loaded what they import."""
    notebook = lab.open_notebook(
        "import sys\nprint('vizgrad.tensor' in sys.modules)",
        "import vizgrad as vg\nx = vg.ones(2, requires_grad=True)",
        "session = vg.debug(x.exp().sum())",
        kernel=COLD,
    )
    notebook.run()
    assert notebook.text(0) == "False\n"
    assert notebook.output(0).inner_text().strip() == "False"
    press(notebook.output(2), "Step")
    at(notebook.output(2), 1)
    assert "1 of 3 nodes done" in notebook.execute("print(session)")
