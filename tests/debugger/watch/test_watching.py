"""Being watched changes nothing: values, versions, lifetimes, hooks; and nothing is left of it."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import vizgrad as vg
from tests.oracle.harness import execute, faults_of_vizgrad, load
from tests.oracle.registry import Program, enabled_programs
from vizgrad.debugger.watch import call_recorder, nonfinite_values, untracked_memory
from vizgrad.debugger.watch.call_recorder import Tapping
from vizgrad.debugger.watch.functions import functions

#: Of all programs of the oracle every so manyth.
STEP = 41


@pytest.fixture
def vizgrad() -> object:
    return load("vizgrad")


@pytest.mark.parametrize("one", list(enabled_programs())[::STEP], ids=lambda one: one.id)
def test_a_program_shows_the_same_when_it_is_watched(one: Program, vizgrad: object) -> None:
    plainly = execute(one, vizgrad)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*was removed because it raised")
        with vg.watch():
            watched = execute(one, vizgrad)
    assert plainly.crash is None
    assert not faults_of_vizgrad(plainly, watched)


def test_values_whose_squares_overflow_or_vanish_are_looked_at_without_a_warning() -> None:
    with vg.watch() as watch:
        for size in (3e30, 1e-30):
            w = vg.full((4,), size, requires_grad=True)
            (w * 2.0).sum().backward()
            (w * size).sum().backward()
            assert w.isfinite().all()
    assert watch.findings == []


def test_functions_do_what_they_did_afterwards() -> None:
    found = [function for function, _, _ in functions()]
    vg.tensor([1.0]).sinh()  # written by now
    before = vg.Tensor.sinh.__code__
    with vg.watch():
        assert vg.Tensor.sinh.__code__ is not before
        vg.tensor([1.0]).sinh()
    assert vg.Tensor.sinh.__code__ is before
    assert len(found) > 500
    assert not [f for f in found if f.__code__.co_filename == "<vizgrad tap>"]


def test_a_function_that_is_first_called_within_a_watch_is_heard_and_stays_written() -> None:
    made = vg.tensor([0.5], requires_grad=True)
    with vg.watch() as watch:
        first, second = vg.special.i0e(made), vg.special.i0e(made)
        assert not vg.why(second)
    assert first.tolist() == second.tolist() == vg.special.i0e(made).tolist()
    assert watch.findings == []


def test_tensors_and_memory_die_as_soon_as_without() -> None:
    gc.disable()
    try:
        with vg.watch():
            x = vg.tensor([1.0, 2.0], requires_grad=True)
            hidden = x * 2.0
            block = hidden.detach().numpy()
            loss = hidden.sum()
            loss.backward()
            gone = [weakref.ref(each) for each in (x, hidden, loss, loss.grad_fn, block)]
            del x, hidden, loss, block
            assert [each() for each in gone] == [None] * 5
    finally:
        gc.enable()


def test_a_function_lets_go_of_what_a_step_before_made() -> None:
    """The watch has asked for names in the frames of functions, too: none keeps what it told."""
    w = vg.tensor([1.0, 2.0], requires_grad=True)

    def train() -> list[bool]:
        opt, losses = vg.optim.SGD([w], lr=0.1), []
        for _ in range(4):
            loss = (w * w).sum()
            loss.backward()
            opt.step()
            losses.append(weakref.ref(loss))
        return [each() is not None for each in losses]

    gc.disable()
    try:
        assert train() == [False, False, False, True]
        with vg.watch():
            assert train() == [False, False, False, True]
    finally:
        gc.enable()


def _read(tensor: vg.Tensor, lines: int) -> None:
    tensor.detach().numpy()  # from here on each line of the user's is looked behind, so many of them
    for _ in range(lines):
        pass


@pytest.mark.parametrize("lines", [0, 2 * untracked_memory.MOST])
def test_frames_that_have_ended_hold_nothing(lines: int) -> None:
    """While memory is lent to numpy, lines are traced: of a frame that has returned nothing stays."""

    def train() -> list[bool]:
        w = vg.tensor([1.0, 2.0], requires_grad=True)
        (w * w).sum().backward()
        _read(w, lines)
        gone, state = weakref.ref(w), [w]
        (state[0] * 2.0).sum().backward()
        del w, state
        return [gone() is not None]

    gc.disable()
    try:
        assert train() == [False]
        with vg.watch():
            assert train() == [False]
    finally:
        gc.enable()


#: What a watch may hold of values for a moment, and what it keeps of an operation: notes, and no value.
MOMENT, NOTES_OF_ONE = 1 << 17, 1500


def _train() -> None:
    """Two steps, with large and oddly strided arrays."""
    w = vg.full((64, 512), 0.01, requires_grad=True)
    opt = vg.optim.SGD([w], lr=1e-6)
    x = vg.ones(1024, 64)
    for _ in range(2):
        opt.zero_grad()
        turned = (x @ w).tanh().t().reshape(2, 256, 1024).permute(1, 2, 0)
        (turned * turned).sum(0)[:, ::2].expand(4, 1024, 1).mean().backward()
        opt.step()


def _look_at_a_part() -> None:
    """Nothing is computed that is as large as the elements of the part, one after the other, would be."""
    whole = vg.ones(512, 1024)
    whole[:, ::2].detach()


def _peak(work: Callable[[], None], *, watched: bool) -> int:
    """The most bytes while it runs."""
    gc.collect()
    tracemalloc.start()
    try:
        if watched:
            with vg.watch() as watch:
                work()
            assert watch.findings == []
        else:
            work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("work", [_train, _look_at_a_part])
def test_a_watch_keeps_notes_and_no_values(work: Callable[[], None]) -> None:
    _peak(work, watched=True)  # what is made at the first watch is there
    plain, watched = _peak(work, watched=False), _peak(work, watched=True)
    assert plain > 512 * 1024 * 4  # the arrays are large
    assert watched <= plain + MOMENT + 60 * NOTES_OF_ONE


def test_notes_go_with_their_tensors() -> None:
    noting = Tapping()
    noting.start()
    try:
        x = vg.tensor([1.0])
        for _ in range(50):
            x = x + 1.0
        assert len(noting.notes.known) <= 2
    finally:
        noting.stop()


def test_what_goes_wrong_in_noting_ends_the_watch_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("noted wrongly")

    monkeypatch.setattr(Tapping, "_made", broken)
    with pytest.warns(RuntimeWarning, match="a watch was removed"), vg.watch() as watch:
        x = vg.tensor([1.0], requires_grad=True)
        (x * 2.0).sum().backward()
    assert x.grad is not None
    assert watch.findings == []


def test_watches_within_each_other_and_on_threads() -> None:
    seen: list[Any] = []

    def work() -> None:
        with vg.watch() as own:
            w = vg.tensor([-1.0], requires_grad=True)
            seen.append(vg.why(w.log().sum()))
        seen.append(own)

    with vg.watch() as outer:
        with vg.watch():
            worker = threading.Thread(target=work)
            worker.start()
            worker.join()
        assert vg.why(vg.tensor([1.0]) / 0.0).kind == "nonfinite-forward"
    assert seen[0].kind == "nonfinite-forward"
    assert outer.findings == []
    assert call_recorder._TAPS.on == []


def test_a_watch_is_entered_once() -> None:
    watch = vg.watch()
    with watch:
        pass
    with pytest.raises(RuntimeError, match="entered once"):
        watch.__enter__()


def test_an_error_leaves_no_tap_behind() -> None:
    with pytest.raises(ZeroDivisionError), vg.watch():
        raise ZeroDivisionError
    assert call_recorder._TAPS.on == []


def test_a_batch_whose_elements_are_asked_for_is_an_error_as_without() -> None:
    def odd(x: Any) -> Any:
        return x if x.sum() > 0 else -x

    with vg.watch() as watch, pytest.raises(RuntimeError, match="vmap"):
        vg.vmap(odd)(vg.ones(2, 3))
    assert watch.findings == []


@pytest.mark.parametrize("reentrant", [False, True])
def test_layers_in_a_checkpoint_are_left_in_peace(reentrant: bool) -> None:
    """The line of what they do is that of the call, and then that of the backward; a batch norm counts."""
    layer = vg.nn.Sequential(vg.nn.Linear(3, 3), vg.nn.BatchNorm1d(3), vg.nn.Dropout(0.5))
    x = vg.randn(4, 3).requires_grad_()
    with vg.watch() as watch:
        made = vg.utils.checkpoint.checkpoint(layer, x, use_reentrant=reentrant)
        made.sum().backward()
    assert watch.findings == []


def test_what_keeps_values_finite_is_looked_at_where_they_may_have_been_written_unseen() -> None:
    with vg.watch():
        hidden = vg.tensor([1.0, 2.0], requires_grad=True) * 2.0
        lent = hidden.detach().numpy()
        hidden.tanh()
        lent[0] = float("nan")
        told = vg.why(hidden.tanh())  # its operand was finite when it was made
    assert told.kind == "nonfinite-forward"


def test_operations_that_are_not_looked_at_do_keep_values_finite() -> None:
    most = vg.finfo(vg.float32).max
    values = vg.tensor([[most, -most, 0.0, 1e-45], [1e38, -1e38, 1.0, -1.0]])
    arguments: dict[str, tuple[Any, ...]] = {
        "__getitem__": (0,), "broadcast_to": ((3, 2, 4),), "chunk": (2,), "expand": (3, 2, 4),
        "expand_as": (vg.zeros(3, 2, 4),), "gather": (0, vg.zeros(1, 4, dtype=vg.int64)),
        "index_select": (0, vg.tensor([1])), "movedim": (0, 1), "narrow": (0, 0, 1),
        "permute": (1, 0), "repeat": (2, 1), "reshape": (4, 2), "reshape_as": (vg.zeros(4, 2),),
        "select": (0, 0), "softmax": (-1,), "split": (1,), "swapaxes": (0, 1), "tile": (2, 1),
        "transpose": (0, 1), "unflatten": (1, (2, 2)), "unsqueeze": (0,), "view": (8,),
        "view_as": (vg.zeros(8),),
    }  # fmt: skip
    for name in nonfinite_values.KEEPING:
        if name in ("cat", "stack"):
            found = getattr(vg, name)([values, values])
        elif name == "embedding":
            found = vg.nn.functional.embedding(vg.tensor([1, 0]), values)
        elif name == "silu":
            found = vg.nn.functional.silu(values)
        else:
            found = getattr(values, name)
            found = found(*arguments.get(name, ())) if callable(found) else found
        for each in found if isinstance(found, (list, tuple)) else [found]:
            assert bool(each.isfinite().all()), name


def _calls(run: Callable[[], object]) -> int:
    """How many functions of Python's a run calls."""
    count = 0

    def told(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(told)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def _added(step: Callable[[Any], Any], *, backward: bool) -> float:
    """The calls that a watch adds to each of the operations of a step, or to their part of a backward."""
    x, scale = vg.full((8,), 1.0, requires_grad=True), vg.full((8,), 1.0)

    def calls(steps: int) -> int:
        results: list[Any] = [x * scale]

        def forward() -> None:
            for _ in range(steps):
                results[0] = step(results[0])

        counted = _calls(forward)
        if backward:
            counted = _calls(results[0].sum().backward)
        return counted

    def watched(steps: int) -> int:
        with vg.watch():
            return calls(steps)

    watched(1)  # what is written at its first call is, and sources are read
    few, many = 10, 60
    return ((watched(many) - calls(many)) - (watched(few) - calls(few))) / (many - few)


@pytest.mark.parametrize(
    ("step", "forward", "backward"),
    [
        (lambda x: x.tanh(), 15, 5),
        (lambda x: x * 0.5, 17, 5),
        (lambda x: x * x, 15, 9),
        (lambda x: x[:], 22, 5),
    ],
    ids=["unary", "number", "square", "view"],
)
def test_a_watch_adds_few_calls_to_an_operation_and_to_a_node(
    step: Callable[[Any], Any], forward: int, backward: int
) -> None:
    # a collection of garbage on the way calls a few more, of all operations together
    assert round(_added(step, backward=False)) <= forward
    assert round(_added(step, backward=True)) <= backward
