"""The watch list in the drawer: values at each stop, errors beside their expressions, all by keyboard."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.lab import Lab
from tests.ui.parts import part
from tests.ui.pictures import picture

MODEL = """\
import vizgrad as vg
from vizgrad import nn
vg.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
x, y = vg.randn(5, 4), vg.tensor([0, 1, 2, 0, 1])
loss = nn.functional.cross_entropy(net(x), y)
"""


def test_values_follow_the_run_forth_and_back(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1600, "height": 1100})
    notebook = lab.open_notebook(MODEL, "session = vg.debug(loss)")
    notebook.run()
    view = notebook.output(1)
    expect(view.locator("[data-revision]")).to_have_attribute("data-layout", "done")
    region = part(view, "Watch")
    keyboard = lab.page.keyboard
    region.get_by_role("textbox", name="Expression to watch").click()
    for expression in ("net.2.bias.grad", "net.0.weight", "loss", "grad.norm()", "nett"):
        keyboard.type(expression)
        keyboard.press("Enter")
    entries = region.get_by_role("list", name="Watched expressions").get_by_role("listitem")
    expect(entries).to_have_count(5)
    expect(entries.nth(0)).to_contain_text("None")
    expect(entries.nth(3)).to_contain_text("1.0")
    expect(entries.nth(4)).to_contain_text("did you mean 'net'")
    keyboard.type("loss +")
    keyboard.press("Enter")
    expect(region.get_by_role("alert")).to_contain_text("not understood")
    view.get_by_role("button", name="Continue", exact=True).click()
    expect(view.locator("[data-revision]")).to_have_attribute("data-status", "finished")
    expect(entries.nth(0)).to_contain_text("float32 [3]")
    expect(entries.nth(3)).to_contain_text("None")
    entries.nth(1).get_by_role("button", name="Details of net.0.weight").click()
    expect(entries.nth(1)).to_contain_text("mean")
    picture(lab, "watch-list")
    # Without the mouse: edit the fourth, remove the fifth.
    entries.nth(3).get_by_role("button", name="Edit grad.norm()").focus()
    keyboard.press("Enter")
    expect(region.get_by_role("textbox", name="Edit grad.norm()")).to_be_focused()
    keyboard.type("net.2.bias.grad.norm()")
    keyboard.press("Enter")
    expect(region.get_by_role("button", name="Edit net.2.bias.grad.norm()")).to_be_focused()
    entries.nth(4).get_by_role("button", name="Edit nett").press("Delete")
    expect(entries).to_have_count(4)
    view.get_by_role("button", name="Restart", exact=True).click()
    expect(entries.nth(0)).to_contain_text("None")
    expect(entries.nth(3)).to_contain_text("None")
    assert notebook.execute("print(len(session.watches))").strip() == "4"
