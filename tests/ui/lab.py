"""JupyterLab in a real browser, as a test drives it.

Commands go through `window.jupyterapp`, the application object that the page exposes to tests: pressing
Shift-Enter in a page that is not quite ready runs nothing and says nothing. What a person sees and
touches is then reached through Playwright (`lab.page`, `notebook.output(0)`).

Every wait has a limit; the limit that struck is in the message of the failure.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from playwright.sync_api import ConsoleMessage, Error, Locator, Page

from tests.fixtures.warm_kernels import WARM
from tests.ui.server import Server, tail

#: Milliseconds, to end a hang: on an idle machine the longest takes a twentieth of it.
LOAD_LIMIT = 300_000
KERNEL_LIMIT = 300_000
CELL_LIMIT = 600_000
LOOK_LIMIT = 120_000

# Each function below is called by `Lab.call` with `app` and the arguments given in Python.
_OPEN_NOTEBOOK = """
async (app, path, name) => {
  await app.restored;
  const panel = await app.commands.execute('docmanager:open', {
    path, factory: 'Notebook', kernel: { name }
  });
  await panel.context.ready;
  await panel.sessionContext.ready;
  await panel.sessionContext.session.kernel.info;
  app.shell.activateById(panel.id);
  return panel.id;
}
"""
_FIND = """
const find = id => [...app.shell.widgets('main')].find(widget => widget.id === id);
"""
_RUN_ALL = f"""
async (app, id) => {{
  {_FIND}
  app.shell.activateById(id);
  return await app.commands.execute('notebook:run-all-cells');
}}
"""
_RUN_CODE = f"""
async (app, id, code) => {{
  {_FIND}
  const kernel = find(id).sessionContext.session.kernel;
  const future = kernel.requestExecute({{ code, stop_on_error: true }});
  let text = '';
  future.onIOPub = message => {{
    if (message.header.msg_type === 'stream') text += message.content.text;
  }};
  const reply = await future.done;
  return {{ ...reply.content, text }};
}}
"""
_START_CODE = f"""
async (app, id, code) => {{
  {_FIND}
  find(id).sessionContext.session.kernel.requestExecute({{ code }}).done.catch(() => undefined);
}}
"""
_CELLS = f"""
async (app, id) => {{
  {_FIND}
  return find(id).content.model.toJSON().cells;
}}
"""


_KERNELS = """
() => [...window.jupyterapp.shell.widgets('main')].map(({ id, sessionContext: context }) => {
  const kernel = context?.session?.kernel;
  return [id, context?.isReady, kernel?.id, kernel?.status, kernel?.connectionStatus];
})
"""


#: Closes what is open, without asking; gives whether the page is then as it was when it was loaded.
_TIDY = """
async app => {
  // Notebook 7 shows one notebook, whose cells the next test exchanges. JupyterLab 4.4 knows no area "down".
  const seven = app.name === 'Jupyter Notebook';
  for (const widget of [...app.shell.widgets(seven ? 'down' : 'main')]) widget.dispose();
  await app.serviceManager.sessions.shutdownAll();
  await app.serviceManager.sessions.refreshRunning();
  if (document.body.dataset.jpThemeLight !== 'true') {
    await app.commands.execute('apputils:change-theme', { theme: 'JupyterLab Light' });
  }
  // The side panel mounts its view anew when it is next shown: loading the page for that would take seconds.
  const panel = [...app.shell.widgets('right')].find(({ id }) => id === 'vizgrad-panel');
  if (panel.view) {
    panel.view.unmount();
    Object.assign(panel, { view: null, mounting: false });
  }
  app.shell.collapseRight();
  if (!seven) app.shell.expandLeft();
  await new Promise(requestAnimationFrame);
  localStorage.clear();
  sessionStorage.clear();
  const over = document.querySelector('.jp-Dialog, .lm-Menu, .jp-ModalCommandPalette:not(.lm-mod-hidden)');
  return over === null && app.shell.rightCollapsed && app.shell.leftCollapsed === seven;
}
"""


@dataclass
class Lab:
    """A page that shows JupyterLab."""

    page: Page
    server: Server
    console: list[str] = field(default_factory=list)
    #: What the page reported as errors; those from vizgrad's own code fail the test at its end.
    errors: list[str] = field(default_factory=list)
    #: Can another test go on with the page, when it is tidied up?
    usual: bool = True
    #: What such a page shows.
    home: str = "lab?reset"

    def __post_init__(self) -> None:
        self.page.set_default_timeout(LOOK_LIMIT)
        self.page.on("console", self._heard)
        self.page.on("pageerror", self._raised)

    def load(self, page: str = "lab") -> None:
        """Opens JupyterLab (or "lab/tree/x.ipynb", "notebooks/x.ipynb") and waits until it is ready."""
        self.page.goto(self.server.address(page), timeout=LOAD_LIMIT)
        self.page.wait_for_function("window.jupyterapp !== undefined", timeout=LOAD_LIMIT)
        self.call("async app => { await app.started; await app.restored; }", limit=LOAD_LIMIT)
        self.usual = self.usual and page == self.home

    def tidy(self) -> None:
        """Makes the page what it was when it was loaded, for the next test."""
        if not self.call(_TIDY, limit=KERNEL_LIMIT):
            self.load(self.home)
        self.console.clear()
        self.errors.clear()

    def call(self, function: str, *arguments: Any, limit: int = LOOK_LIMIT) -> Any:
        """Calls a JavaScript function with the application and `arguments`; gives what it resolves to."""
        answer = self.page.evaluate(
            f"""async ([args, limit]) => {{
              const late = new Promise(resolve => setTimeout(() => resolve({{ late: true }}), limit));
              const call = async () => ({{ value: await ({function})(window.jupyterapp, ...args) }});
              return await Promise.race([call(), late]);
            }}""",
            [list(arguments), limit],
        )
        if "late" in answer:
            raise AssertionError(f"no answer within {limit} ms{self._how_it_stands()}")
        return answer.get("value")

    def _how_it_stands(self) -> str:
        """What the page takes its kernels to do, and what it and the server said last."""
        kernels = self.page.evaluate(_KERNELS)
        said = tail(self.server.log, 15)
        return "\n".join(["", *map(str, kernels), "console:", *self.console[-5:], "server:", said])

    def execute(self, command: str, **arguments: Any) -> Any:
        """Executes a command of JupyterLab, such as "vizgrad:open-panel"; its result must be JSON."""
        return self.call(
            "async (app, command, args) => { await app.commands.execute(command, args); }",
            command,
            arguments,
        )

    def open_notebook(self, *cells: str, name: str = "test.ipynb", kernel: str = WARM) -> Notebook:
        """Writes a notebook with these code cells, opens it, and waits for its kernel."""
        path = self.server.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
        nbformat.write(notebook, path)
        return self.open(name, kernel)

    def open(self, path: str, kernel: str = WARM) -> Notebook:
        """Opens a notebook that is there, with its kernel if it has one."""
        return Notebook(self, self.call(_OPEN_NOTEBOOK, path, kernel, limit=KERNEL_LIMIT))

    def open_copy(
        self, source: Path, change: Callable[[NotebookNode], None] | None = None
    ) -> Notebook:
        """Opens a copy of a notebook, with the data beside it, as a user who received the folder would."""
        folder = self.server.root / source.parent.name
        shutil.copytree(source.parent, folder, dirs_exist_ok=True)
        if change is not None:
            notebook = nbformat.read(source, as_version=4)
            change(notebook)
            nbformat.write(notebook, folder / source.name)
        return self.open(f"{folder.name}/{source.name}")

    def shut_down_kernels(self) -> None:
        self.call("async app => { await app.serviceManager.sessions.shutdownAll(); }")

    def save_artifacts(self, folder: Path, name: str) -> None:
        """What to look at after a failure: the page as it was, and what it said."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.console.txt").write_text("\n".join(self.console))
        try:
            self.page.screenshot(path=folder / f"{name}.png", timeout=LOOK_LIMIT)
        except Error as error:
            (folder / f"{name}.no-screenshot.txt").write_text(str(error))

    def _heard(self, message: ConsoleMessage) -> None:
        where = message.location.get("url", "")
        self.console.append(f"{message.type}: {message.text} ({where})")
        if message.type == "error" and "vizgrad" in where + message.text:
            self.errors.append(self.console[-1])

    def _raised(self, error: Error) -> None:
        self.console.append(f"uncaught: {error.stack or error.message}")
        if "vizgrad" in (error.stack or error.message):
            self.errors.append(self.console[-1])


