"""PyTorch's own graphs in the debugger: what is seen and computed is what an undisturbed backward does."""

from __future__ import annotations

import gc
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from weakref import ref

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.engines import torch_gate  # noqa: E402
from tests.engines.torch_engine import TorchStep  # noqa: E402
from tests.fixtures.sessions import no_sessions  # noqa: E402
from tests.inspection.record_fold import RecordFold  # noqa: E402
from tests.widgets.views import Following  # noqa: E402
from vizgrad.inspection import model  # noqa: E402
from vizgrad.inspection.session import Session, SessionBusy  # noqa: E402
from vizgrad.inspection.wire import from_json, to_json  # noqa: E402
from vizgrad.rendering.static import svg_of_session, text_of_session  # noqa: E402
from vizgrad.widgets import protocol as p  # noqa: E402
from vizgrad.widgets.controller import after_cell  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")


def held_threads() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "held backward"]


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Whatever a test does, no thread stays in a backward."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    with no_sessions():
        yield
    gc.collect()
    for thread in held_threads():
        thread.join(60)
        assert not thread.is_alive()


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.save_for_backward(a)
        return a * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        return grad * 2 + 0 * a


def leaf(*shape: int, dtype: Any = None) -> Any:
    return torch.randn(shape, dtype=dtype, requires_grad=True)


Made = tuple[dict[str, Any], Any, dict[str, Any]]


def an_mlp() -> Made:
    w, b, v = leaf(3, 4), leaf(3), leaf(1, 3)
    return {"w": w, "b": b, "v": v}, (torch.randn(5, 4) @ w.T + b).tanh().matmul(v.T).sum(), {}


def shared_and_broadcast() -> Made:
    a, b = leaf(2, 3), leaf(3)
    c = a * b + b
    return {"a": a, "b": b}, (c * c.sum() + a).sum(), {}


def a_custom_function() -> Made:
    a = leaf(4)
    return {"a": a}, (Double.apply(a).exp() * a).sum(), {}


def written_in_place() -> Made:
    a = leaf(4)
    b = a * 1
    b[1:] = b[:-1].clone() * 2
    b.mul_(3)
    return {"a": a}, b.pow(2).sum(), {}


def other_types() -> Made:
    a, b = leaf(3, dtype=torch.float64), leaf(3)
    return {"a": a, "b": b}, (a * b).sum() + (b.to(torch.bfloat16) * 2).float().sum(), {}


def several_outputs() -> Made:
    a = leaf(3, 2)
    first, _, third = a.unbind(0)
    return {"a": a}, (first * third).sum(), {}


def some_inputs() -> Made:
    a, b, c = leaf(3), leaf(3), leaf(3)
    inner = a * b
    return {"a": a, "b": b, "c": c}, (inner.sin() * c).sum(), {"inputs": [b]}


def an_inner_input() -> Made:
    a, b = leaf(3), leaf(3)
    inner = a * b
    return {"a": a, "inner": inner}, (inner.sin() * b).sum(), {"inputs": [inner]}


def several_losses() -> Made:
    a = leaf(3)
    first = a.sin()
    second = first * a
    given = [torch.ones(3), torch.full((3,), 2.0)]
    return {"a": a}, [first, second], {"gradient": given}


def with_hooks() -> Made:
    a, b = leaf(3), leaf(3)
    inner = a * b
    inner.retain_grad()
    inner.register_hook(lambda grad: grad * 3)
    a.register_hook(lambda grad: grad + 1)
    return {"a": a, "b": b, "inner": inner}, inner.exp().sum(), {}


def higher() -> Made:
    a = leaf(3)
    return {"a": a}, (a**3).sum(), {"create_graph": True}


def kept_graph() -> Made:
    a = leaf(3)
    return {"a": a}, (a.exp() * a).sum(), {"retain_graph": True}


def a_sparse_gradient() -> Made:
    table = leaf(5, 2)
    rows = torch.nn.functional.embedding(torch.tensor([1, 3, 1]), table, sparse=True)
    return {"table": table}, (rows**2).sum(), {}


def a_leaf_alone() -> Made:
    a = leaf()
    return {"a": a}, a, {}


