"""marimo: its server, and its exported pages."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.fixtures.limits import HANG
from tests.fixtures.ports import free_port
from tests.hosts.conftest import instead_of_cdn

marimo = pytest.importorskip("marimo", reason="`make hosts` installs it")

NOTEBOOK = """
import marimo

app = marimo.App()


@app.cell
def _():
    import vizgrad as vg

    x = vg.tensor([0.5, 1.0, 2.0], requires_grad=True)
    loss = (x.tanh() * 2).sum()
    session = vg.debug(loss)
    return loss, session, vg, x


@app.cell
def _(vg):
    y = vg.ones(3, requires_grad=True)
    loss2 = y.exp().sum()
    vg.debug(loss2)
    return loss2, y


@app.cell
def _(vg):
    a = vg.tensor([0.0, 4.0], requires_grad=True)
    with vg.watch():
        vg.where(a > 1, a.sqrt(), a).sum().backward()
    vg.why(a)
    return (a,)


@app.cell
def _(vg):
    vg.graph(vg.ones(3, requires_grad=True).sin().sum())
    return


if __name__ == "__main__":
    app.run()
"""


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    path = tmp_path / "notebook.py"
    path.write_text(NOTEBOOK, encoding="utf-8")
    return path


@contextmanager
def served(notebook: Path) -> Iterator[str]:
    port = free_port()
    how = [f"--port={port}", "--host=127.0.0.1", "--headless", "--no-token"]
    process = subprocess.Popen([sys.executable, "-m", "marimo", "run", str(notebook), *how])
    try:
        end = time.monotonic() + HANG
        while time.monotonic() < end:
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(HANG)


def test_debug_shows_the_live_view_and_step_steps(notebook: Path, page: Page) -> None:
    with served(notebook) as url:
        page.goto(url)
        views = page.locator(".vg-root")
        expect(views).to_have_count(2)  # one of a cell without a value, one of a last line
        for view in (views.first, views.last):
            expect(view).to_have_attribute("data-position", "0")
            view.get_by_role("button", name="Step", exact=True).click()
            expect(view).to_have_attribute("data-position", "1")
        expect(page.get_by_text("The derivative of").first).to_be_visible()
        expect(page.locator("svg", has_text="SinBackward0")).to_be_visible()


def test_an_exported_page_has_pictures(notebook: Path, page: Page) -> None:
    exported = notebook.with_suffix(".html")
    how = ["export", "html", str(notebook), "-o", str(exported)]
    subprocess.run([sys.executable, "-m", "marimo", *how], check=True, timeout=HANG)
    static = Path(str(marimo.__file__)).parent / "_static"

    def find(url: str) -> Path | None:
        inside = re.search(r"/dist/([^?]*)", url)
        return static / inside[1] if inside else None

    instead_of_cdn(page, find)
    page.goto(exported.as_uri())
    notes = page.get_by_role("note").filter(has_text="No kernel has answered yet")
    expect(notes).to_have_count(2)
    expect(notes.first).to_contain_text("Saved picture of loss: 0 of 4 nodes done.")
    expect(page.locator(".vg-saved img").first).to_be_visible()
    expect(page.locator(".vg-root").first).to_be_hidden()


def test_as_a_script_it_runs(notebook: Path) -> None:
    subprocess.run([sys.executable, str(notebook)], check=True, timeout=HANG)
