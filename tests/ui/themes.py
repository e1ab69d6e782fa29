"""Themes of JupyterLab and fonts, for the length of a test: a theme is a setting, and the server keeps
those; a page is handed on to the next test.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import ElementHandle, Locator, expect

from tests.ui.lab import Lab
from tests.ui.pictures import asked_for, picture

LIGHT, DARK = "JupyterLab Light", "JupyterLab Dark"
HIGH_CONTRAST = "JupyterLab Dark High Contrast"


@contextmanager
def themed(lab: Lab, theme: str) -> Iterator[None]:
    # a page has none at first
    before = lab.page.wait_for_function("document.body.dataset.jpThemeName").json_value()
    change_theme(lab, theme)
    try:
        yield
    finally:
        change_theme(lab, before)


def change_theme(lab: Lab, theme: str) -> None:
    lab.execute("apputils:change-theme", theme=theme)
    lab.page.wait_for_function(f'document.body.dataset.jpThemeName === "{theme}"')
    expect(lab.page.locator("#jupyterlab-splash")).to_have_count(0)  # it covers the page meanwhile


def dark_picture(lab: Lab, of: Lab | Locator, name: str) -> None:
    """A picture in the dark theme: without one to take, the theme is left alone."""
    if asked_for():
        with themed(lab, DARK):
            picture(of, name)


@contextmanager
def written_in(lab: Lab, font: str) -> Iterator[None]:
    """In a family of fonts; "": in those that this machine has for what is asked for."""
    style = write_in(lab, font)
    try:
        yield
    finally:
        style.evaluate("style => style.remove()")


def write_in(lab: Lab, font: str) -> ElementHandle:
    """Until the page is loaded again; a family that is missing would be shown as another one."""
    assert not font or is_there(font), f"{font} is not installed: .ci/fonts does that"
    families = (
        f"--jp-ui-font-family: '{font}', sans-serif !important;"
        f"--jp-code-font-family: '{font} Mono', monospace !important;"
    )
    return lab.page.add_style_tag(content=f":root, body {{ {families} }}" if font else " ")


def is_there(font: str) -> bool:
    """As far as one can ask: where fontconfig is not, the system has fonts of its own."""
    ask = shutil.which("fc-match")
    if ask is None:
        return True
    found = subprocess.check_output([ask, "--format", "%{family}", font], text=True)
    return font in found.split(",")