def a_checkpoint() -> Made:
    from torch.utils.checkpoint import checkpoint

    a = leaf(3)
    inner = checkpoint(lambda x: x.sin() * x, a.exp(), use_reentrant=True)
    return {"a": a}, inner.sum(), {}


PROGRAMS = [
    an_mlp, shared_and_broadcast, a_custom_function, written_in_place, other_types, several_outputs,
    some_inputs, an_inner_input, several_losses, with_hooks, higher, kept_graph, a_sparse_gradient,
    a_leaf_alone, a_checkpoint,
]  # fmt: skip


def plainly(make: Callable[[], Made]) -> tuple[dict[str, Any], list[str]]:
    """The gradients, and the nodes in the order in which they ran."""
    torch.manual_seed(1)
    tensors, loss, options = make()
    losses = loss if isinstance(loss, list) else [loss]
    order: list[str] = []
    nodes = [torch.autograd.graph.get_gradient_edge(t).node for t in losses]
    found = set(nodes)
    for node in nodes:
        node.register_prehook(lambda _, node=node: order.append(node.name().rpartition("::")[2]))
        for following, _ in node.next_functions:
            if following is not None and following not in found:
                found.add(following)
                nodes.append(following)
    options = {"grad_tensors" if k == "gradient" else k: v for k, v in options.items()}
    torch.autograd.backward(losses, **options)
    return tensors, order


def agrees(view: Following) -> None:
    view.hear(view.updates())
    view.agrees()


