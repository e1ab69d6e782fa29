"""The tour, as a person takes it: run all, step, step back, continue; the view says what the kernel knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook

TOUR = Path(__file__).parents[2] / "notebooks" / "00_tour.ipynb"

#: What the kernel knows about the session: states, the last visit's gradient, every leaf's `.grad`.
KERNEL = """
import json
_run = session.run
_visits = session.trace.visits
print(json.dumps({
    "position": _run.position,
    "total": _run.total,
    "states": [node.state for node in _run.nodes],
    "last": None if not _visits else [_visits[-1].node, _visits[-1].incoming[0].norm],
    "grads": {
        node.id: None if p.grad is None else float(p.grad.norm())
        for node in session.graph.nodes if node.kind == "leaf"
        for name, p in model.named_parameters() if node.label == "model." + name
    },
}))
"""


def cell_of(notebook: Notebook, text: str) -> int:
    """The number of the first code cell whose source contains `text`."""
    for number, cell in enumerate(notebook.cells()):
        if cell["cell_type"] == "code" and text in "".join(cell["source"]):
            return number
    raise AssertionError(f"no cell contains {text!r}")


def kernel_state(notebook: Notebook) -> dict[str, Any]:
    return json.loads(notebook.execute(KERNEL))


def drawn_states(view: Locator) -> dict[int, set[str]]:
    """node id -> states it is drawn in (a leaf has a pin at each use)."""
    found: dict[int, set[str]] = {}
    for number, state in view.locator("[data-node-id]").evaluate_all(
        "nodes => nodes.map(n => [Number(n.dataset.nodeId), n.dataset.state])"
    ):
        found.setdefault(number, set()).add(state)
    return found


def root(view: Locator) -> Locator:
    return view.locator("[data-revision]")


def check(
    view: Locator, notebook: Notebook, position: int, *, folded: bool = False
) -> dict[str, Any]:
    """The view stands at `position`, and draws what the kernel says; returns what the kernel says. `folded`:
    *Zoom to fit* has closed groups so that names can be read.
    """
    expect(root(view)).to_have_attribute("data-position", str(position))
    known = kernel_state(notebook)
    assert known["position"] == position
    drawn = drawn_states(view)
    if not folded:
        assert sorted(drawn) == list(range(len(known["states"]))), "every node is drawn"
    assert drawn
    for number, states in drawn.items():
        assert states == {known["states"][number]}, f"node {number}"
    done = known["states"].count("done")
    assert done == position
    for leaf, norm in known["grads"].items():
        # a leaf has its gradient exactly once its AccumulateGrad is done
        assert (norm is not None) == (known["states"][int(leaf)] == "done"), f"leaf {leaf}"
    return known


def check_inspector(view: Locator, known: dict[str, Any]) -> None:
    """Selecting a node shows the gradient that arrived there, as the kernel has it."""
    node, norm = known["last"]
    view.locator(f'[data-node-id="{node}"]').first.click()
    inspector = view.get_by_role("region", name="Inspector")
    expect(inspector.get_by_text(short(norm), exact=False).first).to_be_visible()


def short(value: float) -> str:
    """The first three significant digits, which any format shows."""
    text = f"{value:.3g}"
    return text if "e" not in text else text.split("e", maxsplit=1)[0][:4]


def press(view: Locator, name: str, times: int = 1) -> None:
    """Also of what waits in the menu More, where the toolbar has no room for it."""
    button = view.get_by_role("button", name=name, exact=True)
    more = view.get_by_role("button", name="More", exact=True)
    expect(button.or_(more).first).to_be_attached()
    for _ in range(times):
        if button.count():
            button.click()
        else:
            more.click()
            view.get_by_role("menuitem", name=name, exact=True).click()


def test_the_tour(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1500, "height": 1100})
    notebook = lab.open_copy(TOUR)
    notebook.run()
    accuracy = notebook.text(cell_of(notebook, "test accuracy"))
    assert float(accuracy.split("test accuracy")[1].split("%")[0]) >= 95

    view = notebook.output(cell_of(notebook, "%vizgrad back 2"))  # the last to move it
    root(view).scroll_into_view_if_needed()
    expect(root(view)).to_have_attribute("data-layout", "done")
    press(view, "Zoom to fit")
    known = check(view, notebook, 0)

    for position in range(1, 11):
        press(view, "Step")
        known = check(view, notebook, position)
    check_inspector(view, known)

    for position in range(9, 4, -1):
        press(view, "Step back")
        known = check(view, notebook, position)
    check_inspector(view, known)

    lab.execute("vizgrad:open-panel")
    panel = lab.page.locator("#vizgrad-panel")
    expect(root(panel)).to_have_attribute("data-position", "5")
    press(panel, "Zoom to fit")
    assert_same(panel, view)

    press(panel, "Step")  # in the panel: the widget follows
    check(view, notebook, 6, folded=True)
    assert_same(panel, view)

    press(view, "Continue")
    total = known["total"]
    known = check(view, notebook, total, folded=True)
    expect(root(view)).to_have_attribute("data-status", "finished")
    expect(root(panel)).to_have_attribute("data-position", str(total))
    assert_same(panel, view)
    assert all(norm is not None for norm in known["grads"].values())
    uninterrupted = json.loads(
        notebook.execute(
            "_got = {n: p.grad.clone() for n, p in model.named_parameters()}\n"
            "optimizer.zero_grad()\n"
            "F.cross_entropy(model(x), y).backward()\n"
            "print(json.dumps(all(bool((p.grad == _got[n]).all()) for n, p in model.named_parameters())))"
        )
    )
    assert uninterrupted, "a stepped backward gives the bits of an uninterrupted one"


def assert_same(panel: Locator, view: Locator) -> None:
    """Two views of one session draw every node that both show in the same state."""
    for shown in (panel, view):
        press(shown, "Zoom to fit")
        expect(shown.locator("[data-node-id]").first).to_be_attached()
    here, there = drawn_states(panel), drawn_states(view)
    shared = here.keys() & there.keys()
    assert shared
    assert {n: here[n] for n in shared} == {n: there[n] for n in shared}
