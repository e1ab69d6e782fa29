"""The models of the course trained on a GPU with the live view open, in a real browser: as on the CPU.

Skipped where no Chromium can be started or the front end is not built (`make test` builds it).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import numpy as np
import pytest

pytest.importorskip("jupyterlab")
pytest.importorskip("playwright")

from playwright.sync_api import Browser, Locator, expect

from tests.fixtures.warm_kernels import COLD
from tests.ui import conftest as ui
from tests.ui import server as jupyter
from tests.ui.lab import Lab, Notebook
from tests.ui.pictures import picture
from tests.ui.test_tour import press, root

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(1800)]

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "notebooks" / "02_models.ipynb"
#: What is taken from the course: the models, and what they need.
NAMES = {
    "images", "labels", "order", "cnn", "text", "characters", "number_of", "data", "some_text", "loss_of",
    "CharGRU", "CharTransformer", "VAE", "vae_loss",
}  # fmt: skip
#: With as many lines on both.
BEGUN = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
if {emulated}:
    from tests.gpu import emulated
    emulated.start()
DEVICE, DATA = {device!r}, Path({data!r})
import vizgrad
vizgrad.manual_seed(0)
"""
#: Made on the CPU, so that both begin with the same numbers, noise included. The gradient of a bias before a
#: batch norm is nothing but rounding, which differs.
MADE = """
cnn[0].bias = cnn[4].bias = None
gru, transformer, vae = CharGRU(), CharTransformer(), VAE()
noise = vg.randn(4, 8)
Normal.rsample = lambda self: self.loc + self.scale * noise.to(self.loc.device)
given = {
    "cnn": (images[:8], labels[:8]), "gru": some_text(2, 8), "transformer": some_text(2, 8),
    "vae": (images.flatten(1)[:4],),
}
def loss_of_transformer(x, y):  # on the CPU attention is one node otherwise, on a device its steps
    with nn.attention.sdpa_kernel(nn.attention.SDPBackend.MATH):
        return loss_of(transformer(x)[0], y)
losses = {
    "cnn": lambda x, y: F.cross_entropy(cnn(x), y),
    "gru": lambda x, y: loss_of(gru(x)[0], y),
    "transformer": loss_of_transformer,
    "vae": lambda x: vae_loss(vae, x),
}
"""
#: Two steps, and the third with the view.
TRAINED = """
model = {name}.to(DEVICE)
batch = [x.to(DEVICE) for x in given["{name}"]]
optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
with vg.device(DEVICE):
    for step in range(3):
        loss = losses["{name}"](*batch)
        optimizer.zero_grad()
        if step < 2:
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
session = vg.debug(loss)
session.run_to("{node}")
"""
#: Are the gradients of all parameters on the device, and did nothing fail there?
WHERE = """
places = {{p.grad.device.type for p in model.parameters()}}
told = sys.modules.get("tests.gpu.emulated")
print(places == {{"{device}"}} and not (told and told.ACCOUNT.failures))
"""
#: The models, and the node before which the notebook stops.
STOPS = {
    "cnn": "ConvolutionBackward0",
    "gru": "TanhBackward0",
    "transformer": "SafeSoftmaxBackward0",
    "vae": "SplitBackward0",
}
#: All that is drawn of the graph: kinds, places, states and texts of its elements, in their order. How far
#: the view has moved to follow a run, and what flashes for the last few steps of it, depend on how long
#: the run takes: these are left out.
DRAWN = """
view => {
  const svg = view.querySelector('[data-node-id], [data-group-state]').ownerSVGElement;
  const told = [
    'class', 'd', 'x', 'y', 'width', 'height', 'transform', 'data-node-id', 'data-state', 'aria-label',
  ];
  return [...svg.querySelectorAll('*')].filter(element => !element.closest('.vg-deliveries')).map(element => [
    element.tagName,
    ...told.map(name => element.getAttribute(name) ?? '').map(told => told.includes('scale(') ? '' : told),
    element.childElementCount ? '' : element.textContent,
  ].join(' '));
}
"""
#: A number, as it is written in a picture.
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[jupyter.Server]:
    if not jupyter.BUILT.is_dir():
        pytest.skip("the front end is not built")
    running = jupyter.start(tmp_path_factory.mktemp("jupyter"))
    yield running
    jupyter.stop(running)


