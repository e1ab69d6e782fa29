"""The view in Notebook 7."""

from __future__ import annotations

import nbformat

from tests.ui.lab import Lab, Notebook
from tests.ui.test_following import at
from tests.ui.test_life import DEBUG, RESTARTED, SETUP, picture, restart, says
from tests.ui.test_saved import save_where_it_is, shows_the_picture
from tests.ui.test_tour import press


def in_notebook_7(lab: Lab) -> Notebook:
    """The page of Notebook 7 for test.ipynb, with its kernel."""
    lab.load("notebooks/test.ipynb")
    panel = lab.call(
        """async app => {
          const panel = app.shell.currentWidget;
          await panel.context.ready;
          await panel.sessionContext.ready;
          await panel.sessionContext.session.kernel.info;
          return panel.id;
        }"""
    )
    return Notebook(lab, panel)


def write(lab: Lab, *cells: str) -> None:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(made, lab.server.root / "test.ipynb")


def test_notebook_7_steps_restarts_reloads_and_reopens(lab: Lab) -> None:
    write(lab, SETUP, DEBUG)
    notebook = in_notebook_7(lab)
    notebook.run()
    for position in (1, 2):
        press(notebook.output(1), "Step")
        at(notebook.output(1), position)
    picture(lab, "notebook7")
    save_where_it_is(lab)

    notebook = in_notebook_7(lab)  # the page is reloaded
    at(notebook.output(1), 2)
    press(notebook.output(1), "Step")
    at(notebook.output(1), 3)

    restart(notebook)
    says(notebook.output(1), RESTARTED)
    picture(lab, "notebook7-restarted")

    notebook = in_notebook_7(lab)
    shows_the_picture(notebook.output(1))
    picture(lab, "notebook7-reopened")
    notebook.run()
    at(notebook.output(1), 0)
