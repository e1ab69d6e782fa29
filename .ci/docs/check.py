"""check.py SITE: reads the built site, then opens pages of it in Chromium.

Every link and picture leads somewhere, and so does each anchor; no page loads anything from another host;
axe finds no barrier in light and dark; one recorded session is stepped in its page. `--pictures FOLDER` keeps
what was seen.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

ROOT = Path(__file__).parents[2]
AXE = ROOT / "extension" / "node_modules" / "axe-core" / "axe.min.js"
#: Pages that are opened: one of each kind.
OPENED = (
    "index.html", "start.html", "hosts.html", "systems.html", "stability.html", "pytorch.html",
    "torch_graphs.html", "notebooks/terminal.html", "notebooks/commands.html", "notebooks/06_ranks.html",
    "notebooks/guide.html", "notebooks/00_tour.html", "notebooks/03_functions.html", "notebooks/04_why.html",
    "notebooks/05_pytorch.html", "notebooks/design/README.html", "reference/debugger.html",
    "reference/functional.html", "vizgrad/README.html", "search.html",
)  # fmt: skip
STEPPED = "notebooks/00_tour.html"
#: The rules of WCAG 2.1, levels A and AA.
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa")
#: Those of them whose answer depends on colors.
COLORS = ("color-contrast", "link-in-text-block")
SIZE: ViewportSize = {"width": 1280, "height": 900}
#: Milliseconds, to end a hang.
LIMIT = 300_000
#: Attributes that make a browser fetch; a link of the user's own (`a href`) is none of them.
FETCHED = {
    "img": ("src",), "script": ("src",), "link": ("href",), "iframe": ("src",), "source": ("src", "srcset"),
    "video": ("src", "poster"), "object": ("data",),
}  # fmt: skip


class Found(HTMLParser):
    """Links, what is fetched, and the names that links can lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.fetched += [given[name] for name in FETCHED.get(tag, ()) if name in given]


@cache
def read(page: Path) -> Found:
    return Found(page.read_text("utf-8"))


def dead(site: Path) -> Iterator[str]:
    """Links within the site that lead nowhere."""
    for page in sorted(site.rglob("*.html")):
        found = read(page)
        for link in [*found.links, *found.fetched]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = page.parent / unquote(parts.path) if parts.path else page
            if not target.exists():
                yield f"{page.relative_to(site)}: {link} leads nowhere"
            elif _names_nothing(target, unquote(parts.fragment)):
                yield f"{page.relative_to(site)}: {link} names no place"


def _names_nothing(target: Path, anchor: str) -> bool:
    """Is there an anchor, and no such place? Exported pages of sessions have none."""
    is_page = target.suffix == ".html" and "_static" not in target.parts
    return bool(anchor) and is_page and anchor not in read(target).names


def foreign(site: Path) -> Iterator[str]:
    """What a page would fetch from another host."""
    for page in sorted(site.rglob("*.html")):
        for link in read(page).fetched:
            if urlsplit(link).netloc:
                yield f"{page.relative_to(site)} fetches {link}"
    for sheet in sorted(site.rglob("*.css")):
        text = sheet.read_text("utf-8")
        for link in re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^\"')]+", text):
            yield f"{sheet.relative_to(site)} fetches {link}"


