"""Several threads on one graph, and what a thread's modes have to do with it (E-91 ... E-93)."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

import vizgrad as torch

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


@pytest.mark.filterwarnings("ignore:Using backward")
def test_accumulation_with_history_loses_nothing() -> None:
    x = torch.ones(10, requires_grad=True)

    def work(number: int) -> None:
        for _ in range(30):
            (x * 1.0).sum().backward(create_graph=True)

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


def test_leaves_are_given_one_node_even_if_all_ask_at_once() -> None:
    for _ in range(50):
        x = torch.ones(2, requires_grad=True)
        results: list[object] = []

        def work(number: int, x: torch.Tensor = x, results: list[object] = results) -> None:
            results.append(x * float(number))

        assert together(work) == []
        nodes = {r.grad_fn.next_functions[0][0] for r in results}
        assert len(nodes) == 1
