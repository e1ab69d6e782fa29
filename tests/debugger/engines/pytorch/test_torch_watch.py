"""Nodes that were recorded during a watch know their line, and the modules that were called."""

from __future__ import annotations

import gc
import sys
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from vizgrad.debugger.engines.pytorch import write_lines  # noqa: E402
from vizgrad.debugger.engines.pytorch.torch_watch import watching  # noqa: E402


class Block(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = torch.nn.Linear(3, 4)
        self.down = torch.nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        hidden = self.up(x).relu()  # here
        return x + self.down(hidden)  # there


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block() for _ in range(3))
        self.head = torch.nn.Sequential(torch.nn.LayerNorm(3), torch.nn.Linear(3, 1))

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def watched() -> Any:
    model = Model()
    with watching():
        return model(torch.ones(2, 3)).sum()


def test_nodes_know_their_line_and_modules() -> None:
    loss = watched()
    graph = vizgrad.graph(loss).data
    by_name = [(n.name, n.scope, n.place.text if n.place else "") for n in graph.nodes]
    assert by_name[0] == ("SumBackward0", (), "return model(torch.ones(2, 3)).sum()")
    assert by_name[1][:2] == ("AddmmBackward0", ("Model", "head: Sequential", "1: Linear"))
    assert by_name[4] == (
        "AddBackward0", ("Model", "blocks.2: Block"), "return x + self.down(hidden)  # there",
    )  # fmt: skip
    relu = next(each for each in by_name if each[0] == "ReluBackward0")
    assert relu[2] == "hidden = self.up(x).relu()  # here"
    titles = [group.title for group in graph.groups]
    assert "head: Sequential" in titles
    assert sum("Block" in title for title in titles) == 3
    assert "blocks.1: Block" in vizgrad.graph(loss).to_text()


def test_watch_listens_to_pytorch_too() -> None:
    a = torch.ones(3, requires_grad=True)
    with vizgrad.watch() as w:
        b = a.exp()
    assert w.findings == []
    assert vizgrad.graph(b).data.nodes[0].place.text == "b = a.exp()"


def test_the_line_that_wrote_is_known() -> None:
    a = torch.ones(3, requires_grad=True)
    h = torch.zeros(3)
    with vizgrad.watch():
        b = a.exp()
        loss = (b * b).sum()
        h += 1
        with torch.no_grad():
            b[1:].mul_(2)  # the culprit
            torch.add(h, 1, out=h)
    (storage,) = vizgrad.versions(h).storages
    assert [(w.version, w.op) for w in storage.writes] == [(1, "add_"), (2, "add")]
    assert [w.place.text for w in storage.writes] == ["h += 1", "torch.add(h, 1, out=h)"]
    b.detach().add_(1)  # nobody watched
    stale = {
        s.name: s.culprit for n in vizgrad.graph(loss).data.nodes for s in n.saved if s.culprit
    }
    assert {write.place.text for write in stale.values()} == {"b[1:].mul_(2)  # the culprit"}
    session = vizgrad.debug(loss)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as raised:
        session.continue_()
    explanation = raised.value.explanation
    assert explanation.culprit.text == "b[1:].mul_(2)  # the culprit"
    assert "mul_ changed it in place" in explanation.story


def test_of_memory_with_two_counters_nobody_is_blamed() -> None:
    a = torch.ones(3, requires_grad=True)
    b = a * 1
    with vizgrad.watch():
        loss = b.exp().sum() + b.pow(3).sum()
        b.data.mul_(2)
        b.detach().mul_(2)
    culprits = [s.culprit for n in vizgrad.graph(loss).data.nodes for s in n.saved]
    assert set(culprits) == {None}
    assert [s.state for n in vizgrad.graph(loss).data.nodes for s in n.saved].count("stale") == 1


def test_views_written_in_place_are_what_they_are_without() -> None:
    def run() -> tuple[Any, list[str]]:
        torch.manual_seed(1)
        a, b = torch.randn(4, requires_grad=True), torch.randn(2, requires_grad=True)
        c = a * 1
        part = c[:2]
        part.mul_(b)
        c.view(2, 2)[1].exp_()
        loss = (c.sum() + part.sum()) * part.mean()
        graph = vizgrad.graph(loss).data
        loss.backward()
        return (a.grad, b.grad), [n.name for n in graph.nodes]

    grads, names = run()
    with vizgrad.watch():
        watched, same_names = run()
    assert names == same_names
    assert all(map(torch.equal, grads, watched))


