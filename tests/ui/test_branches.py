"""Branches in the view: one that was left early is run to its end before it is compared."""

from __future__ import annotations

import re

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
    expect(view.locator(".vg-position")).to_have_text("1 of 6 done")
    notebook.execute("s.set_grad(s.node, 'g * 100'); s.continue_()")
    branches = part(view, "Branches")
    branches.get_by_role("button", name="Compare branch 1 with original").click()
    expect(branches).to_contain_text("5 of 5 nodes differ")
    expect(branches).not_to_contain_text("was left")
    expect(view.locator(".vg-position")).to_have_text("6 of 6 done")
    # The page has scrolled to a line since: what it had hidden of the graph is not empty.
    graph, first = (view.locator(each) for each in (".vg-canvas", ".vg-result"))
    lab.page.wait_for_function(
        "([graph, first]) => first.getBoundingClientRect().top - graph.getBoundingClientRect().top < 60",
        arg=[graph.element_handle(), first.element_handle()],
    )
    picture(lab, "compared-whole")


def test_what_if_is_compared_in_four_clicks_at_the_first_node_that_differs(lab: Lab) -> None:
    notebook = lab.open_notebook(FORWARD, "s = vg.debug(loss)")
    notebook.run()
    view = notebook.output(1)
    step = view.get_by_role("button", name="Step", exact=True)
    for position in (1, 2):
        step.click()
        expect(view.locator(".vg-position")).to_have_text(f"{position} of 6 done")
    # 1: the field.
    field = view.get_by_role("textbox", name="New gradient of ExpBackward0")
    field.click()
    field.fill("g * 2")
    # 2: the change. Nothing can be compared before the branch has run a node.
    view.get_by_role("button", name="Apply").click()
    compare = view.get_by_role("button", name="Compare branch")
    expect(compare).to_have_attribute("aria-disabled", "true")
    expect(compare).to_have_attribute("title", re.compile("has run no node since it left original"))
    # 3 and 4.
    view.get_by_role("button", name="Continue", exact=True).click()
    expect(view.locator(".vg-status")).to_have_text("finished")
    compare.click()
    chosen = view.locator("[data-node-id][aria-selected=true]")
    expect(chosen).to_have_attribute("aria-label", re.compile("^ExpBackward0.*differs by 100 %"))
    expect(chosen).to_be_in_viewport()
    inspector = view.get_by_role("region", name="Inspector")
    expect(inspector).to_contain_text("first to differ")
    expect(inspector).not_to_contain_text("selected by you")
    # There is room for the whole name above the graph.
    pill, end = view.locator(".vg-pinned"), view.locator(".vg-pinned .vg-middle-tail")
    expect(pill).to_contain_text("Selected: ExpBackward0")
    there, last = pill.bounding_box(), end.bounding_box()
    assert there is not None
    assert last is not None
    assert last["y"] + last["height"] <= there["y"] + there["height"] + 1
    # All that differ are within the graph, above its legend.
    graph = view.locator(".vg-canvas").bounding_box()
    assert graph is not None
    for node in view.locator("[data-node-id]:is([data-differs='5'], [data-differs='4'])").all():
        box = node.locator(".vg-box").bounding_box()
        assert box is not None
        assert box["y"] >= graph["y"]
        assert box["y"] + box["height"] <= graph["y"] + graph["height"]
    expect(view.get_by_role("region", name="Inspector")).to_contain_text(
        "branch 1 compared with original"
    )
    picture(lab, "compared-at-the-first")
    # A screen reader is told a name as one word, also where the style draws it in two parts.
    notebook.execute("s.seek(2)")
    link = view.locator(".vg-just-ran button")
    compare.click()
    expect(link).to_have_accessible_name("MulBackward0")
    expect(link).to_be_visible()
    expect(view.get_by_role("note", name=re.compile("difference of branch 1"))).to_have_count(0)