def same(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    return a.layout == b.layout and torch.equal(a.to_dense(), b.to_dense())


# --- moving -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", PROGRAMS)
def test_stepping_does_what_backward_does(make: Callable[[], Made]) -> None:
    expected, order = plainly(make)
    torch.manual_seed(1)
    tensors, loss, options = make()
    session = vizgrad.debug(loss, **options)
    view = Following(session)
    assert session.total == len(order)
    while session.status == "paused":
        session.step()
        agrees(view)
    names = {n.id: n.name for n in session.graph.nodes}
    assert [names[v.node] for v in session.trace.visits] == order
    for name, tensor in tensors.items():
        assert same(tensor.grad, expected[name].grad)
        assert (tensor.grad is None) or tensor.grad.requires_grad == expected[
            name
        ].grad.requires_grad
    assert not session.ready
    assert not session.buffers
    assert not held_threads()


@pytest.mark.parametrize("make", PROGRAMS)
def test_what_waited_is_what_came(make: Callable[[], Made]) -> None:
    """Sums that the records tell are those that PyTorch hands to the node: only hooks change them."""
    _, loss, options = make()
    session = vizgrad.debug(loss, **options)
    session.continue_()
    stages = [s for v in session.trace.visits for s in v.stages]
    assert bool(stages) == (make is with_hooks)
    trace = session.trace
    assert from_json(model.Trace, to_json(trace)) == trace
    assert trace.start is not None
    fold = RecordFold(trace.start)
    states: list[Any] = []
    for record in trace.records:
        states.append(told(fold))
        fold.apply(record)
    for record in reversed(trace.records):
        fold.unapply(record)
        assert told(fold) == states.pop()


def told(fold: RecordFold) -> Any:
    nodes = range(len(fold.start.needed))
    return tuple(map(fold.node, nodes)), fold.queue, repr(fold.waiting), fold.current


def test_leaves_take_copy_and_add_as_they_would() -> None:
    a, b = leaf(3), leaf(3)
    b.grad = torch.ones(3)
    loss = (a * 2 + b + a.expand(2, 3).sum(0)).sum() + a.sum()
    session = vizgrad.debug(loss)
    session.continue_()
    done = {
        session.graph.nodes[v.node].label: v.accumulate.decision
        for v in session.trace.visits
        if v.accumulate is not None
    }
    assert done == {"a": "taken", "b": "added in place"}
    c = leaf(3)
    kept: list[Any] = []
    c.register_hook(kept.append)  # somebody holds it: it is not taken
    session = vizgrad.debug((c * 2).sum())
    session.continue_()
    assert [v.accumulate.decision for v in session.trace.visits if v.accumulate] == ["copied"]


def test_there_is_no_way_back() -> None:
    tensors, loss, _ = an_mlp()
    session = vizgrad.debug(loss)
    session.step(3)
    assert session.run.earliest == 3
    for move in (session.back, session.restart, lambda: session.run_to(0)):
        with pytest.raises(IndexError, match="cannot take steps back, 3 is the earliest"):
            move()
    assert session.position == 3
    session.continue_()
    assert tensors["w"].grad is not None


def test_run_to_and_breakpoints() -> None:
    tensors, loss, _ = an_mlp()
    session = vizgrad.debug(loss)
    session.run_to("Tanh*")
    assert session.node is not None
    assert session.node.name == "TanhBackward0"
    session.break_at(tensor=tensors["w"])
    session.continue_()
    assert session.node.label == "tensors['w']"
    assert tensors["w"].grad is None
    a = leaf(2)
    session = vizgrad.debug((a * torch.tensor([1.0, torch.inf])).tanh().sum())
    session.break_at(when="nonfinite")
    session.continue_()
    names = [session.graph.nodes[v.node].name for v in session.trace.visits]
    assert names[-1] == "MulBackward0"
    assert session.status == "paused"


def test_run_to_a_leaf_stops_at_the_leaf_that_comes_first() -> None:
    _, loss, _ = shared_and_broadcast()
    session = vizgrad.debug(loss)
    session.run_to("AccumulateGrad")
    kinds = [session.graph.nodes[v.node].kind for v in session.trace.visits]
    assert session.node is not None
    assert session.node.kind == "leaf"
    assert "leaf" not in kinds


class Broken(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        raise LookupError("not today")


def test_what_a_node_raises_comes_out_of_step() -> None:
    a = leaf(3)
    session = vizgrad.debug(Broken.apply(a.exp()).sum())
    view = Following(session)
    with pytest.raises(LookupError, match="not today"):
        session.continue_()
    assert (session.status, session.position, session.total) == ("failed", 2, 4)
    assert "LookupError: not today" in session.run.error
    agrees(view)
    assert not held_threads()
    assert session.trace.visits[-1].routed == ()


def test_a_stale_value_is_shown_before_it_fails() -> None:
    a, b = leaf(3), leaf(3)
    loss = (a * b).sum()
    session = vizgrad.debug(loss)
    view = Following(session)
    with torch.no_grad():
        a.add_(1)
    after_cell()
    agrees(view)
    stale = [
        (n.name, s.name, s.version_saved, s.version_now)
        for n, s in session.saved
        if s.state == "stale"
    ]
    assert stale == [("MulBackward0", "self", 0, 1)]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        session.continue_()
    late = vizgrad.debug((a * b).sum() + loss)
    stale = [
        (n.name, s.name, s.version_saved, s.version_now)
        for n, s in late.saved
        if s.state == "stale"
    ]
    assert stale == [("MulBackward0", "self", 0, 1)]


@pytest.mark.parametrize(
    ("loss", "words"),
    [(lambda: leaf(3) * 2, "scalar outputs"), (lambda: torch.ones(()), "does not require grad")],
)
def test_what_backward_refuses_is_refused(loss: Callable[[], Any], words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        vizgrad.debug(loss())
    assert not held_threads()


# --- looking ------------------------------------------------------------------------------------------


def test_nodes_describe_themselves() -> None:
    tensors, loss, _ = a_custom_function()
    a = tensors["a"]
    session = vizgrad.debug(loss)
    nodes = {n.name: n for n in session.graph.nodes}
    assert [n.name for n in session.graph.nodes] == [
        "SumBackward0", "MulBackward0", "ExpBackward0", "DoubleBackward", "AccumulateGrad",
    ]  # fmt: skip
    function = nodes["DoubleBackward"]
    assert function.kind == "function"
    assert "grad * 2 + 0 * a" in function.formulas[0].source
    assert function.outputs == (model.OutputMeta((4,), "float32", "cpu"),)
    assert {s.name for s in nodes["MulBackward0"].saved} == {"self", "other"}
    assert nodes["AccumulateGrad"].label in ("a", "tensors['a']")
    mul = nodes["MulBackward0"]
    session.run_to(mul.id)
    session.step()
    node, visit, slots, grad = session.inspect(mul.id)
    assert {s.state for s in node.saved} == {"freed"}
    assert visit is not None
    assert visit.incoming[0] is not None
    assert visit.incoming[0].histogram
    assert (slots, grad) == ((None,), None)
    assert session.trace.records[-1].released == ("other", "self")
    assert visit.released_bytes == 32
    session.continue_()
    assert session.inspect(nodes["AccumulateGrad"].id)[3].values == tuple(a.grad.tolist())


def test_looking_runs_no_hook_of_saved_tensors() -> None:
    unpacked: list[Any] = []

    def unpack(value: Any) -> Any:
        unpacked.append(value)
        return value

    a = leaf(3)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        loss = a.exp().sum()
    session = vizgrad.debug(loss)
    assert [s.state for _, s in session.saved if not s.value] == []
    node = session.graph.nodes[1]
    assert [(s.state, s.value) for s in node.saved] == [("packed", "Tensor")]
    _ = session.run, session.versions
    assert unpacked == []
    session.continue_()
    assert len(unpacked) == 1
    assert session.trace.records[1].released == ("result",)


def test_pictures_text_and_widget() -> None:
    from vizgrad.widgets.debugview import DebugView

    _, loss, _ = an_mlp()
    session = vizgrad.debug(loss)
    session.step(3)
    text, svg = text_of_session(session), svg_of_session(session)
    for name in ("TanhBackward0", "AccumulateGrad"):
        assert name in text
    assert "3 of" in text
    assert "TanhBackward0" in svg
    view = DebugView(session)
    bundle = view._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert data["text/plain"] == text
    view.close()


@pytest.mark.parametrize("seed", range(8))
def test_a_view_folds_what_the_engine_did(seed: int) -> None:
    rng = random.Random(seed)
    torch.manual_seed(seed)
    pool = leaves = [leaf(2, 3), leaf(3), leaf(1)]
    for _ in range(rng.randrange(2, 12)):
        a, b = rng.choice(pool), rng.choice(pool)
        pool = [*pool, rng.choice([a + b, a * b, a.tanh(), a.exp().clamp(max=3), a - b.sum()])]
    session = vizgrad.debug((pool[-1] * 2).sum())
    views = [Following(session)]
    while session.status == "paused":
        match rng.randrange(4):
            case 0 | 1:
                session.step(rng.randrange(3))
            case 2:
                views[0].ask(p.RunTo, session.id, rng.randrange(session.total))
            case _:
                leaves[0].detach().mul_(1.0)  # stale, if it was saved
                after_cell()
                views.append(Following(session))
        for view in views:
            agrees(view)


# --- the thread ---------------------------------------------------------------------------------------


def test_closing_in_the_middle_leaves_neither_thread_nor_hook() -> None:
    def closed() -> tuple[Session, Any]:
        tensors, loss, _ = an_mlp()
        session = vizgrad.debug(loss, retain_graph=True)
        session.step(2)
        assert len(held_threads()) == 1
        session.close()
        assert not held_threads()
        assert all(t.grad is None for t in tensors.values())
        loss.backward()  # would wait, if a hook were left
        assert all(t.grad is not None for t in tensors.values())
        return session, ref(tensors["w"])

    session, kept = closed()
    gc.collect()
    assert kept() is None
    assert session.closed


def test_a_session_that_nobody_holds_ends_its_thread() -> None:
    _, loss, _ = an_mlp()
    session = vizgrad.debug(loss)
    session.step()
    (thread,) = held_threads()
    gone = ref(session)
    del session
    gc.collect()
    assert gone() is None
    thread.join(60)
    assert not thread.is_alive()


def test_another_backward_through_the_same_nodes_does_not_wait() -> None:
    a = leaf(3)
    inner = a.exp()
    session = vizgrad.debug(inner.sum(), retain_graph=True)
    session.step()
    (inner * 2).sum().backward(retain_graph=True)
    assert torch.equal(a.grad, 2 * a.detach().exp())
    session.continue_()
    assert session.position == session.total
    assert torch.allclose(a.grad, 3 * a.detach().exp())


def test_a_hook_cannot_move_its_own_session() -> None:
    a = leaf(3)
    inner = a.exp()
    refused: list[str] = []
    session: Session

    def hook(grad: Any) -> None:
        try:
            session.step()
        except SessionBusy as error:
            refused.append(str(error))

    inner.register_hook(hook)
    session = vizgrad.debug(inner.sum())
    # The hook runs on the backward's thread, the lock is this thread's.
    from vizgrad.inspection import seen as module

    before, module.LOCK_TIMEOUT = module.LOCK_TIMEOUT, 0.1
    try:
        session.continue_()
    finally:
        module.LOCK_TIMEOUT = before
    assert len(refused) == 1
    assert session.status == "finished"


class Endless(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        started.set()
        while not over.is_set():
            time.sleep(0.01)
        return grad * 2


started, over = threading.Event(), threading.Event()


@contextmanager
def interrupted(*, once: bool = False) -> Iterator[None]:
    """Interrupts the main thread while the endless node runs: `once`, and lets the node end, or until
    an interrupt is not waited for.
    """
    started.clear()
    over.clear()
    ended = threading.Event()
    main = threading.main_thread().ident
    assert main is not None

    def at_once(number: int, frame: Any) -> None:
        ended.set()
        raise KeyboardInterrupt

    def send() -> None:
        assert started.wait(60)
        while not ended.is_set():
            signal.pthread_kill(main, signal.SIGINT)
            ended.wait(0.5)
            if once:
                over.set()
                return

    before = signal.signal(signal.SIGINT, at_once)
    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        over.set()
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_waits_for_the_node() -> None:
    a = leaf(3)
    session = vizgrad.debug(Endless.apply(a.exp()).sum())
    with interrupted(once=True), pytest.raises(KeyboardInterrupt):
        session.continue_()
    assert session.status == "paused"
    assert session.position == 2
    session.continue_()
    assert torch.equal(a.grad, 2 * a.detach().exp())


def test_a_second_interrupt_ends_the_node() -> None:
    a = leaf(3)
    session = vizgrad.debug(Endless.apply(a.exp()).sum())
    with interrupted(), pytest.raises(KeyboardInterrupt):
        session.continue_()
    assert session.status == "failed"
    assert session.position == 2
    assert not held_threads()
    assert a.grad is None


def test_the_interpreter_ends_though_a_session_is_open() -> None:
    program = (
        "import torch, vizgrad, tests.engines.torch_engine\n"
        "a = torch.ones(3, requires_grad=True)\n"
        "s = vizgrad.debug((a * 2).sum())\n"
        "s.step()\n"
        "print(s)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 of 3" in done.stdout


def test_a_closed_session_stays_readable_and_small() -> None:
    _, loss, _ = an_mlp()
    session = vizgrad.debug(loss)
    session.continue_()
    trace = session.trace
    session.close()
    assert session.trace == trace
    assert session.run == replace(session.run, status="closed")


def test_steps_hold_copies_for_looking_closely_until_they_are_too_many() -> None:
    a = leaf(1000)
    loss = a.sin().cos().sin().cos().sum()
    session = vizgrad.debug(loss, keep=20_000)
    session.continue_()
    steps: list[Any] = list(session._live().history.steps)
    assert all(isinstance(step, TorchStep) for step in steps)
    kept = [step.nbytes > 0 for step in steps]
    assert kept == sorted(kept)
    assert kept[-1]
    assert not kept[0]
    assert session.inspect(0)[1] == session.trace.visits[0]


def test_a_session_between_a_thread_and_close_is_not_waited_for_without_end() -> None:
    """A node that does not end: closing gives up on it, and it ends at its next hook."""
    a = leaf(3)
    session = vizgrad.debug(Endless.apply(a.exp()).sum())
    started.clear()
    over.clear()
    before, torch_gate.ENDING = torch_gate.ENDING, 0.2
    gate = session._live()._backward.run._gate
    session.step()
    gate.pass_on()
    assert started.wait(60)
    try:
        session.close()
        assert len(held_threads()) == 1
    finally:
        torch_gate.ENDING = before
        over.set()
    for thread in held_threads():
        thread.join(60)
    assert not held_threads()
    assert a.grad is None