browser = pytest.fixture(scope="module")(ui.browser.__wrapped__)


@pytest.fixture(scope="module")
def lab(server: jupyter.Server, browser: Browser) -> Lab:
    size = {"width": 1500, "height": 1100}
    context = browser.new_context(viewport=size, reduced_motion="reduce", locale="en-US")
    lab = Lab(context.new_page(), server)
    lab.load("lab?reset")
    return lab


def definitions() -> str:
    """The source of the course that defines the models."""
    found: list[str] = []
    for cell in nbformat.read(COURSE, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        for part in ast.parse(cell.source).body:
            names = {n.id for n in ast.walk(part) if isinstance(n, ast.Name)}
            defined = getattr(part, "name", None) in NAMES
            assigned = isinstance(part, ast.Assign) and names & NAMES
            if isinstance(part, ast.Import | ast.ImportFrom | ast.With) or defined or assigned:
                found.append(ast.get_source_segment(cell.source, part) or "")
    return "\n".join(found)


def shown(lab: Lab, device: str, name: str) -> tuple[Notebook, Locator]:
    import cupy

    emulated = cupy.cuda.runtime.getDeviceProperties(0)["name"] == b"emulated"
    setup = BEGUN.format(
        device=device,
        emulated=emulated and device == "cuda",
        root=str(ROOT),
        data=str(COURSE.parent / "data"),
    )
    trained = TRAINED.format(name=name, node=STOPS[name])
    notebook = lab.open_notebook(
        setup + definitions() + MADE, trained, name=f"{name}_{device}.ipynb", kernel=COLD
    )
    notebook.run()
    return notebook, notebook.output(1)


def drawn(view: Locator) -> list[str]:
    """What stands there when nothing moves any more."""
    before: list[str] = []
    for _ in range(200):
        expect(root(view)).to_have_attribute("data-layout", "done")
        expect(root(view)).to_have_attribute("aria-busy", "false")
        now = view.evaluate(DRAWN)
        if now == before:
            return now
        before = now
        view.page.wait_for_timeout(300)
    raise AssertionError("the picture is never still")


def levels(view: Locator) -> list[list[str]]:
    """With all groups closed, and then with more open: what a run opens depends on how long it takes."""
    press(view, "Collapse all groups")
    found = [drawn(view)]
    for _ in range(2):
        press(view, "Expand one level")
        found.append(drawn(view))
    return found


def same(here: list[str], there: list[str]) -> None:
    """Word for word, and each number but for rounding."""
    words = [[NUMBER.sub("#", each) for each in side] for side in (here, there)]
    assert words[0] == words[1]
    numbers = [[float(n) for each in side for n in NUMBER.findall(each)] for side in (here, there)]
    np.testing.assert_allclose(numbers[1], numbers[0], rtol=2e-3, atol=1e-6)


@pytest.mark.parametrize("name", STOPS)
def test_the_picture_is_that_of_the_cpu(name: str, lab: Lab) -> None:
    found: dict[str, list[list[str]]] = {}
    for device in ("cpu", "cuda"):
        notebook, view = shown(lab, device, name)
        root(view).scroll_into_view_if_needed()
        expect(root(view)).to_have_attribute("data-status", "paused")
        picture(root(view), f"{name}_{device}_paused")
        found[device] = levels(view)
        at = int(root(view).get_attribute("data-position") or "")
        press(view, "Step", times=2)
        expect(root(view)).to_have_attribute("data-position", str(at + 2))
        found[device] += levels(view)
        press(view, "Continue")
        expect(root(view)).to_have_attribute("data-status", "finished")
        found[device] += levels(view)
        picture(root(view), f"{name}_{device}_finished")
        assert notebook.execute(WHERE.format(device=device)) == "True\n"
        lab.shut_down_kernels()
    assert len(found["cpu"][-1]) > 100
    for here, there in zip(found["cpu"], found["cuda"], strict=True):
        same(here, there)
    assert not lab.errors
