"""Values, formulas and words in the panels: what a person reads is what numpy and the kernel have."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.themes import dark_picture

SETUP = """
import numpy as np
import vizgrad as vg
rng = np.random.default_rng(5)
x = vg.tensor(rng.normal(size=(2, 3, 40, 50)).astype(np.float32), requires_grad=True)
w = vg.tensor(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3), requires_grad=True)
z = vg.tensor(rng.normal(size=(20, 30)) + 1j * rng.normal(size=(20, 30)), requires_grad=True)
y = (x * x).tanh()
spread = vg.tensor(rng.normal(size=(2, 3, 40, 50)).astype(np.float32))
loss = (y * x * spread).sum() + (w * w).sum() + (z * z.conj()).real.sum()
"""
DEBUG = "session = vg.debug(loss)"


def opened(lab: Lab, *cells: str) -> tuple[Notebook, Locator]:
    """The view of the last cell's session."""
    lab.page.set_viewport_size({"width": 1500, "height": 1100})
    notebook = lab.open_notebook(*cells)
    notebook.run()
    view = notebook.output(len(cells) - 1)
    expect(view.locator("[data-layout='done']")).to_be_visible()
    view.locator("[data-revision]").scroll_into_view_if_needed()
    return notebook, view


def select(view: Locator, notebook: Notebook, name: str) -> Locator:
    """The inspector, with the first node of this name, or the leaf of this variable."""
    found = f"next(n.id for n in session.graph.nodes if {name!r} in (n.name, n.label))"
    node = notebook.execute(f"print({found})").strip()
    view.locator(f'[data-node-id="{node}"]').first.dispatch_event("click")
    expect(view.locator(f'[data-inspected="{node}"]')).to_be_visible()
    return view.get_by_role("region", name="Inspector")


def to_the_end(view: Locator) -> None:
    view.get_by_role("button", name="Continue", exact=True).click()
    expect(view.locator("[data-status='finished']")).to_be_visible()


def card(inspector: Locator, title: str) -> Locator:
    return (
        inspector.locator(".vg-card")
        .filter(has=inspector.page.get_by_text(title, exact=True))
        .first
    )


def _formulas_are_mathematics(lab: Lab, notebook: Notebook, view: Locator) -> None:
    inspector = select(view, notebook, "TanhBackward0")
    formula = inspector.get_by_role("math", name="∂L/∂x = g * (1 - y**2)")
    expect(formula.locator("msup")).to_have_text("y2")
    assert formula.locator("math").evaluate("e => e.namespaceURI").endswith("MathML")
    fraction = formula.locator("mfrac").bounding_box()
    assert fraction is not None
    assert fraction["height"] > 20  # it is laid out as mathematics, not as a line of text
    expect(inspector.get_by_text("y the result")).to_be_visible()
    inspector.get_by_text("source").click()
    expect(inspector.get_by_text("def grad_self")).to_be_visible()
    picture(view, "formula")
    dark_picture(lab, view, "formula-dark")


def test_formulas_and_arrays(lab: Lab) -> None:
    lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    notebook, view = opened(lab, SETUP, DEBUG)
    _formulas_are_mathematics(lab, notebook, view)
    to_the_end(view)

    grad = card(select(view, notebook, "w"), ".grad after")  # six values are written
    expect(grad.locator(".vg-numbers")).to_have_text("[[-2, -1.2, -0.4], [0.4, 1.2, 2]]")
    expect(grad.get_by_role("application")).to_have_count(0)

    grad = card(select(view, notebook, "x"), ".grad after")  # 12,000 are drawn
    expect(grad.get_by_text("dims 0, 1, 2")).to_be_visible()
    expect(grad.get_by_text("each cell: largest of 8 × 2 values")).to_be_visible()
    grad.scroll_into_view_if_needed()
    picture(view, "array")

    grad.get_by_role("button", name="Values").click()
    opened_ = grad.locator(".vg-go-through")
    for dim, index in ((0, 1), (1, 2)):
        grad.get_by_role("spinbutton", name=f"Index of dimension {dim}").fill(str(index))
    expect(opened_.get_by_text("dim 2", exact=True)).to_be_visible()
    expect(opened_.get_by_text("each cell: largest of 2 × 2 values")).to_be_visible()
    drawn = opened_.get_by_role("application")
    drawn.press("End")  # the last block, with the keyboard
    drawn.press("Enter")
    expect(opened_.get_by_text("each cell: one value")).to_be_visible()
    drawn.press("Home")
    value = float(notebook.execute("print(float(x.grad[1, 2, 38, 48]))"))
    shown = f"{value:.4g}"
    expect(drawn.get_by_text(f"[1, 2, 38, 48] {shown}", exact=False)).to_be_visible()
    picture(view, "slice")

    opened_.get_by_role("button", name="Copy as numpy").click()
    expect(opened_.get_by_text("Copied.")).to_be_visible()
    copied = eval(lab.page.evaluate("navigator.clipboard.readText()"), {"np": np})
    assert copied.dtype == np.float32
    assert notebook.execute(f"print((x.grad.numpy()[1, 2, 38:, 48:] == {copied.tolist()}).all())")

    opened_.get_by_role("button", name="show all").click()
    expect(opened_.get_by_text("each cell: largest of 2 × 2 values")).to_be_visible()
    opened_.get_by_role("button", name="Copy as numpy").click()
    expect(opened_.get_by_text("Copied the first [20, 50] of [40, 50].")).to_be_visible()

    # pointing at a cell
    cells = opened_.locator("canvas").first
    box = cells.bounding_box()
    assert box is not None
    cells.hover(position={"x": 2, "y": 2})
    expect(drawn.locator("output")).to_contain_text("[1, 2, 0:2, 0:2]")
    dark_picture(lab, view, "slice-dark")


