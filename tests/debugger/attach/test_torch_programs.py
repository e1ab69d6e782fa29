"""A program of PyTorch's. (Its name selects it where PyTorch is installed: `make parity`.)"""

from __future__ import annotations

import pytest

from tests.debugger.attach.conftest import Started, until


def test_torch_program_is_looked_at_where_it_was_stopped(started: Started) -> None:
    pytest.importorskip("torch")
    run, process = started(
        """
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        optimizer = torch.optim.Adam(net.parameters())
        for step in range(3):
            out = net(torch.ones(1, 2))
            loss = out.sum() if step < 2 else (out * 0).sum().log()
            loss.backward()
            optimizer.step()
        """,
        "--wait",
        "60",
    )
    until(lambda: run.status.state == "stopped")
    assert "`loss` is Inf" in run.status.headline
    assert [layer.name for layer in run.history.data.optimizers[0].layers] == ["net.0"]
    trace = run.trace()
    assert [trace.graph.nodes[0].name, len(trace.trace.records)] == ["LogBackward0", trace.nodes]
    process.kill()
