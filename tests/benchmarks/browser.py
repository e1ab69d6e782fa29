"""From the click on Step to the picture, in a real JupyterLab and a real Chromium."""

from __future__ import annotations
from tests.benchmarks.targets import Figure


def time_browser(steps: int) -> list[Figure]:
    return []
