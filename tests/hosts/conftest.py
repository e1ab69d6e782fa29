"""A browser, and pages that fetch what their hosts take from a CDN from packages that are installed."""

from __future__ import annotations

import mimetypes
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.ui.conftest import browser as browser

#: Where `make hosts` has put packages of npm. Without it the files here are not collected: they are slow.
MODULES = Path(os.environ.get("VIZGRAD_HOST_MODULES", ""))

collect_ignore_glob = [] if "VIZGRAD_HOST_MODULES" in os.environ else ["test_*.py"]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    made = browser.new_page(viewport={"width": 1200, "height": 1000})
    yield made
    made.close()


@pytest.fixture
def modules() -> Path:
    return MODULES


def instead_of_cdn(page: Page, find: Callable[[str], Path | None]) -> list[str]:
    """What the page asks other hosts for is read from the file that `find` gives for its address. Returns the
    addresses of what was not found.
    """
    missed: list[str] = []

    def fill(route: Route) -> None:
        url = route.request.url
        found = find(url)
        if found is None or not found.is_file():
            missed.append(url)
            route.abort()
            return
        route.fulfill(
            body=found.read_bytes(),
            content_type=mimetypes.guess_type(found.name)[0] or "application/octet-stream",
            headers={"access-control-allow-origin": "*"},
        )

    page.route(re.compile("^https:"), fill)
    return missed
