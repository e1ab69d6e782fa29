"""`graph`, `versions` and the magics take a torch.Tensor; nobody imports PyTorch for it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.debugger.engines.pytorch.programs import leaf  # noqa: E402


def test_a_graph_is_drawn_with_names_of_parameters_and_saved_values() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh())
    loss = model(torch.ones(4, 3)).sum()
    picture = vizgrad.graph(loss)
    data = picture.data
    assert data.title == "loss"
    assert [n.name for n in data.nodes[:3]] == ["SumBackward0", "TanhBackward0", "AddmmBackward0"]
    assert {n.label for n in data.nodes} >= {"model.0.weight", "model.0.bias"}
    tanh = data.nodes[1]
    assert tanh.outputs[0].shape == (4, 2)
    (result,) = (s for s in tanh.saved if s.storage is not None)
    assert (result.name, result.shape, result.version_saved) == ("result", (4, 2), 0)
    assert "model.0.weight" in picture.to_text()
    assert "TanhBackward0" in picture.to_svg()
    assert vizgrad.graph(loss.grad_fn).data.nodes == data.nodes
    assert len(vizgrad.graph([loss, loss * 2]).data.roots) == 2
    assert loss.grad_fn is not None
    loss.backward()  # nothing was run, nothing was released


def test_a_stale_value_is_seen_in_a_graph_that_nobody_ran() -> None:
    a = leaf(3)
    b = a.exp()
    loss = (b * b).sum()
    b.detach().add_(1)
    stale = {
        (n.name, s.name): (s.version_saved, s.version_now)
        for n in vizgrad.graph(loss).data.nodes
        for s in n.saved
        if s.state == "stale"
    }
    assert stale == {
        ("MulBackward0", "self"): (0, 1), ("MulBackward0", "other"): (0, 1),
        ("ExpBackward0", "result"): (0, 1),
    }  # fmt: skip


def test_versions_of_a_tensor() -> None:
    a, h = leaf(3), torch.zeros(3)
    h.add_(1)
    out = (a * h).sum()
    h.mul_(2)
    (storage,) = vizgrad.versions(h).storages
    assert (storage.label, storage.version, storage.saves) == ("h", 2, ())
    (storage,) = vizgrad.versions(a).storages
    assert (storage.label, storage.version) == ("a", 0)
    assert out.grad_fn is not None


def test_what_has_no_graph_is_refused_as_ours_is() -> None:
    with pytest.raises(RuntimeError, match="no graph"):
        vizgrad.graph(torch.ones(3))
    with pytest.raises(RuntimeError, match="no graph"):
        vizgrad.graph(vizgrad.ones(3))
    with pytest.raises(TypeError, match="got float"):
        vizgrad.graph(1.0)
    with pytest.raises(TypeError, match="different engines"):
        vizgrad.debug([leaf(), vizgrad.ones((), requires_grad=True)])


def test_the_magics_take_tensors_of_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    from IPython.core.interactiveshell import InteractiveShell

    from vizgrad.debugger import api
    from vizgrad.debugger.jupyter.magics.line_commands import RUN

    opened: list[Any] = []  # as a view would hold them
    debug = api.debug
    monkeypatch.setattr(api, "debug", lambda t: opened.append(debug(t)) or opened[-1])

    shell: Any = InteractiveShell()
    a = leaf(3)
    shell.user_ns.update(a=a, loss=a.exp().sum())
    assert "ExpBackward0" in RUN["graph"](shell, "loss").to_text()
    RUN["debug"](shell, "loss")
    (session,) = opened
    assert session.total == 3
    RUN["step"](shell, "2")
    RUN["back"](shell, "")
    assert session.position == 1
    assert "a" in str(RUN["versions"](shell, "a"))


#: Nothing of vizgrad imports PyTorch.
ALONE = """
import vizgrad as torch
a = torch.ones(3, requires_grad=True)
torch.graph((a * 2).sum())
torch.debug((a * 2).sum()).continue_()
assert 'torch' not in sys.modules and 'vizgrad.debugger.engines.pytorch' not in sys.modules
"""
#: Nor is what stands in its place taken for it.
IN_ITS_PLACE = """
import vizgrad
sys.modules['torch'] = vizgrad
import torch
torch.graph((torch.ones(3, requires_grad=True) * 2).sum())
assert 'vizgrad.debugger.engines.pytorch' not in sys.modules
"""
#: It may come later than vizgrad.
LATER = """
import vizgrad, torch
assert 'vizgrad.debugger.engines.pytorch' not in sys.modules
vizgrad.debug((torch.ones(3, requires_grad=True) * 2).sum()).continue_()
assert torch.__name__ == 'torch' and 'vizgrad.debugger.engines.pytorch' in sys.modules
"""


@pytest.mark.parametrize("program", [ALONE, IN_ITS_PLACE, LATER])
def test_pytorch_is_there_only_if_the_program_imported_it(program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys\n" + program],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
