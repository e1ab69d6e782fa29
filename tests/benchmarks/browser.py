"""From the click on Step to the picture, in a real JupyterLab and a real Chromium.

The clock is the page's: it begins at the click, and ends in the second animation frame after the view
says that it stands at the new position, when the frame that shows it has been drawn. So it holds the
way to the kernel and back, the engine's visit, the view's work, and up to two frames of waiting.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from tests.benchmarks.targets import STEP_TO_PICTURE, Figure

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.ui.lab import Lab, Notebook

#: Steps that are not counted: code is compiled and caches are filled meanwhile.
WARM_UP = 5
#: Milliseconds.
LAYOUT_LIMIT = 120_000
STEP_LIMIT = 10_000

#: Number of nodes; whether the groups into which a large graph is folded are opened.
PICTURES = ((300, False), (1000, False), (1000, True))

#: A deep perceptron without modules, so that nothing is folded: five nodes a layer.
GRAPH = """\
import numpy as np
import vizgrad as torch
values = np.random.default_rng(0)
h = torch.from_numpy(values.standard_normal((16, 32)).astype(np.float32))
parameters = []
for _ in range({nodes} // 5):
    w, b = (torch.from_numpy(values.standard_normal(s).astype(np.float32) / 6) for s in ((32, 32), (32,)))
    parameters += [w.requires_grad_(), b.requires_grad_()]
    h = torch.nn.functional.linear(h, w, b).tanh()
loss = h.sum()
"""

#: What the kernel knows, as tests/ui compares it.
KERNEL = """\
import json
print(json.dumps({
    "position": session.run.position, "states": [node.state for node in session.run.nodes]
}))
"""

STEP = """
([root, button, limit]) => new Promise((resolve, reject) => {
  const before = root.dataset.position;
  let begin, answered;
  const late = setTimeout(() => reject(new Error(`no new position within ${limit} ms`)), limit);
  const observer = new MutationObserver(() => {
    if (root.dataset.position === before) return;
    observer.disconnect();
    answered = performance.now();
    requestAnimationFrame(() => requestAnimationFrame(() => {
      clearTimeout(late);
      resolve([answered - begin, performance.now() - begin]);
    }));
  });
  observer.observe(root, { attributes: true, attributeFilter: ['data-position'] });
  begin = performance.now();
  button.click();
})
"""


def time_browser(steps: int) -> list[Figure]:
    """Median and 95th percentile for each picture; nothing, and the reason, without a browser."""
    if why := _missing():
        print(f"\nStep to picture was not measured: {why}.")
        return []
    found: list[Figure] = []
    with _lab() as lab:
        for nodes, opened in PICTURES:
            found += _figures(nodes, *_time_steps(lab, nodes, opened, steps))
            lab.shut_down_kernels()
    return found


def _missing() -> str:
    for needed in ("jupyterlab", "playwright", "pytest"):
        if importlib.util.find_spec(needed) is None:
            return f"{needed} is not installed (`make test` installs it)"
    extension = Path(sys.prefix) / "share" / "jupyter" / "labextensions" / "vizgrad"
    if not (extension / "package.json").exists():
        return "the front end is not built and installed (`make test` does that)"
    return ""


@contextmanager
def _lab() -> Iterator[Lab]:
    """JupyterLab in Chromium, started as for the tests in tests/ui."""
    from playwright.sync_api import sync_playwright

    from tests.ui import server as jupyter
    from tests.ui.conftest import FLAGS, NAMES
    from tests.ui.lab import Lab

    path = os.environ.get("VIZGRAD_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = jupyter.start(Path(folder))
        try:
            with sync_playwright() as playwright:
                chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
                context = chromium.new_context(
                    viewport={"width": 1500, "height": 1100},
                    reduced_motion="reduce",
                    locale="en-US",
                )
                lab = Lab(context.new_page(), server)
                lab.load("lab?reset")
                yield lab
                chromium.close()
        finally:
            jupyter.stop(server)


def _time_steps(
    lab: Lab, nodes: int, opened: bool, steps: int
) -> tuple[str, list[tuple[float, float]]]:
    """What was drawn, and per step: milliseconds until the answer, and until the picture."""
    notebook = lab.open_notebook(
        GRAPH.format(nodes=nodes), "session = torch.debug(loss)", name=f"{nodes}{opened:d}.ipynb"
    )
    notebook.run()
    view = notebook.output(1)
    root = view.locator("[data-revision]")
    root.scroll_into_view_if_needed()
    laid_out = root.and_(lab.page.locator('[data-layout="done"]'))
    laid_out.wait_for(timeout=LAYOUT_LIMIT)
    if opened:
        view.get_by_role("button", name="Open all groups", exact=True).click()
        view.locator("[data-node-id]").first.wait_for(timeout=LAYOUT_LIMIT)
        laid_out.wait_for(timeout=LAYOUT_LIMIT)
    view.get_by_role("button", name="Zoom to fit", exact=True).click()
    button = view.get_by_role("button", name="Step", exact=True)
    taken = [_step(lab, root, button) for _ in range(WARM_UP + steps)][WARM_UP:]
    _check(notebook, view, WARM_UP + steps)
    boxes = view.get_by_role("treeitem").count()
    return f"{nodes} nodes, {boxes} boxes drawn", taken


def _step(lab: Lab, root: Locator, button: Locator) -> tuple[float, float]:
    root.and_(lab.page.locator('[aria-busy="false"]')).wait_for()
    answered, drawn = lab.page.evaluate(
        STEP, [root.element_handle(), button.element_handle(), STEP_LIMIT]
    )
    return answered, drawn


def _check(notebook: Notebook, view: Locator, position: int) -> None:
    """The picture shows what the kernel knows: else what was timed is not a step."""
    known = json.loads(notebook.execute(KERNEL))
    drawn = view.locator("[data-node-id]").evaluate_all(
        "nodes => nodes.map(node => [Number(node.dataset.nodeId), node.dataset.state])"
    )
    wrong = [number for number, state in drawn if state != known["states"][number]]
    if known["position"] != position or wrong:
        raise SystemExit(
            f"After {position} steps the kernel stands at {known['position']}, and {len(wrong)} of "
            f"{len(drawn)} nodes are drawn in a state that is not theirs. Nothing is reported."
        )


def _figures(nodes: int, drawn: str, taken: list[tuple[float, float]]) -> list[Figure]:
    target = STEP_TO_PICTURE[nodes]
    answers, pictures = (sorted(column) for column in zip(*taken, strict=True))
    name = f"step to picture, {drawn}"
    late = pictures[min(len(pictures) - 1, round(0.95 * len(pictures)))]
    answer = f"ms, answer after {median(answers):.0f}"
    return [
        Figure(f"{name}: median", median(pictures), answer, target, pictures[0]),
        Figure(f"{name}: 95th percentile", late, "ms", target),
    ]
