"""Several threads on one graph, and what a thread's modes have to do with it (E-91 ... E-93)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import pytest

import vizgrad as torch
from tests.fixtures.limits import HANG

pytestmark = pytest.mark.rule("E-93")

THREADS = 8


def together(work: Callable[[int], None]) -> list[BaseException]:
    """Runs work(0) ... work(7) at the same time; returns what they raised."""
    barrier = threading.Barrier(THREADS)
    raised: list[BaseException] = []

    def run(number: int) -> None:
        barrier.wait()
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001  the test looks at it
            raised.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_one_kept_graph_run_by_all_sums_up() -> None:
    x = torch.ones(100, requires_grad=True)
    y = x
    for _ in range(50):
        y = y * 1.0 + x * 0.0
    loss = y.sum()
    assert together(lambda n: loss.backward(retain_graph=True)) == []
    assert x.grad is not None
    assert x.grad.tolist() == [THREADS] * 100


def test_one_graph_for_each_thread_and_one_leaf_for_all() -> None:
    x = torch.zeros(1000, requires_grad=True)

    def work(number: int) -> None:
        for _ in range(30):
            (x * float(number)).sum().backward()

    assert together(work) == []
    assert x.grad is not None
    assert set(x.grad.tolist()) == {30.0 * sum(range(THREADS))}
    assert x.grad._version == 30 * THREADS - 1


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads take turns as often as they can: what is not guarded is interrupted."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("switching")
@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("others", [True, False], ids=["with history", "half without history"])
def test_accumulation_with_history_loses_nothing(others: bool) -> None:
    x = torch.ones(10, requires_grad=True)

    def work(number: int) -> None:
        for _ in range(30):
            (x * 1.0).sum().backward(create_graph=others or number % 2 == 0)

    for _ in range(5):
        assert together(work) == []
        assert x.grad is not None
        assert set(x.grad.tolist()) == {30.0 * THREADS}
        x.grad = None


def test_a_graph_that_is_released_by_one_fails_with_the_error_that_says_so() -> None:
    x = torch.ones(10, requires_grad=True)
    y = x
    for _ in range(200):
        y = y.tanh()
    loss = y.sum()
    raised = together(lambda n: loss.backward())
    assert len(raised) < THREADS or x.grad is None
    for error in raised:
        assert isinstance(error, RuntimeError)
        assert "backward through the graph a second time" in str(error)


@pytest.mark.rule("E-91")
def test_backward_and_hooks_run_on_the_thread_that_called() -> None:
    x = torch.ones(2, requires_grad=True)
    seen: list[int] = []
    x.register_hook(lambda grad: seen.append(threading.get_ident()))

    def work() -> None:
        (x * 2).sum().backward()
        seen.append(threading.get_ident())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen[0] == seen[1] != threading.get_ident()


@pytest.mark.rule("E-91")
def test_a_new_thread_records_whatever_its_maker_does() -> None:
    x = torch.ones(2, requires_grad=True)
    found: list[bool] = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: found.append((x * 2).requires_grad))
        thread.start()
        thread.join()
        assert not (x * 2).requires_grad
    assert found == [True]


@pytest.mark.usefixtures("switching")
def test_leaves_are_given_one_node_even_if_all_ask_at_once() -> None:
    for _ in range(200):
        x = torch.ones(2, requires_grad=True)
        results: list[object] = []

        def work(number: int, x: torch.Tensor = x, results: list[object] = results) -> None:
            results.append(x * float(number))

        assert together(work) == []
        nodes = {r.grad_fn.next_functions[0][0] for r in results}
        assert len(nodes) == 1


@pytest.mark.usefixtures("switching")
def test_a_tensor_is_given_one_storage_even_if_all_ask_at_once() -> None:
    """Else a write through one of the views would not be seen by the others."""
    for _ in range(400):
        x = torch.ones(2)
        views: list[torch.Tensor] = []

        def work(number: int, x: torch.Tensor = x, views: list[torch.Tensor] = views) -> None:
            views.append(x.view(2))

        assert together(work) == []
        assert len({id(view._storage) for view in views}) == 1


@pytest.mark.usefixtures("switching")
@pytest.mark.parametrize("of", ["leaf", "result", "accumulated"])
def test_no_hook_is_lost_if_all_register_at_once(of: str) -> None:
    for _ in range(200):
        x = torch.ones(2, requires_grad=True)
        y = x * 1.0
        tensor = y if of == "result" else x
        calls: list[int] = []

        def work(
            number: int, tensor: torch.Tensor = tensor, calls: list[int] = calls, of: str = of
        ) -> None:
            if of == "accumulated":
                tensor.register_post_accumulate_grad_hook(lambda _: calls.append(number))
            else:
                tensor.register_hook(lambda _: calls.append(number))

        assert together(work) == []
        y.sum().backward()
        assert sorted(calls) == list(range(THREADS))


@pytest.mark.usefixtures("switching")
def test_two_hundred_rounds_of_eight_threads_on_one_kept_graph_are_exact() -> None:
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64, requires_grad=True)
    x = torch.tensor([[0.5, -1.0], [2.0, 0.25]], dtype=torch.float64, requires_grad=True)
    base = w * 2.0
    base[0].mul_(3.0)  # CopySlices on the way
    loss = ((base @ x) * (base @ x) + x.exp().split(1)[0]).sum()
    once = torch.autograd.grad(loss, (w, x), retain_graph=True)
    # halves of small numbers: sums are exact in any order
    exact = [torch.round(g * 4.0) / 4.0 for g in once]
    w.register_hook(lambda grad: torch.round(grad * 4.0) / 4.0)
    x.register_hook(lambda grad: torch.round(grad * 4.0) / 4.0)
    rounds = 200

    def work(number: int) -> None:
        for _ in range(rounds):
            loss.backward(retain_graph=True)
            torch.autograd.grad(loss, w, retain_graph=True)

    assert together(work) == []
    for leaf, grad in zip((w, x), exact, strict=True):
        assert leaf.grad is not None
        assert leaf.grad.tolist() == (grad * float(rounds * THREADS)).tolist()
        assert leaf.grad._version == rounds * THREADS - 1


# --- no lock is held while people's code runs ------------------------------------------------------


class Waiting(torch.autograd.Function):
    """Its backward calls `Waiting.meanwhile`."""

    meanwhile: Callable[[], None]

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        Waiting.meanwhile()
        return grad * 2


def _on_tensor(shared: torch.Tensor, wait: Callable[[], None]) -> torch.Tensor:
    y = shared * 2
    y.register_hook(lambda grad: wait())
    return y.sum()


def _on_leaf(shared: torch.Tensor, wait: Callable[[], None]) -> torch.Tensor:
    leaf = torch.ones(2, requires_grad=True)
    leaf.register_hook(lambda grad: wait())
    return (shared * leaf).sum()


def _after_accumulation(shared: torch.Tensor, wait: Callable[[], None]) -> torch.Tensor:
    leaf = torch.ones(2, requires_grad=True)
    leaf.register_post_accumulate_grad_hook(lambda leaf: wait())
    return (shared * leaf).sum()


def _before_node(shared: torch.Tensor, wait: Callable[[], None]) -> torch.Tensor:
    y = shared * 2
    y.grad_fn.register_prehook(lambda outputs: wait())
    return y.sum()


def _after_node(shared: torch.Tensor, wait: Callable[[], None]) -> torch.Tensor:
    y = shared * 2
    y.grad_fn.register_hook(lambda inputs, outputs: wait())
    return y.sum()


def _after_leaf_node(shared: torch.Tensor, wait: Callable[[], None]) -> torch.Tensor:
    y = shared * 2
    shared_node = y.grad_fn.next_functions[0][0]
    shared_node.register_hook(lambda inputs, outputs: wait())
    return y.sum()


def _multi_grad(shared: torch.Tensor, wait: Callable[[], None]) -> torch.Tensor:
    y = shared * 2
    torch.autograd.graph.register_multi_grad_hook([y, shared], lambda grads: wait())
    return (y * 3).sum()


def _any_grad(shared: torch.Tensor, wait: Callable[[], None]) -> torch.Tensor:
    y = shared * 2
    torch.autograd.graph.register_multi_grad_hook([y], lambda grad: wait(), mode="any")
    return (y * 3).sum()


def _in_function(shared: torch.Tensor, wait: Callable[[], None]) -> torch.Tensor:
    Waiting.meanwhile = staticmethod(wait)
    return Waiting.apply(shared).sum()


def _at_unpack(shared: torch.Tensor, wait: Callable[[], None]) -> torch.Tensor:
    def unpack(packed: torch.Tensor) -> torch.Tensor:
        wait()
        return packed

    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        return shared.exp().sum()


def _in_callback(shared: torch.Tensor, wait: Callable[[], None]) -> torch.Tensor:
    y = shared * 2
    y.register_hook(lambda grad: torch.autograd.graph.queue_callback(wait))
    return y.sum()


@pytest.mark.parametrize(
    "graph",
    [
        _on_tensor, _on_leaf, _after_accumulation, _before_node, _after_node, _after_leaf_node,
        _multi_grad, _any_grad, _in_function, _at_unpack, _in_callback,
    ],
    ids=lambda graph: graph.__name__.strip("_"),
)  # fmt: skip
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.filterwarnings("ignore:Using backward")
def test_another_thread_finishes_a_backward_on_the_same_leaf_meanwhile(
    graph: Callable[[torch.Tensor, Callable[[], None]], torch.Tensor], create_graph: bool
) -> None:
    shared = torch.ones(2, requires_grad=True)
    inside, done = threading.Event(), threading.Event()
    waited: list[bool] = []

    def wait() -> None:
        if inside.is_set():  # the other backward may come through the same hook
            return
        inside.set()
        waited.append(done.wait(HANG))

    loss = graph(shared, wait)

    def other() -> None:
        inside.wait(HANG)
        (shared * 5).sum().backward(create_graph=create_graph)
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    loss.backward(create_graph=create_graph)
    thread.join()
    assert waited
    assert all(waited)
    shared.grad = None
