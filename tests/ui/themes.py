"""Themes of JupyterLab, for the length of a test: a theme is a setting, and the server keeps those."""

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


def _change(lab: Lab, theme: str) -> None:
    lab.execute("apputils:change-theme", theme=theme)
    lab.page.wait_for_function(f'document.body.dataset.jpThemeName === "{theme}"')
