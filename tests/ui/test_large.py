"""Large graphs in the browser: groups that mean something, opened one by one."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_tour import press

TRANSFORMER = """\
import vizgrad as vg
from vizgrad import nn
vg.manual_seed(0)
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, 12)
        self.head = nn.Linear(32, 10)
    def forward(self, x):
        return self.head(self.encoder(x).mean(1))
model = Model()
loss = nn.functional.cross_entropy(model(vg.randn(4, 5, 32)), vg.arange(4))
"""
LSTM = """\
import vizgrad as vg
from vizgrad import nn
vg.manual_seed(0)
cell = nn.LSTMCell(4, 8)
h = c = vg.zeros(2, 8)
for t in range(200):
    h, c = cell(vg.randn(2, 4), (h, c))
loss = (h * h).sum()
"""
CHAIN = """\
import vizgrad as vg
x = vg.ones(3, requires_grad=True)
y = x
for i in range({}):
    y = y * 1.000001
loss = y.sum()
"""
SHOW = "session = vg.debug(loss)"


def group(view: Locator, title: str) -> Locator:
    """A closed group, by what it is called."""
    return view.get_by_role("treeitem", name=re.compile(title)).first


def test_the_layers_of_a_transformer_are_opened_one_by_one(lab: Lab) -> None:
    notebook = lab.open_notebook(TRANSFORMER, SHOW)
    notebook.run()
    view = notebook.output(1)
    at(view, 0)
    picture(lab, "transformer-closed")
    notebook.execute("session.step(300)")
    at(view, 300)
    picture(lab, "transformer-half")
    layer = group(view, r"layers\.6")
    layer.focus()
    layer.press("Enter")
    inside = group(view, "^self_attn")
    expect(inside).to_be_visible()
    picture(lab, "transformer-layer")
    inside.evaluate("box => box.focus({ preventScroll: true })")  # the notebook stays where it is
    lab.page.keyboard.press("Enter")
    expect(view.locator("[data-node-id]").filter(has_text="SoftmaxBackward0").first).to_be_visible()
    picture(lab, "transformer-attention")
    notebook.execute("session.continue_()")
    expect(view.get_by_text("finished").first).to_be_visible()
    picture(lab, "transformer-done")


def test_a_recurrent_network_is_one_cell_with_a_curve(lab: Lab) -> None:
    notebook = lab.open_notebook(LSTM, SHOW)
    notebook.run()
    view = notebook.output(1)
    at(view, 0)
    picture(lab, "lstm-first")
    notebook.execute("session.step(2000)")
    at(view, 2000)
    picture(lab, "lstm-cell")
    loop = view.get_by_role("treeitem", name=re.compile(r"for t in range\(200\)")).first
    loop.focus()
    loop.press("Enter")
    picture(lab, "lstm-closed")


def test_hundreds_of_thousands_of_nodes(lab: Lab) -> None:
    """`make bench` draws a million, which takes longer and goes the same way."""
    notebook = lab.open_notebook(CHAIN.format(300_000), SHOW)
    notebook.run()
    view = notebook.output(1)
    at(view, 0)
    picture(lab, "chain-first")
    for done in (1, 2, 3):
        press(view, "Step")
        at(view, done)
    notebook.execute("session.step(1000)")
    at(view, 1003)
    picture(lab, "chain-stepped")
