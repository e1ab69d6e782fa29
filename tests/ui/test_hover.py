"""The value of a variable where the pointer rests on it in a marked cell, and at the cursor by a command."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture
from tests.ui.test_following import at

CELL = """import vizgrad as vg
w = vg.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, float("nan")]], requires_grad=True)
h = (w * 2).tanh()
loss = h.sum()
s = vg.debug(loss)"""


def test_a_variable_says_its_value_under_the_pointer_and_at_the_cursor(lab: Lab) -> None:
    notebook = lab.open_notebook(CELL)
    notebook.run()
    at(notebook.output(0), 0)
    editor = notebook.editor(0)
    expect(editor.locator(".vg-current-line")).to_have_count(1)
    line = editor.locator(".cm-line", has_text="loss = h.sum()")
    box = line.bounding_box()
    assert box is not None
    tip = editor.page.locator(".vg-value-tip")
    lab.page.mouse.move(box["x"] + 12, box["y"] + box["height"] / 2, steps=4)
    expect(tip).to_contain_text("loss")
    expect(tip).to_contain_text("float32 []")

    lab.page.mouse.move(5, 5)
    expect(tip).to_have_count(0)
    second = editor.locator(".cm-line", has_text="w = vg.tensor")
    second.click(position={"x": 4, "y": 8})
    lab.execute("vizgrad:show-value")
    expect(tip).to_contain_text("float32 [2, 3]")
    expect(tip.get_by_role("img", name="Picture of w")).to_be_visible()
    picture(lab, "hover")
    lab.page.keyboard.press("Escape")
    expect(tip).to_have_count(0)

    notebook.execute("_ = s.break_at(line='In [1]:3', log='norm {grad.norm}')")
    gutter = editor.get_by_role("button", name="Breakpoint, line 3")
    expect(gutter).to_have_class(re.compile("vg-logs"))
    expect(gutter).to_have_attribute("aria-pressed", "false")
    expect(gutter).to_have_attribute("title", re.compile(r"^Logs `norm \{grad.norm\}` when"))
    picture(lab, "logpoint-gutter")
