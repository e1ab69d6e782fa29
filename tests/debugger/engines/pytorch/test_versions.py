"""Slots and outputs are looked at alike with every PyTorch, also where it does not tell them."""

from __future__ import annotations

import cProfile
import re
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from vizgrad.debugger import model  # noqa: E402
from vizgrad.debugger.engines.pytorch import versions  # noqa: E402
from vizgrad.debugger.engines.pytorch.opener import open_graph  # noqa: E402
from vizgrad.debugger.engines.pytorch.saved import raw_values  # noqa: E402


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.save_for_backward(x, None, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, _, y = ctx.saved_tensors
        return g * y, g * x


def leaf() -> Any:
    return torch.tensor([1.0, 2.0], requires_grad=True)


def saved_of(loss: Any, name: str) -> list[tuple[str, str, int | None, int | None]]:
    nodes = open_graph(loss, {}).graph("").nodes
    (node,) = [node for node in nodes if node.name == name]
    return [(s.name, s.state, s.version_saved, s.version_now) for s in node.saved if not s.value]


def test_what_is_saved_is_read_with_its_memory_and_counter() -> None:
    x = leaf()
    y = x.exp()
    (slot,) = [slot for _, slot in raw_values(y.grad_fn)]
    assert slot.data.untyped_storage()._cdata == y.untyped_storage()._cdata
    assert torch.equal(slot.data, y)
    y.detach().add_(1)
    assert slot.data._version == 1
    assert not slot.data.requires_grad


@pytest.mark.parametrize("looks", [0, 1, 3])
def test_a_stale_value_is_read_and_refused_in_the_same_words(looks: int) -> None:
    def told(looks: int) -> list[str]:
        x = leaf()
        y = x.exp()
        loss = (y * x).sum()
        y.add_(1)
        for _ in range(looks):
            values = dict(raw_values(loss.grad_fn.next_functions[0][0]))
            assert torch.equal(values["self"].data, y)
            assert torch.equal(values["other"].data, x)
            states = saved_of(loss, "MulBackward0")
            assert states == [("other", "alive", 0, 0), ("self", "stale", 0, 1)]
        said = []
        for _ in range(2):
            with pytest.raises(RuntimeError) as error:
                loss.backward()
            said.append(str(error.value).partition("Hint")[0])
            y.add_(1)
        return said

    assert told(looks) == told(0)
    assert "is at version 1; expected version 0" in told(0)[0]


def test_a_stale_value_is_read_within_a_watch() -> None:
    with vizgrad.watch():
        x = leaf()
        y = x.exp()
        loss = (y * x).sum()
        y.add_(1)
        for _ in range(2):
            states = saved_of(loss, "MulBackward0")
            assert states == [("other", "alive", 0, 0), ("self", "stale", 0, 1)]
        session = vizgrad.debug(loss, display=False)
        with pytest.raises(RuntimeError) as error:
            session.continue_()
        assert "y.add_(1)" in str(error.value.__notes__)


def test_of_several_the_stale_one_is_found() -> None:
    x = leaf()
    y = x.exp()
    out = Twice.apply(x, y)
    y.add_(1)
    node = out.grad_fn
    for _ in range(2):
        values = dict(raw_values(node))
        assert torch.equal(values["tensors[0]"].data, x)
        assert values["tensors[1]"].data is None
        assert torch.equal(values["tensors[2]"].data, y)
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        out.sum().backward()


def test_a_write_that_is_taken_back_is_allowed_again() -> None:
    x = leaf()
    y = x.exp()
    loss = y.sum()
    y.detach().add_(0)
    assert saved_of(loss, "ExpBackward0") == [("result", "stale", 0, 1)]
    versions.set_version(y, 0)
    assert saved_of(loss, "ExpBackward0") == [("result", "alive", 0, 0)]
    loss.backward()
    assert torch.equal(x.grad, y)


def test_hooks_of_saved_tensors_do_not_run_and_profilers_go_on() -> None:
    ran: list[int] = []

    def unpack(value: Any) -> Any:
        ran.append(1)
        return value[0]

    x = leaf()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (t,), unpack):
        loss = Twice.apply(x, x.exp()).sum()
    profile = cProfile.Profile()
    profile.enable()
    vizgrad.graph(loss)
    leaf()
    profile.disable()
    assert ran == []
    node = loss.grad_fn.next_functions[0][0]
    assert next(type(slot.data) for _, slot in raw_values(node)) is tuple
    assert any("leaf" in str(entry.code) for entry in profile.getstats())
    loss.backward()
    assert len(ran) == 3


def test_what_is_released_is_let_go_of() -> None:
    x = leaf()
    out = Twice.apply(x, x.exp())
    out.sum().backward()
    assert [slot for _, slot in raw_values(out.grad_fn) if slot.data is not None] == []


def test_outputs_are_known_by_what_was_met() -> None:
    x = torch.ones(2, 6, requires_grad=True)
    with vizgrad.watch():
        first, second = (x + 1).split(3, dim=1)
        loss = (first + 0).sum()
    nodes = {node.name: node.outputs for node in open_graph(loss, {}).graph("").nodes}
    half = model.OutputMeta((2, 3), "float32", "cpu")
    assert nodes["SplitBackward0"] == (half, half)
    assert nodes["SumBackward0"] == (model.OutputMeta((), "float32", "cpu"),)
    assert nodes["AccumulateGrad"] == (model.OutputMeta((2, 6), "float32", "cpu"),)
    assert second.shape == (2, 3)


def test_an_output_that_nothing_is_known_of_says_so_until_its_gradient_comes() -> None:
    x = leaf()
    loss = ((x + 1) + 1).sum()
    session = vizgrad.debug(loss)
    known = model.OutputMeta((2,), "float32", "cpu")
    assert session.graph.nodes[2].name == "AddBackward0"
    if versions.OUTPUTS_TOLD:
        assert session.graph.nodes[2].outputs == (known,)
    else:
        assert session.graph.nodes[2].outputs == (versions.UNKNOWN,)
        text = repr(vizgrad.graph((x + 1).sum() * 2))  # what a variable holds is known by it
        assert re.search("AddBackward0 +type unknown", text)
    session.run_to(3)
    assert session.inspect(2)[0].outputs == (known,)
