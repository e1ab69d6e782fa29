"""Branches in the view: one that was left early is run to its end before it is compared."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.lab import Lab
from tests.ui.parts import part
from tests.ui.pictures import picture

FORWARD = """import vizgrad as vg
x = vg.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = vg.tensor([2.0, 2.0, 2.0], requires_grad=True)
loss = ((x * w).exp() * x).sum()"""


def test_an_original_that_was_left_is_run_to_its_end_and_compared(lab: Lab) -> None:
    notebook = lab.open_notebook(FORWARD, "s = vg.debug(loss)")
    notebook.run()
    view = notebook.output(1)
    view.get_by_role("button", name="Step", exact=True).click()
    expect(view.locator(".vg-position")).to_have_text("node 1 of 6")
    notebook.execute("s.set_grad(s.node, 'g * 100'); s.continue_()")
    branches = part(view, "Branches")
    branches.get_by_role("button", name="Compare branch 1 with original").click()
    expect(branches).to_contain_text("original was left after 1 of 6 nodes")
    graph = view.get_by_role("tree", name="Backward graph")
    expect(graph).not_to_contain_text("only branch 1")
    picture(lab, "left-early")
    branches.get_by_role("button", name="Run it to the end and compare").click()
    expect(branches).to_contain_text("5 of 5 nodes differ")
    expect(branches).not_to_contain_text("was left")
    expect(view.locator(".vg-position")).to_have_text("node 6 of 6")
    picture(lab, "compared-whole")