@dataclass(frozen=True)
class Notebook:
    """A notebook that is open in `lab`."""

    lab: Lab
    panel: str

    def run(self, limit: int = CELL_LIMIT) -> None:
        """Runs all cells and waits until the last has ended; fails with the traceback of one that raised."""
        self.lab.call(_RUN_ALL, self.panel, limit=limit)
        for number, cell in enumerate(self.cells()):
            for output in cell.get("outputs", ()):
                if output["output_type"] == "error":
                    raise AssertionError(f"cell {number} raised\n{_plain(output['traceback'])}")

    def execute(self, code: str) -> str:
        """Runs code in the notebook's kernel without a cell; gives what it printed."""
        reply = self.lab.call(_RUN_CODE, self.panel, code, limit=CELL_LIMIT)
        if reply["status"] != "ok":
            raise AssertionError(_plain(reply.get("traceback") or [str(reply)]))
        return reply["text"]

    def start(self, code: str) -> None:
        """Runs code in the notebook's kernel and waits for nothing: it may never be answered."""
        self.lab.call(_START_CODE, self.panel, code)

    def cells(self) -> list[dict[str, Any]]:
        """The cells with their outputs, as they would be saved."""
        return self.lab.call(_CELLS, self.panel)

    def text(self, cell: int) -> str:
        """What a cell printed."""
        return "".join(
            "".join(output["text"])
            for output in self.cells()[cell]["outputs"]
            if output["output_type"] == "stream"
        )

    def editor(self, cell: int) -> Locator:
        """A cell's editor, with what is marked in it."""
        return self._cell(cell).locator(".cm-editor")

    def output(self, cell: int) -> Locator:
        """Where a cell's output is drawn, to look at and to click in."""
        return self._cell(cell).locator(".jp-Cell-outputArea")

    def _cell(self, number: int) -> Locator:
        panel = self.lab.page.locator(f'[id="{self.panel}"]')
        return panel.locator(".jp-Cell").nth(number)


def _plain(traceback: list[str]) -> str:
    """A traceback without its colours."""
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(traceback))
