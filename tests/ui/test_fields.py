"""Text fields with a button beside them: Enter does what the button does, Escape takes text back."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.parts import part
from tests.ui.pictures import picture

SETUP = """\
import vizgrad as vg
x = vg.tensor([1.0, 4.0], requires_grad=True)
loss = (x.sqrt() * 3).sum()
"""


def opened(lab: Lab) -> tuple[Notebook, Locator]:
    """A run whose first node is done."""
    lab.page.set_viewport_size({"width": 1600, "height": 1100})
    notebook = lab.open_notebook(SETUP, "session = vg.debug(loss)")
    notebook.run()
    view = notebook.output(1)
    expect(view.locator("[data-revision]")).to_have_attribute("data-layout", "done")
    view.get_by_role("button", name="Step", exact=True).click()
    expect(view.locator("[data-revision]")).to_have_attribute("data-position", "1")
    return notebook, view


def test_enter_does_what_the_button_does(lab: Lab) -> None:
    notebook, view = opened(lab)
    _adds_a_breakpoint(lab, view)
    _changes_the_gradient(lab, notebook, view)


def _changes_the_gradient(lab: Lab, notebook: Notebook, view: Locator) -> None:
    branches = part(view, "Branches")
    field = view.get_by_role("region", name="Inspector").get_by_role(
        "textbox", name="New gradient of MulBackward0"
    )
    field.click()
    lab.page.keyboard.type("g*0+1")
    picture(lab, "field-typed")
    lab.page.keyboard.press("Enter")
    branch = branches.get_by_role("button", name="branch 1", exact=True)
    expect(branch).to_have_attribute("aria-pressed", "true")
    expect(field).to_have_value("")
    picture(lab, "field-entered")
    assert notebook.execute("print([b.name for b in session.branches])").count("branch") == 1
    # Escape takes back what was typed, then leaves the field.
    field.click()
    lab.page.keyboard.type("g * 7")
    lab.page.keyboard.press("Escape")
    expect(field).to_have_value("")
    expect(field).to_be_focused()
    lab.page.keyboard.press("Escape")
    expect(field).not_to_be_focused()
    expect(branches.get_by_role("button", name="branch 2", exact=True)).to_have_count(0)


def _adds_a_breakpoint(lab: Lab, view: Locator) -> None:
    region = part(view, "Breakpoints")
    region.get_by_role("button", name="New breakpoint").click()
    region.get_by_role("textbox", name="Where to pause").click()
    lab.page.keyboard.type("Sqrt*")
    lab.page.keyboard.press("Enter")
    expect(region.get_by_role("checkbox", name="Sqrt")).to_be_checked()
    region.get_by_role("textbox", name="Where to pause").click()
    lab.page.keyboard.type("Mul*")
    lab.page.keyboard.press("Escape")
    expect(region.get_by_role("textbox", name="Where to pause")).to_have_count(0)
    expect(region.get_by_role("checkbox", name="Mul")).to_have_count(0)
