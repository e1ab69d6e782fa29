"""Figures of a reading against programs whose figures are known."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad.debugger import model
from vizgrad.debugger.memory.reading import read

LEAKS = pytest.mark.filterwarnings("ignore:Using backward.. with create_graph:UserWarning")


@pytest.fixture(autouse=True)
def empty() -> Iterator[None]:
    """Nothing of the tests before is left."""
    gc.collect()
    yield
    gc.collect()


def reading() -> model.Heap:
    return read(sys._getframe(1))


def named(heap: model.Heap, name: str) -> model.HeapStorage:
    (found,) = [storage for storage in heap.held if storage.name == name]
    return found


def keeper(heap: model.Heap, name: str) -> model.HeapKeeper:
    """What the variable keeps alone."""
    (found,) = [k for k in heap.keepers if names_in(k) == [name]]
    return found


def names_in(keeper: model.HeapKeeper) -> list[str]:
    return [name.partition(" of ")[0] for name in keeper.names]


def texts(storage: model.HeapStorage) -> list[str]:
    return [
        holder.text.partition(" of ")[0] if holder.kind == "variable" else holder.text
        for holder in storage.holders
    ]


def test_a_total_that_was_not_detached_keeps_every_turn() -> None:
    w = vg.ones(1000, requires_grad=True)
    total: Any = 0
    x = loss = vg.zeros(())
    for _ in range(10):
        x = vg.ones(1000)
        loss = (w * x).sum()  # MulBackward0 saves w and x: of these x is nobody else's
        loss.backward(retain_graph=True)
        total = total + loss
    del x, loss
    heap = reading()
    kept = keeper(heap, "total")
    # each turn: AccumulateGrad (one for all), Mul, Sum, Add
    assert kept.nodes == 1 + 10 * 3
    # x of each turn, and the total itself; w is held by its variable
    assert kept.bytes == 10 * 4000 + 4
    assert 30 * 100 < kept.node_bytes < 31 * 1000
    assert kept.since is not None
    assert kept.since.text.startswith("loss = (w * x).sum()")
    assert heap.nodes == kept.nodes
    nodes = [
        o
        for o in gc.get_objects()
        if isinstance(o, vg.autograd.graph.Node) or "Backward0" in type(o).__name__
    ]
    dead = [weakref.ref(node) for node in nodes]
    del nodes, total, kept
    assert not any(ref() for ref in dead)  # what it was said to keep is gone with it
    assert keeper_names(reading()) == []
    assert w.grad is not None


def keeper_names(heap: model.Heap) -> list[str]:
    return [name for k in heap.keepers for name in names_in(k)]


def test_each_byte_is_counted_once() -> None:
    base = vg.zeros(10, 10)
    row, column, turned = base[0], base[:, 1], base.t()
    same = base.detach()
    other = vg.zeros(5)
    heap = reading()
    mine = [s for s in heap.held if s.name.partition(" of ")[0] in ("base", "other")]
    assert [s.bytes for s in mine] == [400, 20]
    assert heap.bytes == sum(s.bytes for s in heap.held)
    assert heap.bytes == sum(share.bytes for share in heap.shares)
    assert sum(share.storages for share in heap.shares) == heap.storages == len(heap.held)
    relations = {alias.name: (alias.relation, alias.of) for alias in mine[0].aliases}
    assert relations["base"] == ("base", None)
    assert {relations[name] for name in ("row", "column", "turned")} == {("view", 0)}
    assert relations["same"] == ("shares", 0)
    del row, column, turned, same, other


def test_versions_in_the_tree() -> None:
    base = vg.zeros(4)
    view = base[1:]
    view.add_(1)
    loose = base.data
    loose.add_(1)
    (storage,) = [s for s in reading().held if s.name == "base"]
    versions = {alias.name: alias.version for alias in storage.aliases}
    assert versions == {"base": 1, "view": 1, "loose": 1}
    base.add_(1)
    (storage,) = [s for s in reading().held if s.name == "base"]
    assert {a.name: a.version for a in storage.aliases} == {"base": 2, "view": 2, "loose": 1}


def test_memory_shared_with_numpy_is_named() -> None:
    array = np.zeros(100)
    part = vg.from_numpy(array[10:20])
    out = vg.zeros(3)
    lent = out.numpy()
    heap = reading()
    storage = named(heap, "part")
    assert storage.bytes == 800  # the whole array lives
    assert [(h.kind, h.text) for h in storage.holders] == [("variable", "part"), ("numpy", "array")]
    assert storage.aliases[1].relation == "numpy"
    assert ("numpy", "lent") in [(h.kind, h.text) for h in named(heap, "out").holders]
    del lent, part


def test_names() -> None:
    layer = vg.nn.Sequential(vg.nn.Linear(2, 3), vg.nn.Linear(3, 1))
    optimizer = vg.optim.Adam(layer.parameters())
    layer(vg.ones(1, 2)).sum().backward()
    optimizer.step()
    losses = [vg.zeros(7), vg.zeros(8)]
    cache = {"deep": (vg.zeros(9),), 3: vg.zeros(10)}

    class Trainer:
        def __init__(self) -> None:
            self.best = vg.zeros(11)

    trainer = Trainer()
    kept = vg.zeros(12)
    hooked = vg.zeros(13, requires_grad=True)
    hooked.register_hook(lambda grad: grad * kept)
    names = {storage.name for storage in reading().held}
    assert names >= {
        "layer.0.weight", "layer.1.bias", "layer.0.weight.grad", "Adam state exp_avg of layer.0.weight",
        "losses[0]", "losses[1]", "cache['deep'][0]", "cache[3]", "trainer.best", "kept", "hooked",
    }  # fmt: skip
    heap = reading()
    assert named(heap, "layer.0.weight").use == "parameter"
    assert named(heap, "layer.0.weight.grad").use == "gradient"
    assert named(heap, "Adam state exp_avg of layer.0.weight").use == "optimizer"
    assert "parameter of Adam optimizer" in [h.text for h in named(heap, "layer.0.weight").holders]
    assert any(h.kind == "hook" for h in named(heap, "kept").holders)
    del losses, cache, trainer


def test_public_names_stand_for_private_ones() -> None:
    class Holder:
        def __init__(self, tensor: vg.Tensor) -> None:
            self._hidden = tensor

    layer = vg.nn.Linear(5, 2)
    _weight = layer.weight
    holder = Holder(layer.bias)
    _alone = vg.zeros(12)
    weight, bias = named(reading(), "layer.weight"), named(reading(), "layer.bias")
    for storage in (weight, bias):
        assert not [text for text in texts(storage) if "_" in text]
    assert named(reading(), "_alone").bytes == 48
    del holder, _weight


def test_what_a_node_keeps() -> None:
    x = vg.ones(1000, requires_grad=True)
    y = (x * 2).tanh().sum()
    (storage,) = [s for s in reading().held if s.use == "saved"]
    assert storage.bytes == 4000
    (holder,) = storage.holders
    assert holder.text == "saved `result` of TanhBackward0"
    assert holder.place is not None
    assert holder.place.text == "y = (x * 2).tanh().sum()"
    assert holder.graphs == ("y",)
    del y


def test_what_a_function_keeps_on_its_context() -> None:
    class Keeps(vg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mask = vg.zeros(50)
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    y = Keeps.apply(vg.ones(3, requires_grad=True))
    (storage,) = [s for s in reading().held if s.bytes == 200]
    assert storage.use == "saved"
    assert storage.holders[0].kind == "context"
    assert "mask" in storage.holders[0].text
    del y


def test_packed_values_are_not_unpacked() -> None:
    def unpack(packed: Any) -> Any:
        raise AssertionError("unpacked")

    x = vg.ones(30, requires_grad=True)
    with vg.autograd.graph.saved_tensors_hooks(lambda t: [t.clone()], unpack):
        y = x * x
    storages = [s for s in reading().held if s.use == "saved"]
    assert [s.bytes for s in storages] == [120, 120]
    assert all(h.kind in ("saved", "hook") for s in storages for h in s.holders)
    del y


@LEAKS
def test_a_cycle_that_a_variable_still_leads_to() -> None:
    w = vg.ones(100, requires_grad=True)
    (w * w).sum().backward(create_graph=True)
    (cycle,) = reading().cycles
    assert cycle.held == ("w",)
    assert "w" in cycle.path
    assert cycle.path[0] == cycle.path[-1]
    assert ".grad" in cycle.path
    w.grad = None


@LEAKS
def test_garbage_is_told_and_left_alone() -> None:
    w = vg.ones(1000, requires_grad=True)
    (w * w).sum().backward(create_graph=True)
    known = weakref.ref(w)
    nodes = reading().nodes
    del w
    heap = reading()
    (cycle,) = heap.cycles
    assert cycle.held == ()
    assert cycle.nodes == heap.nodes == nodes
    assert (
        cycle.bytes == sum(share.bytes for share in heap.shares if share.use == "garbage") >= 8000
    )
    assert known() is not None  # reading has collected nothing
    gc.collect()
    assert known() is None
    assert reading().cycles == ()


@LEAKS
def test_garbage_says_nothing_of_what_is_alive() -> None:
    kept = vg.ones(500, requires_grad=True)
    kept_total = (kept * vg.ones(500)).sum()
    view = kept_total.reshape(1)[0]
    before = reading()
    w = vg.ones(1000, requires_grad=True)
    (w * w).sum().backward(create_graph=True)
    del w
    heap = reading()
    assert heap.cycles != ()
    assert heap.keepers == before.keepers
    parts = {tuple(names_in(k)): k.nodes for k in heap.keepers}
    assert parts == {("kept_total", "view"): 3, ("view",): 2}
    del kept_total, view


def test_a_list_that_holds_itself() -> None:
    circle: list[Any] = [vg.zeros(250)]
    circle.append(circle)
    assert reading().cycles == ()  # tensors are no part of it, and it is held
    del circle
    (cycle,) = reading().cycles
    assert (cycle.bytes, cycle.nodes) == (1000, 0)


def test_it_keeps_nothing_and_changes_nothing() -> None:
    w = vg.ones(10, requires_grad=True)
    view = w[2:]
    y = (view.clone() * 3).sum()
    versions = w._version, y._version, view._storage and view._storage.last_write
    slots = [w._storage, y._storage, y._edge, view._edge]
    heap = reading()
    assert (w._version, y._version, view._storage and view._storage.last_write) == versions
    assert all(
        a is b for a, b in zip(slots, [w._storage, y._storage, y._edge, view._edge], strict=True)
    )
    assert gc.isenabled()
    refs = [weakref.ref(thing) for thing in (w, view, y, y.grad_fn)]
    slots.clear()
    del w, view, y
    assert not any(ref() for ref in refs)
    assert heap.storages  # it is data


def test_nothing_of_the_reader_is_left() -> None:
    before = {id(thing) for thing in gc.get_objects()}
    gc.disable()
    try:
        reading()
        vg.memory()
        left = [type(o).__name__ for o in gc.get_objects() if id(o) not in before]
    finally:
        gc.enable()
    assert not {"Walk", "Root", "Graphs", "Block", "frame"} & set(left)


def test_locals_of_a_function_die_as_before() -> None:
    def work() -> weakref.ref[Any]:
        mine = vg.zeros(5)
        known = weakref.ref(mine)
        reading()
        vg.memory()
        del mine
        return known if known() is None else pytest.fail("the reading kept it")

    work()


def test_a_graph_of_a_hundred_thousand_nodes() -> None:
    x = vg.ones(1, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y * 1.5
    heap = reading()
    assert keeper(heap, "y").nodes == 100_001
    assert heap.nodes == 100_001


def test_someone_without_a_name() -> None:
    def given(value: Any) -> model.Heap:
        return reading()

    heap = given(vg.zeros(77))
    assert any(s.bytes == 308 and s.name == "value" for s in heap.held)


def test_hostile_names() -> None:
    class Strange:
        def __repr__(self) -> str:
            raise AssertionError("asked for its text")

        def __eq__(self, other: object) -> bool:
            raise AssertionError("compared")

        def __hash__(self) -> int:
            return 1

        def __getattribute__(self, name: str) -> Any:
            raise AssertionError("asked for an attribute")

    key = Strange()
    evil = {"{0.__class__}<script>alert(1)</script>\n": vg.zeros(21), key: vg.zeros(22)}
    heap = reading()
    names = [s.name for s in heap.held]
    assert any("<script>" in name for name in names)  # it is data
    assert "evil[<Strange>]" in names
    picture = vg.memory()
    assert "<script>" not in picture.to_html()
    assert "\n\n" not in picture.to_text()
    del evil


def test_expanded_and_empty() -> None:
    one = vg.ones(1)
    wide = one.expand(1000)
    none = vg.zeros(0, 3)
    heap = reading()
    assert named(heap, "one").bytes == 4
    assert not [s for s in heap.held if s.name == "none"]
    del wide, none


def test_sparse() -> None:
    dense = vg.zeros(100, 100)
    dense[3, 4] = 1.0
    thin = dense.to_sparse()
    stored = [s for s in reading().held if s.name == "thin"]
    assert sum(s.bytes for s in stored) == 4 + 2 * 8  # one value, two indices
    del thin


def test_an_open_session_keeps_its_graph() -> None:
    x = vg.ones(100, requires_grad=True)
    session = vg.debug((x * 2).tanh().sum(), display=False)
    (kept,) = reading().keepers  # of the variable it is said once: as the session that is in it
    assert (kept.names, kept.sessions, kept.nodes) == ((), ("(x * 2).tanh().sum()",), 4)
    y = x * 3
    title = "(x * 2).tanh().sum()"
    parts = {(*names_in(k), *k.sessions): k.nodes for k in reading().keepers}
    assert parts == {(title,): 3, ("y",): 1, ("y", title): 1}  # the last is what x accumulates in
    del y
    session.close()
    del session
    assert reading().keepers == ()


def test_the_last_error_keeps_what_its_functions_had(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        held = vg.ones(100, requires_grad=True) * 2
        raise ValueError(held.shape)

    try:
        fails()
    except ValueError as error:
        monkeypatch.setattr(sys, "last_value", error, raising=False)
    (kept,) = reading().keepers
    assert kept.names == ("elsewhere",)
    assert kept.through == "a variable of fails(), kept by an error"
    monkeypatch.undo()
    assert reading().keepers == ()


def test_a_module_that_keeps_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("of_a_person")
    vars(module)["kept_here"] = {"y": vg.ones(3, requires_grad=True) * 2}
    before = sum(storage.bytes for storage in reading().held)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    heap = reading()
    (kept,) = heap.keepers
    assert kept.through == "of_a_person.kept_here['y']"
    assert kept.nodes == 2
    assert kept.bytes >= 24  # other modules of this process may have tensors, too
    assert sum(storage.bytes for storage in heap.held) - before in (0, 24)


def test_a_view_of_all_memory_holds_none() -> None:
    """Arrays through which others are read (`blocks.EVERYWHERE`) own nothing that they show."""
    w = vg.ones(3, requires_grad=True)
    found = named(reading(), "w")
    assert found.shape == (3,)
    assert texts(found) == ["w"]
    del w
