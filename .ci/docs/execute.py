"""Runs a notebook for the site: each view of a session becomes a page in it that can be stepped.

A notebook that a program runs shows a session as a picture. Here the session is also kept, and when all cells
have run, its backward is run to the end and exported (`session.trace.export`): one page that needs no kernel.
The output then shows that page in a frame, with the picture where there is no JavaScript.
"""

from __future__ import annotations

import hashlib
import html
import json
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
#: The type of output that stands for a session until its page is written.
MARK = "application/x-vizgrad-session"
HEIGHT = 620

#: Runs in the kernel before the first cell.
BEFORE = f"""
def _keep_sessions():
    from vizgrad.debugger.jupyter.widget import saved_data

    class Kept(saved_data.SessionPicture):
        def __init__(self, session):
            super().__init__(session)
            known = [number for number, kept in enumerate(_vizgrad_shown) if kept is session]
            if not known:
                _vizgrad_shown.append(session)
            number = known[0] if known else len(_vizgrad_shown) - 1
            self._data = {{**self._data, {MARK!r}: str(number)}}

    saved_data.SessionPicture = Kept


_vizgrad_shown = []
_keep_sessions()
"""

#: Runs in the kernel after the last cell: exports what was shown; prints for each what became of it.
AFTER = """
def _export_sessions(pattern):
    import json

    told = []
    for number, session in enumerate(_vizgrad_shown):
        try:
            for _ in range(50):
                if session.status in ("finished", "failed", "closed"):
                    break
                session.continue_()
        except Exception:
            pass  # a backward that fails: its trace ends there
        try:
            steps = len(session.trace.records)
            if steps:
                session.trace.export(pattern.format(number))
        except Exception as error:
            told.append([number, 0, f"{type(error).__name__}: {error}"])
        else:
            told.append([number, steps, ""])
    print("VIZGRAD" + json.dumps(told))


"""


def key(notebook: Path) -> str:
    """Changes with the notebook, and with vizgrad and this file."""
    sources = [notebook, Path(__file__), *sorted((ROOT / "vizgrad").rglob("*.py"))]
    sources.append(ROOT / "vizgrad/debugger/jupyter/widget/static/trace.js")
    total = hashlib.sha256()
    for path in sources:
        total.update(path.read_bytes())
    return total.hexdigest()[:16]


def execute(notebook: Path, kept: Path, *, full: bool, again: bool) -> tuple[Path, list[Path]]:
    """The notebook with its outputs and the pages of its sessions, both in `kept`, where they stay.

    Without `again` the outputs of any earlier run will do: for work on the site itself.
    """
    name = f"{notebook.stem}-{key(notebook)}{'-full' if full else ''}"
    earlier = sorted(kept.glob(f"{notebook.stem}-*.ipynb"), key=lambda path: path.stat().st_mtime)
    if earlier and not again:
        name = earlier[-1].stem
    made, pages = kept / f"{name}.ipynb", kept / name
    if not made.exists():
        kept.mkdir(parents=True, exist_ok=True)
        pages.mkdir(exist_ok=True)
        nbformat.write(run(notebook, pages, full=full), made)
    return made, sorted(pages.iterdir())


def run(notebook: Path, pages: Path, *, full: bool) -> nbformat.NotebookNode:
    book = nbformat.read(notebook, as_version=4)
    if not full:
        for cell in book.cells:
            cell.source = cell.source.replace("FULL = True", "FULL = False")
    place = {"metadata": {"path": str(notebook.parent)}}
    client = NotebookClient(book, timeout=1000, kernel_name="python3", resources=place)
    pattern = str(pages.resolve() / (notebook.stem + "-{}.html"))
    after = nbformat.v4.new_code_cell(AFTER + f"_export_sessions({pattern!r})")
    first = book.cells[0]
    with client.setup_kernel():
        client.execute_cell(nbformat.v4.new_code_cell(BEFORE), 0, store_history=False)
        book.cells[0] = first  # nbclient puts what it runs into the place that it is given
        for index, cell in enumerate(book.cells):
            client.execute_cell(cell, index)
        last = book.cells[-1]
        client.execute_cell(after, len(book.cells) - 1, store_history=False)
        book.cells[-1] = last
    printed = "".join(o.get("text", "") for o in after.outputs)
    if "VIZGRAD" not in printed:
        raise SystemExit(f"{notebook.name}: its sessions could not be exported: {after.outputs}")
    exported = {}
    for number, steps, error in json.loads(printed.split("VIZGRAD", 1)[1]):
        print(f"{notebook.name}: session {number}: {error or f'{steps} steps'}")
        exported[number] = steps
    restore(book, client)
    for cell in book.cells:
        framed(cell, notebook.stem, exported)
    return book


def restore(book: nbformat.NotebookNode, client: NotebookClient) -> None:
    """Widgets of other packages (progress bars) would look for a kernel: their text stands for them."""
    book.metadata.pop("widgets", None)
    client.widget_state.clear()
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            if "data" in output:
                output.data.pop("application/vnd.jupyter.widget-view+json", None)


def framed(cell: nbformat.NotebookNode, stem: str, exported: dict[int, int]) -> None:
    """Puts the page of a session in the place of its picture."""
    for output in cell.get("outputs", ()):
        mark = output.get("data", {}).pop(MARK, None)
        if mark is None or not exported.get(int(mark)):
            continue
        number = int(mark)
        data = output.data
        picture = data.get("text/html") or data.get("image/svg+xml") or ""
        address = f"../_static/traces/{stem}-{number}.html"
        title = html.escape(f"The backward of a session of {stem}, {exported[number]} steps")
        data["text/html"] = (
            f'<div class="vg-live"><iframe src="{address}" title="{title}" loading="lazy" '
            f'height="{HEIGHT}"></iframe><p>Recorded, and live here: step it, no kernel runs. '
            f'<a href="{address}">Open it alone</a></p><noscript>{picture}</noscript></div>'
        )
        data.pop("image/svg+xml", None)
