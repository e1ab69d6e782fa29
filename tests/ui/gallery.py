"""A picture of every state: `python -m tests.ui.gallery [FOLDER] [--only WORD] [--looks light,dark]`.

For looking, not for comparing: nothing is checked here. The pictures are taken in a real JupyterLab and in
Notebook 7, in each look (theme, font and room), and laid out on a page, `index.html`. A state is a function
below that brings a page into it and gives what is to be seen, or None for the whole page.
"""

from __future__ import annotations

import argparse
import contextlib
import html
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tests.fixtures.warm_kernels import WARM
from tests.ui import server as jupyter
from tests.ui.conftest import FLAGS, chromium
from tests.ui.gallery_programs import (
    ANSWERS,
    CHECKPOINT,
    GPT,
    NONFINITE,
    RNN,
    SLOW,
    STALE,
    TRANSFORMS,
    WHY,
)
from tests.ui.lab import Lab, Notebook
from tests.ui.test_compared import with_comparison
from tests.ui.test_following import at
from tests.ui.test_large import CHAIN
from tests.ui.test_memory import read
from tests.ui.test_notebook_7 import in_notebook_7
from tests.ui.test_rooms import MODEL, opened, opened_panel, widened
from tests.ui.test_tour import press, root
from tests.ui.themes import change_theme, write_in

DEFAULT = Path("gallery")


@dataclass(frozen=True)
class Look:
    """A theme, the fonts that a machine may have, and the room: with a `size` all of the window is seen.
    `seven`: in Notebook 7.
    """

    theme: str = "JupyterLab Light"
    font: str = ""
    size: tuple[int, int] | None = None
    zoom: int = 1
    seven: bool = False


LOOKS = {
    "light": Look(),
    "dark": Look("JupyterLab Dark"),
    "contrast": Look("JupyterLab Dark High Contrast"),
    "dejavu": Look(font="DejaVu Sans"),
    "liberation": Look(font="Liberation Sans"),
    "laptop": Look(size=(1280, 720)),
    "projector": Look(size=(1920, 1080)),
    "narrow": Look(size=(640, 900)),  # leaves the view some 480 pixels
    "zoomed": Look(size=(1280, 720), zoom=2),
    "notebook-7": Look(size=(1280, 720), seven=True),
    "notebook-7-dark": Look("JupyterLab Dark", size=(1280, 720), seven=True),
}
#: Notebook 7 has no tabs and shows one notebook at a time: there these are not to be had.
OF_LAB = frozenset({"empty", "no-kernel", "memory-panel", "panel", "reopened", "tab"})

Seen = Locator | Page | None
STATES: dict[str, Callable[[Lab], Seen]] = {}


def state(make: Callable[[Lab], Seen]) -> Callable[[Lab], Seen]:
    STATES[make.__name__.strip("_").replace("_", "-")] = make
    return make


# --- the states ---------------------------------------------------------------------------------------


class Seven(Lab):
    """A page of Notebook 7, which is loaded for each notebook."""

    def open_notebook(self, *cells: str, name: str = "test.ipynb", kernel: str = WARM) -> Notebook:
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
        made.metadata["kernelspec"] = {"name": kernel, "display_name": "Python 3"}
        nbformat.write(made, self.server.root / "test.ipynb")
        return in_notebook_7(self)


def without_files(lab: Lab) -> None:
    lab.call("async app => { app.shell.collapseLeft(); }")


def stepped(lab: Lab, code: str = MODEL, steps: int = 3) -> Locator:
    _, view = opened(lab, code)
    for position in range(1, steps + 1):
        press(view, "Step")
        at(view, position)
    return root(view)


@state
def empty(lab: Lab) -> Seen:
    notebook = lab.open_notebook("import vizgrad as vg")
    notebook.run()
    lab.execute("vizgrad:open-panel")
    lab.page.locator("#vizgrad-panel .vg-empty-view code").first.wait_for()
    return None


@state
def no_kernel(lab: Lab) -> Seen:
    lab.execute("vizgrad:open-panel")
    lab.page.locator("#vizgrad-panel").get_by_role("alert").wait_for()
    return None


@state
def first_look(lab: Lab) -> Seen:
    return root(opened(lab)[1])


@state
def paused(lab: Lab) -> Seen:
    return stepped(lab)


@state
def chosen(lab: Lab) -> Seen:
    view = stepped(lab)
    view.locator("[data-state=current]").first.click()
    return view


@state
def menu(lab: Lab) -> Seen:
    view = stepped(lab)
    view.locator("[data-node-id]").nth(3).click(button="right")
    view.get_by_role("menu").wait_for()
    return view


@state
def help_(lab: Lab) -> Seen:
    view = stepped(lab)
    view.press("?")  # the button may wait behind "More"
    return view


@state
def coloured(lab: Lab) -> Seen:
    view = stepped(lab, steps=8)
    press(view, "Colour by gradient")
    return view


@state
def compared(lab: Lab) -> Seen:
    lab.page.set_viewport_size({"width": 1230, "height": 1100})
    without_files(lab)
    return root(with_comparison(lab))


