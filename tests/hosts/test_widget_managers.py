"""The widget in managers of widgets that are published: VS Code's, and that of pages without Jupyter, also
used as Colab uses its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import anywidget
import comm
import pytest
from comm.base_comm import BaseComm
from ipywidgets import Widget
from ipywidgets.embed import embed_minimal_html
from playwright.sync_api import Page, expect

import vizgrad as vg
from tests.fixtures.limits import HANG
from tests.fixtures.sessions import alone as alone
from tests.hosts.conftest import instead_of_cdn
from vizgrad.debugger.jupyter.widget.debugview import DebugView
from vizgrad.debugger.session.session import Session

#: What a CDN sends for the module "anywidget".
ANYWIDGET = Path(anywidget.__file__).parent / "nbextension" / "index.js"


def opened() -> Session:
    x = vg.tensor([0.5, 1.0, 2.0], requires_grad=True)
    return vg.debug((x.tanh() * 2).sum())


# --- a page without Jupyter, as nbconvert makes it from a notebook with the state of its widgets --------


def embedded(page: Page, modules: Path, folder: Path, find: Callable[[str], Path | None]) -> None:
    session = opened()
    session.step(2)
    path = folder / "page.html"
    embed_minimal_html(str(path), views=[DebugView(session)], drop_defaults=False)
    # the page checks that require.js is the one that it was written with
    path.write_text(re.sub(r' integrity="[^"]*"', "", path.read_text()), encoding="utf-8")

    def of_modules(url: str) -> Path | None:
        if "require.min.js" in url:
            return modules / "requirejs" / "require.js"
        if "/html-manager@" in url:
            name = url.partition("/dist/")[2]
            return modules / "@jupyter-widgets" / "html-manager" / "dist" / name
        return find(url)

    instead_of_cdn(page, of_modules)
    page.goto(path.as_uri())


def test_a_page_without_a_kernel_has_the_picture(page: Page, modules: Path, tmp_path: Path) -> None:
    embedded(page, modules, tmp_path, lambda url: ANYWIDGET if "/anywidget@" in url else None)
    note = page.get_by_role("note").filter(has_text="No kernel has answered yet")
    expect(note).to_contain_text("2 of 4 nodes done.")
    expect(page.locator(".vg-saved img")).to_be_visible()
    page.get_by_text("As text").click()
    expect(page.get_by_text("TanhBackward0")).to_be_visible()


# --- VS Code: its manager of widgets in a page, and the widget's own kernel side here --------------------

PAGE = """<!doctype html><div id="output"></div>
<script src="https://host/require.js"></script>
<script type="module">
import { activate } from 'https://host/ipywidgets.js';
activate();
window.vscIPyWidgets8.load();

const comms = new Map();
let opened;
class Comm {
  constructor(id) { this.commId = id; this.targetName = 'jupyter.widget'; comms.set(id, this); }
  send(data) { window.toKernel(this.commId, JSON.parse(JSON.stringify(data))); return future(); }
  open() { return future(); }
  close() { return future(); }
}
const future = () => ({ done: Promise.resolve(), dispose() {}, msg: { header: { msg_id: '1' } } });
const signal = () => ({ connect() {}, disconnect() {} });
const kernel = {
  id: '1', clientId: '1', username: '', status: 'idle', handleComms: true,
  statusChanged: signal(), connectionStatusChanged: signal(), iopubMessage: signal(),
  unhandledMessage: signal(), anyMessage: signal(), disposed: signal(),
  registerCommTarget: (_, callback) => { opened = callback; },
  removeCommTarget() {}, registerMessageHook() {}, removeMessageHook() {},
  createComm: (_, id) => new Comm(id),
  requestCommInfo: async () => ({ content: { status: 'ok', comms: {} } })
};
const scripts = {
  widgetsRegisteredInRequireJs: new Set(),
  loadWidgetScript: async name => {
    requirejs.config({ paths: { [name]: `https://host/${name}` } });
  },
  successHandler() {}, errorHandler(...what) { console.error('not loaded', ...what); }
};
const output = document.getElementById('output');
const manager = new window.vscIPyWidgets.WidgetManager(kernel, output, scripts, () => {}, undefined);
window.fromKernel = async ({ type, id, data, buffers, metadata }) => {
  const msg = {
    header: { msg_id: '1', msg_type: type }, parent_header: {}, metadata: metadata ?? {}, buffers: [],
    content: { comm_id: id, target_name: 'jupyter.widget', data }
  };
  if (type === 'comm_open') await opened(new Comm(id), msg);
  else if (type === 'comm_msg') await comms.get(id).onMsg(msg);
};
window.show = async id => {
  const model = await manager.get_model(id);
  await manager.display_view({}, await manager.create_view(model), { node: output });
};
window.ready = true;
</script>"""


# --- as Colab: a manager of the same base, which asks for a model when it is shown -----------------------

LATE_PAGE = """<!doctype html><div id="output"></div>
<script src="https://host/require.js"></script>
<script src="https://host/embed-amd.js"></script>
<script type="module">
requirejs.config({ paths: { anywidget: 'https://host/anywidget' } });
const load = name => new Promise((done, failed) => requirejs([name], done, failed));
const { HTMLManager } = await load('@jupyter-widgets/html-manager');
const manager = new HTMLManager({ loader: load });
const heard = new Map();
const models = new Map();

