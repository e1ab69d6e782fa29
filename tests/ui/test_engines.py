"""Graphs of other engines in the same view, in the browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_tour import press

ROOT = Path(__file__).parents[2]
#: A cell that lets the kernel find the engines.
FIND = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nimport vizgrad\n"

SCALARS = """\
from tests.debugger.engines.scalars import scalars_engine
from tests.debugger.engines.scalars.scalars import Value
a, b = Value(0.5), Value(-2.0)
out = (a * b + a).tanh() * 3
"""
TORCH = """\
import torch
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh())
with vizgrad.watch():
    loss = (model(torch.ones(4, 3)) ** 2).sum()
"""


def shows(view: Locator, *names: str) -> None:
    for name in names:
        expect(view.locator("[data-node-id]").filter(has_text=name).first).to_be_visible()


def test_single_numbers_are_stepped_forwards_and_backwards(lab: Lab) -> None:
    notebook = lab.open_notebook(FIND + SCALARS, "session = vizgrad.debug(out)")
    notebook.run()
    view = notebook.output(1)
    at(view, 0)
    shows(view, "mul", "tanh", "add", "constant")
    for done in (1, 2, 3):
        press(view, "Step")
        at(view, done)
    picture(lab, "scalars")
    assert "3 of 7 nodes done" in notebook.execute("print(session)")
    press(view, "Step back")
    at(view, 2)
    notebook.execute("session.continue_()")
    at(view, 7)
    assert notebook.execute("print(round(a.grad / b.grad, 6))") == "-2.0\n"


def test_a_graph_of_pytorch_is_stepped_forwards_and_backwards(lab: Lab) -> None:
    pytest.importorskip("torch")
    notebook = lab.open_notebook(
        FIND + TORCH, "session = vizgrad.debug(loss)", "%vizgrad graph loss"
    )
    notebook.run()
    view = notebook.output(1)
    at(view, 0)
    shows(view, "SumBackward0", "TanhBackward0", "model.0.weight")
    for done in (1, 2, 3):
        press(view, "Step")
        at(view, done)
    assert "AddmmBackward0" in notebook.execute("print(session)")
    picture(lab, "torch")
    press(view, "Step back")
    at(view, 2)
    notebook.execute("session.continue_()")
    at(view, 7)
    assert notebook.execute("print(tuple(model[0].bias.grad.shape))") == "(2,)\n"
    picture(lab, "torch_done")
    notebook.execute("session.restart()")
    at(view, 0)
    assert notebook.execute("print(model[0].bias.grad)") == "None\n"


#: Without a watch; the target of the last row is left out.
UNWATCHED = """\
import torch
torch.set_num_threads(1)
x = torch.tensor([0.0, 1.0], requires_grad=True)
rows = torch.stack([x.sqrt() * torch.tensor([0.0, 1.0])] * 2)
loss = torch.nn.functional.cross_entropy(rows, torch.tensor([0, -100]))
session = vizgrad.debug(loss)
"""


def test_torch_without_a_watch_says_how_a_line_is_had(lab: Lab) -> None:
    """B2, B27, B28 of the review."""
    pytest.importorskip("torch")
    notebook = lab.open_notebook(FIND + UNWATCHED)
    notebook.run()
    view = notebook.output(0)
    inspector = view.get_by_role("region", name="Inspector", exact=True)
    expect(inspector).to_contain_text("vizgrad.watch()")
    expect(inspector.get_by_role("button", name="Copy", exact=False).first).to_be_visible()
    expect(inspector).to_contain_text("ignore_index = -100")
    press(view, "Continue")
    expect(view.get_by_role("alert").first).to_contain_text("SqrtBackward0 made")
    expect(view.get_by_role("alert").first).to_contain_text("watch")
    # PyTorch runs a node once: where the next one has run, What if says so, and does not offer to.
    press(view, "Step back")
    field = inspector.get_by_role("textbox", name="New gradient of")
    expect(field).to_be_disabled()
    expect(inspector).to_contain_text("PyTorch runs a node only once")
    picture(lab, "torch-unwatched")


CHANGED = """\
import torch
torch.set_num_threads(1)
w = torch.ones(3, requires_grad=True)
loss = ((w * 2).tanh() - 1).pow(2).sum()
session = vizgrad.debug(loss)
"""


def test_a_gradient_that_the_user_changed_in_torch_is_marked(lab: Lab) -> None:
    """PyTorch's run has no branches: the change is part of the run itself."""
    pytest.importorskip("torch")
    notebook = lab.open_notebook(FIND + CHANGED)
    notebook.run()
    view = notebook.output(0)
    press(view, "Step")
    at(view, 1)
    inspector = view.get_by_role("region", name="Inspector", exact=True)
    changed = view.locator(".vg-node[data-edited]")
    expect(inspector).not_to_contain_text("Changed by you")
    expect(changed).to_have_count(0)
    field = inspector.get_by_role("textbox", name="New gradient of")
    field.fill("g * 10")
    field.press("Enter")
    expect(changed).to_have_count(1)
    expect(changed).to_contain_text("changed")
    said = "gradient of PowBackward0 = g * 10"
    expect(inspector).to_contain_text(f"Changed by you: {said}")
    branches = part(view, "Branches")
    expect(branches).to_contain_text(f"{said} after 1 node")
    expect(branches).to_contain_text("PyTorch runs a node only once")
    press(view, "Continue")
    expect(changed).to_contain_text("PowBackward0")
    expect(part(view, "Events")).to_contain_text(f"changed by you: {said}")
    picture(lab, "torch-changed")
    for position in reversed(range(6)):
        press(view, "Step back")
        at(view, position)
    expect(changed).to_have_count(0)
