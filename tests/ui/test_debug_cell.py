"""``%%vizgrad debug`` in a notebook: the view opens where the cell was stopped, or waits."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture

MODEL = """\
import vizgrad as vg
%load_ext vizgrad
w = vg.tensor([1.0, 2.0], requires_grad=True)
def train(steps):
    for step in range(steps):
        error = (w * (step + 1)).tanh().sum()
        error.backward()
"""


def root(view: Locator) -> Locator:
    return view.locator(".vg-root").last


def test_the_view_opens_where_the_cell_was_stopped(lab: Lab) -> None:
    notebook = lab.open_notebook(
        MODEL,
        "%%vizgrad debug s --when 'step == 2'\ntrain(5)\nafter = 1",
        "print(step, float(loss))",
    )
    notebook.run()
    view = notebook.output(1)
    expect(root(view)).to_have_attribute("data-layout", "done")
    expect(view.get_by_text("Stopped before backward 3 of this cell")).to_be_visible()
    expect(view.get_by_text("Traceback")).to_have_count(0)
    root(view).get_by_role("button", name="Step", exact=True).click()
    expect(root(view)).to_have_attribute("data-position", "1")
    assert notebook.text(2).startswith("2 ")
    assert notebook.execute("print('after' in globals())").strip() == "False"
    view.scroll_into_view_if_needed()
    picture(lab.page, "debug-cell")


def test_a_cell_that_waits_goes_on_when_the_view_is_at_the_end(lab: Lab) -> None:
    notebook = lab.open_notebook(MODEL, "%%vizgrad debug --each\ntrain(2)\nprint('over')")
    lab.call("(app, id) => { app.commands.execute('notebook:run-all-cells'); }", notebook.panel)
    view = notebook.output(1)
    for number in (0, 1):  # the next one comes as soon as this one is at its end
        waiting = view.locator(".vg-root").nth(number)
        expect(waiting).to_have_attribute("data-layout", "done")
        waiting.get_by_role("button", name="Continue").click()
        expect(waiting).to_have_attribute("data-status", "finished")
    expect(view.get_by_text("over")).to_be_visible()
