"""Where no kernel runs (nbconvert, nbviewer, GitHub) a notebook shows pictures, never an empty output."""

from __future__ import annotations

import re

import nbformat
from nbconvert import HTMLExporter

import vizgrad as vg

_OUTPUT = re.compile(r'<div class="[^"]*jp-OutputArea-output[^"]*"[^>]*>\s*(</div>)?')


def check_page(notebook: nbformat.NotebookNode, *, pictures: int) -> None:
    """As `jupyter nbconvert --to html` writes it: so many pictures, and no empty output."""
    page, _ = HTMLExporter().from_notebook_node(notebook)
    drawn = page.count("<svg") + page.count("data:image/svg+xml")
    assert drawn >= pictures
    assert "Loading widget" not in page
    shown = sum(len(cell.get("outputs", ())) for cell in notebook.cells)
    areas = _OUTPUT.findall(page)
    assert len(areas) >= shown
    assert not any(areas), "an output is empty"


def test_a_saved_live_view_is_a_picture() -> None:
    """What JupyterLab saved, with a view whose widget is gone."""
    from vizgrad.debugger.jupyter.widget.debugview import DebugView

    x = vg.ones(3, requires_grad=True)
    with vg.debug(x.tanh().sum(), display=False) as session:
        view = DebugView(session)
        made = view._repr_mimebundle_()
        bundle = dict(made[0] if isinstance(made, tuple) else made)
        view.close()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    output = nbformat.v4.new_output("display_data", bundle)
    cell = nbformat.v4.new_code_cell("vg.debug(loss)", outputs=[output])
    check_page(nbformat.v4.new_notebook(cells=[cell]), pictures=1)
