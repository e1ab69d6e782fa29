"""An output shows what the text around it speaks of, also after cells below have moved its session."""

from __future__ import annotations

import nbformat
from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_life import DEBUG, SETUP
from tests.ui.test_tour import TOUR, cell_of, press, root
from vizgrad.debugger.jupyter.widget.saved_data import MIME


def still(output: Locator, text: str) -> None:
    expect(output.get_by_role("note")).to_contain_text(text)
    expect(output.locator("img")).to_be_visible()
    expect(root(output)).to_have_count(0)


def test_after_run_all_each_output_is_as_of_its_step(lab: Lab) -> None:
    notebook = lab.open_copy(TOUR)
    notebook.run()
    steps = {
        "session = vg.debug(loss)": 0,
        "session.step(3)": 3,
        "session.back(2)": 1,
        "%vizgrad step": 2,
    }
    for source, step in steps.items():
        still(notebook.output(cell_of(notebook, source)), f"as of step {step} of ")
    last = notebook.output(cell_of(notebook, "%vizgrad back 2"))
    at(last, 0)
    for source in ("session = vg.debug(loss)", "session.step(3)"):
        output = notebook.output(cell_of(notebook, source))
        output.scroll_into_view_if_needed()
        picture(lab, f"still-{steps[source]}")

    output = notebook.output(cell_of(notebook, "session.step(3)"))
    output.get_by_role("button", name="Open live").click()
    at(output, 0)
    press(output, "Step")
    at(last, 1)
    picture(lab, "still-opened")
    output.get_by_role("button", name="Show step 3 again").click()
    still(output, "as of step 3 of ")

    lab.execute("docmanager:save")
    saved = nbformat.read(lab.server.root / "notebooks" / TOUR.name, as_version=4)
    data = saved.cells[cell_of(notebook, "session.step(3)")].outputs[-1]["data"]
    assert data[MIME]["position"] == 3
    assert "3 of 16 nodes done" in data["image/svg+xml"]


def test_a_page_that_was_loaded_anew_freezes_what_it_shows(lab: Lab) -> None:
    """JupyterLab's own replacing of outputs knows only what the same page has run."""
    notebook = lab.open_notebook(SETUP, DEBUG, "s.step(2)")
    lab.call(
        """async (app, id) => {
          const panel = [...app.shell.widgets('main')].find(widget => widget.id === id);
          panel.content.activeCellIndex = 0;
          await app.commands.execute('notebook:run-cell-and-select-next');
          await app.commands.execute('notebook:run-cell-and-select-next');
        }""",
        notebook.panel,
    )
    at(notebook.output(1), 0)
    lab.execute("docmanager:save")
    lab.load("lab?reset")
    notebook = lab.open("test.ipynb")
    at(notebook.output(1), 0)
    lab.call(
        """async (app, id) => {
          const panel = [...app.shell.widgets('main')].find(widget => widget.id === id);
          panel.content.activeCellIndex = 2;
          await app.commands.execute('notebook:run-cell');
        }""",
        notebook.panel,
    )
    at(notebook.output(2), 2)
    still(notebook.output(1), "as of step 0 of 5. In [3] moved the session on.")


def test_the_still_picture_of_a_tall_graph_is_scrolled_in_its_output(lab: Lab) -> None:
    notebook = lab.open_notebook(
        SETUP, "for _ in range(30):\n    loss = loss.sin()", DEBUG, "s.step(2)"
    )
    notebook.run()
    output = notebook.output(2)
    still(output, "as of step 0 of ")
    frame = output.get_by_role("group", name="as of step 0")
    box = frame.bounding_box()
    assert box is not None
    assert box["height"] <= 621
    assert frame.locator("img").evaluate("e => e.getBoundingClientRect().height") > 700
    frame.focus()
    lab.page.keyboard.press("End")
    lab.page.wait_for_function("e => e.scrollTop > 100", arg=frame.element_handle())
    picture(lab, "still-tall")


#: A chain that is higher than its picture has room.
TALL = """
x = y = vg.ones(3, requires_grad=True)
for _ in range(14):
    y = (y * 1.01).tanh()
tall = vg.debug(y.sum())"""


def test_a_tall_picture_shows_what_runs_next(lab: Lab) -> None:
    notebook = lab.open_notebook("import vizgrad as vg" + TALL, "tall.step(24)", "tall.step()")
    notebook.run()
    for cell, step in ((0, 0), (1, 24)):
        output = notebook.output(cell)
        still(output, f"as of step {step} of ")
        output.scroll_into_view_if_needed()
        frame = output.locator(".vg-saved-picture")
        lab.page.wait_for_function(
            "([frame, down]) => (frame.scrollTop > 300) === down",
            arg=[frame.element_handle(), step > 0],
        )
        picture(lab, f"still-tall-{step}")
