"""Batches, tangents and cards of custom Functions, as a person sees them."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_tour import press
from tests.ui.themes import dark_picture

BATCH = """\
import vizgrad as vg
from vizgrad import func
from vizgrad.autograd import forward_ad as fw
w = vg.tensor([0.5, 2.0, -1.0], requires_grad=True)
scores = func.vmap(lambda x: (x * w).sin().sum())(vg.ones(5, 3))
v = vg.ones(3, 2, requires_grad=True)
rows = func.vmap(lambda x: x @ v)(vg.ones(5, 4, 3))
batch = vg.debug((scores * scores).sum() + rows.sum())"""
DUAL = """\
fw.enter_dual_level()
x = fw.make_dual(vg.ones(3), vg.tensor([1.0, 0.0, 3.0]))
dual = vg.debug((x * w).cos().sum())"""
CARD = """\
class Cube(vg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        square = x * x
        ctx.save_for_backward(square)
        return square * x

    @staticmethod
    def backward(ctx, grad):
        (square,) = ctx.saved_tensors
        return grad * 3 * square

vg.card(Cube, vg.tensor([1.0, 2.0], requires_grad=True))"""


def test_batches_tangents_and_cards(lab: Lab) -> None:
    notebook = lab.open_notebook(BATCH, DUAL, CARD)
    notebook.run()
    view = notebook.output(0)
    at(view, 0)
    graph = view.get_by_role("region", name="Graph")
    expect(graph).to_contain_text("[B: 5] × [3] f32")
    expect(graph).to_contain_text("vmap [5]")
    expect(graph).to_contain_text("[B: 5 · 4] × [2] f32")  # a step of the rule of @
    picture(lab, "batch")
    dark_picture(lab, lab, "batch-dark")
    view = notebook.output(1)
    at(view, 0)
    expect(view.get_by_role("region", name="Graph")).to_contain_text("self v0 ↑")
    view.locator("[data-node-id='1']").first.click()
    inspector = view.get_by_role("region", name="Inspector")
    expect(inspector).to_contain_text(re.compile(r"tangent ↑.*float32 \[3\]"))
    expect(inspector).to_contain_text("0.5")
    for position in (1, 2, 3):
        press(view, "Step")
        at(view, position)
    view.locator("[data-node-id='1']").first.click()
    gradient = inspector.locator(".vg-card", has_text="gradient")
    expect(gradient).to_contain_text(re.compile(r"tangent ↓.*float32 \[3\]"))
    expect(view.locator("[data-node-id='2'] .vg-words").first).to_contain_text("↓")
    picture(lab, "tangent")
    dark_picture(lab, lab, "tangent-dark")
    card = notebook.output(2)
    expect(card.locator("svg, img").first).to_be_visible()
    card.scroll_into_view_if_needed()
    picture(lab, "card")
    dark_picture(lab, lab, "card-dark")
