"""The curves of a training below its cell: live, read by pointer and keys, and the way to a backward."""

from __future__ import annotations

import re
import time

from playwright.sync_api import Locator, expect

from tests.fixtures.limits import HANG
from tests.ui.lab import Lab, Notebook
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_life import panel_of, restart
from tests.ui.test_notebook_7 import with_cells

TRAIN = """
%load_ext vizgrad
import time
import vizgrad as vg
from vizgrad import nn
vg.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = vg.optim.SGD(net.parameters(), lr=0.05)
x, y = vg.randn(32, 8), vg.randn(32, 1)
"""
LOOP = """%%vizgrad watch
for step in range(40):
    if step > 20:
        optimizer.zero_grad()
    ((net(x) - y) ** 2).mean().backward()
    optimizer.step()
    if step == 10:
        time.sleep(1)
"""


def test_the_curves_grow_while_the_loop_runs_and_lead_to_a_backward(lab: Lab) -> None:
    lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    notebook = lab.open_notebook(TRAIN, LOOP)
    notebook.lab.call(
        "(app, id) => { void app.commands.execute('notebook:run-all-cells'); }", notebook.panel
    )
    output = notebook.output(1)
    track = output.get_by_role("slider", name="Steps of SGD")
    expect(track).to_be_visible()
    before = int(track.get_attribute("aria-valuemax") or "")
    expect(track).to_have_attribute("aria-valuemax", "40")
    assert before < 40, "it was there before the loop had ended"
    expect(output.locator(".vizgrad-why")).to_have_count(1)  # once

    track.focus()
    said = output.locator(".vg-course-said")
    expect(said).to_contain_text("SGD, step 40 of 40, backward 40")
    track.press("n")  # to the finding
    expect(said).to_contain_text("found: ")
    track.press("Home")
    track.press("PageDown")
    expect(said).to_contain_text("SGD, step 11 of 40, backward 11")
    expect(said).to_contain_text("net.0: gradient")
    picture(lab, "course")
    said.get_by_role("button", name="Copy %%vizgrad debug --at 11").click()
    expect(said).to_contain_text("Copied.")
    assert lab.page.evaluate("navigator.clipboard.readText()") == "%%vizgrad debug --at 11"

    box = track.bounding_box()
    assert box is not None
    lab.page.mouse.click(box["x"] + 2, box["y"] + 10)
    expect(said).to_contain_text("SGD, step 1 of 40, backward 1")
    said.get_by_role("button", name="Make the cell").click()
    made = notebook.cells()[2]
    assert "".join(made["source"]).startswith("%%vizgrad debug --at 1\nfor step in range(40):")


DEEP = """%%vizgrad watch
net = nn.Sequential(*(nn.Linear(8, 8) for _ in range(20)))
optimizer = vg.optim.SGD(net.parameters(), lr=0.05)
for step in range(9):
    optimizer.zero_grad()
    loss = (net(x) ** 2).mean()
    if step == 5:
        loss = loss + (net[12].weight * 0).sqrt().sum()
    loss.backward()
    optimizer.step()
"""


def test_the_finding_stands_above_the_curves_of_the_layers_that_it_names(lab: Lab) -> None:
    notebook = lab.open_notebook(TRAIN, DEEP)
    notebook.run()
    output = notebook.output(1)
    finding, track = output.locator(".vizgrad-why"), output.get_by_role("slider")
    expect(finding).to_contain_text("Debug there")
    above, below = finding.bounding_box(), track.bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] < below["y"]
    assert below["height"] < 100  # of two layers
    picture(lab, "course-folded")
    output.get_by_role("button", name="Show all 20 layers").click()
    below = track.bounding_box()
    assert below is not None
    assert below["height"] > 800
    picture(lab, "course-unfolded")
    output.get_by_role("button", name="Show only 2 layers").press("Enter")
    expect(output.get_by_role("button", name="Show all 20 layers")).to_be_focused()


