"""`python -m tests.benchmarks.clicks_of_ranks`: how long a click in a view of ranks takes, by their number.

A view is a controller with the joint of a session over engines of ipyparallel, as in a notebook, without the
browser: a request Step, until all that it is told has arrived. With `--browser` from the click on Step in
JupyterLab and Chromium to the picture. The backward has some hundred small nodes, so that what is measured is
the way there and back. many_ranks.md has the tables.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import warnings
from statistics import median
from time import perf_counter
from typing import Any

import vizgrad
from tests.benchmarks.browser import WARM_UP, _lab, _step
from vizgrad.debugger.jupyter.widget.controller import Controller
from vizgrad.debugger.ranks.joint_session import JointSession

PROGRAM = """
import vizgrad
vizgrad.manual_seed(rank)
x = vizgrad.randn(4, 4, requires_grad=True)
y = x
for _ in range(200):
    y = (y * 1.01).tanh()
loss = y.sum()
"""
FOLDING: dict[str, Any] = {"opened": [], "closed": [], "cells": [], "near": None}


class View:
    def __init__(self, joint: Any) -> None:
        self.told: list[dict[str, Any]] = []
        self._number = 0
        self.controller = Controller(self.told.append, joint)

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        self._number += 1
        self.controller.receive({"type": kind, "request": self._number, **fields})
        (answer,) = (each for each in self.told if each.get("request") == self._number)
        self.told.clear()
        return answer


def clicks(client: Any, count: int, times: int) -> dict[str, float]:
    """Milliseconds of a click, by what is clicked; the median."""
    view = client[:count]
    view.block = True
    for rank, target in enumerate(view.targets):
        client[target].push({"rank": rank}, block=True)
    view.execute(PROGRAM)
    session = vizgrad.ranks(view).debug("loss")
    shown = View(JointSession(session))
    own = shown.ask("attach", session=None, folding=FOLDING, view="")["session"]
    found: dict[str, float] = {}
    for name, request in (
        ("Step", {"kind": "step", "count": 1}),
        ("Back", {"kind": "step_back", "count": 1}),
        ("Inspect", {"kind": "inspect", "node": 3}),
        ("Ranks at a node", {"kind": "get_ranks", "node": 3}),
    ):
        taken: list[float] = []
        for _ in range(times):
            began = perf_counter()
            answer = shown.ask(session=own, **request)
            taken.append(perf_counter() - began)
            assert answer["type"] != "failed", answer
        found[name] = 1e3 * median(taken)
    shown.controller.close()
    session.close()
    return found


START = """\
import ipyparallel, vizgrad
cluster = ipyparallel.Cluster(n={count})
client = cluster.start_and_connect_sync()
for rank in client.ids:
    client[rank].push({{'rank': rank}}, block=True)
client[:].execute({program!r}, block=True)
{alone}"""


def in_browser(counts: list[int], times: int) -> dict[int, float]:
    """Median milliseconds from a click on Step to its picture. 0 ranks: a session of the notebook's own."""
    found: dict[int, float] = {}
    with _lab() as lab:
        for count in counts:
            alone = "" if count else f"rank = 0\nexec({PROGRAM!r})"
            start = START.format(count=count or 1, program=PROGRAM, alone=alone)
            shown = "vizgrad.ranks(client[:]).debug('loss')" if count else "vizgrad.debug(loss)"
            notebook = lab.open_notebook(start, shown, name=f"{count}.ipynb")
            notebook.run()
            view = notebook.output(1)
            root = view.locator("[data-revision]")
            root.scroll_into_view_if_needed()
            button = view.get_by_role("button", name="Step", exact=True)
            taken = [_step(lab, root, button) for _ in range(WARM_UP + times)][WARM_UP:]
            found[count] = median(drawn for _, drawn in taken)
            notebook.execute("cluster.stop_cluster_sync()")
            lab.shut_down_kernels()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 8])
    parser.add_argument("--times", type=int, default=40)
    parser.add_argument("--browser", action="store_true")
    options = parser.parse_args()
    if options.browser:
        for count, milliseconds in in_browser([0, *options.ranks], options.times).items():
            name = f"{count} ranks" if count else "a session of the notebook's own"
            print(f"| {name} | {milliseconds:.0f} ms |")
        return
    import ipyparallel

    os.environ |= {"OMP_NUM_THREADS": "1"}
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        cluster = ipyparallel.Cluster(n=max(options.ranks), engine_timeout=300, profile_dir=folder)
        client = cluster.start_and_connect_sync()
        try:
            found = {count: clicks(client, count, options.times) for count in options.ranks}
        finally:
            client.close()
            cluster.stop_cluster_sync()
    print("| click | " + " | ".join(f"{count} ranks" for count in found) + " |")
    print("|---|" + "---:|" * len(found))
    for name in found[options.ranks[0]]:
        print(f"| {name} | " + " | ".join(f"{each[name]:.1f} ms" for each in found.values()) + " |")


if __name__ == "__main__":
    main()
