"""The view of a session over two engines: moved by its buttons, all ranks or one."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture

START = """\
import ipyparallel, vizgrad
cluster = ipyparallel.Cluster(n=2)
client = cluster.start_and_connect_sync()
for rank in client.ids:
    client[rank].push({'rank': rank}, block=True)"""
FORWARD = """\
%%px
import vizgrad
vizgrad.manual_seed(rank)
model = vizgrad.nn.Linear(4, 2)
batch = vizgrad.randn(8, 4)
with vizgrad.watch():
    scores = model(batch).softmax(1) * (1 - rank)
    loss = -scores.log().mean()"""
COMPARE = "ranks = vizgrad.ranks(client[:])\nranks.compare('loss')"
DEBUG = "session = ranks.debug('loss')\nsession"


def test_ranks_are_moved_together_or_alone(lab: Lab) -> None:
    notebook = lab.open_notebook(START, FORWARD, COMPARE, DEBUG)
    try:
        notebook.run()
        expect(notebook.output(2)).to_contain_text("rank 1 leaves the others at MulBackward0")
        view = notebook.output(3)
        expect(view).to_contain_text("both ranks: 0 of 9 nodes done")
        view.get_by_role("button", name="Step").click()
        expect(view).to_contain_text("both ranks: 1 of 9 nodes done")
        view.get_by_role("combobox").select_option("Rank 1")
        view.get_by_role("button", name="Continue").click()
        expect(view).to_contain_text(
            re.compile(r"rank 0: 1 of 9 nodes done.*rank 1: 3 of 9", re.DOTALL)
        )
        expect(view).to_contain_text("LogBackward0 made 16 inf of 16")
        picture(view, "ranks")
        view.get_by_role("button", name="Open rank").click()
        expect(view.get_by_role("button", name="Step back")).to_be_visible()
        notebook.execute("session.restart(); session.continue_(); session.close()")
        expect(view).to_contain_text("closed")
        expect(view.get_by_role("button", name="Restart").first).to_be_disabled()
    finally:
        notebook.execute("cluster.stop_cluster_sync()")


ON_ENGINES = """\
%%px
%load_ext vizgrad
import vizgrad
x = vizgrad.ones(3, requires_grad=True)"""
STOPPED = """\
%%px
%%vizgrad debug both
loss = (x * (rank + 1)).tanh().sum()
loss.backward()"""


def test_a_debug_cell_on_all_engines_shows_one_view(lab: Lab) -> None:
    notebook = lab.open_notebook("%load_ext vizgrad\n" + START, ON_ENGINES, STOPPED)
    try:
        notebook.run()
        view = notebook.output(2)
        expect(view).to_contain_text("Stopped before backward 1 of this cell")
        expect(view).to_contain_text("both ranks: 0 of 4 nodes done")
        view.get_by_role("button", name="Step").click()
        expect(view).to_contain_text("both ranks: 1 of 4 nodes done")
        picture(view, "ranks_stopped")
    finally:
        notebook.execute("cluster.stop_cluster_sync()")
