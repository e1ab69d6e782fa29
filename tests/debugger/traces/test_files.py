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
from tests.fixtures.older_traces import version_1
from tests.fixtures.sessions import small
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.traces import TraceFileError, files
from vizgrad.serialization import memory_limit

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    _, _, live = small()
    live.continue_()
    return live.trace.save(tmp_path / "whole.vgtrace")


@pytest.fixture
def older(whole: Path) -> Path:
    """The same of version 1, in whose texts everything has its place."""
    path = whole.with_name("older.vgtrace")
    path.write_bytes(version_1(whole.read_bytes()))
    return path


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


def test_is_a_zip_without_pickles(whole: Path) -> None:
    with zipfile.ZipFile(whole) as archive:
        names = archive.namelist()
        assert names[:4] == ["trace.json", "view.json", "manifest.json", "arrays.json"]
        assert all(name.startswith("arrays/") and name.endswith(".npy") for name in names[4:])
        assert len(names) > 4
        deflated = [i.filename for i in archive.infolist() if i.compress_type]
        assert deflated == ["trace.json", "view.json", "arrays.json"]
        for name in names[4:]:
            np.load(io.BytesIO(archive.read(name)), allow_pickle=False)


def test_a_file_of_the_first_version_is_read_as_before(whole: Path, older: Path) -> None:
    one, other = vg.load_trace(whole), vg.load_trace(older)
    assert one.whole == other.whole
    assert one.whole.values.keys() == other.whole.values.keys()
    for of, value in one.whole.values.items():
        np.testing.assert_array_equal(value, other.whole.values[of], strict=True)


def test_arrays_of_one_kind_share_a_file_as_far_as_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "FILE", 8)
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    with open_session(x.exp().tanh().sum(), names={}) as session:
        session.continue_()
        arrays = dict(session.trace.arrays())
        path = session.trace.save(tmp_path / "it")
    assert len([name for name in records_of(path) if name.endswith(".npy")]) > 2
    read = vg.load_trace(path).whole.values
    assert read.keys() == arrays.keys()
    for of, value in arrays.items():
        np.testing.assert_array_equal(read[of], value, strict=True)


def large() -> vg.Tensor:
    """Gradients of 640 kB and of few bytes; one node makes a NaN."""
    wide = vg.randn(400, 400, requires_grad=True)
    narrow = vg.randn(400, requires_grad=True)
    zeros = (wide * narrow).tanh() * vg.zeros(400, 400)
    return (zeros.sqrt() * 0).sum() + narrow.exp().sum()


def test_a_file_is_small_unless_all_is_asked_for(tmp_path: Path) -> None:
    with open_session(large(), names={}) as session:
        session.stop_at_nonfinite = False
        session.continue_()
        trace, nodes = session.trace, session.run.nodes
        kept = {of: array.nbytes for of, array in trace.arrays()}
        short = trace.save(tmp_path / "short.vgtrace")
        page = trace.export(tmp_path / "short.html")
        full = trace.save(tmp_path / "full.vgtrace", full=True)
        full_page = trace.export(tmp_path / "full.html", full=True)
    assert max(short.stat().st_size, page.stat().st_size) < 2_000_000
    assert min(full.stat().st_size, full_page.stat().st_size) > 3_000_000
    assert vg.load_trace(full).whole.values.keys() == kept.keys()
    loaded = vg.load_trace(short)
    there = loaded.whole.values.keys()
    assert {of for of, size in kept.items() if size < 10_000} < there
    faulty = {birth.node for birth in loaded.whole.births}
    assert {of for of in kept if of.node in faulty} < there
    assert len(there) < len(kept)
    loaded.seek(loaded.total)
    assert repr(loaded.run.nodes) == repr(nodes)  # with all norms; NaN is NaN
    again = loaded.save(tmp_path / "again.vgtrace")
    assert vg.load_trace(again).whole.values.keys() == there


def test_what_repeats_takes_next_to_nothing(tmp_path: Path) -> None:
    def size(turns: int) -> int:
        x = vg.ones(4, requires_grad=True)
        y = x
        for _ in range(turns):
            y = y * 1.0001 + 0.1
        with open_session(y.sum(), names={}) as session:
            session.step(3)
            return session.trace.save(tmp_path / "it").stat().st_size

    assert size(2000) - size(1000) < 20 * 2 * 1000  # of 1500 bytes a node, once


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
    with pytest.raises(TraceFileError, match="is not a readable trace"):
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
def test_damage(older: Path, record: str, change: Change | bytes | None, says: str) -> None:
    with pytest.raises(TraceFileError, match=says):
        vg.load_trace(changed(older, record, change))


def _column(table: str, field: str, value: Any) -> Change:
    return _set("tables", table, "columns", field, value=value)


