"""The graph as a picture: fitted so that names can be read, and saved as a file of its own."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

from playwright.sync_api import expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture

FORWARD = """import vizgrad as vg
from vizgrad import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(8, 16), nn.Linear(16, 8)
    def forward(self, x):
        return x + self.two(self.one(x).relu())
net = nn.Sequential(*[nn.Sequential(Block(), Block()) for _ in range(6)])
loss = net(vg.ones(4, 8)).sum()"""
SVG = "{http://www.w3.org/2000/svg}"


def test_a_graph_is_fitted_until_names_are_readable_and_saved(lab: Lab, tmp_path: Path) -> None:
    notebook = lab.open_notebook(FORWARD, "s = vg.debug(loss)")
    notebook.run()
    view = notebook.output(1)
    graph = view.get_by_role("tree", name="Backward graph")
    expect(graph).to_contain_text("SumBackward0")
    for _ in range(3):
        view.get_by_role("button", name="Expand one level").click()
    # Fitted is what is drawn, and a click on the button may come before the last drawing.
    expect(graph.get_by_role("treeitem", name=re.compile("^AddmmBackward0"))).to_have_count(24)
    picture(view, "before-fit")
    view.get_by_role("button", name="Zoom to fit").click()
    expect(graph).not_to_have_class("vg-detail-shape")
    # As they are written from far away, a moment after the move: whole, where there is room.
    for name in ("SumBackward0", "0: Block"):
        far = graph.locator("text").filter(has_text=re.compile(f"^{name}$"))
        expect(far.first).to_be_attached()
    zoom = graph.evaluate("svg => svg.querySelector('g').transform.baseVal.consolidate().matrix.a")
    assert zoom >= 0.45
    picture(view, "fitted")

    graph.click(button="right", position={"x": 5, "y": 5})
    with lab.page.expect_download() as saving:
        view.get_by_role("menuitem", name="Save picture as SVG").click()
    file = tmp_path / saving.value.suggested_filename
    saving.value.save_as(file)
    assert file.name.startswith("loss-In-")
    drawn = ET.parse(file).getroot()
    words = {text.text for text in drawn.iter(f"{SVG}text")}
    assert {"SumBackward0", "0: Block"} <= words
    assert all("class" not in each.attrib for each in drawn.iter())
    page = lab.page.context.new_page()
    page.goto(file.as_uri())
    picture(page, "saved-svg")
    page.close()

    graph.click(button="right", position={"x": 5, "y": 5})
    with lab.page.expect_download() as saving:
        view.get_by_role("menuitem", name="Save picture as PNG").click()
    file = tmp_path / saving.value.suggested_filename
    saving.value.save_as(file)
    assert file.read_bytes().startswith(b"\x89PNG")