def test_an_optimizer_writes_at_a_line() -> None:
    layer = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(layer.parameters(), 0.1)
    with vizgrad.watch():
        first = layer(torch.ones(1, 2)).sum()
        first.backward()
        optimizer.step()
    (storage,) = vizgrad.versions(layer.weight).storages
    assert [write.place.text for write in storage.writes] == ["optimizer.step()"]


def test_what_was_noted_of_memory_is_let_go_of() -> None:
    with vizgrad.watch():
        for _ in range(3 * write_lines.OFTEN):
            torch.zeros(1).add_(1)
    assert len(write_lines._logs) <= write_lines.OFTEN + 1


def test_a_line_can_be_run_to() -> None:
    loss = watched()
    session = vizgrad.debug(loss)
    text = "hidden = self.up(x).relu()  # here"
    line = next(n.place for n in session.graph.nodes if n.place and n.place.text == text)
    session.run_to(line=f"{line.file}:{line.line}")
    assert session.node.name == "ReluBackward0"


def test_what_was_recorded_before_or_after_is_not_noted() -> None:
    a = torch.ones(3, requires_grad=True)
    before = a.exp()
    with watching():
        inside = before * 2
        with watching():
            inside = inside.tanh()
    after = inside.sum()
    places = {n.name: n.place for n in vizgrad.graph(after).data.nodes}
    assert places["SumBackward0"] is places["ExpBackward0"] is None
    assert places["TanhBackward0"].text == "inside = inside.tanh()"
    assert places["MulBackward0"].text == "inside = before * 2"


def test_a_module_whose_forward_was_replaced_or_called_by_itself_has_the_line_that_ran_it() -> None:
    """As libraries replace it. PyTorch's own code of it runs, but another line has called that."""

    def line_of(loss: Any) -> str:
        return next(n.place.text for n in vizgrad.graph(loss).data.nodes if n.name[:5] == "Addmm")

    layer = torch.nn.Linear(3, 1)
    with watching():
        layer(torch.ones(2, 3))
        direct = layer.forward(torch.ones(2, 3))  # by itself
        called = layer(torch.ones(2, 3))  # called
        inner = layer.forward

        def replaced(x: Any) -> Any:
            return inner(x) * 2  # replaced

        layer.forward = replaced  # type: ignore[method-assign]
        within = layer(torch.ones(2, 3))
    ends = [line_of(each.sum()).rpartition("# ")[2] for each in (direct, called, within)]
    assert ends == ["by itself", "called", "replaced"]


def test_a_leaf_is_used_on_each_line_that_computes_with_it() -> None:
    a = torch.ones(2, requires_grad=True)
    with watching() as noting:
        for _ in range(3):
            (a * 2).sum()
            (a * 3).sum()
    assert len(noting.gradients.of(a).uses) == 2


def test_an_error_in_a_module_leaves_nothing_open() -> None:
    class Broken(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            raise LookupError

    layer = torch.nn.Linear(3, 3)
    with watching():
        with pytest.raises(LookupError):
            torch.nn.Sequential(Broken())(torch.ones(3))
        loss = layer(torch.ones(3)).sum()
    assert vizgrad.graph(loss).data.nodes[0].scope == ()
    assert not torch.nn.modules.module._global_forward_hooks
    assert not torch.nn.modules.module._global_forward_pre_hooks


def test_what_was_noted_dies_with_the_graph() -> None:
    loss = watched()
    origin = loss.grad_fn.next_functions[0][0].metadata["vizgrad"]
    assert sys.getrefcount(origin) > 2
    del loss
    gc.collect()
    assert sys.getrefcount(origin) == 2


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.filterwarnings("ignore:Using `torch.compile.module")
def test_a_model_may_be_compiled_while_somebody_watches(backend: str) -> None:
    """What listens is no part of what is compiled, and its lines are those of the person."""
    torch._dynamo.reset()
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    compiled: Any = torch.compile(model, backend=backend, fullgraph=True)
    x = torch.ones(5, 3)
    with vizgrad.watch():
        loss = compiled(x).sum()
    graph = vizgrad.graph(loss).data
    lines = {n.place.text for n in graph.nodes if n.place is not None}
    assert lines == {"loss = compiled(x).sum()"}
    opaque = [n for n in graph.nodes if n.name == "CompiledFunctionBackward"]
    assert len(opaque) == (backend == "aot_eager")
    assert all("torch.compile made one node" in n.formulas[0].source for n in opaque)
    with vizgrad.debug(loss) as session:
        session.continue_()
    found = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    model(x).sum().backward()
    assert all(torch.allclose(p.grad, g) for p, g in zip(model.parameters(), found, strict=True))
