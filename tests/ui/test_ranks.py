"""The view of a session over two engines: moved by its buttons, all ranks or one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

import vizgrad
from tests.debugger.ranks.test_rank_traces import saved
from tests.fixtures.ports import free_port
from tests.ui.lab import Lab, Notebook
from tests.ui.pictures import picture
from tests.ui.test_access import axe, axe_in
from tests.ui.test_life import run_cell
from tests.ui.test_traces import alone as alone  # a fixture

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
DDP = """\
%%px
import vizgrad, vizgrad.distributed as dist
dist.init_process_group('gloo', init_method='tcp://127.0.0.1:PORT', rank=rank, world_size=2)
nn = vizgrad.nn
vizgrad.manual_seed(0)
net = nn.Sequential(nn.Linear(40, 80), nn.Tanh(), nn.Linear(80, 3))
model = nn.parallel.DistributedDataParallel(net, bucket_cap_mb=0.001)
loss = model(vizgrad.randn(5, 40)).pow(2).sum()"""
DEBUG_DDP = "session = vizgrad.ranks(client[:]).debug('loss')\nsession"


def test_sessions_over_two_engines(lab: Lab) -> None:
    """In three sessions, one after the other, on engines that are started once."""
    ddp = DDP.replace("PORT", str(free_port()))
    notebook = lab.open_notebook(
        "%load_ext vizgrad\n" + START,
        *(FORWARD, COMPARE, DEBUG),
        *(ON_ENGINES, STOPPED),
        *(ddp, DEBUG_DDP),
    )
    try:
        for cell in (0, 1, 2, 3):
            run_cell(notebook, cell)
        expect(notebook.output(2)).to_contain_text("rank 1 leaves the others at MulBackward0")
        _moved_together_or_alone(notebook, notebook.output(3))
        for cell in (4, 5):
            run_cell(notebook, cell)
        _a_debug_cell_on_all_engines_shows_one_view(notebook, notebook.output(5))
        for cell in (6, 7):
            run_cell(notebook, cell)
        _a_bucket_is_a_box_that_says_who_came_last(notebook, notebook.output(7))
    finally:
        notebook.execute("cluster.stop_cluster_sync()")


def _moved_together_or_alone(notebook: Notebook, view: Locator) -> None:
    lines = view.get_by_role("list", name="Where the ranks stand")
    expect(lines).to_contain_text("both ranks 0 of 9 nodes done")
    view.get_by_role("button", name="Step", exact=True).click()
    expect(lines).to_contain_text("both ranks 1 of 9 nodes done")
    view.get_by_role("combobox", name="Rank").select_option("1")
    together = view.get_by_role("checkbox", name="Move all ranks")
    together.click()  # the kernel answers: `uncheck` does not wait for that
    expect(together).not_to_be_checked()
    view.get_by_role("button", name="Continue").click()
    expect(lines).to_contain_text(re.compile(r"rank 0 1 of 9 nodes done.*rank 1 3 of 9", re.DOTALL))
    expect(lines).to_contain_text("LogBackward0 made 16 inf of 16")
    together.click()
    expect(together).to_be_checked()
    view.get_by_role("button", name="Continue").click()
    expect(view).to_contain_text("rank 1 leaves the others at MulBackward0 #4")
    expect(view).not_to_contain_text("(node")  # the kernel counts nodes from 0, the view steps
    node = view.get_by_role("treeitem", name=re.compile("MulBackward0.*rank 1: inf"))
    expect(node).to_have_count(1)  # the strip in words
    expect(node.locator(".vg-ranks [data-cell=n]")).to_have_count(1)
    view.get_by_role("button", name="Show node").click()
    table = view.get_by_role("group", name="Ranks at this node")
    expect(table.get_by_role("row", name="1 (shown)")).to_contain_text("inf")
    picture(view, "ranks")
    table.get_by_role("button", name="0").click()  # from the table to that rank
    expect(view.get_by_role("combobox", name="Rank")).to_have_value("0")
    assert axe(view) == []
    notebook.execute("session.restart(); session.continue_(); session.close()")
    expect(lines).to_contain_text("closed")


def _a_debug_cell_on_all_engines_shows_one_view(notebook: Notebook, view: Locator) -> None:
    expect(view).to_contain_text("Stopped before backward 1 of this cell")
    lines = view.get_by_role("list", name="Where the ranks stand")
    expect(lines).to_contain_text("both ranks 0 of 4 nodes done")
    view.get_by_role("button", name="Step", exact=True).click()
    expect(lines).to_contain_text("both ranks 1 of 4 nodes done")
    picture(view, "ranks_stopped")
    notebook.execute("both.close()")


def _a_bucket_is_a_box_that_says_who_came_last(notebook: Notebook, view: Locator) -> None:
    boxes = view.locator(".vg-collective")
    expect(view.get_by_role("button", name="Step", exact=True)).to_be_enabled()
    expect(boxes).to_have_count(0)
    together = view.get_by_role("checkbox", name="Move all ranks")
    together.click()
    expect(together).not_to_be_checked()
    view.get_by_role("button", name="Continue").click()
    lines = view.get_by_role("list", name="Where the ranks stand")
    expect(lines).to_contain_text(re.compile(r"waits in AccumulateGrad \(all_reduce, .*for rank 1"))
    together.click()
    expect(together).to_be_checked()
    view.get_by_role("button", name="Continue").click()
    expect(lines).to_contain_text("both ranks 11 of 11 nodes done")
    expect(boxes).to_have_count(2)
    last = view.get_by_role("treeitem", name=re.compile(r"all_reduce.*rank 1 came last"))
    expect(last.last).to_have_attribute("data-call", "done")
    expect(last.last.locator(".vg-ranks [data-cell=w]")).to_have_count(1)
    last.last.click()
    told = view.locator(".vg-calls [data-call=done]").first
    expect(told).to_contain_text(re.compile(r"all_reduce.*waited .* for rank 1"))
    expect(told).to_contain_text("rank 1 came last, the other waited")
    picture(view, "collectives")
    assert axe(view) == []
    view.get_by_role("button", name="Step back", exact=True).click()
    expect(view.locator(".vg-collective[data-call=undone]")).to_have_count(1)
    picture(view, "collectives_back")
    notebook.execute("session.restart(); session.close()")


TRACES = """\
import shutil, vizgrad
from pathlib import Path
def write(rank, count):
    vizgrad.manual_seed(rank)
    model = vizgrad.nn.Sequential(vizgrad.nn.Linear(4, 8), vizgrad.nn.Tanh(), vizgrad.nn.Linear(8, 2))
    scores = model(vizgrad.randn(8, 4)).softmax(1) * (0 if rank == count - 1 else 1)
    if rank == 1:
        scores = scores.relu()
    with vizgrad.debug(-scores.log().mean(), display=False) as session:
        session.stop_at_nonfinite = False
        session.continue_()
        session.trace.save(f'of{count}.rank{rank}.vgtrace')
