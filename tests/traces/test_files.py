"""What is no trace is refused with one class of error, before anything is made of it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures.sessions import small
from vizgrad.traces import TraceFileError

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    _, _, live = small()
    live.continue_()
    return live.trace.save(tmp_path / "whole.vgtrace")


def records_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed(path: Path, record: str, change: Change | bytes | None) -> Path:
    """The file with another record: changed as JSON, exchanged, or left out."""
    records = records_of(path)
    if change is None:
        del records[record]
    elif isinstance(change, bytes):
        records[record] = change
    else:
        data = json.loads(records[record])
        change(data)
        records[record] = json.dumps(data).encode()
    other = path.with_name("changed.vgtrace")
    with zipfile.ZipFile(other, "w") as archive:
        for name, content in records.items():
            archive.writestr(name, content)
    return other


def test_is_an_uncompressed_zip_without_pickles(whole: Path) -> None:
    with zipfile.ZipFile(whole) as archive:
        names = archive.namelist()
        assert names[:3] == ["manifest.json", "trace.json", "view.json"]
        assert all(name.startswith("arrays/") and name.endswith(".npy") for name in names[3:])
        assert len(names) > 4
        for info in archive.infolist():
            assert info.compress_type == zipfile.ZIP_STORED
        for name in names[3:]:
            np.load(io.BytesIO(archive.read(name)), allow_pickle=False)


def test_equal_traces_are_equal_files(tmp_path: Path) -> None:
    _, _, live = small()
    live.continue_()
    one, two = live.trace.save(tmp_path / "one"), live.trace.save(tmp_path / "two")
    assert one.read_bytes() == two.read_bytes()


def test_an_error_while_saving_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    _, _, live = small()
    path = live.trace.save(tmp_path / "it")
    before = path.read_bytes()
    with pytest.raises(FileNotFoundError):
        live.trace.save(tmp_path / "nowhere" / "it")
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["it"]


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        vg.load_trace(tmp_path / "nothing.vgtrace")


@pytest.mark.parametrize("content", [b"", b"PK", b"{}", b"x" * 1000])
def test_other_files(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other.vgtrace"
    path.write_bytes(content)
    with pytest.raises(TraceFileError, match="is no trace that can be read"):
        vg.load_trace(path)


def _set(*path: Any, value: Any) -> Change:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("record", "change", "says"),
    [
        ("manifest.json", None, "no manifest.json"),
        ("trace.json", None, "no trace.json"),
        ("manifest.json", b"[" * 100_000, "JSON"),
        ("trace.json", b"{", "JSON"),
        ("manifest.json", _set("format", value="another"), "format"),
        ("manifest.json", _set("version", value=99), "update vizgrad"),
        ("trace.json", _set("version", value=99), "update vizgrad"),
        ("manifest.json", _set("nodes", value=4), "does not belong"),
        ("manifest.json", _set("arrays", 0, "shape", value=[4]), "not the array"),
        ("manifest.json", _set("arrays", 0, "file", value="../secret"), "no item named"),
        ("trace.json", _set("graph", "nodes", 1, "id", value=0), "ids are indices"),
        ("trace.json", _set("graph", "nodes", 0, "edges", 0, "node", value=77), "node 77 of 5"),
        ("trace.json", _set("graph", "nodes", 1, "edges", 0, "node", value=0), "goes back"),
        ("trace.json", _set("graph", "roots", 0, value=[9, 0]), "root"),
        ("trace.json", _set("records", 1, "visit", "node", value=-1), "node -1, of 5"),
        ("trace.json", _set("records", 1, "visit", "index", value=3), "step 1"),
        ("trace.json", _set("records", 1, "current", value=0), "step 2"),
        ("trace.json", _set("records", 0, "arrived", value=[
            {"node": 1, "input_nr": 0, "before": None, "after": {
                "shape": [], "dtype": "x", "device": "y", "bytes": 1}}] * 2), "cannot be taken back"),
        ("trace.json", _set("start", "total", value=1), "start"),
        ("trace.json", _set("start", "current", value=5), "the start tells of node 5"),
        ("trace.json", _set("start", "needed", value=[0] * 99), "start"),
        ("arrays/0.npy", b"\x93NUMPY\x01\x00", "no array of numpy"),
    ],
)  # fmt: skip
def test_damage(whole: Path, record: str, change: Change | bytes | None, says: str) -> None:
    with pytest.raises(TraceFileError, match=says):
        vg.load_trace(changed(whole, record, change))


def test_objects_of_python_are_not_read(whole: Path) -> None:
    file = io.BytesIO()
    np.save(file, np.array([print], dtype=object), allow_pickle=True)
    with pytest.raises(TraceFileError, match="pickle"):
        vg.load_trace(changed(whole, "arrays/0.npy", file.getvalue()))


def test_what_would_take_much_memory_is_refused(whole: Path, tmp_path: Path) -> None:
    records = records_of(whole)
    path = tmp_path / "bomb.vgtrace"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in records.items():
            bomb = b'{"graph":{"nodes":[' + b"[]," * 30_000_000
            archive.writestr(name, bomb if name == "trace.json" else content)
    with pytest.raises(TraceFileError, match="made to do harm"):
        vg.load_trace(path)


def test_names_of_strangers_are_text_everywhere(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)></script>"
    x = vg.tensor([1.0], requires_grad=True)
    from vizgrad.stepping.opener import open_session

    with vg.scope(evil):
        live = open_session(x * 2, names={id(x): evil}, title=evil)
    live.continue_()
    path = live.trace.save(tmp_path / "it")
    assert b"<" not in records_of(path)["view.json"] + records_of(path)["trace.json"]
    loaded = vg.load_trace(path)
    assert loaded.title == evil
    html = loaded.diff(vg.load_trace(path))._repr_html_()
    assert "<img" not in html
    with vg.scope("other"):
        other = open_session(x * 3, names={id(x): evil})
    other.continue_()
    assert "<img" not in other.trace.diff(loaded)._repr_html_()
