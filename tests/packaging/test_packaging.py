"""What is installed: one version on both sides of the border, and a front end that is really there."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from vizgrad.version import __version__

ROOT = Path(__file__).parents[2]
LABEXTENSION = Path(sys.prefix) / "share" / "jupyter" / "labextensions" / "vizgrad"
ADVICE = "not built or not installed: run the tests with `make test`"


def test_both_sides_have_one_version() -> None:
    package = json.loads((ROOT / "extension" / "package.json").read_text())
    assert package["version"] == __version__, "set both, then run make"


def test_jupyterlab_finds_the_labextension() -> None:
    package = LABEXTENSION / "package.json"
    assert package.exists(), ADVICE
    entry = json.loads(package.read_text())["jupyterlab"]["_build"]["load"]
    assert (LABEXTENSION / entry).exists(), ADVICE


def test_the_widget_is_one_file_that_needs_no_network() -> None:
    widget = ROOT / "vizgrad" / "debugger" / "jupyter" / "widget" / "static" / "widget.js"
    assert widget.exists(), ADVICE
    text = widget.read_text()
    assert "export{" in text
    assert not re.search(r"""\bimport\b[^;"'()]{0,900}\bfrom["']""", text)
    assert 'import("' not in text


def test_what_an_exported_trace_runs_is_one_file_that_can_stand_in_a_page() -> None:
    code = ROOT / "vizgrad" / "debugger" / "jupyter" / "widget" / "static" / "trace.js"
    assert code.exists(), ADVICE
    text = code.read_text()
    assert 'import("' not in text
    assert "javascript:" not in text


def test_the_lock_file_names_no_place() -> None:
    for name in ("yarn.lock", "package.json", ".yarnrc.yml"):
        assert "://" not in (ROOT / "extension" / name).read_text(), name
