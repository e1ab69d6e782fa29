"""Programs that run a notebook, or make pages of one: nothing that they show is empty."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbconvert import HTMLExporter

from tests.fixtures.limits import HANG

CELLS = (
    "import vizgrad as vg\nx = vg.tensor([0.5, 1.0], requires_grad=True)",
    "session = vg.debug((x.tanh() * 2).sum())",
    "session.step()",
    """
a = vg.tensor([0.0, 4.0], requires_grad=True)
with vg.watch():
    vg.where(a > 1, a.sqrt(), a).sum().backward()
vg.why(a)
""",
    "vg.graph(x.sin().sum())",
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A notebook as papermill leaves it."""
    papermill = pytest.importorskip("papermill", reason="`make hosts` installs it")
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "before.ipynb")
    after = tmp_path / "after.ipynb"
    papermill.execute_notebook(
        str(tmp_path / "before.ipynb"),
        str(after),
        kernel_name="python3",
        cwd=str(tmp_path),
        start_timeout=HANG,
    )
    return after


def shown(cell: Any) -> dict[str, Any]:
    return {mime: data for each in cell.outputs for mime, data in each.get("data", {}).items()}


def test_papermill_keeps_pictures(run: Path) -> None:
    cells = nbformat.read(run, 4).cells
    debug, step, why, graph = map(shown, cells[-4:])
    for each in (debug, graph):
        assert each["image/svg+xml"].startswith("<svg")
    assert "1 of 4 nodes done" in step["text/plain"]
    assert not any("widget" in mime for mime in debug)
    assert "The derivative of" in why["text/html"]


def test_pandoc_which_makes_quarto_s_pages_has_pictures(run: Path) -> None:
    pypandoc = pytest.importorskip("pypandoc", reason="`make hosts` installs it")
    page = pypandoc.convert_file(
        str(run), "html", format="ipynb", extra_args=["--embed-resources", "--standalone"]
    )
    assert page.count("<svg") + page.count("data:image/svg+xml") >= 2
    assert "The derivative of" in page
    words = pypandoc.convert_file(str(run), "markdown", format="ipynb")
    assert "SinBackward0" in words or "image/svg+xml" in words or ".svg" in words


@pytest.mark.parametrize("sanitized", [False, True], ids=["nbviewer", "as GitHub"])
def test_a_page_of_the_saved_notebook_has_no_empty_output(run: Path, sanitized: bool) -> None:
    """nbviewer's page is of the template `basic`; GitHub's preview drops scripts and styles besides."""
    exporter = HTMLExporter(template_name="basic", sanitize_html=sanitized)
    page = exporter.from_filename(str(run))[0]
    outputs = page.split('<div class="output_area">')[1:]
    assert len(outputs) == 4
    for each in outputs:
        seen = re.sub(r"<(style|script)\b.*?</\1>", "", each, flags=re.DOTALL)
        assert "<img" in seen or "<svg" in seen or re.sub(r"<[^>]*>", "", seen).strip()
    assert "The derivative of" in page
