"""JupyterLab's palette, its setting page and its shortcut editor know every command of a view."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_rooms import opened
from tests.ui.test_tour import root
from vizgrad.debugger.commands import COMMANDS

SHORTCUTS = "@jupyterlab/shortcuts-extension:shortcuts"
PAGE = "vizgrad:panel"


@pytest.fixture
def settings(lab: Lab) -> Iterator[Lab]:
    """Settings are as they were, when the test is over; the page, which was told of others, goes."""
    lab.usual = False
    yield lab
    for plugin in (SHORTCUTS, PAGE):
        save(lab, plugin, {})


def save(lab: Lab, plugin: str, values: dict[str, object]) -> None:
    lab.call(
        "async (app, id, raw) => { await app.serviceManager.settings.save(id, raw); }",
        plugin,
        json.dumps(values),
    )


def test_the_palette_has_every_command_and_acts_on_the_view_that_was_used_last(lab: Lab) -> None:
    _, view = opened(lab)
    listed = set(lab.call("app => app.commands.listCommands()"))
    assert {f"vizgrad:{c.name}" for c in COMMANDS if c.in_view} == {
        name for name in listed if name.startswith("vizgrad:")
    }
    view.get_by_role("button", name="Step back").focus()
    lab.execute("apputils:activate-command-palette")
    # The palette takes the focus after its command has ended: until then the view would hear the keys.
    expect(lab.page.locator(".lm-CommandPalette-input")).to_be_focused()
    lab.page.keyboard.type("vizgrad Add breakpoint")
    expect(lab.page.locator(".lm-CommandPalette-item").first).to_contain_text("Add breakpoint")
    lab.page.keyboard.press("Escape")
    lab.execute("vizgrad:step")
    at(view, 1)
    lab.execute("vizgrad:help")
    expect(view.get_by_role("dialog")).to_be_visible()


def test_the_setting_page_changes_views_and_a_key_that_was_given_anew_works(settings: Lab) -> None:
    _changed_in_the_page(settings)
    save(settings, PAGE, {})
    settings.shut_down_kernels()
    _key_given_anew(settings)


def _changed_in_the_page(lab: Lab) -> None:
    lab.execute("settingeditor:open", query="vizgrad")
    page = lab.page.locator(".jp-SettingsForm, .jp-SettingsPanel").first
    box = page.get_by_label("Teach layout")
    expect(box).to_be_visible()
    picture(lab.page, "settings")
    box.check()
    lab.page.wait_for_function(
        "JSON.parse(document.documentElement.dataset.vizgrad).preferences.presentation"
    )
    _, view = opened(lab)
    expect(root(view)).to_contain_class("vg-present")


def _key_given_anew(lab: Lab) -> None:
    keys = [
        {"command": "vizgrad:step", "keys": ["F10"], "selector": ".vg-root", "disabled": True},
        {"command": "vizgrad:step", "keys": ["S"], "selector": ".vg-root"},
        {"command": "vizgrad:continue", "keys": ["Ctrl Alt G"], "selector": ".vg-root"},
    ]
    save(lab, SHORTCUTS, {"shortcuts": keys})
    lab.load("lab?reset")
    _, view = opened(lab)
    step = view.get_by_role("button", name="Step", exact=True)
    expect(step).to_have_attribute("aria-keyshortcuts", "s")
    view.locator("[data-node-id]").first.click()
    lab.page.keyboard.press("F10")
    lab.page.keyboard.press("s")
    at(view, 1)
    lab.page.keyboard.press("Control+Alt+g")
    expect(root(view)).to_have_attribute("data-status", "finished")
