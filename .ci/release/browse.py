"""A notebook in the JupyterLab of a new environment, in a real Chromium: `use()`.

The cells are run as a user runs them, by the keyboard. Playwright and Chromium are those of the environment
around; the server, the kernel and the labextension are those that were installed.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

from playwright.sync_api import Page, expect, sync_playwright

#: Seconds. They end a hang, and measure nothing.
LIMIT = 120
NAMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
)  # fmt: skip
#: Rendering in software, and nothing that asks a network.
FLAGS = [
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--disable-gpu", "--disable-sync", "--no-first-run", "--no-sandbox",
]  # fmt: skip
CELLS = (
    "import vizgrad as vg\n\n%load_ext vizgrad\nw = vg.tensor([0.5, 1.0, 2.0], requires_grad=True)",
    "%%vizgrad debug\nloss = (w.tanh() * 2).sum()\nloss.backward()",
    "print(session)",
)


@contextmanager
def lab(bin_: Path, variables: dict[str, str], folder: Path) -> Iterator[str]:
    """A running `jupyter lab`; the address of its pages, with `{}` for the page."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    command = [
        str(bin_ / "jupyter"), "lab", "--no-browser", "--ip=127.0.0.1", f"--port={port}",
        "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}",
    ]  # fmt: skip
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    log = folder / "lab.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        _wait(f"http://127.0.0.1:{port}/api/status?token={token}", server, log)
        yield f"http://127.0.0.1:{port}/{{}}?token={token}"
    finally:
        server.terminate()
        server.wait(LIMIT)


def _wait(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + LIMIT
    while True:
        try:
            urllib.request.urlopen(address, timeout=LIMIT).close()
        except (URLError, OSError) as error:
            if server.poll() is not None or time.monotonic() > end:
                said = log.read_text("utf-8", errors="replace")
                raise SystemExit(f"JupyterLab does not answer:\n{said}") from error
            time.sleep(0.2)
        else:
            return


def write(path: Path) -> None:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [
        {"cell_type": "code", "id": f"cell{n}", "metadata": {}, "source": source, "outputs": [],
         "execution_count": None}
        for n, source in enumerate(CELLS)
    ]  # fmt: skip
    book = {
        "cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    path.write_text(json.dumps(book), "utf-8")


def debug(page: Page, address: str) -> str:
    """Runs the cells, steps in the view below the second, and looks at the marks and the side panel."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.goto(address)
    page.get_by_text("| Idle").wait_for()  # the kernel, in the status bar
    page.locator(".jp-Notebook .jp-Cell .cm-content").first.click()
    for _ in CELLS:
        page.keyboard.press("Shift+Enter")
    cell = page.locator(".jp-Notebook .jp-Cell").nth(1)
    view = cell.locator(".jp-Cell-outputArea .vg-root").last
    expect(view).to_have_attribute("data-layout", "done")
    view.get_by_role("button", name="Step", exact=True).click()
    expect(view).to_have_attribute("data-position", "1")
    expect(cell.locator(".cm-editor .vg-current-line")).to_contain_text("loss =")
    page.locator('[data-id="vizgrad-panel"]').first.click()
    panel = page.locator("#vizgrad-panel .vg-root")
    expect(panel).to_have_attribute("data-position", "1")
    if ours := [error for error in errors if "vizgrad" in error]:
        raise SystemExit("vizgrad's code reported errors in the browser:\n" + "\n".join(ours))
    return " ".join(re.findall(r"\d+ of \d+", view.inner_text())[:1])


def use(bin_: Path, variables: dict[str, str], folder: Path, picture: Path | None) -> str:
    """What the view says after one step. Raises SystemExit, AssertionError or Playwright's errors."""
    write(folder / "first.ipynb")
    there = os.environ.get("VIZGRAD_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    with lab(bin_, variables, folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=there, args=FLAGS, timeout=1000 * LIMIT
        )
        page = browser.new_page(viewport={"width": 1500, "height": 950}, reduced_motion="reduce")
        page.set_default_timeout(1000 * LIMIT)
        expect.set_options(timeout=1000 * LIMIT)
        try:
            return debug(page, address.format("lab/tree/first.ipynb"))
        finally:
            if picture is not None:
                page.screenshot(path=picture)
            browser.close()
