"""A real JupyterLab and a real Chromium for the tests in this folder; README.md says how to use them."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ViewportSize, expect, sync_playwright
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
        # One for all pages: what one of them has fetched and compiled the next has, too.
        self._context: BrowserContext | None = None
        self._lab: Lab | None = None
        self._notebook_7: Lab | None = None

    def _blank(self) -> Lab:
        """A page with nothing in it."""
        if self._context is None:
            self._context = self._browser.new_context(
                viewport=SIZE, reduced_motion="reduce", locale="en-US"
            )
        return Lab(self._context.new_page(), self._server)

    def take(self) -> Lab:
        if self._lab is None:
            self._lab = self._blank()
            self._lab.load(self._lab.home)
        return self._lab

    def take_notebook_7(self) -> Lab:
        """It is loaded by the first test that has written its notebook."""
        if self._notebook_7 is None:
            self._notebook_7 = self._blank()
            self._notebook_7.home = "notebooks/test.ipynb"
        return self._notebook_7

    def give_back(self, lab: Lab, healthy: bool) -> None:
        if healthy and lab.usual:
            lab.page.context.clear_permissions()
            lab.page.emulate_media(reduced_motion="reduce")
            lab.page.set_viewport_size(SIZE)
            lab.tidy()
            return
        # A page of another kind, or with routes of its own, nobody takes over.
        if lab is self._lab:
            self._lab = None
        else:
            self._notebook_7 = None
        try:
            lab.shut_down_kernels()
            lab.page.evaluate("localStorage.clear()")
        finally:
            if healthy:
                lab.page.context.clear_permissions()
                lab.page.close()
            else:  # nor anything that a failed test leaves
                lab.page.context.close()
                self._context = self._lab = self._notebook_7 = None


@pytest.fixture(scope="package")
def pages(server: jupyter.Server, browser: Browser) -> Pages:
    return Pages(server, browser)


@pytest.fixture
def lab(request: pytest.FixtureRequest, pages: Pages) -> Iterator[Lab]:
    """JupyterLab, loaded, with nothing open in it and no kernel."""
    yield from _handed_out(request, pages, pages.take())


@pytest.fixture
def notebook_7(request: pytest.FixtureRequest, pages: Pages) -> Iterator[Lab]:
    """A page for Notebook 7: `with_cells` of test_notebook_7.py puts a notebook into it."""
    yield from _handed_out(request, pages, pages.take_notebook_7())


def _handed_out(request: pytest.FixtureRequest, pages: Pages, lab: Lab) -> Iterator[Lab]:
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
