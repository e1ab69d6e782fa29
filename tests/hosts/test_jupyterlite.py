"""JupyterLite: JupyterLab in a browser alone, with Python, numpy and vizgrad as WebAssembly (pyodide)."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Page, expect

#: What `.ci/lite` has built.
SITE = Path(os.environ.get("VIZGRAD_LITE_SITE", ""))
#: Milliseconds until Python, numpy and vizgrad run there, to end a hang.
LIMIT = 600_000

pytestmark = [
    pytest.mark.skipif("VIZGRAD_LITE_SITE" not in os.environ, reason="`make hosts` builds it"),
    pytest.mark.timeout(LIMIT // 1000),
]

#: pyodide 0.27 has numpy 2.0, and neither ml_dtypes nor safetensors: so without what the wheel requires.
INSTALL = """
import piplite
await piplite.install(["opt_einsum", "tqdm", "ipywidgets", "anywidget", "graphviz"])
await piplite.install(["numpy", "scipy", "threadpoolctl"])
await piplite.install("vizgrad", deps=False)
%load_ext vizgrad
import vizgrad as vg
"""
DEBUG = """
x = vg.tensor([0.5, 1.0, 2.0], requires_grad=True)
loss = (x.tanh() * 2).sum()
session = vg.debug(loss)
"""
STOPPED = """%%vizgrad debug
again = (x.exp() * 3).sum()
again.backward()
"""
WHY = """
a = vg.tensor([0.0, 4.0], requires_grad=True)
with vg.watch():
    vg.where(a > 1, a.sqrt(), a).sum().backward()
vg.why(a)
"""

#: The notebook is there, and its kernel waits for cells.
IDLE = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    """The site, with a notebook of these cells, served as files."""
    cells = [nbformat.v4.new_code_cell(text.strip()) for text in (INSTALL, DEBUG, STOPPED, WHY)]
    spec = {"kernelspec": {"name": "python", "display_name": "Python (Pyodide)"}}
    nbformat.write(
        nbformat.v4.new_notebook(cells=cells, metadata=spec), SITE / "files" / "try.ipynb"
    )
    settings = SITE / "jupyter-lite.json"
    read = json.loads(settings.read_text("utf-8"))
    read["jupyter-config-data"]["exposeAppInBrowser"] = True
    settings.write_text(json.dumps(read), "utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_live_view_steps_and_nothing_is_asked_of_another_host(page: Page, url: str) -> None:
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_viewport_size({"width": 1300, "height": 2600})
    page.goto(f"{url}/lab/index.html?path=try.ipynb")
    page.locator(".jp-NotebookPanel .jp-Cell").first.wait_for(timeout=LIMIT)
    page.wait_for_function(IDLE, timeout=LIMIT)
    page.evaluate("void window.jupyterapp.commands.execute('runmenu:run-all')")
    prompts = page.locator(".jp-Notebook .jp-CodeCell .jp-InputPrompt")
    expect(prompts.last).to_have_text("[4]:", timeout=LIMIT)

    views = page.locator(".jp-Notebook .vg-root")
    expect(views).to_have_count(2, timeout=LIMIT)
    for view in (views.first, views.last):
        expect(view).to_have_attribute("data-position", "0")
        view.get_by_role("button", name="Step", exact=True).click()
        expect(view).to_have_attribute("data-position", "1")
        view.get_by_role("button", name=re.compile("^Continue")).first.click()
        expect(view).to_have_attribute("data-position", "4")
        view.get_by_role("button", name="Step back", exact=True).click()
        expect(view).to_have_attribute("data-position", "3")
    expect(page.get_by_text("The derivative of").first).to_be_visible()
    page.evaluate("window.jupyterapp.commands.execute('vizgrad:open-panel')")
    page.locator("#vizgrad-panel .vg-root[data-position='3']").wait_for()
    elsewhere = [each for each in asked if not each.startswith((url, "data:", "blob:"))]
    assert asked
    assert elsewhere == []
    assert errors == []
    if folder := os.environ.get("VIZGRAD_PICTURES"):
        page.screenshot(path=Path(folder) / "jupyterlite.png")
