"""Collectives as boxes of the graph, in traces of 2, 8 and 64 ranks; of two engines: test_ranks.py."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture
from tests.ui.test_access import axe

#: A run of this process, with two collectives as `count` ranks would have called them.
TRACES = """\
import vizgrad
from dataclasses import replace
from vizgrad.debugger.model import Collective, Trace
def write(rank, count):
    vizgrad.manual_seed(rank)
    nn = vizgrad.nn
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    with vizgrad.debug(net(vizgrad.randn(8, 4)).pow(2).sum(), display=False) as session:
        session.continue_()
        trace = session.trace
    leaves = [r.visit.index for r in trace.records if trace.graph.nodes[r.visit.node].kind == 'leaf']
    records, slow = list(trace.records), rank == count // 2
    for number, several in enumerate((leaves[:2], leaves[2:])):
        nodes = tuple(records[at].visit.node for at in several)
        waited = 0.0 if slow else 0.004 + 0.0002 * rank
        call = Collective('0', 7 + number, 'all_reduce', tuple(range(count)), 1_200_000, nodes,
                          1e9 + number - waited, waited + 0.001, waited, () if slow else (count // 2,))
        at = several[-1]
        records[at] = replace(records[at], collectives=(call,))
    replace_all = {f: getattr(trace, f) for f in ('graph', 'events', 'title', 'start')}
    Trace(records=tuple(records), **replace_all).save(f'of{count}.rank{rank}.vgtrace')
for count in (2, 8, 64):
    for rank in range(count):
        write(rank, count)"""


def test_collectives_of_2_8_and_64_ranks_are_told_in_traces(lab: Lab) -> None:
    shown = [f"vizgrad.load_traces('of{count}.rank*.vgtrace')" for count in (2, 8, 64)]
    notebook = lab.open_notebook(TRACES, *shown)
    notebook.run()
    for cell, count in enumerate((2, 8, 64), 1):
        view = notebook.output(cell)
        view.scroll_into_view_if_needed()
        boxes = view.locator(".vg-collective")
        expect(boxes).to_have_count(2)
        view.get_by_role("button", name="Continue").click()
        late = view.get_by_role("treeitem", name=re.compile(f"rank {count // 2} came last"))
        expect(late).to_have_count(2)
        expect(view.locator(".vg-collective[data-call=done]")).to_have_count(2)
        expect(late.first.locator(".vg-ranks rect")).to_have_count(count)
        expect(late.first.locator(".vg-ranks [data-cell=w]")).to_have_count(1)
        picture(view, f"collectives_{count}")
    assert axe(notebook.output(3)) == []
