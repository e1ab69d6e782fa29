"""PyTorch's flight records: read as data, and compared over the ranks."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

import vizgrad
from tests.debugger.ranks.test_rank_traces import saved
from vizgrad.debugger.ranks.flight_records import (
    FlightRecordError,
    compared,
    read_record,
    record_of,
)


def entry(number: int, name: str = "gloo:all_reduce", size: int = 6, **more: Any) -> dict[str, Any]:
    """As PyTorch 2.13 writes it."""
    return {
        "frames": [
            {"name": "wrapper", "filename": "/x/site-packages/torch/distributed/a.py", "line": 1},
            {"name": "tapped", "filename": "<vizgrad tap>", "line": 7},
            {"name": "main", "filename": "/home/train.py", "line": 10 + number},
        ],
        "process_group": ("0", "default_pg"),
        "collective_seq_id": number,
        "profiling_name": name,
        "input_sizes": [[size]],
        "input_dtypes": ["Float"],
        "retired": True,
        "is_p2p": False,
        **more,
    }


def written(*entries: dict[str, Any]) -> bytes:
    return pickle.dumps({"version": "2.10", "entries": list(entries)})


def lines(*records: bytes) -> list[str]:
    return list(compared({rank: record_of(data) for rank, data in enumerate(records)}))


def test_a_rank_that_did_not_call_a_collective_is_named_with_its_last() -> None:
    all_of_them = written(*map(entry, range(1, 5)))
    assert lines(all_of_them, all_of_them) == []
    (line,) = lines(all_of_them, written(*map(entry, (1, 2))), all_of_them)
    assert line == (
        "collective 3 of group 0, default_pg: ranks 0 and 2 called gloo:all_reduce of Float [6] "
        "(train.py:13); rank 1 did not: its last is number 2, gloo:all_reduce of Float [6] (train.py:12)"
    )


def test_other_collectives_and_sizes_are_told_and_what_is_gone_is_not() -> None:
    first = written(*map(entry, range(3, 6)))
    # the ring of the other has lost less, and messages from one to one have no number in common
    other = written(entry(1), entry(2), entry(3), entry(9, is_p2p=True), entry(4, size=7), entry(5))
    (line,) = lines(first, other)
    assert "collective 4" in line
    assert "rank 0 called gloo:all_reduce of Float [6]" in line
    assert "rank 1 called gloo:all_reduce of Float [7] (train.py:14)" in line
    apart = written(entry(1, process_group=("1", "")))
    assert lines(first, apart) == []  # in no group together


class Evil:
    def __reduce__(self) -> Any:
        return os.system, ("touch evil",)


def test_nothing_in_a_file_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for data in (
        pickle.dumps({"entries": [Evil()]}),
        b"",
        b"abc",
        pickle.dumps([1]),
        b"\x80\x04N.",
    ):
        (tmp_path / "run.rank0.flight").write_bytes(data)
        with pytest.raises(FlightRecordError):
            read_record(tmp_path / "run.rank0.flight")
    assert not (tmp_path / "evil").exists()


def test_records_beside_traces_are_read(tmp_path: Path) -> None:
    for rank in range(2):
        saved(tmp_path, rank, f"run.rank{rank}.vgtrace")
        (tmp_path / f"run.rank{rank}.flight").write_bytes(written(*map(entry, range(1, 4 - rank))))
    traces = vizgrad.load_traces(tmp_path / "run.rank*.vgtrace")
    (line,) = traces.collectives
    assert line.startswith("collective 3 of group 0, default_pg: rank 0 called")
    assert repr(traces).endswith(line)
    (tmp_path / "run.rank1.flight").write_bytes(b"damaged")
    with pytest.warns(UserWarning, match="not read: run.rank1.flight is no flight record"):
        assert vizgrad.load_traces(tmp_path / "run.rank*.vgtrace").collectives == ()