def listen(page: Page, name: str) -> list[str]:
    """Fills with errors of scripts and requests that leave, of the page and of its frames."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(f"{name}: {error}"))
    page.on(
        "request",
        lambda r: wrong.append(f"{name} asks {r.url}") if r.url.startswith("http") else None,
    )
    return wrong


def open_page(page: Page, site: Path, name: str, pictures: Path | None) -> list[str]:
    """What is wrong with it: errors of scripts, requests that leave, too great a width, barriers in
    light and in dark.

    A page is loaded once: in the other look colors alone differ, so only their rules are asked there.
    """
    wrong = listen(page, name)
    if (
        pictures is None
    ):  # sessions in frames cost more than all the rest; one is opened in `step_one`
        page.route("**/_static/traces/*", lambda route: route.abort())
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.goto((site / name).as_uri(), timeout=LIMIT)
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    if wide > 0:
        wrong.append(f"{name}: {wide} pixels wider than a window of {SIZE['width']}")
    page.evaluate(AXE.read_text("utf-8"))
    for look, kind, asked in (("light", "tag", RULES), ("dark", "rule", COLORS)):
        page.emulate_media(color_scheme=look)  # pyright: ignore[reportArgumentType]  one of two words
        found = page.evaluate(
            "asked => axe.run(document, asked).then(found => found.violations)",
            {
                "iframes": False,
                "resultTypes": ["violations"],
                "runOnly": {"type": kind, "values": [*asked]},
            },
        )
        wrong += [
            f"{name} ({look}): {one['id']}: {one['nodes'][0]['html'][:200]} ({len(one['nodes'])})"
            for one in found
        ]
        if pictures is not None:
            page.screenshot(path=pictures / f"{name.replace('/', '-')}-{look}.png", timeout=LIMIT)
    return wrong


def step_one(page: Page, site: Path) -> str:
    """Steps the first session of a page in its frame; what it says then."""
    page.goto((site / STEPPED).as_uri(), timeout=LIMIT)
    frame = page.locator(".vg-live iframe").first
    frame.scroll_into_view_if_needed()
    inside = frame.content_frame
    step = inside.get_by_role("button", name="Step", exact=True)
    step.wait_for(timeout=LIMIT)
    before = inside.locator("body").inner_text()
    for _ in range(3):
        step.click()
    inside.get_by_text(re.compile(r"\b3 of \d+")).first.wait_for(timeout=LIMIT)
    after = inside.locator("body").inner_text()
    if before == after:
        raise SystemExit(f"{STEPPED}: Step does nothing")
    return next(line for line in after.splitlines() if re.search(r"\b3 of \d+", line))


def darken(page: Page) -> None:
    """Chooses the dark look by the site's own switch: the session in its frame follows."""
    page.emulate_media(color_scheme="light")
    view = page.locator(".vg-live iframe").first.content_frame.locator(".vg-root")
    for _ in range(3):
        page.locator(".theme-toggle:visible").first.click()
        page.wait_for_timeout(200)
        chosen = page.evaluate("document.body.dataset.theme")
        color = view.evaluate("view => getComputedStyle(view).backgroundColor")
        if (color == "rgb(27, 28, 30)") != (chosen == "dark"):
            raise SystemExit(f"{STEPPED}: the page is {chosen}, the session in it {color}")


def look(browser: Browser, site: Path, pictures: Path | None) -> list[str]:
    wrong: list[str] = []
    for name in OPENED:
        page = browser.new_page(viewport=SIZE)
        here = open_page(page, site, name, pictures)
        print(f"{name}: {'; '.join(here) or 'light and dark, no barrier'}", flush=True)
        wrong += here
        page.close()
    page = browser.new_page(viewport=SIZE)
    here = listen(page, STEPPED)
    print(f"{STEPPED}, stepped three times in the page: {step_one(page, site)}")
    darken(page)
    print(f"{STEPPED}: the session in the page is dark where the page is")
    if pictures is not None:
        page.screenshot(path=pictures / "stepped.png")
    return wrong + here


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("--pictures", type=Path)
    asked = parser.parse_args()
    site = asked.site.resolve()
    if asked.pictures:
        asked.pictures.mkdir(parents=True, exist_ok=True)
    wrong = [*dead(site), *foreign(site)]
    pages = len([*site.rglob("*.html")])
    print(f"{pages} pages read: {len(wrong)} dead links and requests to other hosts")
    sys.path.insert(0, str(ROOT))
    from tests.ui.conftest import FLAGS, chromium

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=FLAGS, timeout=300_000
        )
        wrong += look(browser, site, asked.pictures)
        browser.close()
    if wrong:
        raise SystemExit("\n".join(wrong))
    print(
        f"{len(OPENED)} pages opened, light and dark: axe finds no barrier, none is too wide, "
        "nothing asks another host"
    )


if __name__ == "__main__":
    main()
