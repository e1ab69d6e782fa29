"""README's picture and its animation: `python -m tests.ui.story [FOLDER]`.

The story is that of `test_story.py`, in a real JupyterLab: a model in three cells with a NaN in its gradient.
Each picture has a caption and, before a click, a ring around what is clicked; nothing else is drawn by hand.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, expect, sync_playwright

from tests.ui import server as jupyter
from tests.ui.conftest import FLAGS, chromium
from tests.ui.lab import Lab
from tests.ui.parts import part
from tests.ui.test_following import at
from tests.ui.test_rooms import opened_panel
from tests.ui.test_story import FIRST, SECOND, THIRD
from tests.ui.test_tour import press, root

DEFAULT = Path("notebooks/images")
#: An animation that takes longer to load than to watch is not watched.
MOST_BYTES = 2_000_000

CLASSIFIER = """\
import vizgrad as vg

vg.manual_seed(3)
w1 = vg.randn(16, 8, requires_grad=True)
w2 = vg.randn(8, 4, requires_grad=True)

def scores(x):
    hidden = (x @ w1).tanh()
    return hidden @ w2

found = scores(vg.randn(6, 16))
loss = vg.nn.functional.cross_entropy(found, vg.tensor([0, 1, 2, 3, 0, 1]))
session = vg.debug(loss)"""

_CAPTION = (
    "<body style='margin:0;height:64px;display:flex;align-items:center;justify-content:center;"
    "background:#14213d;color:#fff;font:600 23px/1.2 system-ui,sans-serif'>{}</body>"
)
_RING = """e => {
  const box = e.getBoundingClientRect();
  const ring = document.createElement('div');
  ring.id = 'story-ring';
  ring.style.cssText = `position:fixed;z-index:99998;left:${box.left - 5}px;top:${box.top - 5}px;` +
    `width:${box.width + 4}px;height:${box.height + 4}px;border:3px solid #fca311;` +
    'border-radius:8px;pointer-events:none';
  document.body.append(ring);
}"""
_UNRING = "() => document.getElementById('story-ring')?.remove()"


class Film:
    """Pictures of a page, each with a caption, and how long it is seen."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.frames: list[Image.Image] = []
        self.milliseconds: list[int] = []
        self.captions = lab.page.context.new_page()

    def says(self, caption: str) -> None:
        """Below the pictures that follow."""
        width = self.lab.page.viewport_size["width"]
        self.captions.set_viewport_size({"width": width, "height": 64})
        self.captions.set_content(_CAPTION.format(caption))

    def take(self, seconds: float) -> None:
        page = self.lab.page
        page.mouse.move(1, 1)
        page.wait_for_timeout(400)  # what settles after a move
        seen, said = (Image.open(io.BytesIO(p.screenshot())) for p in (page, self.captions))
        frame = Image.new("RGB", (seen.width, seen.height + said.height))
        frame.paste(seen, (0, 0))
        frame.paste(said, (0, seen.height))
        self.frames.append(frame)
        self.milliseconds.append(round(1000 * seconds))

    def click(self, what: Locator, seconds: float = 1.0) -> None:
        """First it is seen what is clicked."""
        what.scroll_into_view_if_needed()
        what.evaluate(_RING)
        self.take(seconds)
        self.lab.page.evaluate(_UNRING)
        what.click()

    def save(self, path: Path) -> None:
        first, *others = self.frames
        first.save(
            path, save_all=True, append_images=others, duration=self.milliseconds, loop=0,
            quality=82, method=6,
        )  # fmt: skip
        if path.stat().st_size > MOST_BYTES:
            raise RuntimeError(f"{path} has {path.stat().st_size} bytes, more than {MOST_BYTES}")


def _button(view: Locator, name: str) -> Locator:
    return view.get_by_role("button", name=name, exact=True)


def _branches(view: Locator) -> Locator:
    """The region, as far as the tab has room for it."""
    region = part(view, "Branches")
    region.scroll_into_view_if_needed()
    return region


