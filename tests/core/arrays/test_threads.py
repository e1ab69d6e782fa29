"""Products that are too small for several threads are given one, and nothing of that stays."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures.limits import HANG
from vizgrad.core.arrays import threads


class Library:
    """Stands in for OpenBLAS with eight threads, and notes how many a product had."""

    def __init__(self) -> None:
        self.number = 8
        self.seen: list[int] = []

    def get(self) -> int:
        return self.number

    def set(self, number: int) -> None:
        self.number = number

    def noting(self, product: Any) -> Any:
        def noted(*operands: Any) -> Any:
            self.seen.append(self.number)
            return product(*operands)

        return noted


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    made = Library()
    monkeypatch.setattr(threads, "_openblas", lambda: (made.get, made.set))
    monkeypatch.setattr(threads, "_threads", threads.Threads())
    monkeypatch.setattr(threads, "_dot", made.noting(threads._dot))
    return made


@pytest.mark.parametrize(
    ("a", "b", "number"),
    [
        ((64, 128), (128, 128), 1), ((64, 64), (64, 65), 1), ((1, 128), (128, 128), 1),
        ((200, 128), (128,), 1),
        ((512, 512), (512, 512), 8), ((128, 256), (256, 257), 8), ((1, 3000), (3000, 3000), 8),
        ((64, 64), (64, 64), 8), ((1, 90), (90, 100), 8),
    ],
)  # fmt: skip
def test_how_many_threads_a_product_is_given(
    library: Library, a: tuple[int, ...], b: tuple[int, ...], number: int
) -> None:
    x, y = vg.ones(*a), vg.ones(*b)
    assert ((x.matmul(y)) == a[-1]).all()
    assert set(library.seen) <= {number}
    assert library.seen or number == 8, "the small one was not asked for"
    assert library.number == 8


def test_stacks_and_convolutions_are_measured_by_one_matrix(library: Library) -> None:
    monkey = np.ones((50, 65, 65), np.float32)
    noted = library.noting(np.matmul)
    assert (threads._given(noted, monkey, monkey) == 65).all()
    assert library.seen == [1]
    x, w = vg.ones(2, 16, 16, 17, requires_grad=True), vg.ones(32, 16, 3, 3)
    asked: list[int] = []
    put = library.set
    library_threads: Any = threads._threads
    library_threads._set = lambda n: (asked.append(n), put(n))
    vg.nn.functional.conv2d(x, w, padding=1).sum().backward()
    assert asked[:2] == [1, 8]
    assert library.number == 8


def test_a_product_that_fails_or_runs_beside_another_leaves_the_number(library: Library) -> None:
    with pytest.raises(ValueError, match="not aligned"):
        threads._given(threads._dot, np.ones((64, 128)), np.ones((127, 128)))
    assert library.number == 8
    small = np.ones((64, 128)), np.ones((128, 128))
    together = threading.Barrier(4)

    def product(a: Any, b: Any) -> Any:
        together.wait(HANG)  # all of them are inside
        assert library.number == 1
        return a.dot(b)

    workers = [threading.Thread(target=threads._given, args=(product, *small)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert library.number == 8


def test_the_number_is_numpys_own() -> None:
    """In a process of its own, for tests are given one thread from the start."""
    program = """
import threadpoolctl, vizgrad as vg
from vizgrad.core.arrays import threads
def number():
    found = threadpoolctl.ThreadpoolController().select(internal_api="openblas").info()
    found = [i for i in found if "numpy" in i["filepath"]] or found
    return [i["num_threads"] for i in found[:1]]
before, seen = number(), []
dot = threads._dot
threads._dot = lambda a, b: (seen.append(number()), dot(a, b))[1]
vg.ones(64, 128) @ vg.ones(128, 128)
vg.ones(512, 512) @ vg.ones(512, 512)
print(before, seen, number())
"""
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}, timeout=HANG,
    ).stdout.strip()  # fmt: skip
    many = min(2, os.cpu_count() or 1)
    assert out in (
        f"[{many}] [[1], [{many}]] [{many}]",
        "[] [[], []] []",
    )  # another BLAS than OpenBLAS


def test_a_number_that_is_set_is_there_after_products_by_one_thread(library: Library) -> None:
    small = np.ones((64, 128)), np.ones((128, 128))

    def product(a: Any, b: Any) -> Any:
        threads._of_numpy().set_number(3)
        assert (library.number, threads.number()) == (1, 3)
        return a.dot(b)

    threads._given(product, *small)
    assert (library.number, threads.number()) == (3, 3)


def test_without_openblas_the_number_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_openblas", lambda: None)
    bare = threads.Threads()
    bare.set_number(4)
    assert bare.number() == 4
    assert bare.alone(np.dot, np.ones(2), np.ones(2)) == 2


def test_a_library_that_comes_later_is_told_too() -> None:
    program = """
import threadpoolctl, vizgrad as vg
def numbers():
    return {i["num_threads"] for i in threadpoolctl.threadpool_info() if i["user_api"] == "blas"}
vg.set_num_threads(1)
first = numbers()
vg.linalg.lu_factor(vg.eye(3))
print(first | numbers(), vg.get_num_threads())
"""
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}, timeout=HANG,
    ).stdout.strip()  # fmt: skip
    assert out in ("{1} 1", "set() 1")  # no BLAS that can be asked
