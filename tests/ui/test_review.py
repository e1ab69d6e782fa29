"""Faults that a review by use has found, where no other test of the browser shows that they are mended.

Note 0092 lists all 33, with the test that shows each.
"""

from __future__ import annotations

import re
from pathlib import Path

from nbformat import NotebookNode
from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_code import RUN
from tests.ui.test_following import at
from tests.ui.test_tour import press

COURSE = Path(__file__).parents[2] / "notebooks"


def ran(notebook: Notebook, cell: int) -> Locator:
    """Runs one cell, which may raise; gives its output."""
    notebook.lab.call(RUN, notebook.panel, cell)
    return notebook.output(cell)


TWO_FAULTS = """import vizgrad as vg
x = vg.tensor([0.0, 1.0, 4.0], requires_grad=True)
loss = (x.sqrt() * vg.tensor([0.0, 1.0, 1.0])).sum() + (x.log() * 0).sum()  # two faults in one line
s = vg.debug(loss)"""


def test_why_answers_the_banner_and_the_mark_stays_within_its_cell(lab: Lab) -> None:
    """B1, B14."""
    lab.page.set_viewport_size({"width": 1000, "height": 900})
    notebook = lab.open_notebook(TWO_FAULTS)
    notebook.run()
    view = notebook.output(0)
    press(view, "Continue")
    banner = view.get_by_role("alert").first
    expect(banner).to_contain_text("LogBackward0 made 1 NaN of 3, at [0], where self = 0")
    line = notebook.editor(0).locator(".vg-current-line")
    expect(line).to_contain_text("NaN")
    inside = "e => { const { left, right } = e.getBoundingClientRect(); return [left, right]; }"
    left, right = notebook.editor(0).evaluate(inside)
    start, end = line.locator(".vg-line-note").evaluate(inside)
    assert left < start
    assert end <= right
    banner.get_by_role("button", name="Why?").click()
    why = part(view, "Why")
    expect(why).to_contain_text("x.log()")
    expect(why).not_to_contain_text("zero-derivative")
    expect(why).to_contain_text("clamp")
    picture(lab, "review-why-of-two")


CUT = """%load_ext vizgrad
import vizgrad as vg
from vizgrad import nn
G, D = nn.Linear(2, 2), nn.Linear(2, 1)
og = vg.optim.SGD(G.parameters(), lr=0.1)
with vg.watch() as w:
    g_loss = -D(G(vg.randn(3, 2)).detach()).mean()
    og.zero_grad()
    g_loss.backward()
    og.step()
w.findings"""
WRONG_SLOPE = """class Cube(vg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x**2
x = vg.tensor([1.0, 2.0, 3.0], requires_grad=True)
vg.check(Cube, x)"""
UNNAMED = "vg.debug((x * 2).exp().sum())"
BORN_NAN = """%%vizgrad debug hunt --when "isnan(loss)"
m = nn.Linear(2, 1)
opt = vg.optim.SGD(m.parameters(), lr=1e30)
for step in range(6):
    loss = (m(vg.ones(3, 2)) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()"""


def test_findings_checks_names_and_conditions(lab: Lab) -> None:
    """B4, B18, B19, B20, B23, B31."""
    notebook = lab.open_notebook(CUT, WRONG_SLOPE, UNNAMED, BORN_NAN)
    found = ran(notebook, 0)
    expect(found).to_contain_text("found no gradient for any of the 2 parameters of SGD")
    expect(found).to_contain_text("detach()")
    wrong = ran(notebook, 1)
    expect(wrong).to_contain_text("for a random gradient")
    expect(wrong).to_contain_text("it is 0.6667 times the derivative")
    unnamed = ran(notebook, 2)
    expect(unnamed.get_by_role("region", name="Graph")).to_contain_text("(x * 2).exp().sum()")
    hunted = ran(notebook, 3)
    at(hunted, 0)
    press(hunted, "Continue")
    banner = hunted.get_by_role("alert").first
    expect(banner).to_contain_text("NaN")
    expect(banner).not_to_contain_text("AccumulateGrad")
    expect(part(hunted, "Versions")).not_to_contain_text("through nn")
    picture(lab, "review-born-nan")


OVERWRITTEN = """import vizgrad as vg
w = vg.ones(3, requires_grad=True)
opt = vg.optim.SGD([w], lr=0.1)
with vg.watch():
    loss = (w * w).exp().sum()
    (w * 1.0).sum().backward()
    opt.step()
    loss.backward()"""
RELEASED = """again = (w * 2).sum()
again.backward()
vg.debug(again)"""


def test_errors_begin_with_the_cause_and_have_no_frames_of_vizgrad(lab: Lab) -> None:
    """B7, B9, B10."""
    notebook = lab.open_notebook(OVERWRITTEN, RELEASED)
    error = ran(notebook, 0)
    expect(error).to_contain_text("modified by an inplace operation")
    expect(error).to_contain_text(re.compile(r"opt\.step\(\)|optimizer\.step\(\)"))
    expect(error).to_contain_text(re.compile("backward.*before|compute the loss again"))
    for frame in ("listening.py", "tapping.py", "task.py", "Could not get source"):
        expect(error).not_to_contain_text(frame)
    picture(lab, "review-error")
    released = ran(notebook, 1)
    expect(released).to_contain_text("This graph was released by the backward on line 2")
    expect(released.locator(".vg-root")).to_have_count(0)


RETURNED = """import vizgrad as vg
logits = vg.tensor([[120.0, 0.0], [1.0, 2.0]], requires_grad=True)
with vg.watch():
    loss = -logits.softmax(1).log()[:, 1].mean()
loss"""
DETACHED = """w = vg.tensor([0.1, 0.2], requires_grad=True)
b = vg.tensor([0.0, 1.0], requires_grad=True)
with vg.watch():
    pred = w * 2
    pred = pred.detach()
    (pred.sum() + b.sum()).backward()
vg.why(w)"""


def only_what_if(notebook: NotebookNode) -> None:
    notebook.cells = [c for c in notebook.cells if c.source.startswith("## 6. What if?")]


def test_answers_name_variables_and_delete_lines_that_do_nothing(lab: Lab) -> None:
    """B21, B22, B30."""
    notebook = lab.open_notebook(RETURNED, "vg.why(loss)", DETACHED)
    ran(notebook, 0)
    infinite = ran(notebook, 1)
    expect(infinite).to_contain_text("it reached loss")
    expect(infinite).not_to_contain_text("Out[")
    detached = ran(notebook, 2)
    expect(detached).to_contain_text("- pred = pred.detach()")
    expect(detached).not_to_contain_text(re.compile(r"\+ pred = pred\b(?!\.)"))
    picture(lab, "review-names-and-deletions")
    lab.open_copy(COURSE / "01_debugger.ipynb", change=only_what_if)
    text = lab.page.locator(".jp-RenderedMarkdown").filter(has_text="What if?").first
    expect(text).to_contain_text(re.compile("does the same, and its button"))
    expect(text).not_to_contain_text(re.compile("does the same.*does the same"))
