"""States that a screen reader and a system's own colours have to show as well: findings above curves, Why
of a kept backward, the line that wrote in place, ranks.
"""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture
from tests.ui.test_access import STALE, axe, axe_in
from tests.ui.test_course import DEEP, KEPT, TRAIN, at_the_finding, opened_at_the_finding
from tests.ui.test_ranks import TRACES
from tests.ui.test_rooms import SHOW
from tests.ui.test_tour import press

COLOUR = "(element, of) => getComputedStyle(element)[of]"


def forced(lab: Lab, of: Locator, name: str) -> None:
    lab.page.emulate_media(forced_colors="active")
    picture(of, name)


def unlike(one: Locator, other: Locator, of: str) -> None:
    assert one.first.evaluate(COLOUR, of) != other.first.evaluate(COLOUR, of)


def test_findings_above_folded_curves(lab: Lab) -> None:
    notebook = lab.open_notebook(TRAIN, DEEP)
    notebook.run()
    output = notebook.output(1)
    expect(output).to_match_aria_snapshot(
        """
        - paragraph:
          - strong: NaN or Inf in the backward pass
        - deletion
        - insertion
        - paragraph:
          - button "Debug there"
        - img /Curves of gradient, weight, update . weight. SGD, 9 steps, 20 layers. backward 6. NaN/
        - slider "Steps of SGD"
        - button "Show all 20 layers"
        """
    )
    track = output.get_by_role("slider")
    track.focus()
    track.press("Home")
    track.press("n")
    expect(track).to_have_attribute("aria-valuetext", re.compile("step 6 of 9.*found: NaN or Inf"))
    # The slider says its step: with the list of layers each key would be heard for a minute.
    expect(
        output.locator(".vg-course-said[aria-live], [aria-live] .vg-course-layers")
    ).to_have_count(0)
    try:
        forced(lab, output, "forced-course")
        lines = output.locator(".vizgrad-why pre span")
        unlike(output.locator(".vizgrad-why .culprit"), lines, "borderLeftColor")
    finally:
        lab.page.emulate_media(forced_colors="none")
    assert axe_in(output, "vg-course") == []


def test_why_of_a_kept_backward(lab: Lab) -> None:
    notebook = lab.open_notebook(TRAIN, KEPT)
    notebook.run()
    opened_at_the_finding(notebook)
    shown = lab.page.locator("[id^='vizgrad-kept-'][id$='-21']")
    expect(shown).to_contain_text("MeanBackward0")
    shown.locator(".vg-node").first.press("w")
    expect(shown).to_match_aria_snapshot(
        """
        - toolbar "Debugger"
        - slider "Position"
        - region "Graph":
          - tree "Backward graph":
            - treeitem "MeanBackward0, runs next" [selected]
        - tablist "Parts":
          - tab "Why" [selected]
        - tabpanel "Why":
          - region "Why":
            - group "Why":
              - button "Show me"
              - button "Close Why"
              - paragraph:
                - strong: Gradients not zeroed
        - status: /^Why. Nothing is wrong at this node/
        """
    )
    try:
        forced(lab, shown, "forced-kept")
        code = shown.locator(".vg-explained-code")
        blamed = code.locator("[data-blamed=true]")
        unlike(blamed, code.locator(":not([data-blamed=true])"), "borderLeftColor")
        # All of it is recorded, and none done: that is no full bar.
        recorded = shown.locator(".vg-scrub-recorded")
        assert "gradient" in recorded.evaluate(COLOUR, "backgroundImage")
        assert "gradient" not in shown.locator(".vg-scrub-done").evaluate(COLOUR, "backgroundImage")
    finally:
        lab.page.emulate_media(forced_colors="none")
    at_the_finding(notebook)


def test_the_line_that_wrote_and_ranks(lab: Lab) -> None:
    failed = lab.open_notebook(STALE + SHOW)
    failed.run()
    view = failed.output(0)
    press(view, "Continue")
    expect(view).to_match_aria_snapshot(
        """
        - alert:
          - button /^In .1., line 6/
          - button "Why?"
        - tablist "Parts":
          - tab "Saved tensors, 2 stale"
          - tab "Versions, 1 written"
        - status: Backward failed
        """
    )
    marked = failed.editor(0).locator(".vg-blamed-line")
    expect(marked).to_contain_text("changes `h` in place, which SinBackward0 saved on line 5")
    picture(lab, "written-line")

    notebook = lab.open_notebook(
        TRACES.replace("(2, 8, 64)", "(8,)"),
        "vizgrad.load_traces('of8.rank*.vgtrace')",
        name="ranks.ipynb",
    )
    notebook.run()
    view = notebook.output(1)
    differ = view.get_by_role("list", name="How the ranks differ").get_by_role("listitem")
    expect(differ).to_have_text(
        [
            re.compile("^rank 7 leaves the others at MulBackward0"),
            re.compile("^rank 7: inf; .* on the other 7 ranks"),
            re.compile("^the graph of rank 1 differs"),
        ]
    )
    try:
        forced(lab, view, "forced-ranks")
        assert axe(view, "color-contrast") == []
    finally:
        lab.page.emulate_media(forced_colors="none")
