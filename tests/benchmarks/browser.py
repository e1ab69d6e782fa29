"""Drawing in a real JupyterLab and a real Chromium: click to picture, first picture, frames on the move.

The clock is the page's. A step begins at the click, and ends when the frame after the one in which the view
says that it stands at the new position has been painted: a message that is posted in an animation frame is
handled behind its painting. So it holds the way to the kernel and back, the engine's visit, the view's
work, and up to a frame of waiting. The first picture begins when the cell that opens the session is run.
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

from tests.benchmarks.targets import (
    FIRST_PICTURE,
    FIRST_PICTURE_OF_A_GPT,
    FRAME,
    STEP_TO_PICTURE,
    Figure,
    Target,
)

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.ui.lab import Lab, Notebook

#: Steps that are not counted: code is compiled and caches are filled meanwhile.
WARM_UP = 5
#: Milliseconds.
REST = 100
LAYOUT_LIMIT = 120_000
STEP_LIMIT = 10_000

#: Number of nodes; how often groups are opened by one level more.
PICTURES = ((300, 0), (300, 2), (1000, 0), (1000, 2), (100_000, 0), (1_000_000, 0))
#: Frames that are counted while the picture is moved and zoomed.
FRAMES = 120

#: A deep perceptron in a loop: five nodes a layer.
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

#: 16 blocks, 1,009 nodes.
GPT = """\
import vizgrad as torch
from vizgrad import nn
torch.manual_seed(0)
mask = torch.tril(torch.ones(16, 16))
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.proj = nn.Linear(32, 96), nn.Linear(32, 32)
    def forward(self, x):
        q, k, v = (part.view(2, 16, 4, 8).transpose(1, 2) for part in self.qkv(x).split(32, dim=2))
        weights = (q @ k.transpose(-2, -1) * 8**-0.5).masked_fill(mask == 0, float("-inf"))
        mixed = torch.softmax(weights, -1) @ v
        return self.proj(mixed.transpose(1, 2).contiguous().view(2, 16, 32))
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.attention, self.between = nn.LayerNorm(32), Attention(), nn.LayerNorm(32)
        self.mlp = nn.Sequential(nn.Linear(32, 128), nn.GELU(), nn.Linear(128, 32))
    def forward(self, x):
        x = x + self.attention(self.before(x))
        return x + self.mlp(self.between(x))
class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(64, 32), nn.Embedding(16, 32)
        self.blocks = nn.Sequential(*[Block() for _ in range(16)])
        self.last, self.head = nn.LayerNorm(32), nn.Linear(32, 64)
    def forward(self, text):
        x = self.tokens(text) + self.places(torch.arange(16))
        return self.head(self.last(self.blocks(x)))
