"""JupyterLab below a path, as a JupyterHub serves it to each of its users."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.fixtures.warm_kernels import COLD
from tests.ui import server as jupyter
from tests.ui.lab import Lab
from tests.ui.test_following import at
from tests.ui.test_tour import press

BELOW = "/hub/user/ada"


@pytest.fixture
def lab(tmp_path: Path, browser: Browser) -> Iterator[Lab]:
    running = jupyter.start(tmp_path, below=BELOW)
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    made = Lab(page, running)
    made.load()
    yield made
    page.close()
    jupyter.stop(running)


def test_the_live_view_steps_and_nothing_is_asked_for_beside_the_path(lab: Lab) -> None:
    asked: list[str] = []
    lab.page.on("request", lambda request: asked.append(request.url))
    lab.page.on("websocket", lambda socket: asked.append(socket.url.replace("ws:", "http:", 1)))
    notebook = lab.open_notebook(
        "import vizgrad as vg\nsession = vg.debug(vg.ones(2, requires_grad=True).exp().sum())",
        kernel=COLD,
    )
    notebook.run()
    press(notebook.output(0), "Step")
    at(notebook.output(0), 1)
    lab.execute("vizgrad:open-panel")
    lab.page.locator("#vizgrad-panel .vg-root[data-position='1']").wait_for()
    elsewhere = [url for url in asked if not url.startswith((lab.server.url, "data:", "blob:"))]
    assert asked
    assert elsewhere == []
    assert lab.errors == []
