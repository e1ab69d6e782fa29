"""A real JupyterLab and a real Chromium for the tests in this folder; README.md says how to use them."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ViewportSize, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tests.ui import server as jupyter
from tests.ui.lab import LOOK_LIMIT, Lab

ARTIFACTS = Path(__file__).parent / "artifacts"

#: Rendering in software, and nothing that reaches for a network.
FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-sync",
    "--no-first-run",
    "--no-sandbox",
]
#: The first is the engine without a window, as Playwright's own is: the same pages for less.
NAMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
)  # fmt: skip

SIZE: ViewportSize = {"width": 1400, "height": 900}

expect.set_options(timeout=LOOK_LIMIT)

_failed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.failed:
        item.stash[_failed] = True
    return report


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[jupyter.Server]:
    """One JupyterLab for the tests of this folder."""
    running = jupyter.start(tmp_path_factory.mktemp("jupyter"))
    yield running
    jupyter.stop(running)


def chromium() -> str | None:
    """Where a Chromium is; None: Playwright may have its own."""
    return os.environ.get("VIZGRAD_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for the tests of this folder: Debian's if there is one, else Playwright's own."""
    path = chromium()
    with sync_playwright() as playwright:
        try:
            running = playwright.chromium.launch(executable_path=path, args=FLAGS, timeout=300_000)
        except PlaywrightError as error:
            why = f"no Chromium could be started ({path or 'none on PATH'}): {error.message}"
            if os.environ.get("CI") == "true":
                pytest.fail(why, pytrace=False)
            pytest.skip(why)
        yield running
        running.close()


class Pages:
    """The page that tests hand on to each other, tidied up: loading one costs as much as most tests."""

    def __init__(self, server: jupyter.Server, browser: Browser) -> None:
        self._server, self._browser = server, browser
        self._lab: Lab | None = None

    def take(self) -> Lab:
        if self._lab is None:
            context = self._browser.new_context(
                viewport=SIZE, reduced_motion="reduce", locale="en-US"
            )
            self._lab = Lab(context.new_page(), self._server)
            self._lab.load("lab?reset")
        return self._lab

    def give_back(self, lab: Lab, healthy: bool) -> None:
        if healthy and lab.usual:
            lab.page.context.clear_permissions()
            lab.page.emulate_media(reduced_motion="reduce")
            lab.page.set_viewport_size(SIZE)
            lab.tidy()
            return
        # What a failed test leaves nobody takes over, nor a page of another kind, or with routes of its own.
        self._lab = None
        try:
            lab.shut_down_kernels()
        finally:
            lab.page.context.close()


@pytest.fixture(scope="package")
def pages(server: jupyter.Server, browser: Browser) -> Pages:
    return Pages(server, browser)


@pytest.fixture
def lab(request: pytest.FixtureRequest, pages: Pages) -> Iterator[Lab]:
    """JupyterLab, loaded, with nothing open in it and no kernel."""
    lab = pages.take()
    healthy = False
    try:
        yield lab
        assert not lab.errors, "vizgrad's own code reported errors:\n" + "\n".join(lab.errors)
        healthy = not request.node.stash.get(_failed, False)
    finally:
        if not healthy:
            name = re.sub(r"\W+", "_", request.node.name)
            lab.save_artifacts(ARTIFACTS, name)
            shutil.copy(lab.server.log, ARTIFACTS / f"{name}.server.txt")
        pages.give_back(lab, healthy)
