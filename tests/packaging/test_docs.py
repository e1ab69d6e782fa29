"""What the site shows runs: each example of the reference, and each program of its own pages."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import vizgrad

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "notebooks" / "site"
PARTS = re.split(r"^# %% (\S+)\n", (DOCS / "examples.py").read_text("utf-8"), flags=re.MULTILINE)[
    1:
]
EXAMPLES = dict(zip(PARTS[::2], PARTS[1::2], strict=True))
PROGRAMS = {
    f"{page.stem}-{number}": code
    for page in sorted(DOCS.glob("*.md"))
    for number, code in enumerate(
        re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    )
}


def run(code: str, folder: Path, name: str) -> None:
    """From a file, where its lines can be read."""
    file = folder / f"{name}.py"
    file.write_text(code, "utf-8")
    scope = {"vizgrad": vizgrad, "__name__": name, "__file__": str(file)}
    exec(compile(code, str(file), "exec"), scope)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(EXAMPLES[name], tmp_path, name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_of_a_page_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = PROGRAMS[name]
    for needed in re.findall(r"^import (torch|jax)\b", code, re.MULTILINE):
        pytest.importorskip(needed)
    monkeypatch.chdir(tmp_path)
    run(code, tmp_path, name.replace("-", "_"))


def test_each_function_of_the_debugger_has_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / ".ci" / "docs"))
    import reference  # pyright: ignore[reportMissingImports]  a script

    monkeypatch.delitem(sys.modules, "reference")
    assert {*EXAMPLES} == {*reference.DEBUGGER}
    text = reference.debugger(vizgrad)
    for name in EXAMPLES:
        assert f"{{py:function}} vizgrad.{name}(" in text
    assert "<" not in reference.signature(vizgrad.debug)