def test_complex_numbers_and_what_is_not_finite(lab: Lab) -> None:
    notebook, view = opened(
        lab,
        SETUP,
        "v = vg.tensor(rng.normal(size=(30, 40)), requires_grad=True)\n"
        "bad = np.ones((30, 40)); bad[3, 4] = np.nan; bad[10, 20] = np.inf; bad[20, 9] = -np.inf\n"
        "loss = (v * vg.tensor(bad)).sum() + (z * z.conj()).real.sum()\n" + DEBUG,
    )
    notebook.execute("while session.node is not None: session.step()")
    expect(view.locator("[data-status='finished']")).to_be_visible()
    grad = card(select(view, notebook, "z"), ".grad after")
    expect(grad.get_by_text("magnitude", exact=True).first).to_be_visible()
    expect(grad.get_by_text("phase", exact=True).first).to_be_visible()
    expect(grad.get_by_text("mean |z|")).to_be_visible()
    grad.scroll_into_view_if_needed()
    picture(view, "complex")
    dark_picture(lab, view, "complex-dark")
    grad = card(select(view, notebook, "v"), ".grad after")
    for words in ("✕ NaN", "▲ inf", "▼ -inf"):
        expect(grad.get_by_text(words)).to_be_visible()
    picture(view, "nonfinite")


def test_panels_hold_what_matters(lab: Lab) -> None:
    _, view = opened(
        lab,
        "import vizgrad as vg",
        "a = vg.tensor([1.0, 2.0], requires_grad=True)\n"
        "a_variable_with_quite_a_long_name_of_its_own = vg.tensor([3.0, 4.0], requires_grad=True)\n"
        "loss = (a.exp() * a_variable_with_quite_a_long_name_of_its_own).tanh().sum()\n" + DEBUG,
    )
    expect(view.get_by_role("list", name="Modes")).to_have_count(0)
    versions = part(view, "Versions")
    expect(versions.get_by_text("No in-place changes since saving.")).to_be_visible()
    engine = part(view, "Engine")  # in place of Versions, in the same drawer
    expect(versions).to_have_count(0)
    expect(engine.get_by_text("Only this node is ready.")).to_be_visible()
    for _ in range(3):
        view.get_by_role("button", name="Step", exact=True).click()
    expect(view.locator("[data-position='3']")).to_be_visible()
    expect(engine.get_by_text("Leaves run as soon as they are ready.")).to_be_visible()
    name = engine.get_by_title("a_variable_with_quite_a_long_name_of_its_own").first
    shown = name.locator(".vg-middle-end")
    expect(shown).to_have_attribute("data-part", "of_its_own")
    assert shown.evaluate("e => e.scrollWidth <= e.clientWidth")
    picture(view, "panels")


def test_an_error_is_three_lines_told_once(lab: Lab) -> None:
    notebook, view = opened(
        lab,
        "import vizgrad as vg",
        "a = vg.tensor([1.0, 2.0], requires_grad=True)\n"
        "b = a.exp()\n"
        "c = a.sin()\n"
        "loss = (b * b * c).sum()\n" + DEBUG,
    )
    notebook.execute("with vg.no_grad(): b.mul_(2)")
    versions = part(view, "Versions")
    expect(versions.locator(".vg-timeline.vg-is-stale")).to_have_count(1)
    expect(versions.locator(".vg-timeline.vg-is-stale")).to_contain_text("b")
    view.get_by_role("button", name="Continue", exact=True).click()
    expect(view.locator("[data-status='failed']")).to_be_visible()
    alert = view.get_by_role("alert")
    expect(alert).to_have_count(1)
    expect(alert.locator(".vg-fault-what")).to_contain_text("changed it in place")
    expect(alert.get_by_text("Where")).to_be_visible()
    expect(alert.get_by_text("write out of place there")).to_be_visible()
    details = alert.get_by_text("modified by an inplace operation")
    expect(details).not_to_be_visible()
    alert.get_by_text("Details").click()
    expect(details).to_be_visible()
    assert view.get_by_text("modified by an inplace operation").count() == 1
    alert.get_by_role("button", name="Show ").click()
    expect(view.locator("[data-inspected]")).to_be_visible()
    picture(view, "error")
    dark_picture(lab, view, "error-dark")
