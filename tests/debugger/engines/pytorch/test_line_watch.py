"""Every cell runs in a light watch: nodes of PyTorch know their lines and modules, and nothing changes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
from IPython.core.interactiveshell import InteractiveShell  # noqa: E402

import vizgrad  # noqa: E402
from tests.fixtures.limits import HANG  # noqa: E402
from vizgrad.debugger.engines.api.frameworks import noting_lines  # noqa: E402
from vizgrad.debugger.jupyter.magics import extension  # noqa: E402

NAN = "x = torch.tensor([0.0, 4.0], requires_grad=True)\nl = (x.sqrt() * torch.tensor([0.0, 1.0])).sum()"


@pytest.fixture
def shell() -> Iterator[Any]:
    found = InteractiveShell()
    found.user_ns.update(torch=torch, vizgrad=vizgrad)
    extension.load(found)
    yield found
    extension.unload(found)
    assert torch.overrides._get_current_function_mode_stack() == []
    assert not torch.nn.modules.module._global_forward_hooks


def run(shell: Any, *cells: str) -> Any:
    """The result of the last cell."""
    result: Any = None
    for cell in cells:
        result = shell.run_cell(cell)
        result.raise_error()
    return result.result


def lines_of(loss: Any) -> set[str]:
    places = [node.place for node in vizgrad.graph(loss).data.nodes if node.kind != "leaf"]
    return {"" if place is None else place.text for place in places}


def test_cells_note_lines_until_it_is_switched_off(shell: Any) -> None:
    assert str(run(shell, "%vizgrad watch")) == "off"
    told = str(run(shell, "%vizgrad watch on"))
    assert "light watch" in told
    assert "µs" in told
    assert str(run(shell, "%vizgrad watch on")) == "on"  # said once
    loss = run(
        shell, "layer = torch.nn.Linear(2, 1)\nx = torch.ones(1, 2)", "l = layer(x).sum()", "l"
    )
    assert lines_of(loss) == {"l = layer(x).sum()"}
    assert "Linear" in {name for node in vizgrad.graph(loss).data.nodes for name in node.scope}
    after = run(shell, "%vizgrad watch off", "l = layer(x).sum()", "l")
    assert lines_of(after) == {""}


def test_a_cell_that_imports_pytorch_first_is_noted() -> None:
    code = """
from IPython.core.interactiveshell import InteractiveShell
from vizgrad.debugger.jupyter.magics import extension
shell = InteractiveShell()
extension.load(shell)
shell.run_cell("%vizgrad watch on").raise_error()
cell = "import torch, vizgrad\\nx = torch.ones(2, requires_grad=True)\\nl = x.exp().sum()"
shell.run_cell(cell).raise_error()
nodes = shell.user_ns["vizgrad"].graph(shell.user_ns["l"]).data.nodes
print({node.place and node.place.text for node in nodes if node.kind != "leaf"})
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=HANG
    )
    assert done.stdout.splitlines()[-1] == "{'l = x.exp().sum()'}"


def test_it_begins_in_the_cell_that_says_so(shell: Any) -> None:
    loss = run(shell, f"%vizgrad watch on\n{NAN}", "l")
    assert "" not in lines_of(loss)


def test_a_watch_and_a_failed_cell_within(shell: Any) -> None:
    run(shell, "%vizgrad watch on")
    loss = run(
        shell, f"with vizgrad.watch():\n    {NAN.splitlines()[0]}\n    y = x.exp()", "y.sum()"
    )
    assert lines_of(loss) == {"y = x.exp()", "y.sum()"}
    assert not shell.run_cell("torch.ones(2) @ torch.ones(3)").success
    assert len(torch.overrides._get_current_function_mode_stack()) == 0


def test_a_mode_that_a_cell_leaves_stays(shell: Any) -> None:
    shell.user_ns["mode"] = torch.overrides.BaseTorchFunctionMode()
    run(shell, "%vizgrad watch on", "mode.__enter__()\nx = torch.ones(1)")
    stack = torch.overrides._get_current_function_mode_stack()
    assert stack == [shell.user_ns["mode"]]
    stack[0].__exit__(None, None, None)


def test_where_no_line_was_noted_it_is_offered(shell: Any) -> None:
    run(shell, NAN, "s = vizgrad.debug(l, display=False); s.continue_()")
    session = shell.user_ns["s"]
    assert "its line was not noted: run `%vizgrad watch on`" in session.run.stopped.text
    session.continue_()
    why = run(shell, "vizgrad.why(x)")
    assert "Its line was not noted: run `%vizgrad watch on`, and compute it again." in why.story
    session.close()
    extension.unload(shell)
    again = run(shell, NAN, "s = vizgrad.debug(l, display=False); s.continue_()", "s")
    assert "inside `with vizgrad.watch():`" in again.run.stopped.text
    again.close()


def test_values_versions_and_lifetimes_stay() -> None:
    def train() -> tuple[list[Any], list[int]]:
        torch.manual_seed(0)
        net = torch.nn.Sequential(
            torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1)
        )
        opt = torch.optim.Adam(net.parameters())
        for _ in range(2):
            opt.zero_grad()
            hidden = net(torch.ones(5, 3)) * 1
            hidden[:2].mul_(2)
            hidden.sum().backward()
            opt.step()
        return list(net.parameters()), [each._version for each in net.parameters()]

    plain, versions = train()
    with noting_lines():
        noted, same = train()
    assert same == versions
    assert all(map(torch.equal, plain, noted))


def test_a_line_that_only_calls_modules_has_its_norm(shell: Any) -> None:
    run(shell, "%vizgrad watch on", "norm, head = torch.nn.LayerNorm(2), torch.nn.Linear(2, 3)")
    run(shell, "def model(x):\n    return head(norm(x))\nl = model(torch.ones(1, 2)).sum()")
    session = run(shell, "s = vizgrad.debug(l, display=False); s.continue_()", "s")
    with session.at_rest() as (_, look):
        table, runs = look.lines.table, look.lines.all()
    norms = {table.lines[each.line].line: each.norm for each in runs}
    assert norms == {2: pytest.approx(3**0.5), 3: 1.0}
    assert set(session.break_at(line=2).nodes) == set(table.lines[0].nodes)
    session.close()