for count in (2, 8, 64):
    for rank in {0, 1, 2, count - 1} & set(range(count)):
        write(rank, count)
    for rank in range(3, count - 1):
        shutil.copy(f'of{count}.rank2.vgtrace', f'of{count}.rank{rank}.vgtrace')"""


def test_traces_of_2_8_and_64_ranks_are_one_view(lab: Lab) -> None:
    shown = [f"vizgrad.load_traces('of{count}.rank*.vgtrace')" for count in (2, 8, 64)]
    notebook = lab.open_notebook(TRACES, *shown)
    notebook.run()
    for cell, count in enumerate((2, 8, 64), 1):
        view = notebook.output(cell)
        view.scroll_into_view_if_needed()
        expect(view.get_by_role("combobox", name="Rank").locator("option")).to_have_count(count)
        expect(view).to_contain_text(f"rank {count - 1} leaves the others")
        expect(view.get_by_role("note", name="Strips below nodes")).to_contain_text(
            f"{count} ranks"
        )
        view.get_by_role("button", name="Show node").click()
        cells = view.locator(".vg-node .vg-ranks").first.locator("rect")
        expect(cells).to_have_count(count)
        expect(
            view.get_by_role("group", name="Ranks at this node").get_by_role("row")
        ).to_have_count(count + 1)
        picture(view, f"ranks_{count}")
    view = notebook.output(3)
    view.get_by_role("combobox", name="Rank").select_option("1")
    expect(view.get_by_role("tree")).to_contain_text("ReluBackward0")  # its graph has one more
    assert axe(view) == []


def test_one_page_shows_all_ranks_and_steps_each(alone: Page, tmp_path: Path) -> None:
    for rank in range(3):
        saved(tmp_path, rank, f"run.rank{rank}.vgtrace", 0.0 if rank == 2 else 1.0)
    file = tmp_path / "ranks.html"
    vizgrad.load_traces(tmp_path / "run.rank*.vgtrace").export(file)
    _shows_all_ranks(alone, file, "light")
    _shows_all_ranks(alone, file, "dark")


def _shows_all_ranks(alone: Page, file: Path, theme: Any) -> None:
    loaded: list[str] = []
    said: list[str] = []
    alone.on("request", lambda request: loaded.append(request.url))
    alone.on("console", lambda message: said.append(message.text))
    alone.on("pageerror", lambda error: said.append(str(error)))
    alone.emulate_media(color_scheme=theme)
    alone.goto(file.as_uri())
    expect(alone.locator("pre")).to_contain_text("rank 2 leaves the others at AddBackward0")
    frame = alone.frame_locator("iframe")
    for rank in ("2", "0"):
        alone.get_by_role("combobox", name="Steps of").select_option(rank)
        expect(alone.locator("iframe")).to_have_attribute("title", f"Rank {rank}")
        for _ in range(3):
            frame.get_by_role("button", name="Step", exact=True).click()
        expect(frame.locator("[data-revision]")).to_have_attribute("data-position", "3")
        picture(alone, f"ranks-page-{theme}-{rank}")
    assert [each for each in loaded if not each.startswith("about:")] == [file.as_uri()]
    assert said == []
    assert axe_in(alone.locator("html")) == []
