"""What goes wrong is said, where it goes wrong, and nothing hangs or is lost."""

from __future__ import annotations

from playwright.sync_api import Dialog, Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.parts import part

HOSTILE = "<img src=x onerror=alert(1)>"

SETUP = """\
import vizgrad as vg
w = vg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
x = vg.tensor([[0.5, -1.0], [2.0, 0.25]])
loss = (x @ w).tanh().sum()
"""


def root(view: Locator) -> Locator:
    return view.locator("[data-revision]")


def open_session(lab: Lab, *more: str) -> tuple[Notebook, Locator]:
    notebook = lab.open_notebook(SETUP, "session = vg.debug(loss)", *more)
    notebook.run()
    view = notebook.output(1)
    root(view).scroll_into_view_if_needed()
    expect(root(view)).to_have_attribute("data-layout", "done")
    return notebook, view


def step(view: Locator) -> Locator:
    return view.get_by_role("button", name="Step", exact=True)


def test_hostile_names_are_characters(lab: Lab) -> None:
    dialogs: list[Dialog] = []

    def noted(dialog: Dialog) -> None:
        dialogs.append(dialog)
        dialog.dismiss()

    lab.page.on("dialog", noted)
    notebook = lab.open_notebook(
        f"import vizgrad as vg\nname = {HOSTILE!r}\n"
        "weights = {name: vg.tensor([1.0, 2.0], requires_grad=True)}\n"
        "with vg.scope(name):\n    loss = weights[name].tanh().sum()\n"
        "loss.grad_fn.metadata[name] = name",
        "session = vg.debug(loss)",
        "vg.graph(loss)",
        "weights[name].grad = None\nhidden = weights[name] * 2\nhidden.mul_(3)\n"
        "vg.versions(hidden, name=name)",
    )
    notebook.run()
    view = notebook.output(1)
    root(view).scroll_into_view_if_needed()
    expect(root(view)).to_have_attribute("data-layout", "done")
    lab.execute("vizgrad:open-panel")
    panel = lab.page.locator("#vizgrad-panel")
    expect(root(panel)).to_have_attribute("data-layout", "done")
    for shown in (view, panel):
        shown.get_by_role("button", name="Zoom to fit", exact=True).click()
        leaf = shown.locator('[data-node-id][aria-label*="onerror"]').first
        expect(leaf).to_be_visible()
        assert HOSTILE in (leaf.get_attribute("aria-label") or "")
        assert HOSTILE in (shown.locator("svg", has_text="onerror").first.text_content() or "")
        assert shown.locator("img[onerror], [onerror]").count() == 0
    for cell in (2, 3):  # static pictures: as text, and as an image that runs nothing
        assert notebook.output(cell).locator("[onerror]").count() == 0
    texts = [
        "".join(output["data"]["text/plain"])
        for cell in notebook.cells()[2:4]
        for output in cell["outputs"]
    ]
    assert all(HOSTILE in text for text in texts)
    assert not dialogs
    lab.page.remove_listener("dialog", noted)


def test_a_node_that_raises_is_shown_and_told(lab: Lab) -> None:
    notebook, _ = open_session(
        lab, "hidden = (x @ w).tanh()\nloss = hidden.sum()\nhidden.mul_(2)\nvg.debug(loss)"
    )
    bad = notebook.output(2)
    root(bad).scroll_into_view_if_needed()
    expect(root(bad)).to_have_attribute("data-layout", "done")
    bad.get_by_role("button", name="Continue", exact=True).click()
    told = bad.get_by_role("alert").first
    expect(told).to_contain_text("mul_ changed it in place through hidden")
    told.get_by_text("Details").click()
    expect(told.get_by_text("modified by an inplace operation").first).to_be_visible()


def test_writes_of_a_later_cell_show_without_a_step(lab: Lab) -> None:
    notebook = lab.open_notebook(
        SETUP.replace(
            "loss = (x @ w).tanh().sum()", "hidden = (x @ w).tanh()\nloss = hidden.sum()"
        ),
        "session = vg.debug(loss)",
    )
    notebook.run()
    view = notebook.output(1)
    root(view).scroll_into_view_if_needed()
    expect(root(view)).to_have_attribute("data-layout", "done")
    assert view.locator('[data-saved-state="stale"]').count() == 0
    notebook.execute("hidden.add_(1.0)")
    expect(view.locator('[data-saved-state="stale"]').first).to_be_visible()
    saved = part(view, "Saved tensors")
    expect(saved).to_contain_text("add_")
    expect(saved).to_contain_text("hidden.add_(1.0)")  # the line that wrote
    expect(part(view, "Versions")).to_contain_text("v1")
    assert notebook.execute("print(session)").count("0 of") == 1  # nothing was stepped
