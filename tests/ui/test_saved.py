"""A notebook that was saved shows a picture of its session."""

from __future__ import annotations

import base64
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_life import DEBUG, SETUP
from tests.ui.test_tour import press
from vizgrad.debugger.jupyter.widget.saved_data import MIME


def saved_svg(path: Path) -> str:
    """The picture in the output of the second cell."""
    output = nbformat.read(path, as_version=4).cells[1].outputs[0]
    return output["data"]["image/svg+xml"]


def save_where_it_is(lab: Lab) -> Path:
    """Saves the notebook once the picture of what is seen has come: 2 of 5 nodes are done."""
    path = lab.server.root / "test.ipynb"
    for _ in range(100):
        lab.execute("docmanager:save")
        if "2 of 5" in saved_svg(path):
            return path
        lab.page.wait_for_timeout(200)
    raise AssertionError("the picture of the session as it is was not saved")


def run_and_save(lab: Lab) -> Path:
    """A notebook with a session that was stepped twice, as it lies on the disk; its kernel is gone."""
    notebook = lab.open_notebook(SETUP, DEBUG)
    notebook.run()
    view = notebook.output(1)
    for position in (1, 2):
        press(view, "Step")
        at(view, position)
    path = save_where_it_is(lab)
    lab.shut_down_kernels()
    return path


def shows_the_picture(view: Locator) -> None:
    note = view.get_by_role("note")
    expect(note).to_contain_text("Saved picture of loss, In [2]: 2 of 5 nodes done.")
    expect(note).to_contain_text("Run the cell to step again.")
    image = view.locator("img")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.complete && image.naturalWidth > 100")
    expect(view).not_to_contain_text("model not found")
    expect(view.locator(".vg-root")).to_have_count(0)


def is_trusted(notebook: Notebook) -> bool:
    return notebook.lab.call(
        """(app, id) => {
          const panel = [...app.shell.widgets('main')].find(widget => widget.id === id);
          return panel.content.model.cells.get(1).trusted;
        }""",
        notebook.panel,
    )


def test_a_saved_notebook_shows_where_the_run_was(lab: Lab, tmp_path: Path) -> None:
    """In the file, as HTML, to who does not trust it, and to who opens it again."""
    path = run_and_save(lab)
    _small_and_says_its_state(path)
    _html_has_the_picture(lab, path, tmp_path)
    _shown_untrusted(lab, path)
    lab.load("lab?reset")
    notebook = lab.open("test.ipynb")
    assert is_trusted(notebook)
    shows_the_picture(notebook.output(1))
    picture(lab, "reopened")
    notebook.run()
    at(notebook.output(1), 0)
    expect(notebook.output(1).get_by_role("note")).to_have_count(0)


def _small_and_says_its_state(path: Path) -> None:
    output = nbformat.read(path, as_version=4).cells[1].outputs[0]
    assert output["data"][MIME]["position"] == 2
    assert "2 of 5 nodes done" in output["data"]["text/plain"]
    assert "2 of 5 nodes done" in output["data"]["image/svg+xml"]
    assert path.stat().st_size < 40_000


def _shown_untrusted(lab: Lab, path: Path) -> None:
    there = nbformat.read(path, as_version=4)
    there.cells[0].source += "\n# changed by another user"
    nbformat.write(there, path.with_name("foreign.ipynb"))
    notebook = lab.open("foreign.ipynb")
    assert not is_trusted(notebook)
    shows_the_picture(notebook.output(1))
    picture(lab, "untrusted")


def _html_has_the_picture(lab: Lab, path: Path, tmp_path: Path) -> None:
    html, _ = HTMLExporter().from_filename(str(path))
    page = lab.page.context.new_page()
    page.route(
        "**/*", lambda route: route.abort() if "http" in route.request.url else route.continue_()
    )
    (tmp_path / "saved.html").write_text(html)
    page.goto((tmp_path / "saved.html").as_uri(), wait_until="domcontentloaded")
    image = page.locator(".jp-OutputArea-output img")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.naturalWidth > 100")
    _, _, encoded = (image.get_attribute("src") or "").partition("base64,")
    assert b"2 of 5 nodes done" in base64.b64decode(encoded)
    picture(page, "html")
    expect(page.locator("body")).not_to_contain_text("model not found")
    page.close()


def test_who_saves_the_state_of_widgets_has_the_picture_all_the_same(lab: Lab) -> None:
    # Before its first cell has run the kernel does not know that this page has the labextension.
    notebook = lab.open_notebook("'nothing of ours'", f"{SETUP}\n{DEBUG}")
    notebook.run()
    at(notebook.output(1), 0)  # Not one step: no picture was asked for.
    lab.execute("@jupyter-widgets/jupyterlab-manager:saveWidgetState")
    try:
        lab.execute("docmanager:save")
    finally:
        lab.execute("@jupyter-widgets/jupyterlab-manager:saveWidgetState")
    saved = nbformat.read(lab.server.root / "test.ipynb", as_version=4)
    assert saved.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    (output,) = saved.cells[1].outputs
    assert set(output["data"]) == {MIME, "image/svg+xml", "text/plain"}
    html, _ = HTMLExporter().from_notebook_node(saved)
    assert "image/svg+xml;base64" in html.partition("jp-OutputArea-output")[2]
    # And who has the session goes on.
    press(notebook.output(1), "Step")
    at(notebook.output(1), 1)


#: More nodes than are pictured before the view is there.
LARGE = SETUP + "\nfor _ in range(60):\n    loss = loss.sin()"


def test_a_larger_graph_has_a_true_text_at_once_and_its_picture_soon(lab: Lab) -> None:
    path = lab.server.root / "test.ipynb"
    notebook = lab.open_notebook(LARGE, DEBUG)
    notebook.run()
    at(notebook.output(1), 0)
    lab.execute("docmanager:save")
    (output,) = nbformat.read(path, as_version=4).cells[1].outputs
    assert output["data"][MIME]["position"] == 0
    assert "0 of 65 nodes done" in output["data"]["text/plain"]
    for _ in range(100):
        lab.execute("docmanager:save")
        (output,) = nbformat.read(path, as_version=4).cells[1].outputs
        if "image/svg+xml" in output["data"]:
            break
        lab.page.wait_for_timeout(200)
    assert set(output["data"]) == {MIME, "image/svg+xml", "text/plain"}
    assert "0 of 65 nodes done" in output["data"]["image/svg+xml"]
    press(notebook.output(1), "Step")  # the view is the one of before
    at(notebook.output(1), 1)
    lab.shut_down_kernels()
    lab.load("lab?reset")
    output = lab.open("test.ipynb").output(1)
    expect(output.get_by_role("note")).to_contain_text("0 of 65 nodes done")
    expect(output.locator("img")).to_be_visible()


def test_all_cells_run_in_a_row_leave_pictures_of_larger_graphs(lab: Lab) -> None:
    notebook = lab.open_notebook(LARGE, DEBUG, "s.step(2)", "s.step(3)")
    notebook.run()
    at(notebook.output(3), 5)
    for cell, step in ((1, 0), (2, 2)):
        output = notebook.output(cell)
        expect(output.get_by_role("note")).to_contain_text(f"as of step {step} of 65")
        expect(output.locator("img")).to_be_visible()
    picture(lab, "larger-graph-still")
