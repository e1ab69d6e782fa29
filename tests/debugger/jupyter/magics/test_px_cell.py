"""``%%vizgrad debug`` below ``%%px``, in a real kernel with two engines of ipyparallel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.debugger.jupyter.magics.kernel import Cell, Kernel

START = """\
import warnings
warnings.simplefilter("ignore")
import ipyparallel
import vizgrad as vg
cluster = ipyparallel.Cluster(n=2, engine_timeout=600, profile_dir={folder!r})
client = cluster.start_and_connect_sync()
for rank, engine in enumerate(client):
    engine.push({{"rank": rank}}, block=True)
%load_ext vizgrad
"""
ON_ENGINES = """\
%%px
%load_ext vizgrad
import vizgrad as vg
x = vg.ones(3, requires_grad=True)
"""
LIVE = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    running = Kernel()
    try:
        started = running.run(START.format(folder=str(tmp_path_factory.mktemp("profile"))))
        assert not started.error, started.error
        prepared = running.run(ON_ENGINES)
        assert not prepared.error, prepared.error
        yield running
    finally:
        running.run("client.close(); cluster.stop_cluster_sync()")
        running.shut_down()


@pytest.fixture
def fresh(ranks: Kernel) -> Iterator[Kernel]:
    ranks.run("globals().pop('both', None)")
    yield ranks
    ranks.run("both.closed or both.close()")


def _stopped(cell: Cell) -> int:
    """How many engines say that they have stopped; their client displays what they print."""
    texts = (each.get("text/plain", "") for each in cell.shown)
    return sum("Stopped before backward 1 of this cell" in text for text in texts)


def test_the_cell_stops_on_all_engines_and_is_one_session(fresh: Kernel) -> None:
    cell = fresh.run(
        "%%px\n\n%%vizgrad debug both\nafter = 0\nloss = (x * (rank + 1)).sum()\n"
        "loss.backward()\nafter = 1"
    )
    assert not cell.error
    assert _stopped(cell) == 2
    live = [each["text/plain"] for each in cell.shown if LIVE in each]
    assert "loss on both ranks" in live[-1], "the view of both; before it, the bar of %%px"
    assert "both ranks: 0 of 3 nodes done" in fresh.run("both.where").result
    assert "both ranks: 3 of 3 nodes done" in fresh.run("both.continue_()").result
    found = fresh.run("client[:].apply_sync(lambda: (x.grad.tolist(), after))")
    assert found.result == "[([1.0, 1.0, 1.0], 0), ([2.0, 2.0, 2.0], 0)]"


def test_a_target_is_chosen_as_by_px(fresh: Kernel) -> None:
    cell = fresh.run(
        "%%px --targets 1\n%%vizgrad debug both\nloss = (x * (rank + 1)).sum()\nloss.backward()"
    )
    assert _stopped(cell) == 1
    assert fresh.run("len(both.ranks)").result == "1"
    assert "finished" in fresh.run("both.continue_()").result


def test_a_cell_that_runs_to_its_end_takes_no_earlier_session(fresh: Kernel) -> None:
    fresh.run("%%px\n%%vizgrad debug both\nloss = x.sum()\nloss.backward()")
    cell = fresh.run("%%px\n%%vizgrad debug other --at 9\nloss = x.sum()\nloss.backward()")
    assert "the last %%vizgrad debug cell opened no session" in cell.printed
    assert "NameError" in fresh.run("other").error


def test_a_session_that_could_not_be_joined_stays_open(fresh: Kernel) -> None:
    """Here a program runs the cell on one engine, and nothing looks at it afterwards."""
    fresh.run("%%px --targets 1\n%%vizgrad debug both --at 9\nx.sum().backward()")
    cell = "get_ipython().run_cell_magic('vizgrad', 'debug mine', 'x.sum().backward()')"
    ran = fresh.run(f"client[0].execute({cell!r}, block=True)")
    assert not ran.error
    refused = fresh.run("vg.ranks(client[:]).debug()")
    assert "rank 1: the last %%vizgrad debug cell opened no session" in refused.error
    joined = fresh.run("both = vg.ranks(client[0:1]).debug()\nboth.where")
    assert "0 of 2 nodes done" in joined.result
    again = fresh.run("vg.ranks(client[0:1]).debug()")
    assert "another session of ranks moves" in again.error


def test_without_the_extension_nothing_follows(fresh: Kernel) -> None:
    fresh.run("%unload_ext vizgrad")
    cell = fresh.run("%%px\n%%vizgrad debug both\nx.sum().backward()")
    assert _stopped(cell) == 2
    assert "NameError" in fresh.run("both").error
    fresh.run("%load_ext vizgrad")
    assert "0 of 2 nodes done" in fresh.run("both = vg.ranks(client[:]).debug()\nboth.where").result
