"""The parts of a view, wherever they are: beside the graph, or behind a tab that has to be opened."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect


def part(view: Locator, name: str) -> Locator:
    """The region of this name; the tab that it waits behind is opened."""
    tab = view.get_by_role("tab", name=re.compile(f"^{name}(,|$)"))
    region = view.get_by_role("region", name=name, exact=True)
    expect(tab.or_(region).first).to_be_attached()
    if tab.count() and tab.get_attribute("aria-selected") != "true":
        tab.click()
    return region
