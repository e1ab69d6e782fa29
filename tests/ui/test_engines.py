"""Graphs of other engines in the same view, in the browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

import vizgrad
from tests.ui.lab import Lab
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


SQUARES = """\
import torch
torch.set_num_threads(1)
x = torch.ones(3, requires_grad=True)
loss = (x * 2).tanh().sum()
session = vizgrad.debug(loss)
"""


def test_torch_a_change_is_seen_wherever_its_numbers_are(lab: Lab, tmp_path: Path) -> None:
    """A change of a PyTorch run is for good: node, Inspector, Events, Branches and a trace all tell of it."""
    pytest.importorskip("torch")
    notebook = lab.open_notebook(FIND + SQUARES)
    notebook.run()
    view = notebook.output(0)
    press(view, "Step")
    at(view, 1)
    branches = view.get_by_role("tab", name="Branches")
    branches.click()
    pane = view.get_by_role("region", name="Branches", exact=True)
    expect(pane).to_contain_text("the run goes on with it")
    inspector = view.get_by_role("region", name="Inspector", exact=True)
    field = inspector.get_by_role("textbox", name="New gradient of TanhBackward0")
    field.fill("g * 10")
    field.press("Enter")
    changed = view.get_by_role("treeitem", name="TanhBackward0").filter(has_text="changed")
    expect(changed).to_have_attribute("aria-label", re.compile("changed by you"))
    expect(inspector).to_contain_text("gradient of TanhBackward0 = g * 10")
    press(view, "Continue")
    at(view, 4)
    expect(pane).to_contain_text("gradient of TanhBackward0 = g * 10")
    expect(pane).to_contain_text("Run the cell again for a backward without them")
    view.get_by_role("tab", name="Events").click()
    events = view.get_by_role("region", name="Events", exact=True)
    expect(events).to_contain_text("changed by you: gradient of TanhBackward0 = g * 10")
    picture(lab, "torch-changed")
    file = tmp_path / "changed.vgtrace"
    notebook.execute(f"session.trace.save({str(file)!r})")
    with vizgrad.load_trace(file) as loaded:
        (edit,) = loaded.branches[0].edits
    assert (edit.position, edit.text) == (1, "gradient of TanhBackward0 = g * 10")
    # Before the change there is none.
    press(view, "Step back")
    for _ in range(3):
        press(view, "Step back")
    at(view, 0)
    expect(view.locator('[data-changed="on"]')).to_have_count(0)
