"""`vizgrad.memory()` counts PyTorch's tensors: each storage once, named by what holds it."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402


def held_by(name: str, heap: Any) -> Any:
    """The storage that a variable of this name holds."""
    found = [each for each in heap.data.held if any(holder.text == name for holder in each.holders)]
    assert len(found) == 1, (
        name,
        [holder.text for each in heap.data.held for holder in each.holders],
    )
    return found[0]


def test_a_training_is_told_by_module_gradient_optimizer_and_graph() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(7, 11), torch.nn.Tanh())
    adam = torch.optim.Adam(net.parameters())
    with vizgrad.watch():
        net(torch.ones(3, 7)).sum().backward()
        adam.step()
        result = net(torch.ones(5, 7)).exp()
        loss = result.sum()
    heap = vizgrad.memory()
    weight = held_by("net.0.weight", heap)
    assert (weight.use, weight.bytes, weight.shape, weight.dtype) == (
        "parameter",
        308,
        (11, 7),
        "float32",
    )
    assert weight.name == "net.0.weight"
    assert weight.version == net[0].weight._version
    assert weight.device == "cpu"
    gradient = held_by(".grad of net.0.weight", heap)
    assert (gradient.use, gradient.bytes) == ("gradient", 308)
    of_adam = [each for each in heap.data.held if each.use == "optimizer"]
    assert sum(each.bytes == 308 for each in of_adam) >= 2
    assert "Adam state exp_avg of net.0.weight" in [each.name for each in of_adam]
    out = held_by("result", heap)
    assert [(h.kind, h.text) for h in out.holders] == [
        ("variable", "result"), ("saved", "saved `result` of ExpBackward0"),
    ]  # fmt: skip
    saved = held_by("saved `result` of TanhBackward0", heap)
    assert (saved.use, saved.bytes) == ("saved", 220)
    assert saved.holders[0].place is not None
    assert set(saved.holders[0].graphs) <= {"result", "loss"}
    assert loss.requires_grad


def test_views_are_one_storage_and_the_sum_is_that_of_the_storages() -> None:
    whole = torch.zeros(1000)
    part, turned = whole[10:20], whole.view(10, 100).t()
    heap = vizgrad.memory()
    before, storage = heap.data, held_by("whole", heap)
    assert storage.bytes == 4000
    assert {alias.name for alias in storage.aliases} == {"whole", "part", "turned"}
    assert before.bytes == sum(each.bytes for each in before.held)
    assert before.bytes == sum(share.bytes for share in before.shares)
    assert before.storages == len(before.held)
    assert [each.id for each in before.held] == list(range(len(before.held)))
    assert part.shape != turned.shape


def test_memory_that_is_shared_with_vizgrad_is_counted_once() -> None:
    theirs = torch.zeros(777)
    ours = vizgrad.from_numpy(theirs.numpy())
    sizes = [each.bytes for each in vizgrad.memory().data.held]
    assert sizes.count(777 * 4) == 1
    assert ours.shape == theirs.shape


def test_looking_changes_nothing() -> None:
    weight = torch.ones(5, requires_grad=True)
    view = (weight * 1)[1:]
    view.mul_(2)
    loss = view.sum()
    version = view._version
    vizgrad.memory()
    assert (view._version, weight.grad) == (version, None)
    loss.backward()
    assert weight.grad is not None
    assert weight.grad.tolist() == [0.0, 2.0, 2.0, 2.0, 2.0]


def test_what_has_no_memory_in_one_piece_is_said() -> None:
    sparse = torch.eye(3).to_sparse()
    assert any(
        "PyTorch" in text and "not counted" in text for text in vizgrad.memory().data.uncounted
    )
    assert sparse.is_sparse


def test_a_graph_that_goes_takes_its_memory() -> None:
    x = torch.ones(333, requires_grad=True)
    y: Any = (x * 2).exp().sin()
    assert 333 * 4 in [each.bytes for each in vizgrad.memory().data.held if each.use == "saved"]
    del y
    assert 333 * 4 not in [each.bytes for each in vizgrad.memory().data.held if each.use == "saved"]


def test_nodes_of_its_graphs_are_counted() -> None:
    before = vizgrad.memory().data.nodes
    w = torch.ones(3, requires_grad=True)
    loss = ((w * 2).tanh() * w).sum()
    assert vizgrad.memory().data.nodes - before == 5
    del loss
    assert vizgrad.memory().data.nodes == before


def test_public_names_of_modules_stand_for_private_variables() -> None:
    layer = torch.nn.Linear(31, 33)
    _weight = layer.weight
    heap = vizgrad.memory().data
    found = next(storage for storage in heap.held if storage.shape == (33, 31))
    assert found.name.startswith("layer.weight")
    assert not [holder.text for holder in found.holders if "_weight" in holder.text]
    del _weight


def test_each_holder_of_a_tensor_is_named() -> None:
    loss = (torch.ones(13, requires_grad=True) * 2).exp().sum()
    kept, losses = loss, [loss]
    heap = vizgrad.memory()
    assert [holder.text for holder in held_by("loss", heap).holders] == [
        "loss",
        "kept",
        "losses[0]",
    ]
    saved = held_by("saved `result` of ExpBackward0", heap)
    assert (saved.holders[0].graphs, saved.holders[0].graphs_more) == (
        ("loss", "kept", "losses"),
        0,
    )
    assert kept is losses[0]


def test_holders_of_a_graph_that_are_not_named_are_counted() -> None:
    loss = (torch.ones(17, requires_grad=True) * 2).exp().sum()
    a = b = c = loss
    (saved,) = [
        holder
        for each in vizgrad.memory().data.held
        if each.shape == (17,)
        for holder in each.holders
        if holder.kind == "saved"
    ]
    assert (len(saved.graphs), saved.graphs_more) == (3, 1)
    assert a is b is c
