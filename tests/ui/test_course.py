"""The curves of a training below its cell: live, read by pointer and keys, and the way to a backward."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture

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
    expect(output.locator(".vizgrad-why")).to_be_visible()  # and the findings below

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
    shown.locator(".vg-node").first.press("F10")  # it is stepped as any trace
    picture(lab, "course-kept-found")

    box = track.bounding_box()
    assert box is not None
    lab.page.mouse.click(box["x"] + box["width"] - 1, box["y"] + 10)
    last = re.compile("Backward (39|40) of")  # a point is two pixels wide
    expect(lab.page.get_by_role("tab", name=last)).to_have_count(1)
    expect(lab.page.locator("[id^='vizgrad-kept-']:not([id$='-21'])")).to_contain_text(
        "PowBackward0"
    )
    picture(lab, "course-kept")
