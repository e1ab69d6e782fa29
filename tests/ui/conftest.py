"""A real JupyterLab and a real Chromium for the tests in this folder; README.md says how to use them."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
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
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

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


@pytest.fixture
def lab(request: pytest.FixtureRequest, server: jupyter.Server, browser: Browser) -> Iterator[Lab]:
    """JupyterLab, loaded, in a browser that remembers nothing of other tests."""
    context = browser.new_context(
        viewport={"width": 1400, "height": 900}, reduced_motion="reduce", locale="en-US"
    )
    lab = Lab(context.new_page(), server)
    try:
        lab.load("lab?reset")
        yield lab
        assert not lab.errors, "vizgrad's own code reported errors:\n" + "\n".join(lab.errors)
    finally:
        if request.node.stash.get(_failed, False) or lab.errors:
            name = re.sub(r"\W+", "_", request.node.name)
            lab.save_artifacts(ARTIFACTS, name)
            shutil.copy(server.log, ARTIFACTS / f"{name}.server.txt")
        try:
            lab.shut_down_kernels()
        finally:
            context.close()