def tell(lab: Lab) -> Film:
    """The story, scene by scene."""
    lab.execute("application:toggle-left-area")
    notebook = lab.open_notebook(FIRST, SECOND, THIRD.replace("(loss)", "(loss, display=False)"))
    notebook.run()
    view = opened_panel(lab, 500)
    at(view, 0)
    film = Film(lab)

    button = partial(_button, view)
    film.says("A model in three cells. Its gradient is NaN: which line is to blame?")
    film.take(3)
    film.says("Step: the line that made this node lights up, its gradient's norm beside it")
    film.click(button("Step"))
    at(view, 1)
    film.take(2)
    film.says("Continue: it stops, red, on the line where the NaN was born")
    film.click(button("Continue"))
    at(view, 3)
    expect(lab.page.locator(".vg-current-line.vg-mark-nonfinite")).to_have_count(1)
    film.take(3.5)
    film.says("Step back, twice: everything is as it was before")
    for position in (2, 1):
        film.click(button("Step back"), 0.7)
        at(view, position)
        film.take(1)
    film.click(button("Continue"), 0.7)
    at(view, 3)
    film.take(1)
    _branch(film, view)
    return film


def _branch(film: Film, view: Locator) -> None:
    """What if it were 0? On a branch, with the original beside it."""
    button = partial(_button, view)
    branches = partial(_branches, view)
    film.says("What if that NaN were 0? The run goes on on a branch")
    what_if = part(view, "Inspector").get_by_role("form", name="What if")
    what_if.scroll_into_view_if_needed()
    what_if.get_by_label("New gradient of MulBackward0").fill("nan to 0")
    film.click(what_if.get_by_role("button", name="Apply"), 2)
    expect(branches().get_by_role("button", name="branch 1", exact=True)).to_be_visible()
    film.take(1.5)
    film.says("Continue the branch: finite to the end")
    film.click(button("Continue"), 0.7)
    at(view, 5)
    film.take(3)
    film.says("The original stayed as it was: there the NaN goes on")
    film.click(branches().get_by_role("button", name="original", exact=True), 0.7)
    at(view, 3)
    press(view, "Continue")
    at(view, 5)
    film.take(1.5)
    film.says("Both beside each other, node by node")
    film.click(branches().get_by_role("button", name="Compare branch 1 with original"), 0.7)
    view.get_by_role("note", name="Colours: difference").wait_for()
    branches().locator(".vg-branch-differs").scroll_into_view_if_needed()
    film.take(2.5)
    film.says("And back to the branch, where all of it is finite")
    film.click(branches().get_by_role("button", name="branch 1", exact=True), 0.7)
    at(view, 5)
    expect(film.lab.page.locator(".vg-line-norm.vg-line-odd")).to_have_count(0)
    expect(branches()).to_contain_text("branch 1 compared with original")
    branches().locator(".vg-branch-differs").scroll_into_view_if_needed()
    film.take(2)


def picture(lab: Lab, path: Path) -> None:
    """A backward that is half way through, in its notebook."""
    lab.execute("application:toggle-left-area")
    notebook = lab.open_notebook(CLASSIFIER)
    notebook.run()
    view = notebook.output(0)
    for position in range(1, 5):
        press(view, "Step")
        at(view, position)
    expect(lab.page.locator(".vg-line-norm").first).to_be_visible()
    root(view).evaluate("e => { e.style.height = '584px' }")
    lab.page.mouse.move(1, 1)
    lab.page.wait_for_timeout(600)
    lab.page.screenshot(path=path)


@contextmanager
def shown(browser: Browser, server: jupyter.Server, width: int, height: int) -> Generator[Lab]:
    context = browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce", locale="en-US"
    )
    lab = Lab(context.new_page(), server)
    try:
        lab.load("lab?reset")
        yield lab
    finally:
        try:
            lab.shut_down_kernels()
        finally:
            context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m tests.ui.story")
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as kept, sync_playwright() as playwright:
        server = jupyter.start(Path(kept) / "jupyter")
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            with shown(browser, server, 1040, 740) as lab:
                film = tell(lab)
            film.save(folder / "story.webp")
            with shown(browser, server, 1400, 980) as lab:
                picture(lab, folder / "debugger.png")
        finally:
            browser.close()
            jupyter.stop(server)
    seconds = sum(film.milliseconds) / 1000
    size = (folder / "story.webp").stat().st_size
    print(f"{folder / 'story.webp'}: {len(film.frames)} pictures, {seconds:.0f} s, {size:,} bytes")


if __name__ == "__main__":
    main()