@pytest.mark.parametrize(
    ("record", "change", "says"),
    [
        ("trace.json", None, "no trace.json"),
        ("arrays.json", None, "no item named"),
        ("trace.json", b"{", "JSON"),
        ("trace.json", b"[" * 100_000, "JSON"),
        ("trace.json", _set("root", value="Graph"), "expected a Trace"),
        ("trace.json", _set("tables", value={}), "expected one Trace"),
        ("trace.json", _set("tables", "Trace", "rows", value=2), "expected"),
        ("trace.json", _set("tables", "Node", "rows", value=10**15), "more than .* bytes of memory"),
        ("trace.json", _set("tables", "Node", "rows", value=4), "expected an array of 4"),
        ("trace.json", _column("Trace", "version", {"steps": [99]}), "update vizgrad"),
        ("trace.json", _column("Node", "id", {"steps": [0, 1, 1, 1, 0]}), "ids are indices"),
        ("trace.json", _column("Node", "id", {"steps": [0, 1, 1, 1, True]}), "a whole number, got true"),
        ("trace.json", _column("Node", "id", {"steps": [0, 1, 1, 1, "x"]}), "got the string 'x'"),
        ("trace.json", _column("Node", "id", {"steps": [2**64, 0, 0, 0, 0]}), "a larger one"),
        ("trace.json", _column("Node", "name", ["a", "b", 1, "d", "e"]), "Node.name: expected a string"),
        ("trace.json", _column("Node", "name", {"distinct": 2, "of": ["a", "b"], "at": [0, 1, 2, 0, 0]}),
         "places below 2"),
        ("trace.json", _column("Node", "name", {"distinct": 9, "of": ["a"] * 9}), "at most 5 distinct"),
        ("trace.json", _column("Node", "edges", {"lengths": {"steps": [-1, 2, 0, 0, 0]}, "items": []}),
         "negative"),
        ("trace.json", _column("Node", "edges", {"lengths": {"steps": [10**12, 0, 0, 0, 0]}, "items": []}),
         "bytes of memory"),
        ("trace.json", _column("Node", "place", {"table": "Node", "rows": {"steps": [0] * 5}}),
         "rows of Place"),
        ("trace.json", _column("Node", "place", {"none": [0, 0], "some": []}), "in order"),
        ("trace.json", _set("tables", "Node", "columns", "sequence_nr", value=None), "an object, got null"),
        ("arrays.json", _column("Filed", "at", {"steps": [99] * 9}), "expected"),
        ("arrays/0.npy", b"\x93NUMPY\x01\x00", "no array of numpy"),
    ],
)  # fmt: skip
def test_damaged_columns(
    whole: Path, record: str, change: Change | bytes | None, says: str
) -> None:
    with pytest.raises(TraceFileError, match=says):
        vg.load_trace(changed(whole, record, change))


def test_what_is_written_once_and_meant_without_end_is_refused(whole: Path) -> None:
    def change(data: dict[str, Any]) -> None:
        # lists of the same lists of the same lists: a billion values in a few words
        tables = data["tables"]
        one = {"distinct": 1, "of": {"steps": [0]}}
        scope = {"lengths": {"steps": [1000]}, "items": {"distinct": 1, "of": ["a"]}}
        node = tables["Node"]
        node["columns"]["scope"] = {"distinct": 1, "of": scope}
        graph = tables["Graph"]["columns"]["nodes"]
        graph["lengths"] = {"steps": [1_000_000]}
        graph["items"] = {"table": "Node", "rows": one}

    with (
        memory_limit(1 << 30),
        pytest.raises(TraceFileError, match="of at most 200000000 values"),
    ):
        vg.load_trace(changed(whole, "trace.json", change))


def test_what_a_page_has_no_room_for_is_said_when_it_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, live = small()
    live.continue_()
    nodes, steps = len(live.trace.graph.nodes), len(live.trace.records)
    monkeypatch.setattr(files, "MOST_IN_PAGE", nodes + steps)
    live.trace.save(tmp_path / "it")
    monkeypatch.setattr(files, "MOST_IN_PAGE", nodes + steps - 1)
    says = f"{nodes} nodes and {steps} steps is too large for a page.*vizgrad.load_trace reads it"
    with pytest.warns(UserWarning, match=says) as warned:
        live.trace.save(tmp_path / "it")
    assert warned[0].filename == __file__


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
    from vizgrad.debugger.engines.vizgrad.opener import open_session

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


def test_a_folder_that_is_missing_is_named_and_not_a_file_of_ours(tmp_path: Path) -> None:
    session = open_session(vg.ones(2, requires_grad=True).sum(), names={})
    path = tmp_path / "none" / "run.vgtrace"
    with pytest.raises(FileNotFoundError) as caught:
        session.trace.save(path)
    assert caught.value.filename == str(path)
