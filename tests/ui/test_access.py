"""A session by keyboard and announcements alone, by touch alone, and what axe-core finds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_rooms import SHOW, opened, opened_panel
from tests.ui.test_tour import press, root
from tests.ui.themes import DARK, LIGHT, themed

AXE = Path(__file__).parents[2] / "extension" / "node_modules" / "axe-core" / "axe.min.js"

#: All that differs between two themes.
COLOURS = ("color-contrast", "link-in-text-block")

STALE = """
import vizgrad as vg
w = vg.ones(3, requires_grad=True)
h = w.exp()
loss = (h * 2).tanh().sum() + h.sin().sum()
h.detach().mul_(3.0)
"""


def axe(view: Locator, *rules: str) -> list[str]:
    """What axe-core holds against the view: all its rules, or these."""
    return axe_in(root(view), "", *rules)


def axe_in(part: Locator, ours: str = "", *rules: str) -> list[str]:
    """Of what is in an element: where it is not ours alone, of what has `ours` in its markup."""
    if not part.page.evaluate("'axe' in window"):
        part.page.evaluate(AXE.read_text("utf-8"))
    options = {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    found = part.evaluate(
        "async (part, options) => (await axe.run(part, options)).violations", options
    )
    # A box of the graph is called by its name; what else is written on it is told in other words.
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
        if ours in node["html"]
        and not (rule["id"] == "label-content-name-mismatch" and 'role="treeitem"' in node["html"])
    ]


# --- announcements -------------------------------------------------------------------------------------


class Reader:
    """A user who hears the live region and the focused element, and has a keyboard."""

    def __init__(self, lab: Lab, view: Locator) -> None:
        self.page, self.view = lab.page, view
        self.live = view.locator("[aria-live]")

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def hears(self, what: str) -> str:
        expect(self.live).to_have_text(re.compile(what))
        return self.live.inner_text()

    def is_on(self, *names: str) -> None:
        """The keyboard is, or comes to be, on something whose name begins with one of these."""
        self.page.wait_for_function(
            """names => {
              const name = document.activeElement.getAttribute('aria-label') ?? '';
              return names.some(each => name.startsWith(each));
            }""",
            arg=names,
        )


#: The colour and the width of the ring of the focus, and of that of the selection.
RINGS = """view => ['[data-key]:focus', "[aria-selected='true']:not(:focus)"].map(which => {
  const { stroke, strokeWidth } = getComputedStyle(view.querySelector(which + ' .vg-ring'));
  return [stroke, parseFloat(strokeWidth)];
})"""


def test_from_opening_to_the_stale_tensor_by_keys_and_announcements_alone(lab: Lab) -> None:
    notebook = lab.open_notebook(STALE + SHOW)
    view = notebook.output(0)
    reader = Reader(lab, view)
    # In command mode, on the cell; a person with a screen reader runs it as others do.
    lab.call("async app => { await app.commands.execute('notebook:enter-command-mode'); }")
    reader.press("Control+Enter")
    reader.hears(r"^Backward of loss: \d+ nodes, paused at 0 of \d+, next AddBackward0\. F10 steps")
    assert "2 nodes with a stale saved value" in reader.live.inner_text()
    for _ in range(60):
        reader.press("Tab")
        if view.locator("*:focus").count():
            break
    expect(view.locator("*:focus")).to_have_count(1)
    reader.press("Escape")  # From wherever that is to the graph.
    reader.is_on("AddBackward0, runs next")
    reader.press("F10")
    reader.hears("^AddBackward0 done, 1 of")
    # One ring is the focus; that of the selection, which went on, is the weaker.
    expect(view.locator("[data-key][aria-selected='true']:not(:focus)")).to_have_count(1)
    (focus, width), (selection, thin) = view.evaluate(RINGS)
    assert focus != selection
    assert width > 1.5 * thin
    picture(lab, "focus-beside-selection")
    reader.press("n")
    reader.hears(
        r"^SinBackward0, .* saved self, which is stale: mul_ wrote version 1 .*, In \[1\], line 6$"
    )
    reader.is_on("SinBackward0")
    # To there, and why it fails.
    reader.press("r")
    reader.hears("^SumBackward0 done, 2 of 8$")
    reader.is_on("SinBackward0, runs next")
    reader.press("F10")
    reader.hears("^Backward failed$")  # and the alert tells why
    expect(view.get_by_role("alert").first).to_contain_text("mul_")
    # Out by the same way: the parts of the view, by name.
    reader.press("F6")
    reader.is_on("Inspector", "Saved tensors", "Parts", "Versions", "Engine")


# --- axe-core --------------------------------------------------------------------------------------------


#: JavaScript: `light` of colours that lie over each other, from 0 to 1 (WCAG 2.2, relative luminance).
LIGHT_OF = """
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const paint = canvas.getContext('2d', { willReadFrequently: true });
  const light = colours => {
    for (const colour of colours) {
      paint.fillStyle = colour;
      paint.fillRect(0, 0, 1, 1);
    }
    const [r, g, b] = [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3).map(value => {
      const share = value / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
"""

#: The texts of boxes with their contrast to what is below them: axe-core knows no colours of pictures.
CONTRAST = (
    "view => {"
    + LIGHT_OF
    + """
  const filled = element => getComputedStyle(element).fill;
  const page = getComputedStyle(view.querySelector('.vg-root') ?? view).backgroundColor;
  const texts = '[data-key] :is(.vg-name, .vg-type, .vg-sub, .vg-port)';
  return [...view.querySelectorAll(texts)].map(text => {
    const box = text.closest('[data-key]').querySelector('.vg-box');
    const below = light([page, filled(box)]);
    const own = light([page, filled(box), filled(text)]);
    const ratio = (Math.max(own, below) + 0.05) / (Math.min(own, below) + 0.05);
    return [text.textContent, Math.round(ratio * 100) / 100];
  });
}"""
)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_what_is_written_on_tinted_boxes_can_be_read(lab: Lab, theme: str) -> None:
    with themed(lab, theme):
        _, view = opened(lab, STALE)
        press(view, "Step")
        at(view, 1)
        texts = view.evaluate(CONTRAST)
        assert len(texts) > 10
        assert [text for text, ratio in texts if ratio < 4.5] == []


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_axe_finds_nothing(lab: Lab, theme: str) -> None:
    with themed(lab, theme):
        _axe_finds_nothing(lab, *(() if theme == LIGHT else COLOURS))


def _axe_finds_nothing(lab: Lab, *rules: str) -> None:
    lab.page.set_viewport_size({"width": 1600, "height": 1000})
    notebook, view = opened(lab, STALE)
    found = {"first look": axe(view, *rules)}
    press(view, "Step")
    at(view, 1)
    view.locator("[data-node-id]").first.click(button="right")
    view.get_by_role("menu").wait_for()
    found["menu"] = axe(view, *rules)
    lab.page.keyboard.press("Escape")
    view.get_by_role("button", name="Help").click()
    found["help"] = axe(view, *rules)
    lab.page.keyboard.press("Escape")
    press(view, "Search nodes")
    view.get_by_role("textbox", name="Node name").fill("Mul")
    view.get_by_role("list", name="Matches").wait_for()
    found["search"] = axe(view, *rules)
    lab.page.keyboard.press("Escape")
    found |= _with_breakpoints_and_branches(notebook, view, *rules)
    press(view, "Continue")
    expect(root(view)).to_have_attribute("data-status", "failed")
    found["failed"] = axe(view, *rules)
    found["failed cell"] = axe_in(notebook.editor(0), "vg-", *rules)
    panel = opened_panel(lab)
    for tab in panel.get_by_role("tab").all():
        tab.click()
        found[tab.get_attribute("aria-label") or ""] = axe(panel, *rules)
    notebook.execute("session.close()")
    expect(root(view)).to_have_attribute("data-status", "closed")
    found["closed"] = axe(view, *rules)
    assert len(found) == 20
    assert {where: rules for where, rules in found.items() if rules} == {}


def _with_breakpoints_and_branches(
    notebook: Notebook, view: Locator, *rules: str
) -> dict[str, list[str]]:
    """At the same place of the original in the end, with nothing to stop it."""
    found: dict[str, list[str]] = {}
    cell = notebook.editor(0)
    cell.get_by_role("button", name="Breakpoint, line").last.click()
    notebook.execute("session.break_at('Tanh*', condition='grad.norm > 1')")
    breakpoints = part(view, "Breakpoints")
    expect(breakpoints.locator("[data-breakpoint]")).to_have_count(2)
    breakpoints.get_by_role("button", name="New breakpoint").click()
    found["breakpoints"] = axe(view, *rules)
    found["marks in the cell"] = axe_in(cell, "vg-", *rules)
    notebook.execute(
        "session.clear_breakpoints(); session.set_grad(session.node, 'g * 2'); session.step()"
    )
    notebook.execute("session.switch('original')")
    part(view, "Branches").get_by_role("button", name="Compare branch 1 with original").click()
    view.get_by_role("note", name="Colours: difference of branch 1").wait_for()
    found["compared"] = axe(view, *rules)
    press(view, "Zoom out")
    press(view, "Zoom out")
    found["compared from far"] = axe(view, *rules)
    press(view, "Zoom to fit")
    return found


# --- fingers ---------------------------------------------------------------------------------------------


Send = Callable[..., None]


@pytest.fixture
def fingers(lab: Lab) -> Iterator[Send]:
    """JupyterLab under fingers, and what sends touches, as the screen would."""
    lab.page.set_viewport_size({"width": 1180, "height": 820})
    session = lab.page.context.new_cdp_session(lab.page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def send(kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": touches})

    yield send
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    session.detach()
    assert not lab.page.evaluate("matchMedia('(pointer: coarse)').matches")


def tap(send: Send, element: Locator) -> None:
    element.scroll_into_view_if_needed()
    box = element.bounding_box()
    assert box is not None
    send("Start", (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    send("End")


def look(view: Locator) -> tuple[float, float, float]:
    """(x, y, zoom) of the picture."""
    text = view.locator(".vg-canvas > g").first.get_attribute("transform") or ""
    x, y, zoom = map(float, re.findall(r"-?[\d.]+(?:e-?\d+)?", text))
    return x, y, zoom


def test_fingers_tap_pan_pinch_and_have_room(lab: Lab, fingers: Send) -> None:
    send = fingers
    lab.execute("application:toggle-left-area")
    _, view = opened(lab)
    assert lab.page.evaluate("matchMedia('(pointer: coarse)').matches")
    small = root(view).evaluate(
        """root => [...root.querySelectorAll('button, select, [role=tab]')]
          .map(e => [e.getAttribute('aria-label') ?? e.textContent, e.getBoundingClientRect()])
          .filter(([, box]) => box.width > 0 && (box.width < 43.5 || box.height < 43.5))
          .map(([name, box]) => `${name} ${box.width} ${box.height}`)"""
    )
    assert json.dumps(small) == "[]"
    picture(root(view), "touch")
    tap(send, view.get_by_role("button", name="Step", exact=True))
    at(view, 1)
    node = view.locator("[data-node-id]").nth(1)
    tap(send, node)
    expect(node).to_have_attribute("aria-selected", "true")

    canvas = view.locator(".vg-canvas").bounding_box()
    assert canvas is not None
    x, y = canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 2
    before = look(view)
    send("Start", (x, y))
    for i in range(1, 6):
        send("Move", (x + 10 * i, y + 6 * i))
    send("End")
    lab.page.wait_for_timeout(200)
    after = look(view)
    assert after[2] == pytest.approx(before[2])
    assert (after[0] - before[0], after[1] - before[1]) == pytest.approx((50, 30), abs=2)

    send("Start", (x - 40, y), (x + 40, y))
    for i in range(1, 6):
        send("Move", (x - 40 - 8 * i, y), (x + 40 + 8 * i, y))
    send("End")
    lab.page.wait_for_timeout(200)
    pinched = look(view)
    assert pinched[2] == pytest.approx(2 * after[2], rel=0.05)
    # What was between the fingers is still there.
    left, top = canvas["x"], canvas["y"]
    for axis, (place, corner) in enumerate(((x, left), (y, top))):
        seen = [(place - corner - at[axis]) / at[2] for at in (after, pinched)]
        assert seen[0] == pytest.approx(seen[1], abs=3)
    lab.execute("application:toggle-left-area")


def test_high_contrast_shows_how_far_the_run_is_and_which_tab_is_open(lab: Lab) -> None:
    _, view = opened(lab)
    panel = opened_panel(lab, 480)
    press(view, "Step", times=3)
    at(panel, 3)
    lab.page.emulate_media(forced_colors="active")
    try:
        colour = "(element, of) => getComputedStyle(element)[of]"
        done = panel.locator(".vg-scrub-done")
        track = panel.locator(".vg-scrub-track")
        assert done.evaluate(colour, "backgroundColor") != track.evaluate(colour, "backgroundColor")
        assert track.evaluate(colour, "borderTopWidth") == "1px"
        tabs = panel.locator(".vg-tab")
        lines = {tab.evaluate(colour, "borderBottomColor") for tab in tabs.all()[1:]}
        assert len(lines) == 1
        assert tabs.first.evaluate(colour, "borderBottomColor") not in lines
        picture(lab, "high-contrast-toolbar")
    finally:
        lab.page.emulate_media(forced_colors="none")
