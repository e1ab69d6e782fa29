"""Screenshots to be looked at, where the caller asks for some."""

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Locator, Page

from tests.ui.lab import Lab


def asked_for() -> str:
    """The folder that pictures are asked for in; "": none are."""
    return os.environ.get("VIZGRAD_PICTURES", "")


def picture(of: Lab | Page | Locator, name: str) -> None:
    """Saves a screenshot in the folder that VIZGRAD_PICTURES names; without one nothing is taken."""
    folder = asked_for()
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        (of.page if isinstance(of, Lab) else of).screenshot(path=Path(folder) / f"{name}.png")
