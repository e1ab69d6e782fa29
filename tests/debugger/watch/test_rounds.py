"""Findings say in which round of which loop they happened; steps without gradients are findings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import vizgrad
from vizgrad.core.errors import Explanation


@pytest.fixture(params=["vizgrad", "torch"])
def engine(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


def found(program: Callable[[Any], object], engine: Any) -> list[Explanation]:
    with vizgrad.watch() as watched:
        program(engine)
    return watched.findings


def only(program: Callable[[Any], object], engine: Any) -> Explanation:
    (finding,) = found(program, engine)
    return finding


# --- rounds ------------------------------------------------------------------------------------------


def weight(engine: Any) -> Any:
    return engine.ones(1, 1, requires_grad=True)


def pairs(engine: Any, w: Any) -> Any:
    return ((engine.ones(4, 1) @ w - engine.ones(4)) ** 2).mean()


def once(engine: Any) -> None:
    pairs(engine, weight(engine)).backward()


def in_range(engine: Any) -> None:
    w = weight(engine)
    for i in range(2, 30, 3):
        loss = (w * 2).sum() if i < 8 else pairs(engine, w)
        loss.backward()


def enumerated(engine: Any) -> None:
    w = weight(engine)
    for step, factor in enumerate([1.0, 2.0, 3.0], start=1):
        loss = (w * factor).sum() if step != 2 else pairs(engine, w)
        loss.backward()


def over_a_list(engine: Any) -> None:
    w = weight(engine)
    for factor in [1.0, 2.0, 3.0]:
        loss = (w * factor).sum() if factor < 2 else pairs(engine, w)
        loss.backward()


def while_it_lasts(engine: Any) -> None:
    w, left = weight(engine), 3
    while left > 0:
        left -= 1
        pairs(engine, w).backward()


def nested(engine: Any) -> None:
    w = weight(engine)
    for epoch in range(2):
        for i in range(3):
            loss = pairs(engine, w) if (epoch, i) == (1, 2) else (w * 2).sum()
            loss.backward()


def in_a_function(engine: Any) -> None:
    w = weight(engine)

    def step(i: int) -> None:
        loss = pairs(engine, w) if i == 4 else (w * 2).sum()
        loss.backward()

    for i in range(6):
        step(i)


def left_out(engine: Any) -> None:
    """Rounds that come to no backward are counted by the variable alone."""
    w = weight(engine)
    for i in range(10):
        if i % 2:
            loss = pairs(engine, w) if i == 7 else (w * 2).sum()
            loss.backward()


def not_counted(engine: Any) -> None:
    """A backward that not each round comes to, and no variable that counts."""
    w = weight(engine)
    for factor in [1.0, 2.0, 3.0, 4.0]:
        if factor != 2.0:
            loss = pairs(engine, w) if factor == 3.0 else (w * factor).sum()
            loss.backward()


def without_a_loop(engine: Any) -> None:
    w = weight(engine)
    (w * 2).sum().backward()
    pairs(engine, w).backward()


def after_grad(engine: Any) -> None:
    """Calls of grad are no backwards that `--at` counts."""
    w = weight(engine)
    engine.autograd.grad((w * 2).sum(), w)
    (w * 2).sum().backward()
    pairs(engine, w).backward()


@pytest.mark.parametrize(
    ("program", "when", "number"),
    [
        (once, "", 1),
        (
            in_range,
            "first in round 3 of `for i in range(2, 30, 3)`, last in round 10, in 8 rounds",
            3,
        ),
        (
            enumerated,
            "round 2 of `for step, factor in enumerate([1.0, 2.0, 3.0], start=1)`",
            2,
        ),
        (
            over_a_list,
            "first in round 2 of `for factor in [1.0, 2.0, 3.0]`, last in round 3, in 2 rounds",
            2,
        ),
        (while_it_lasts, "first in round 1 of `while left > 0`, last in round 3, in 3 rounds", 1),
        (nested, "round 3 of `for i in range(3)` in round 2 of `for epoch in range(2)`", 6),
        (in_a_function, "round 5 of `for i in range(6)`", 5),
        (left_out, "round 8 of `for i in range(10)`", 4),
        (not_counted, "backward 2", 2),
        (without_a_loop, "backward 2", 2),
        (after_grad, "backward 2", 2),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_finding_says_in_which_round(
    program: Callable[[Any], None], when: str, number: int, engine: Any
) -> None:
    finding = only(program, engine)
    assert finding.kind == "shape-broadcast"
    assert (finding.when, finding.backward) == (when, number)
    assert (f"  when: {when}" in str(finding)) == bool(when)
    assert finding.there == ""  # outside of a notebook
    assert (
        f"<strong>When:</strong> {when[:8]}" in finding._repr_mimebundle_()["text/html"]
    ) == bool(when)


def test_a_nan_is_found_in_the_round_that_made_it(engine: Any) -> None:
    w = engine.ones(3, requires_grad=True)

    def program(engine: Any) -> None:
        for step in range(8):
            loss = (w * 2).sum()
            if step in (4, 6):
                loss = loss + ((w * 0).sqrt() * 0).sum()
            loss.backward()

    finding = only(program, engine)
    assert finding.kind.startswith("nonfinite")
    assert (
        finding.when == "first in round 5 of `for step in range(8)`, last in round 7, in 2 rounds"
    )
    assert finding.backward == 5


def test_an_accumulated_gradient_counts_its_rounds(engine: Any) -> None:
    def program(engine: Any) -> None:
        w = engine.ones(3, requires_grad=True)
        optimizer = engine.optim.SGD([w], lr=0.1)
        for _i in range(6):
            (w * 2).sum().backward()
            optimizer.step()

    finding = only(program, engine)
    assert finding.kind == "grad-accumulated"
    assert finding.when == "first in round 2 of `for _i in range(6)`, last in round 6, in 5 rounds"
    assert finding.backward == 2


def test_the_first_late_clipping_counts(engine: Any) -> None:
    def program(engine: Any) -> None:
        w = engine.ones(3, requires_grad=True)
        optimizer = engine.optim.SGD([w], lr=0.1)
        for _i in range(6):
            optimizer.zero_grad()
            (w * 2).sum().backward()
            optimizer.step()
            engine.nn.utils.clip_grad_norm_([w], 1.0)

    finding = only(program, engine)
    assert finding.heading == "Gradients clipped after step()"
    assert finding.when == "first in round 1 of `for _i in range(6)`, last in round 6, in 6 rounds"


def test_rounds_of_a_long_run_are_known(engine: Any) -> None:
    def program(engine: Any) -> None:
        w = engine.ones(1, 1, requires_grad=True)
        for i in range(200):
            loss = pairs(engine, w) if i > 9 else (w * 2).sum()
            loss.backward()

    finding = only(program, engine)
    assert (
        finding.when
        == "first in round 11 of `for i in range(200)`, last in round 200, in 190 rounds"
    )


# --- steps that find no gradient ---------------------------------------------------------------------


class Gan:
    def __init__(self, engine: Any) -> None:
        engine.manual_seed(0)
        self.engine = engine
        self.G, self.D = engine.nn.Linear(4, 2), engine.nn.Linear(2, 1)
        self.of_g = engine.optim.SGD(self.G.parameters(), lr=0.01)
        self.of_d = engine.optim.Adam(self.D.parameters(), lr=0.01)

    def fake(self) -> Any:
        return self.G(self.engine.randn(3, 4))

    def step_d(self, fake: Any) -> None:
        self.of_d.zero_grad()
        (self.D(fake) ** 2).mean().backward()
        self.of_d.step()

    def step_g(self, fake: Any) -> None:
        self.of_g.zero_grad()
        (-self.D(fake)).mean().backward()
        self.of_g.step()


def cut_once(engine: Any) -> None:
    gan = Gan(engine)
    gan.step_g(gan.fake().detach())  # blame


def cut_always(engine: Any) -> None:
    gan = Gan(engine)
    for _ in range(5):
        fake = gan.fake()
        gan.step_d(fake.detach())
        gan.step_g(fake.detach())  # blame


def cut_from_a_round_on(engine: Any) -> None:
    gan = Gan(engine)
    for i in range(10):
        fake = gan.fake()
        if i > 3:
            fake = fake.detach()  # blame
        gan.step_d(fake.detach())
        gan.step_g(fake)


def without_grad(engine: Any) -> None:
    gan = Gan(engine)
    for _ in range(5):
        with engine.no_grad():
            fake = gan.G(engine.randn(3, 4))  # blame
        gan.step_g(fake)


def through_numbers(engine: Any) -> None:
    gan = Gan(engine)
    for _ in range(5):
        fake = engine.tensor(gan.fake().tolist())  # blame
        gan.step_g(fake)


@pytest.mark.parametrize(
    ("program", "when"),
    [
        (cut_once, ""),
        (cut_always, "first in round 1 of `for _ in range(5)`, last in round 5, in 5 rounds"),
        (
            cut_from_a_round_on,
            "first in round 5 of `for i in range(10)`, last in round 10, in 6 rounds",
        ),
        (without_grad, "first in round 1 of `for _ in range(5)`, last in round 5, in 5 rounds"),
        (through_numbers, "first in round 1 of `for _ in range(5)`, last in round 5, in 5 rounds"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_steps_without_a_gradient_are_a_finding(
    program: Callable[[Any], None], when: str, engine: Any
) -> None:
    finding = only(program, engine)
    assert finding.culprit is not None
    assert finding.culprit.text.endswith("# blame")
    assert "found no gradient for any of the 2 parameters of SGD" in finding.story
    assert finding.when == when


def right(engine: Any) -> None:
    gan = Gan(engine)
    for _ in range(5):
        fake = gan.fake()
        gan.step_d(fake.detach())
        gan.step_g(fake)


def frozen(engine: Any) -> None:
    gan = Gan(engine)
    gan.G.requires_grad_(False)
    for _ in range(5):
        gan.step_d(gan.fake())
        gan.of_g.step()


def only_some_frozen(engine: Any) -> None:
    gan = Gan(engine)
    gan.G.weight.requires_grad_(False)
    for _ in range(5):
        gan.step_g(gan.fake())


def a_first_step(engine: Any) -> None:
    """As for a scheduler that wants one."""
    gan = Gan(engine)
    gan.of_g.step()
    for _ in range(5):
        gan.step_g(gan.fake())


def a_step_before_all(engine: Any) -> None:
    gan = Gan(engine)
    with engine.no_grad():
        gan.D(gan.fake())
    gan.of_g.step()
    gan.of_d.step()


def by_turns(engine: Any) -> None:
    gan = Gan(engine)
    for i in range(9):
        gan.of_g.zero_grad()
        gan.of_d.zero_grad()
        loss = (gan.fake() ** 2).mean() if i % 2 else (gan.D(engine.randn(3, 2)) ** 2).mean()
        loss.backward()
        gan.of_g.step()
        gan.of_d.step()


def one_group_without(engine: Any) -> None:
    gan = Gan(engine)
    groups = [{"params": list(gan.G.parameters())}, {"params": list(gan.D.parameters())}]
    both = engine.optim.SGD(groups, lr=0.01)
    for _ in range(5):
        both.zero_grad()
        (gan.fake() ** 2).mean().backward()
        both.step()


def every_fourth(engine: Any) -> None:
    """Both optimizers step each round, and the generator has a loss in every fourth."""
    gan = Gan(engine)
    for i in range(16):
        fake = gan.fake()
        gan.of_g.zero_grad()
        gan.of_d.zero_grad()
        (gan.D(fake.detach()) ** 2).mean().backward()
        if i % 4 == 0:
            (-gan.D(fake)).mean().backward()
        gan.of_d.step()
        gan.of_g.step()


def one_then_the_other(engine: Any) -> None:
    """The generator is trained, then the discriminator, and both optimizers go on stepping."""
    gan = Gan(engine)
    for i in range(12):
        fake = gan.fake()
        if i < 5:
            gan.step_g(fake)
        else:
            gan.of_g.zero_grad()
            gan.step_d(fake.detach())
            gan.of_g.step()


@pytest.mark.parametrize(
    "program",
    [
        right, frozen, only_some_frozen, a_first_step, a_step_before_all, by_turns, one_group_without,
        every_fourth, one_then_the_other,
    ],
)  # fmt: skip
def test_steps_that_are_meant_so_are_no_finding(
    program: Callable[[Any], None], engine: Any
) -> None:
    assert found(program, engine) == []
