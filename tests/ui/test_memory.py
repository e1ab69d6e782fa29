"""The memory of the whole notebook in the side panel, with no session open."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_access import axe_in
from tests.ui.themes import DARK, themed

IMPORT = "import numpy as np\nimport vizgrad as vg\nfrom vizgrad import nn, optim"
TRAINING = """\
model = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 1))
optimizer = optim.Adam(model.parameters())
data = np.random.randn(8, 64).astype(np.float32)
batch = vg.from_numpy(data)
total = 0
for _ in range(20):
    loss = (model(batch) ** 2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    total = total + loss
first = batch[0]"""


def read(lab: Lab) -> tuple[Notebook, Locator]:
    """A notebook that has trained, and the region with its memory, opened from the palette's command."""
    notebook = lab.open_notebook(IMPORT, TRAINING)
    notebook.run()
    lab.execute("vizgrad:memory")
    region = lab.page.locator("#vizgrad-panel").get_by_role("region", name="Notebook memory")
    region.get_by_role("table", name="Largest storages").wait_for()
    return notebook, region


@pytest.mark.slow
def test_without_a_session(lab: Lab) -> None:
    notebook, region = read(lab)
    sessions = "from vizgrad.debugger.session import registry; print(registry.sessions())"
    assert notebook.execute(sessions).strip() == "[]"
    keeps = region.get_by_role("listitem").filter(has_text=re.compile(r"^total keeps"))
    expect(keeps).to_contain_text(
        re.compile(r"keeps \d+ nodes \([\d.]+ kB\) and \d+ kB of tensors")
    )
    expect(keeps).to_contain_text("since In [2], line 7")
    told = notebook.execute(
        "heap = vg.memory().data\n"
        "keeper = next(k for k in heap.keepers if k.names == ('total',))\n"
        "print(f'{keeper.nodes} {heap.storages}')"
    ).split()
    expect(keeps).to_contain_text(f"keeps {told[0]} nodes")
    row = region.get_by_role("row").filter(has=region.page.get_by_role("rowheader", name="batch"))
    expect(row).to_have_count(0)
    picture(lab, "memory-folded")
    region.get_by_role("button", name=re.compile(r"^\d+ smaller: ")).click()
    expect(row).to_contain_text("numpy array data")
    row.get_by_text("3 share it").click()
    expect(row.get_by_role("listitem").filter(has_text=re.compile("^first: view"))).to_be_visible()
    # a way to the line
    keeps.get_by_role("button", name="In [2], line 7").click()
    # what changed is there when it is read again, and that it is asked by keyboard
    notebook.execute("del total, loss")
    again = region.get_by_role("button", name="Refresh memory")
    again.focus()
    region.page.keyboard.press("Enter")
    expect(keeps).to_have_count(0)
    region.get_by_role("button", name="Memory of the notebook").click()
    expect(region).to_have_count(0)
    offer = lab.page.locator("#vizgrad-panel").get_by_role("button", name="Memory of the notebook")
    expect(offer).to_be_visible()


@pytest.mark.slow
def test_axe_finds_nothing(lab: Lab) -> None:
    _, region = read(lab)
    region.locator("summary").first.click()
    assert axe_in(region) == []
    with themed(lab, DARK):
        assert axe_in(region, "", "color-contrast", "link-in-text-block") == []


@pytest.mark.slow
def test_beside_a_session(lab: Lab) -> None:
    notebook = lab.open_notebook(IMPORT, TRAINING, "session = vg.debug(total)")
    notebook.run()
    view = notebook.output(2)
    view.get_by_role("region", name="Graph").wait_for()
    part(view, "Memory")
    view.get_by_role("button", name="Memory of the notebook").click()
    region = view.get_by_role("region", name="Notebook memory")
    region.get_by_role("table", name="Largest storages").wait_for()
    expect(region).to_contain_text("total keeps")
