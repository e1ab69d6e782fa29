"""What a person is told when a rank hangs, is killed in mid step, or the notebook is gone, and that what was
recorded is still there. Each test prints after how many seconds it was told (`pytest -s`): notebooks/design/
0079-faults-of-ranks.md has these figures.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

import vizgrad
from tests.debugger.ranks.numbered import LIMIT
from tests.debugger.ranks.one_cluster import OneCluster
from tests.debugger.ranks.programs import MODEL
from tests.distributed.ranks import ROOT
from tests.fixtures.ports import free_port
from vizgrad.debugger.ranks import rank_session
from vizgrad.debugger.ranks.rank_group import Ranks

PROGRAM = (
    """
import vizgrad as torch
import vizgrad.distributed as dist
from vizgrad.nn.parallel import DistributedDataParallel
"""
    + MODEL
)
#: Rank 1 stops in the backward of its sigmoid, in a function of the program, until `gate` is set.
GATED = """
import threading
gate, there = threading.Event(), threading.Event()
def held(gradient):
    if rank == 1:
        there.set()
        gate.wait(FOR)
def gated():
    model.zero_grad()
    p = torch.sigmoid(model(batch))
    p.register_hook(held)
    return -p.log().mean()
loss = gated()
""".replace("FOR", str(LIMIT))


def told_after(what: str, function: Callable[[], Any]) -> Any:
    began = monotonic()
    told = function()
    print(f"\n{what}: told after {monotonic() - began:.1f} s:\n{told}")
    return told


def killed_in_mid_step(view: Any, session: Any) -> str:
    """Rank 1, while rank 0 waits for it in an all-reduce."""
    session.step(2)
    first = view.targets[view["rank"].index(1)]
    pid = view.client[first].apply_sync(os.getpid)
    killer = threading.Timer(1.0, os.kill, (pid, signal.SIGKILL))
    killer.start()
    told = told_after("rank 1 was killed 1 s after this step began", session.continue_)
    killer.join()
    assert re.search(r"^rank 0: 1\d of 1\d nodes done; failed", told), told
    assert re.search(r"rank 1: lost: its (process|engine) .* its earlier values are kept", told)
    return told


def begun(view: Any, port: int, program: str) -> Ranks:
    view.execute(
        "import vizgrad.distributed as dist\n"
        f"dist.init_process_group('gloo', init_method='tcp://127.0.0.1:{port}', rank=rank, "
        "world_size=2)\n" + program
    )
    return vizgrad.ranks(view)


@pytest.fixture(scope="module")
def ranks(view: Any) -> Ranks:
    return begun(view, free_port(), PROGRAM)


def arrived(session: Any) -> list[int]:
    """How many nodes each rank has recorded."""
    return [len(reading.arrived) for reading in session.readings]


def test_a_rank_that_never_comes_is_named_and_the_others_keep_what_they_have(
    view: Any, ranks: Ranks
) -> None:
    view.execute("model.zero_grad(); loss = forward()")
    with ranks.debug("loss") as session:
        told = told_after("rank 1 stays away", lambda: session.continue_(rank=0))
        assert "waits in AccumulateGrad (all_reduce, 196 B) for rank 1" in told
        assert arrived(session) == [13, 0]
        assert "the backward is finished" in session.continue_()


def test_a_hung_rank_is_named_while_all_ranks_move(
    view: Any, ranks: Ranks, monkeypatch: pytest.MonkeyPatch
) -> None:
    view.execute(GATED)
    monkeypatch.setattr(rank_session, "HUNG", 3.0)
    with ranks.debug("loss") as session:
        told = told_after("rank 1 hangs (of 3 s patience)", session.continue_)
        assert re.search(r"rank 0: 12 of 13 nodes done; running in AccumulateGrad for \d+ s", told)
        assert re.search(r"rank 1: \d of 13 nodes done; running in \w+ for \d+ s", told)
        before = arrived(session)
        assert before[0] == 12
        assert len(session.trace(1).trace.records) == before[1]
        view.execute("gate.set()")
        assert "the backward is finished" in session.continue_()
        assert arrived(session) == [13, 13]


NOTEBOOK = """
import os, signal, sys, warnings
warnings.simplefilter("ignore")
import ipyparallel, vizgrad
client = ipyparallel.Client(profile_dir=sys.argv[1], cluster_id=sys.argv[2])
session = vizgrad.ranks(client[[int(each) for each in sys.argv[3:]]]).debug("loss")
session.step(3)
print(session.continue_(rank=0), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_notebook_that_is_gone_takes_nothing_along(
    cluster: OneCluster, view: Any, ranks: Ranks
) -> None:
    view.execute("model.zero_grad(); loss = forward()")
    with pytest.raises(RuntimeError, match="rank 0: no session of ranks is open there"):
        ranks.attach()
    done = subprocess.run(
        [
            *(sys.executable, "-c", NOTEBOOK),
            *(cluster.running.profile_dir, cluster.running.cluster_id, *map(str, view.targets)),
        ],
        capture_output=True, text=True, timeout=LIMIT,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr
    session = told_after("a notebook was killed", ranks.attach)
    assert (
        session.where.splitlines()
        == [
            "rank 0: 13 of 14 nodes done; waits in AccumulateGrad (all_reduce, 196 B) for rank 1",
            "rank 1: 3 of 14 nodes done; next is MulBackward0 (node 3)",
        ]
        == done.stdout.splitlines()
    )
    assert arrived(session) == [13, 3]
    assert len(session.trace(1).trace.records) == 3
    assert "the backward is finished" in session.continue_()
    assert session.back(11).startswith("both ranks: 3 of 14")
    session.close()


def test_a_rank_that_is_killed_in_mid_step_loses_nothing_of_the_others(
    view: Any, ranks: Ranks, tmp_path: Path
) -> None:
    """The last of the file: one engine is gone after it."""
    view.execute(
        "import vizgrad\nw = vizgrad.zeros(2, requires_grad=True)\nwith vizgrad.watch():\n"
        "    (w * w).sqrt().sum().backward()"
    )
    view.execute(GATED)
    session = ranks.debug("loss")
    told = killed_in_mid_step(view, session)
    assert "failed: DistBackendError: Connection closed by peer: the process with rank 1" in told
    kept = arrived(session)
    assert kept[0] >= 12
    assert kept[1] >= 2
    assert session.trace(0).trace.save(tmp_path / "rank0.vgtrace").is_file()
    assert session.back(3, rank=0).startswith("rank 0: ")
    assert arrived(session) == [kept[0] - 3, kept[1]]
    with pytest.warns(UserWarning, match=r"rank 1: its (process|engine)"):
        assert ranks.findings
    session.close()