@state
def compared_run(lab: Lab) -> Seen:
    notebook, view = opened(lab)
    notebook.execute("session.continue_(); ran = session.trace; session.restart()")
    name = "the run before the learning rate was halved"
    notebook.execute(f"session.set_grad(session.node, 'g * 1.5'); session.compare(ran, {name!r})")
    notebook.execute("session.continue_()")
    view.get_by_role("note", name="Colours: difference").wait_for()
    return root(view)


@state
def running(lab: Lab) -> Seen:
    view = stepped(lab, SLOW, 2)
    press(view, "Step")
    lab.page.wait_for_timeout(3000)
    return view


@state
def nonfinite(lab: Lab) -> Seen:
    notebook, view = opened(lab, NONFINITE)
    notebook.execute("session.break_at(when='nonfinite')")
    press(view, "Continue")
    expect(root(view)).not_to_have_attribute("data-position", "0")
    return root(view)


@state
def why_banner(lab: Lab) -> Seen:
    _, view = opened(lab, WHY)
    press(view, "Continue")
    banner = view.get_by_role("alert").first
    banner.get_by_role("button", name="Why?").click()
    view.get_by_role("region", name="Why", exact=True).wait_for()
    return root(view)


@state
def why_node(lab: Lab) -> Seen:
    view = stepped(lab, WHY, 2)
    view.locator("[data-node-id]").nth(1).click()
    lab.page.keyboard.press("w")
    view.get_by_role("region", name="Why", exact=True).wait_for()
    return view


@state
def why_answers(lab: Lab) -> Seen:
    lab.page.set_viewport_size({"width": 1200, "height": 2700})
    without_files(lab)
    notebook = lab.open_notebook(*(each.lstrip() for each in ANSWERS))
    with contextlib.suppress(AssertionError):  # the last cell raises
        notebook.run()
    lab.page.wait_for_timeout(1000)
    return None


@state
def memory_panel(lab: Lab) -> Seen:
    read(lab)
    widened(lab, 480)
    lab.page.wait_for_timeout(500)
    return lab.page.locator("#vizgrad-panel")


@state
def stale(lab: Lab) -> Seen:
    view = stepped(lab, STALE, 1)
    view.locator("[data-node-id]").first.click()
    lab.page.keyboard.press("n")
    return view


@state
def failed(lab: Lab) -> Seen:
    _, view = opened(lab, STALE)
    press(view, "Continue")
    expect(root(view)).to_have_attribute("data-status", "failed")
    return root(view)


@state
def finished(lab: Lab) -> Seen:
    _, view = opened(lab)
    press(view, "Continue")
    expect(root(view)).to_have_attribute("data-status", "finished")
    return root(view)


@state
def finished_memory(lab: Lab) -> Seen:
    _, view = opened(lab)
    press(view, "Continue")
    view.get_by_role("tab", name="Memory").click()
    expect(view.locator(".vg-memory")).to_be_visible()
    return root(view)


@state
def closed(lab: Lab) -> Seen:
    view = stepped(lab)
    press(view, "Stop")
    expect(view).to_have_attribute("data-status", "closed")
    return view


@state
def kernel_gone(lab: Lab) -> Seen:
    view = stepped(lab)
    lab.shut_down_kernels()
    view.get_by_role("alert").first.wait_for()
    return view


@state
def reopened(lab: Lab) -> Seen:
    stepped(lab)
    lab.execute("docmanager:save")
    lab.shut_down_kernels()
    lab.load("lab/tree/test.ipynb?reset")
    lab.page.locator(".jp-Notebook .jp-OutputArea-output").first.wait_for()
    lab.page.wait_for_timeout(1500)
    return None


def narrow(lab: Lab, width: int) -> Seen:
    view = stepped(lab)
    without_files(lab)
    lab.page.set_viewport_size({"width": width + 160, "height": 1000})
    return view


@state
def width_880(lab: Lab) -> Seen:
    return narrow(lab, 880)


@state
def width_600(lab: Lab) -> Seen:
    return narrow(lab, 600)


def lane(lab: Lab, width: int) -> Seen:
    without_files(lab)
    lab.page.set_viewport_size({"width": width, "height": 1000})
    _, view = opened(lab, CHECKPOINT)
    press(view, "Continue")
    expect(root(view)).to_have_attribute("data-status", "finished")
    return root(view)


@state
def lane_1280(lab: Lab) -> Seen:
    return lane(lab, 1280)


@state
def lane_700(lab: Lab) -> Seen:
    return lane(lab, 700)


@state
def transform(lab: Lab) -> Seen:
    view = stepped(lab, TRANSFORMS, 5)
    view.locator("[data-state=done]").nth(2).press("Enter")
    return view


@state
def transform_700(lab: Lab) -> Seen:
    without_files(lab)
    lab.page.set_viewport_size({"width": 700, "height": 1000})
    return stepped(lab, TRANSFORMS, 5)