model, text = GPT(), torch.randint(0, 64, (2, 16))
loss = nn.functional.cross_entropy(model(text).view(-1, 64), text.view(-1))
"""
#: A first picture is made so often, each time in a new kernel: the first loads the code of the view.
FIRST_TIMES = 4

#: What the kernel knows, as tests/ui compares it.
KERNEL = """\
import json
fold = session._control.state.fold
print(json.dumps({{
    "position": session.position, "states": {{n: fold.node(n).state for n in {drawn}}}
}}))
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
    const painted = new MessageChannel();
    painted.port1.onmessage = () => {
      clearTimeout(late);
      resolve([answered - begin, performance.now() - begin]);
    };
    requestAnimationFrame(() => painted.port2.postMessage(null));
  });
  observer.observe(root, { attributes: true, attributeFilter: ['data-position'] });
  begin = performance.now();
  button.click();
})
"""


#: Runs code in a new last cell; milliseconds until the first box of its view is there and painted. In a graph
#: that is folded it is no node.
FIRST = """
async (app, id, code) => {
  const panel = [...app.shell.widgets('main')].find(widget => widget.id === id);
  const { content } = panel;
  content.activeCellIndex = content.widgets.length - 1;
  await app.commands.execute('notebook:insert-cell-below');
  content.activeCell.model.sharedModel.setSource(code);
  const begin = performance.now();
  app.commands.execute('notebook:run-cell');
  return await new Promise(resolve => {
    const look = () => {
      if (panel.node.querySelector('.vg-canvas [role=treeitem]')) {
        const painted = new MessageChannel();
        painted.port1.onmessage = () => resolve(performance.now() - begin);
        painted.port2.postMessage(null);
      } else {
        requestAnimationFrame(look);
      }
    };
    look();
  });
}
"""

#: Wheels and drags over the graph, an event a frame: milliseconds from each frame to the next.
MOVE = """
([canvas, frames]) => new Promise(resolve => {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const at = { clientX: left + width / 2, clientY: top + height / 2, bubbles: true, cancelable: true };
  const gaps = [];
  let last = performance.now();
  const next = () => {
    const now = performance.now();
    gaps.push(now - last);
    last = now;
    const i = gaps.length;
    if (i > frames) return resolve(gaps.slice(1));
    const zoom = Math.floor(i / 20) % 2 === 0;
    canvas.dispatchEvent(new WheelEvent('wheel', {
      ...at, deltaY: i % 20 < 10 ? 30 : -30, deltaX: zoom ? 0 : 20, ctrlKey: zoom
    }));
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})
"""


def time_browser(steps: int) -> list[Figure]:
    """Median and 95th percentile for each picture; nothing, and the reason, without a browser."""
    if why := _missing():
        print(f"\nStep to picture was not measured: {why}.")
        return []
    found: list[Figure] = []
    with _lab() as lab:
        found.append(_time_gpt(lab))
        for nodes, opened in PICTURES:
            found += _time_steps(lab, nodes, opened, steps)
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


def _time_gpt(lab: Lab) -> Figure:
    """The first picture of a GPT; the median, without that of the page's first view."""
    taken: list[float] = []
    for number in range(FIRST_TIMES):
        notebook = lab.open_notebook(GPT, name=f"gpt-{number}.ipynb")
        notebook.run()
        code = "session = torch.debug(loss)"
        taken.append(lab.call(FIRST, notebook.panel, code, limit=LAYOUT_LIMIT))
        lab.shut_down_kernels()
    rest = sorted(taken[1:])
    what = "first picture of a GPT, 1,009 nodes"
    return Figure(what, median(rest), "ms", FIRST_PICTURE_OF_A_GPT, rest[0])


def _time_steps(lab: Lab, nodes: int, opened: int, steps: int) -> list[Figure]:
    """Milliseconds until the answer, and until the picture, of each step; and what moving costs."""
    code = GRAPH.format(nodes=nodes)
    notebook = lab.open_notebook(code, name=f"{nodes}-{opened}.ipynb")
    notebook.run()
    first = lab.call(FIRST, notebook.panel, "session = torch.debug(loss)", limit=LAYOUT_LIMIT)
    view = notebook.output(1)
    root = view.locator("[data-revision]")
    root.scroll_into_view_if_needed()
    for _ in range(opened):
        view.get_by_role("button", name="Expand one level", exact=True).click()
        lab.page.wait_for_timeout(500)
    button = view.get_by_role("button", name="Step", exact=True)
    taken = [_step(lab, root, button) for _ in range(WARM_UP + steps)][WARM_UP:]
    _check(notebook, view, WARM_UP + steps)
    boxes = view.get_by_role("treeitem").count()
    canvas = view.locator("svg.vg-canvas").element_handle()
    gaps = sorted(lab.page.evaluate(MOVE, [canvas, FRAMES]))
    name = f"{nodes:,} nodes, {boxes} boxes drawn"
    return [
        *([] if opened else [_first(name, first, nodes)]),
        *_figures(name, taken),
        Figure(f"moving the picture, {name}: median frame", median(gaps), "ms", FRAME, gaps[0]),
        Figure(
            f"moving the picture, {name}: 95th percentile", gaps[int(0.95 * len(gaps))], "ms", FRAME
        ),
    ]


def _first(name: str, taken: float, nodes: int) -> Figure:
    target = FIRST_PICTURE.get(nodes // 1000, Target(None))
    return Figure(f"first picture, {name}", taken, "ms", target)


def _step(lab: Lab, root: Locator, button: Locator) -> tuple[float, float]:
    root.and_(lab.page.locator('[aria-busy="false"]')).wait_for()
    lab.page.wait_for_timeout(REST)
    answered, drawn = lab.page.evaluate(
        STEP, [root.element_handle(), button.element_handle(), STEP_LIMIT]
    )
    return answered, drawn


def _check(notebook: Notebook, view: Locator, position: int) -> None:
    """The picture shows what the kernel knows: else what was timed is not a step."""
    drawn = view.locator("[data-node-id]").evaluate_all(
        "nodes => nodes.map(node => [Number(node.dataset.nodeId), node.dataset.state])"
    )
    numbers = [number for number, _ in drawn]
    known = json.loads(notebook.execute(KERNEL.format(drawn=numbers)))
    wrong = [number for number, state in drawn if state != known["states"][str(number)]]
    if known["position"] != position or wrong:
        raise SystemExit(
            f"After {position} steps the kernel stands at {known['position']}, and {len(wrong)} of "
            f"{len(drawn)} nodes are drawn in a state that is not theirs. Nothing is reported."
        )


def _figures(drawn: str, taken: list[tuple[float, float]]) -> list[Figure]:
    answers, pictures = (sorted(column) for column in zip(*taken, strict=True))
    name = f"step to picture, {drawn}"
    late = pictures[min(len(pictures) - 1, round(0.95 * len(pictures)))]
    answer = f"ms, answer after {median(answers):.0f}"
    middle, edge = STEP_TO_PICTURE
    return [
        Figure(f"{name}: median", median(pictures), answer, middle, pictures[0]),
        Figure(f"{name}: 95th percentile", late, "ms", edge),
    ]
