"""What the version before the house wrote still opens: an exported page, and a notebook with its outputs.

`tests/fixtures/before_the_house/` was written by the last commit without `core/` and `debugger/` (6369c9cb).
The code of the page is left out: a page runs its own, whatever vizgrad is installed.
"""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import nbformat
import pytest
from nbclient import NotebookClient

import vizgrad as vg
from tests.fixtures import traces
from tests.fixtures.limits import HANG
from tests.fixtures.warm_kernels import WARM
from vizgrad.debugger.jupyter.widget import protocol
from vizgrad.debugger.jupyter.widget.saved_data import MIME
from vizgrad.debugger.traces import files

FOLDER = Path(__file__).parents[1] / "fixtures" / "before_the_house"
FILE = re.compile(r'<script id="vg-file" type="text/plain">([^<]*)<')


def file_in(page: str) -> bytes:
    (found,) = FILE.findall(page)
    return base64.b64decode(found)


@pytest.fixture
def file() -> bytes:
    return file_in((FOLDER / "page.html").read_text("utf-8"))


def test_a_page_is_seen_as_it_was_at_every_position(file: bytes) -> None:
    expected = json.loads((FOLDER / "seen.json").read_text("utf-8"))
    with vg.load_trace(io.BytesIO(file)) as loaded:
        seen = json.loads(traces.text_of(traces.seen(loaded)))
    for told in seen["inspections"].values():
        for each in told:
            each.pop("maths", None)  # how a formula is written is not in the file, and may change
            leaf = each.pop("leaf", None)
            if leaf is not None:  # nor was it told then who uses a leaf
                named, users = each.pop("names"), leaf["users"]
                assert [name["node"] for name in named] == [use["node"] for use in users] != []
    for standing in seen["standings"].values():
        assert standing.pop("can_change") is False  # nobody was told so then
    assert seen == expected
    assert len(expected["standings"]) == 8


def test_a_page_is_replayed_forward_and_back(file: bytes) -> None:
    with vg.load_trace(io.BytesIO(file)) as loaded:
        names = []
        while loaded.position < loaded.total:
            names.append(loaded.node.name)
            loaded.step()
        assert loaded.status == "finished"
        loaded.back(7)
        assert (loaded.position, loaded.node.name) == (0, names[0])
        assert names == [
            "SumBackward0", "PowBackward0", "TanhBackward0", "AddBackward0", "AccumulateGrad",
            "MmBackward0", "AccumulateGrad",
        ]  # fmt: skip


def test_a_page_can_be_exported_anew(file: bytes, tmp_path: Path) -> None:
    """With the code of today: so a fault of the old code is mended."""
    with vg.load_trace(io.BytesIO(file)) as loaded:
        loaded.export(tmp_path / "anew.html")
    page = (tmp_path / "anew.html").read_text("utf-8")
    assert files._harmless((files.STATIC / "trace.js").read_text("utf-8")) in page
    assert vg.load_trace(io.BytesIO(file_in(page))).total == 7


def saved_outputs() -> list[dict[str, Any]]:
    notebook = nbformat.read(FOLDER / "notebook.json", as_version=4)
    return [output.data for cell in notebook.cells for output in cell.outputs if "data" in output]


def test_what_a_notebook_has_saved_is_what_the_page_reads() -> None:
    """The labextension's side of it is in `extension/src/mime/saved.test.ts`."""
    views = [protocol.SavedView(**data[MIME]) for data in saved_outputs() if MIME in data]
    assert [(view.title, view.position, view.total) for view in views] == [
        ("loss, In [3]", 0, 7),
        ("backward, In [7]", 0, 7),
    ]
    drawn = [data["image/svg+xml"] for data in saved_outputs() if "image/svg+xml" in data]
    assert [ET.fromstring(svg).tag.rpartition("}")[2] for svg in drawn] == ["svg"] * 3


def test_a_notebook_runs_as_it_did() -> None:
    """Old imports, magics, methods and conditions, in a fresh kernel; and what each cell shows."""
    before = nbformat.read(FOLDER / "notebook.json", as_version=4)
    notebook = nbformat.from_dict(json.loads(json.dumps(before)))
    NotebookClient(
        notebook, timeout=HANG, startup_timeout=HANG, kernel_name=WARM,
        resources={"metadata": {"path": str(FOLDER)}},
    ).execute()  # fmt: skip
    assert [kinds(cell) for cell in notebook.cells] == [
        without_twice(kinds(cell)) for cell in before.cells
    ]
    last = [
        cell.outputs[-1].data["text/plain"] for cell in (notebook.cells[-2], notebook.cells[-1])
    ]
    assert last == ["7", "'nonfinite-masked'"]


def without_twice(outputs: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """A session that is the value of the cell whose output shows its view was printed below it, too."""
    shown = [kind for kind, mimes in outputs if MIME in mimes]
    return [each for each in outputs if not shown or each != ("execute_result", ["text/plain"])]


def kinds(cell: Any) -> list[tuple[str, list[str]]]:
    """Of each output that is no stream its type and its mime types: how far a move is may be printed."""
    return [(o.output_type, sorted(o.data)) for o in cell.outputs if o.output_type != "stream"]
