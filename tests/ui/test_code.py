"""The debugger in a person's own cells: the line that comes next, and norms beside the lines."""

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.test_following import at
from tests.ui.test_tour import press

SETUP = "import vizgrad as vg\nw = vg.tensor([0.5, 1.0], requires_grad=True)"
MODEL = "def model(x):\n    for _ in range(3):\n        x = x.tanh()\n    return x * 2"
LOSS = "\n\ny = model(w)  # first\nloss = (y.exp() * y).sum()\nsession = vg.debug(loss)"


def picture(lab: Lab, name: str) -> None:
    folder = os.environ.get("VIZGRAD_PICTURES")
    if folder:
        lab.page.screenshot(path=Path(folder) / f"{name}.png")


def cell(notebook: Notebook, number: int) -> Locator:
    panel = notebook.lab.page.locator(f'[id="{notebook.panel}"]')
    return panel.locator(".jp-Cell").nth(number).locator(".cm-editor")


def norms(editor: Locator) -> dict[int, str]:
    """By line."""
    found = editor.locator(".vg-line-norm").all()
    return {int(each.get_attribute("data-line") or 0): each.inner_text() for each in found}


def test_the_line_that_comes_next_is_marked_in_its_cell(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP, MODEL, LOSS)
    notebook.run()
    view = notebook.output(2)
    at(view, 0)
    current = lab.page.locator(".vg-current-line")
    expect(current).to_have_count(1)
    expect(current).to_contain_text("loss = (y.exp() * y).sum()")
    expect(current).to_contain_text("next: SumBackward0")
    assert current.get_attribute("data-node") == "0"
    expect(lab.page.locator(".vg-current-call")).to_have_text("(y.exp() * y).sum()")
    picture(lab, "code-start")
    told = []
    for _ in range(4):
        press(view, "Step")
    at(view, 4)
    expect(cell(notebook, 1).locator(".vg-current-line")).to_contain_text("x = x.tanh()")
    picture(lab, "code-model")
    expect(cell(notebook, 2).locator(".vg-line-norm")).to_have_text(["‖g‖ 1"])
    told.append((norms(cell(notebook, 1)), norms(cell(notebook, 2))))
    press(view, "Step")
    press(view, "Step")
    at(view, 6)
    expect(cell(notebook, 1).locator(".vg-line-norm").first).to_contain_text("2 of 3")
    picture(lab, "code-loop")
    press(view, "Step back")
    press(view, "Step back")
    at(view, 4)
    expect(current).to_have_attribute("data-node", "4")
    assert (norms(cell(notebook, 1)), norms(cell(notebook, 2))) == told[0]