const channel = id => ({
  comm_id: id,
  target_name: '',
  open: () => '',
  close: () => '',
  on_close() {},
  on_msg: callback => heard.set(id, callback),
  send(data, callbacks) {
    void window.toKernel(id, JSON.parse(JSON.stringify(data))).then(() =>
      callbacks?.iopub?.status?.({ content: { execution_state: 'idle' } })
    );
    return '';
  }
});
manager.get_model = id => {
  if (!models.has(id)) {
    models.set(id, window.stateOf(id).then(state => manager.new_model({
      model_name: state._model_name,
      model_module: state._model_module,
      model_module_version: state._model_module_version,
      model_id: id,
      comm: channel(id)
    }, state)));
  }
  return models.get(id);
};
window.fromKernel = ({ type, id, data }) => {
  if (type === 'comm_msg') heard.get(id)?.({ content: { comm_id: id, data }, buffers: [] });
};
window.show = async id => {
  const view = await manager.create_view(await manager.get_model(id));
  await manager.display_view(view, document.getElementById('output'));
};
window.ready = true;
</script>"""


class Bridge:
    """Comms of widgets that are made meanwhile, and a page at their other end."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.comms: dict[str, BaseComm] = {}
        self.widgets: dict[str, Widget] = {}
        self.told: SimpleQueue[dict[str, Any]] = SimpleQueue()
        page.expose_function("toKernel", self.receive)
        page.expose_function("stateOf", self.state_of)

    def create(self, **how: Any) -> BaseComm:
        bridge = self

        class Comm(BaseComm):
            def publish_msg(
                self,
                msg_type: str,
                data: Any = None,
                metadata: Any = None,
                buffers: Any = None,
                **_: Any,
            ) -> None:
                told = {"type": msg_type, "id": self.comm_id, "data": data, "metadata": metadata}
                bridge.told.put(told)

        made = Comm(**how)
        self.comms[made.comm_id] = made
        return made

    def receive(self, name: str, data: Any) -> None:
        self.comms[name].handle_msg({"content": {"comm_id": name, "data": data}, "buffers": []})

    def state_of(self, name: str) -> dict[str, Any]:
        """All that a page which comes later than the widget asks for: Colab's does."""
        return self.widgets[name].get_state()

    def until(self, done: Callable[[], bool]) -> None:
        """Passes on what the kernel side says until `done`."""
        for _ in range(HANG * 50):
            try:
                while True:
                    self.page.evaluate(
                        "message => window.fromKernel(message)", self.told.get_nowait()
                    )
            except Empty:
                pass
            if done():
                return
            self.page.wait_for_timeout(20)
        raise AssertionError("it did not come")


@pytest.fixture
def bridge(
    page: Page, modules: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Bridge:
    """The parameter is the page."""
    made = Bridge(page)
    monkeypatch.setattr(comm, "create_comm", made.create)
    files = {
        "embed-amd.js": modules / "@jupyter-widgets" / "html-manager" / "dist" / "embed-amd.js",
        "require.js": modules / "requirejs" / "require.js",
        "ipywidgets.js": modules / "@vscode" / "jupyter-ipywidgets8" / "dist" / "ipywidgets.js",
        "anywidget.js": ANYWIDGET,
    }
    instead_of_cdn(page, lambda url: files.get(url.rpartition("/")[2]))
    page.route(
        "https://host/", lambda route: route.fulfill(body=request.param, content_type="text/html")
    )
    page.goto("https://host/")
    page.wait_for_function("window.ready")
    return made


@pytest.mark.parametrize("bridge", [PAGE, LATE_PAGE], ids=["VS Code", "as Colab"], indirect=True)
def test_the_live_view_is_shown_and_step_steps(page: Page, bridge: Bridge) -> None:
    session = opened()
    widget = DebugView(session)
    bridge.widgets |= {each.model_id: each for each in (widget, widget.layout)}
    bridge.until(lambda: True)
    page.evaluate("id => void window.show(id)", widget.view_id)
    view = page.locator(".vg-root")
    bridge.until(lambda: view.count() == 1 and view.get_attribute("data-position") == "0")
    view.get_by_role("button", name="Step", exact=True).click()
    bridge.until(lambda: view.get_attribute("data-position") == "1")
    assert session.position == 1
    session.step()
    bridge.until(lambda: view.get_attribute("data-position") == "2")
    bridge.until(lambda: page.get_by_text("MulBackward0").count() > 0)
