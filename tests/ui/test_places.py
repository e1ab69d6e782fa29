"""From a view to the line of the notebook that it tells of; names and tabs in little room."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.lab import Lab, Notebook
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_rooms import opened_panel
from tests.ui.test_tour import press
from tests.ui.themes import written_in

SETUP = "import vizgrad as vg\nx = vg.ones(3, requires_grad=True)"
FORWARD = "\n# three\n# lines\nloss = (x.exp() * x).tanh().sum()"
ACTIVE = """(app, id) => {
  const { content } = [...app.shell.widgets('main')].find(widget => widget.id === id);
  const { activeCell: cell } = content;
  const marked = [...cell.node.querySelectorAll('.cm-line')].map(each => each.getAnimations().length);
  return [cell.model.sharedModel.getSource(), cell.editor.getCursorPosition().line, marked];
}"""
ABOVE = """async (app, id) => {
  const { content } = [...app.shell.widgets('main')].find(widget => widget.id === id);
  content.activeCellIndex = 0;
  await app.commands.execute('notebook:insert-cell-above');
  content.activeCellIndex = 2;
  await app.commands.execute('notebook:run-cell');
}"""


def active(notebook: Notebook) -> list:
    return notebook.lab.call(ACTIVE, notebook.panel)


@pytest.mark.parametrize("where", ["output", "panel"])
def test_where_a_node_was_recorded_is_shown_in_its_cell(lab: Lab, where: str) -> None:
    notebook = lab.open_notebook(SETUP, FORWARD, "s = vg.debug(loss)")
    notebook.run()
    view = notebook.output(2) if where == "output" else opened_panel(lab)
    press(view, "Step")
    at(view, 1)
    if where == "panel":
        view.get_by_role("tab", name="Inspector").click()
    # The cell has run again by now, and another stands where it stood.
    lab.call(ABOVE, notebook.panel)
    assert active(notebook)[0] == FORWARD
    view = notebook.output(3) if where == "output" else view
    lab.call(
        "(app, id) => { [...app.shell.widgets('main')].find(w => w.id === id).content.activeCellIndex = 3 }",
        notebook.panel,
    )
    view.get_by_role("button", name="In [2], line 4").first.click()
    lab.page.wait_for_function(
        "[...document.querySelectorAll('.jp-mod-active .cm-line')].some(e => e.getAnimations().length)"
    )
    picture(lab, f"place-{where}")
    source, line, marked = active(notebook)
    assert (source, line) == (FORWARD, 3)
    assert marked == [0, 0, 0, 1]


def test_all_tabs_are_in_sight_in_a_narrow_side_panel(lab: Lab) -> None:
    lab.open_notebook(SETUP, FORWARD, "s = vg.debug(loss)").run()
    panel = opened_panel(lab, 358)
    at(panel, 0)
    tabs = panel.get_by_role("tab")
    expect(tabs).to_have_count(9)
    for font in ("", "DejaVu Sans"):
        with written_in(lab, font):
            for tab in tabs.all():
                tab.click()
                boxes = [each.bounding_box() or {} for each in tabs.all()]
                assert len({round(box["y"]) for box in boxes}) <= 2
                room = panel.bounding_box() or {}
                assert all(box["x"] + box["width"] <= room["x"] + room["width"] for box in boxes)
                assert tab.evaluate("e => e.scrollWidth <= e.clientWidth"), tab.inner_text()
            picture(lab, f"tabs-{font or 'usual'}".replace(" ", "-"))