def test_the_pointer_over_the_curves_moves_nothing(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    notebook = lab.open_notebook(TRAIN, LOOP, "1 + 1")
    notebook.run()
    output = notebook.output(1)
    track, image = output.get_by_role("slider"), output.locator(".vg-course-stage img")
    track.scroll_into_view_if_needed()
    lab.page.wait_for_timeout(300)
    before, below, box = (
        image.bounding_box(),
        notebook.editor(2).bounding_box(),
        track.bounding_box(),
    )
    assert box is not None
    step = output.locator(".vg-course-step")
    expect(step).to_have_text(re.compile("^SGD, step 40 of 40"))
    seen = set[str]()
    for share in (0.02, 0.1, 0.2):
        lab.page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        expect(step).not_to_have_text(re.compile("^SGD, step 40 of 40"))
        seen.add(step.inner_text())
        assert (image.bounding_box(), notebook.editor(2).bounding_box()) == (before, below)
    assert len(seen) == 3
    picture(lab, "course-hover")
    lab.page.mouse.down()
    lab.page.mouse.up()
    expect(output.locator(".vg-course-way")).to_be_visible()
    assert image.bounding_box() == before
    picture(lab, "course-click")


HISTORY = """w = vg.watch(display=False, keep=2)
with w:
    for step in range(10):
        optimizer.zero_grad()
        ((net(x) - y) ** 2).mean().backward()
        optimizer.step()
"""


def test_a_history_is_read_step_by_step_as_the_curves_below_a_cell(lab: Lab) -> None:
    notebook = lab.open_notebook(TRAIN, HISTORY, "w.history")
    notebook.run()
    output = notebook.output(2)
    track = output.get_by_role("slider", name="Steps of SGD")
    track.focus()
    said = output.locator(".vg-course-said")
    expect(said).to_contain_text("SGD, step 10 of 10, backward 10")
    said.get_by_role("button", name="Open backward 10").click()
    picture(lab, "history")
    shown = lab.page.locator("[id^='vizgrad-kept-'][id$='-10']")
    expect(shown).to_contain_text("MeanBackward0")


def test_a_history_of_a_block_that_goes_on_says_where_curves_grow(lab: Lab) -> None:
    inner = HISTORY + "        if step == 5:\n            display(w.history)\n"
    notebook = lab.open_notebook(TRAIN, inner)
    notebook.run()
    said = notebook.output(1).locator(".vg-course-said")
    expect(said).to_contain_text("As of now: the block goes on.")
    expect(said).to_contain_text("SGD, step 6 of 6")
    picture(lab, "history-goes-on")


KEPT = """%%vizgrad watch w --keep 3
for step in range(40):
    if step != 20:
        optimizer.zero_grad()
    ((net(x) - y) ** 2).mean().backward()
    optimizer.step()
"""


def test_a_click_on_a_point_opens_the_backward_that_was_kept(lab: Lab) -> None:
    notebook = lab.open_notebook(TRAIN, KEPT)
    notebook.run()
    output = notebook.output(1)
    track = output.get_by_role("slider", name="Steps of SGD")
    expect(track).to_have_attribute("aria-valuemax", "40")
    said = output.locator(".vg-course-said")

    track.focus()
    track.press("Home")  # not kept: the way as before
    expect(said).to_contain_text("step 1 of 40")
    expect(said.get_by_role("button", name="Make the cell")).to_be_visible()
    expect(said.get_by_role("button", name="Open backward")).to_have_count(0)
    track.press("n")  # to the finding: a key opens nothing by itself
    expect(said.get_by_role("button", name="Open backward 21")).to_be_visible()
    tabs = lab.page.get_by_role("tab", name="Backward 21 of")
    expect(tabs).to_have_count(0)
    track.press("Enter")
    expect(tabs).to_have_count(1)
    shown = lab.page.locator("[id^='vizgrad-kept-'][id$='-21']")
    expect(shown).to_contain_text("MeanBackward0")
    shown.locator(".vg-node").first.press("w")  # it says what the finding says
    expect(shown.locator(".vg-explained")).to_contain_text("Gradients not zeroed")
    expect(shown.locator(".vg-explained")).to_contain_text("round 21 of")
    picture(lab, "course-kept-why")
    shown.get_by_role("button", name="Debug there").click()
    assert "".join(notebook.cells()[2]["source"]).startswith("%%vizgrad debug --at 21\nfor step")
    shown.locator(".vg-node").first.press("F10")  # it is stepped as any trace
    picture(lab, "course-kept-found")

    box = track.bounding_box()
    assert box is not None
    assert box["width"] > 550  # its letters are no smaller beside the tab: it is scrolled
    track.click(position={"x": box["width"] - 1, "y": 10})
    last = re.compile("Backward (39|40) of")  # a point is two pixels wide
    expect(lab.page.get_by_role("tab", name=last)).to_have_count(1)
    expect(lab.page.locator("[id^='vizgrad-kept-']:not([id$='-21'])")).to_contain_text(
        "PowBackward0"
    )
    picture(lab, "course-kept")


def at_the_finding(notebook: Notebook) -> Locator:
    """Goes to the finding of the curves in the second cell."""
    output = notebook.output(1)
    track = output.get_by_role("slider", name="Steps of SGD")
    expect(track).to_have_attribute("aria-valuemax", "40")
    expect(output).not_to_contain_text("Watching: ")  # the block has ended
    # The last curves may come yet, and begin where none was pressed.
    deadline = time.monotonic() + HANG
    while "step 21 of 40" not in (said := output.locator(".vg-course-said").inner_text()):
        assert time.monotonic() < deadline, said
        track.focus()
        track.press("Home")
        track.press("n")
        output.page.wait_for_timeout(100)
    return track


def opened_at_the_finding(notebook: Notebook) -> None:
    """Goes there, and opens its backward."""
    at_the_finding(notebook)
    notebook.output(1).get_by_role("button", name="Open backward 21").click()


def test_a_kept_backward_opens_in_notebook_7(notebook_7: Lab) -> None:
    lab = notebook_7
    notebook = with_cells(lab, TRAIN, KEPT)
    notebook.run()
    opened_at_the_finding(notebook)
    shown = lab.page.locator("[id^='vizgrad-kept-'][id$='-21']")
    expect(shown).to_contain_text("MeanBackward0")
    expect(shown).to_be_in_viewport()
    expect(shown.get_by_role("heading", name="Backward 21 of test.ipynb")).to_be_visible()
    lab.page.wait_for_function(  # as wide as the side panel of JupyterLab
        "element => element.clientWidth >= 470", arg=shown.element_handle()
    )
    shown.locator(".vg-node").first.press("F10")
    expect(shown.locator(".vg-root")).to_have_attribute("data-position", "1")
    picture(lab, "course-kept-notebook7")


def test_a_kept_backward_is_gone_after_a_restart(lab: Lab) -> None:
    notebook = lab.open_notebook(TRAIN, KEPT)
    notebook.run()
    said = notebook.output(1).locator(".vg-course-said")
    at_the_finding(notebook)
    offer = said.get_by_role("button", name="Open backward 21")
    expect(offer).to_be_visible()
    restart(notebook)
    expect(said).to_contain_text("Backward 21 is gone: the kernel was restarted.")
    expect(offer).to_have_count(0)
    track = at_the_finding(notebook)  # nor is it offered anew
    expect(said).to_contain_text("Backward 21 is gone: the kernel was restarted.")
    expect(offer).to_have_count(0)
    track.press("Enter")
    expect(lab.page.get_by_role("tab", name="Backward 21 of")).to_have_count(0)
    picture(lab, "course-kept-restarted")
    said.get_by_role("button", name="Make the cell").click()
    assert "".join(notebook.cells()[2]["source"]).startswith("%%vizgrad debug --at 21\nfor step")

    notebook.execute(TRAIN + "session = vg.debug((net(x) ** 2).mean())")
    panel = panel_of(lab)  # a new comm, beside that of before the restart
    at(panel, 0)
    panel.locator(".vg-node").first.press("F10")
    at(panel, 1)


def test_a_restarted_kernel_that_keeps_it_again_offers_it_again(lab: Lab) -> None:
    notebook = lab.open_notebook(TRAIN, KEPT)
    notebook.run()
    offer = notebook.output(1).get_by_role("button", name="Open backward 21")
    at_the_finding(notebook)
    expect(offer).to_be_visible()
    restart(notebook)
    expect(offer).to_have_count(0)
    notebook.run()
    at_the_finding(notebook)
    expect(offer).to_be_visible()
    offer.click()
    shown = lab.page.locator("[id^='vizgrad-kept-'][id$='-21']")
    expect(shown).to_contain_text("MeanBackward0")
