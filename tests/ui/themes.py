"""Themes of JupyterLab and fonts, for the length of a test: a theme is a setting, and the server keeps
those; a page is handed on to the next test.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.ui.lab import Lab

LIGHT, DARK = "JupyterLab Light", "JupyterLab Dark"


@contextmanager
def themed(lab: Lab, theme: str) -> Iterator[None]:
    shown = lab.page.wait_for_function(
        "document.body.dataset.jpThemeName"
    )  # a page has none at first
    before = shown.json_value()
    _change(lab, theme)
    try:
        yield
    finally:
        _change(lab, before)


@contextmanager
def written_in(lab: Lab, font: str) -> Iterator[None]:
    """In a family of fonts; "": in those that this machine has for what is asked for."""
    families = (
        f"--jp-ui-font-family: '{font}', sans-serif !important;"
        f"--jp-code-font-family: '{font} Mono', monospace !important;"
    )
    style = lab.page.add_style_tag(content=f":root, body {{ {families} }}" if font else " ")
    try:
        yield
    finally:
        style.evaluate("style => style.remove()")


def _change(lab: Lab, theme: str) -> None:
    lab.execute("apputils:change-theme", theme=theme)
    lab.page.wait_for_function(f'document.body.dataset.jpThemeName === "{theme}"')
