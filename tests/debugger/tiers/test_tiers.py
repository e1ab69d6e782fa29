"""A watch of alarms explains the step that went wrong by a second run, and leaves nothing of it."""

from __future__ import annotations

import gc
import importlib
import random
import weakref
from typing import Any

import pytest

import vizgrad as vg
from tests.debugger.tiers.programs import BAD, Training, directly
from vizgrad.debugger.watch.functions import functions

#: numpy's generator that programs share, as its functions have it.
numpy = importlib.import_module("numpy").random

ENGINES = ["vizgrad", "torch"]


@pytest.fixture(params=ENGINES)
def t(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


def same(a: Any, b: Any) -> bool:
    return repr(a) == repr(b)  # NaN is NaN


# --- a second run --------------------------------------------------------------------------------------


@pytest.mark.parametrize("clear", ["first", "last"])
@pytest.mark.parametrize("spoil", ["loss", "gradient"])
def test_the_step_is_run_again_and_explained_and_nothing_of_it_stays(
    t: Any, spoil: str, clear: str
) -> None:
    plain, watched = Training(t, spoil, clear=clear), Training(t, spoil, clear=clear)
    t.manual_seed(1)
    losses, left = plain.train(directly), plain.left()
    t.manual_seed(1)
    with vg.watch(level="alarms") as w:
        assert same(watched.train(w.run), losses)
    assert same(watched.left(), left)
    found = w.findings[0]
    assert found.kind == ("nonfinite-forward" if spoil == "loss" else "nonfinite-backward")
    line = ".log()" if spoil == "loss" else ".sqrt()"
    assert line in found.culprit.text
    assert found.when.startswith(
        f"round {BAD + 1} of `w.run`, which was run again in the full watch"
    )
    assert watched.calls[: BAD + 3] == [0, 1, 2, BAD, BAD, BAD + 1]


def test_a_good_training_is_called_once_and_nothing_is_found(t: Any) -> None:
    plain, watched = Training(t), Training(t)
    t.manual_seed(1)
    losses, left = plain.train(directly), plain.left()
    t.manual_seed(1)
    with vg.watch(level="alarms", every=2) as w:
        assert same(watched.train(w.run), losses)
    assert same(watched.left(), left)
    assert watched.calls == [0, 1, 2, 3, 4, 5]
    assert w.findings == []
    assert repr(w) == "<Watch: nothing found>"


def test_versions_objects_and_tensors_die_as_without(t: Any) -> None:
    training = Training(t, "loss")
    weight = training.model[0].weight
    gone: list[Any] = []
    seen: list[Any] = []

    def step(number: int, x: Any) -> Any:
        weight.grad = None
        out = training.model(x)
        loss = ((out - 100).log() if number else out).mean()
        gone.append(weakref.ref(loss))
        loss.backward()
        seen.append((weight.grad, weight._version))

    gc.disable()
    try:
        with vg.watch(level="alarms") as w:
            w.run(step, 0, t.ones(4, 3))
            first = weight._version
            w.run(step, 1, t.ones(4, 3) - 2)
            assert [each() for each in gone] == [None] * 3
            assert len(w.findings) == 1
    finally:
        gc.enable()
    assert weight.grad is seen[-1][0]
    assert weight._version == first


def test_what_a_step_writes_is_taken_back(t: Any) -> None:
    """A moving average before the forward pass, a table written by index, numbers of Python and numpy."""
    w = t.ones(3, requires_grad=True)
    average, table = t.zeros(3), t.zeros(2, 3)

    def step(x: Any) -> list[float]:
        with t.no_grad():
            average.mul_(0.5).add_(w, alpha=0.5)
            table[1] += 1
            w.mul_(1.5)
        loss = (w * x).log().sum() * random.random() * abs(numpy.standard_normal())
        loss.backward()
        return [*average.tolist(), *table[1].tolist(), *w.tolist(), random.random()]

    def run(call: Any) -> Any:
        random.seed(0)
        numpy.seed(0)
        for each in (average, table):
            each.zero_()
        with t.no_grad():
            w.fill_(1.0)
        w.grad = None
        found = [call(step, t.full((3,), value)) for value in (1.0, -1.0, 2.0)]
        return found, w.grad.tolist(), numpy.standard_normal()

    plain = run(directly)
    with vg.watch(level="alarms") as watch:
        watched = run(watch.run)
    assert same(plain, watched)
    assert [each.culprit.text.strip()[:6] for each in watch.findings] == ["loss ="]


def test_a_gradient_without_an_optimizer_is_seen_when_its_backward_ends(t: Any) -> None:
    def step(x: Any) -> None:
        w.grad = None
        (w * x).sqrt().sum().backward()
        assert w.grad is not None

    w = t.ones(2, requires_grad=True)
    with vg.watch(level="alarms") as watch:
        watch.run(step, t.ones(2))
        watch.run(step, t.zeros(2))
        assert w.grad.isnan().any()
    (found,) = watch.findings
    assert found.culprit.text == "(w * x).sqrt().sum().backward()"
    assert "round 2 of `w.run`" in found.when


def test_the_second_of_two_backwards_of_a_step_is_the_one_that_is_explained(t: Any) -> None:
    w = t.ones(2, requires_grad=True)
    opt = t.optim.SGD([w], lr=0.1)

    def step(x: Any) -> None:
        opt.zero_grad()
        (w * 2).sum().backward()
        (w * x).log().sum().backward()
        opt.step()

    with vg.watch(level="alarms") as watch:
        watch.run(step, t.ones(2))
        watch.run(step, t.zeros(2))
    (found,) = watch.findings
    assert ".log()" in found.culprit.text


def test_a_closure_of_an_optimizer_is_looked_at_when_its_backward_ends(t: Any) -> None:
    w = t.ones(2, requires_grad=True)
    opt = t.optim.SGD([w], lr=0.1)

    def loss_of(x: Any) -> Any:
        loss = (w * x).sqrt().sum()
        loss.backward()
        return loss

    def train(x: Any) -> None:
        opt.zero_grad()
        opt.step(lambda: loss_of(x))

    with vg.watch(level="alarms") as watch:  # as a trainer does, which has a closure of its own
        for x in (t.ones(2), t.zeros(2)):
            watch.begin(loss_of, x)
            train(x)
            watch.end()
            watch.end()
    (found,) = watch.findings
    assert found.culprit.text == "loss = (w * x).sqrt().sum()"
    assert found.when.startswith("round 2 of `w.run`, which was run again")
    with t.no_grad():
        w.fill_(1.0)
    (when,) = reasons(train, [t.ones(2)], [t.zeros(2)])
    assert "the optimizer runs the step as a closure" in when


def test_a_loss_whose_backward_fails_is_explained(t: Any) -> None:
    w = t.ones(2, requires_grad=True)

    def step(x: Any) -> str:
        w.grad = None
        y = w * x
        y.register_hook(refuse_nan)
        loss = y.log().sum()
        try:
            loss.backward()
        except ArithmeticError as error:
            return str(error)
        return "fine"

    def refuse_nan(grad: Any) -> None:
        if not grad.isfinite().all():
            raise ArithmeticError("refused")

    with vg.watch(level="alarms") as watch:
        assert [watch.run(step, x) for x in (t.ones(2), t.zeros(2))] == ["fine", "refused"]
    (found,) = watch.findings
    assert found.culprit.text == "loss = y.log().sum()"


# --- honesty -------------------------------------------------------------------------------------------


def reasons(step: Any, *batches: Any) -> list[str]:
    with vg.watch(level="alarms") as watch:
        for batch in batches:
            watch.run(step, *batch)
    assert all(found for found in watch.findings)
    return [found.when for found in watch.findings]


def test_a_step_that_is_not_the_same_again_is_not_explained(t: Any) -> None:
    w = t.ones(2, requires_grad=True)
    calls: list[int] = []

    def step(x: Any) -> None:
        calls.append(1)
        (w * (x if len(calls) < 3 else 1.0)).log().sum().backward()

    (when,) = reasons(step, [t.ones(2)], [t.zeros(2)])
    assert "not explained by a second run: all was finite then" in when
    calls.clear()
    w.grad = None

    def other(x: Any) -> None:
        calls.append(1)
        ((w * x).log() * len(calls)).log().sum().backward()

    (when,) = reasons(other, [t.full((2,), 8.0)], [t.full((2,), 0.5)])
    assert when.startswith("round 2 of `w.run`, which was run again")  # NaN both times


def test_reasons_not_to_run_a_step_again(t: Any) -> None:
    w, v = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    first, second = t.optim.SGD([w], lr=0.1), t.optim.SGD([v], lr=0.1)

    def gan(x: Any) -> None:
        for leaf, opt, factor in ((w, first, 1.0), (v, second, x)):
            opt.zero_grad()
            (leaf * factor).log().sum().backward()
            opt.step()

    assert "an optimizer had stepped before" in reasons(gan, [t.ones(2)], [-t.ones(2)])[0]

    def drawn(data: Any) -> None:
        (v * next(data)).log().sum().backward()

    data = iter([t.ones(2), -t.ones(2), t.ones(2)])
    assert "an argument of the step is an iterator" in reasons(drawn, [data], [data])[0]
    assert next(data).tolist() == [1.0, 1.0]

    def written(x: Any) -> None:
        x.neg_()
        (v * x).log().sum().backward()

    assert "the step has written to its arguments" in reasons(written, [-t.ones(2)], [t.ones(2)])[0]

    def shared(x: Any) -> None:
        (v * x).log().sum().backward()

    with vg.watch(level="alarms") as watch:
        kind = type(watch._sources[-1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "alone", False)
        assert "other processes would have to" in reasons(shared, [t.ones(2)], [-t.ones(2)])[0]

    def kept(x: Any) -> None:
        loss = (v * x).log().sum()
        loss.backward(retain_graph=True)
        loss.backward()

    assert "the graph is kept for another" in reasons(kept, [t.ones(2)], [-t.ones(2)])[0]


def test_a_loop_says_that_nothing_runs_its_step_and_watches_the_next_rounds(t: Any) -> None:
    training = Training(t, "loss")
    with vg.watch(level="alarms") as watch:
        training.train(directly)
    found = watch.findings[0]
    assert found.when.startswith(
        f"round {BAD + 1}; not explained by a second run: no function runs"
    )
    assert "2 of the rounds after it were watched in full" in found.when
    assert training.calls == [0, 1, 2, 3, 4, 5]


def test_what_lasts_is_told_once_and_counted(t: Any) -> None:
    w = t.zeros(2, requires_grad=True)

    def step() -> None:
        w.grad = None
        w.sqrt().sum().backward()

    with vg.watch(level="alarms") as watch:
        for _ in range(9):
            watch.run(step)
    (found,) = watch.findings
    assert found.when.endswith("; the alarm sounded in 8 of the rounds after it, too")


def test_a_scaler_that_skips_a_step_is_no_alarm(t: Any) -> None:
    scaler_of = importlib.import_module(f"{t.__name__}.amp").GradScaler
    w = t.ones(2, requires_grad=True)
    opt, scaler = t.optim.SGD([w], lr=0.1), scaler_of("cpu", init_scale=2.0**127)

    def step(x: Any) -> None:
        opt.zero_grad()
        scaler.scale((w * x).sum()).backward()
        scaler.step(opt)
        scaler.update()

    with vg.watch(level="alarms") as watch:
        for _ in range(3):
            watch.run(step, t.full((2,), 3.0))
    assert watch.findings == []
    assert w.tolist() != [1.0, 1.0]  # the scale has shrunk, and steps were made


# --- every, and the block ------------------------------------------------------------------------------


def test_each_nth_round_is_watched_in_full(t: Any) -> None:
    w = t.ones(2, requires_grad=True)
    whole: list[bool] = []

    def step(x: Any) -> None:
        w.grad = None
        y = w * x
        y.sum().backward()
        whole.append(tensor_is_noted(y))

    with vg.watch(every=3) as watch:
        for _ in range(7):
            watch.run(step, t.ones(2))
    assert whole == [False, False, True, False, False, True, False]
    whole.clear()
    with vg.watch(every=3):
        for _ in range(7):
            step(t.ones(2))
    assert whole == [False, False, True, False, False, True, False]
    assert watch.findings == []


def tensor_is_noted(tensor: Any) -> bool:
    """Did an open watch hear of how it was made?"""
    from vizgrad.debugger.explain import watch_block

    last = watch_block._last
    if last is None or not last._open:
        return False
    noting = watch_block.known(tensor)
    note = None if noting is None else noting.notes.get(tensor)
    return note is not None and note.op not in ("given", "gradient")


def test_nothing_is_left_of_it(t: Any) -> None:
    before = [function.__code__ for function, _, _ in functions()]
    w = t.ones(2, requires_grad=True)
    watch = vg.watch(level="alarms", every=2)

    def run() -> None:
        with watch:
            for divisor in (1, 0):
                watch.run(lambda d: (w * (1 / d)).sum().backward(), divisor)

    def loop() -> None:
        with vg.watch(every=2):
            for divisor in (1, 0):
                (w * (1 / divisor)).sum().backward()

    for program in (run, loop):
        with pytest.raises(ZeroDivisionError):
            program()
    assert [function.__code__ for function, _, _ in functions()] == before
    (w * 1).sum().backward()
    assert watch.findings == []


def test_what_is_wrong_is_refused() -> None:
    with pytest.raises(ValueError, match='level must be "full" or "alarms", but got \'some\''):
        vg.watch(level="some")
    for every in (0, -1, 1.5):
        with pytest.raises(ValueError, match="every must be a positive integer"):
            vg.watch(every=every)
    watch = vg.watch(level="alarms")
    with pytest.raises(RuntimeError, match="needs an open watch"):
        watch.run(print)
    with watch, pytest.raises(RuntimeError, match="once for each step"):
        watch.run(lambda: watch.run(print))
    with pytest.raises(RuntimeError, match="entered once"), watch:
        pass
    assert type(vg.watch(every=1)) is type(vg.watch())


def test_an_error_of_the_watch_is_reported_once_and_the_program_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from vizgrad.debugger.watch.own_alarms import OwnAlarms

    def broken(self: Any, tensors: Any) -> Any:
        raise RuntimeError("broken")

    monkeypatch.setattr(OwnAlarms, "odd", broken)
    w = vg.ones(2, requires_grad=True)
    watch = vg.watch(level="alarms")
    with pytest.warns(RuntimeWarning, match="a watch was removed because it raised"), watch:
        for _ in range(3):
            assert watch.run(lambda: (w * 1).sum().backward()) is None
    assert w.grad.tolist() == [3.0, 3.0]
