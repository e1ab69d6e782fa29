"""`vizgrad.load_traces`: files of all ranks, side by side."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

import vizgrad
from tests.debugger.ranks.programs import loss_of


def saved(
    folder: Path, rank: int, name: str, factor: float = 1.0, steps: int | None = None
) -> None:
    with vizgrad.debug(loss_of(vizgrad, rank, factor=factor), display=False) as session:
        session.stop_at_nonfinite = False
        session.continue_() if steps is None else session.step(steps)
        session.trace.save(folder / name)


def test_files_are_ranks_by_the_number_in_their_name(tmp_path: Path) -> None:
    for rank in (0, 2, 10):
        saved(tmp_path, rank, f"run.rank{rank}.vgtrace", 0.0 if rank == 10 else 1.0)
    traces = vizgrad.load_traces(tmp_path / "run.rank*.vgtrace")
    assert list(traces) == [0, 2, 10]
    assert traces.compare().leaving == (10,)
    assert repr(traces).startswith("rank 10 leaves the others at AddBackward0 (node 3)")
    assert "<svg" in traces._repr_mimebundle_()["image/svg+xml"]
    assert traces[2].position == 0


def test_a_rank_that_stopped_early_is_compared_as_far_as_it_came(tmp_path: Path) -> None:
    saved(tmp_path, 0, "a.rank0.vgtrace")
    saved(tmp_path, 1, "a.rank1.vgtrace", steps=3)
    compared = vizgrad.load_traces(tmp_path / "a.rank*.vgtrace").compare()
    assert compared.first is None
    assert sum(cell.arrived for strip in compared.strips for cell in strip.cells) == 16 + 3


def test_what_cannot_be_told_apart_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no trace fits"):
        vizgrad.load_traces(tmp_path / "none.rank*.vgtrace")
    saved(tmp_path, 0, "x.vgtrace")
    with pytest.raises(ValueError, match="does not say its rank"):
        vizgrad.load_traces(str(tmp_path / "*.vgtrace"))
    (tmp_path / "x.vgtrace").unlink()
    saved(tmp_path, 0, "a.rank1.vgtrace")
    saved(tmp_path, 0, "b.rank1.vgtrace")
    with pytest.raises(ValueError, match="are both of rank 1"):
        vizgrad.load_traces(tmp_path / "*.vgtrace")


def test_a_page_has_all_ranks(tmp_path: Path) -> None:
    for rank in range(18):
        saved(tmp_path, rank, f"run.rank{rank}.vgtrace", 0.0 if rank == 17 else 1.0)
    traces = vizgrad.load_traces(tmp_path / "run.rank*.vgtrace")
    text = traces.export(tmp_path / "ranks.html").read_text("utf-8")
    held = {int(number) for number in re.findall(r'<script id="vg-rank-(\d+)"', text)}
    assert held == {*range(15), 17}  # the one that leaves the others, and the lowest
    assert '<option value="17" selected>rank 17</option>' in text
    assert "Of 18, the steps of ranks 0-14 and 17 are here." in text
    assert "<pre>rank 17 leaves the others at" in text
    for code in re.findall(r"<script>(.*?)</script>", text, re.DOTALL):
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in text  # its policy lets the script run
    (page,) = re.findall(r'<script id="vg-page" type="text/plain">(.*?)</script>', text)
    whole = base64.b64decode(page).decode()
    assert whole.count('type="text/plain"></script>') == 1  # where the file of a rank comes
    (code,) = re.findall(r"<script>(.*?)</script>", whole, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in text