@state
def why_low(lab: Lab) -> Seen:
    lab.page.set_viewport_size({"width": 1500, "height": 700})
    notebook, view = opened(lab, NONFINITE)
    notebook.execute("session.break_at(when='nonfinite')")
    press(view, "Continue")
    expect(root(view)).not_to_have_attribute("data-position", "0")
    view.get_by_role("alert").first.get_by_role("button", name="Why?").click()
    view.get_by_role("region", name="Why", exact=True).wait_for()
    return root(view)


@state
def panel(lab: Lab) -> Seen:
    stepped(lab)
    opened_panel(lab)
    return None


@state
def tab(lab: Lab) -> Seen:
    view = stepped(lab)
    view.get_by_role("button", name="Open in a tab").click()
    expect(lab.page.locator(".vg-panel .vg-root[data-layout=done]")).to_be_visible()
    return None


@state
def window(lab: Lab) -> Seen:
    view = stepped(lab)
    with lab.page.context.expect_page() as opening:
        view.get_by_role("button", name="Open in a window").click()
    other = opening.value
    expect(other.locator(".vg-root[data-layout=done]")).to_be_visible()
    return other


@state
def presentation(lab: Lab) -> Seen:
    lab.page.set_viewport_size({"width": 1900, "height": 1000})
    view = stepped(lab)
    press(view, "Teach layout")
    return view


@state
def rnn(lab: Lab) -> Seen:
    return stepped(lab, RNN)


@state
def far(lab: Lab) -> Seen:
    """All of a transformer, zoomed to fit: names are whole where there is room beside them."""
    lab.page.set_viewport_size({"width": 1500, "height": 1000})
    _, view = opened(lab, GPT)
    press(view, "Zoom to fit")
    return root(view)


@state
def nodes_100000(lab: Lab) -> Seen:
    return stepped(lab, CHAIN.format(100_000))


# --- taking the pictures ------------------------------------------------------------------------------


def take(browser: Browser, server: jupyter.Server, name: str, look: Look, path: Path) -> str:
    """Saves the picture; gives what went wrong, or ""."""
    width, height = look.size or (1500, 1000)
    context = browser.new_context(
        viewport={"width": width // look.zoom, "height": height // look.zoom},
        device_scale_factor=look.zoom,
        reduced_motion="reduce",
        locale="en-US",
    )
    lab = (Seven if look.seven else Lab)(context.new_page(), server)
    try:
        lab.load("tree" if look.seven else "lab?reset")
        if look.size and not look.seven:
            without_files(lab)
        change_theme(lab, look.theme)  # the server keeps that of the look before
        if not look.seven:
            write_in(lab, look.font)
        seen = STATES[name](lab)
        lab.page.wait_for_timeout(300)  # What settles after a move, drawn anew.
        if isinstance(seen, Locator):
            seen.evaluate("view => view.scrollIntoView({ block: 'start' })")
        if look.size and isinstance(seen, Locator):
            seen = lab.page
        (seen or lab.page).screenshot(path=path)
    except (AssertionError, PlaywrightError):  # The others are still to be taken.
        return traceback.format_exc(limit=-3).strip()
    else:
        return ""
    finally:
        try:
            lab.shut_down_kernels()
        finally:
            context.close()


def page(folder: Path, looks: list[str], states: list[str], wrong: dict[str, str]) -> str:
    rows: list[str] = []
    for name in states:
        cells = "".join(
            f'<td><a href="{name}-{look}.png"><img src="{name}-{look}.png" width="460"></a></td>'
            if (folder / f"{name}-{look}.png").exists()
            else f"<td><pre>{html.escape(wrong.get(f'{name}-{look}', ''))}</pre></td>"
            for look in looks
        )
        rows.append(f"<tr><th>{name}</th>{cells}</tr>")
    heads = "".join(f"<th>{look}</th>" for look in looks)
    table = f"<table><tr><th></th>{heads}</tr>{''.join(rows)}</table>"
    return f"<!doctype html><meta charset='utf-8'><title>vizgrad</title>{table}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m tests.ui.gallery")
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--only", default="", help="states whose name has this in it")
    parser.add_argument("--looks", default=",".join(LOOKS), help="some of: " + ", ".join(LOOKS))
    options = parser.parse_args()
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    looks = options.looks.split(",")
    states = [name for name in STATES if options.only in name]
    wrong: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as kept, sync_playwright() as playwright:
        server = jupyter.start(Path(kept) / "jupyter")
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            for look in looks:
                for name in states:
                    if LOOKS[look].seven and name in OF_LAB:
                        continue
                    path = folder / f"{name}-{look}.png"
                    path.unlink(missing_ok=True)
                    why = take(browser, server, name, LOOKS[look], path)
                    print(f"{path}{': ' + why.splitlines()[-1] if why else ''}", flush=True)
                    if why:
                        wrong[path.stem] = why
        finally:
            browser.close()
            jupyter.stop(server)
    (folder / "index.html").write_text(page(folder, looks, states, wrong), "utf-8")
    taken = sum((folder / f"{name}-{look}.png").exists() for look in looks for name in states)
    print(f"{folder / 'index.html'}: {taken} pictures")


if __name__ == "__main__":
    main()
