"""What was wrong, or missing, in explanations that people read while they worked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.debugger.drawing.describe import write_text
from vizgrad.debugger.drawing.text import run_text
from vizgrad.debugger.engines.common.variable_names import names_in
from vizgrad.debugger.explain import watch_block
from vizgrad.debugger.session import registry


@pytest.fixture(autouse=True)
def _nobody_watched_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(watch_block, "_last", None)
    yield
    for session in registry.sessions():
        session.close()


@pytest.fixture(params=["vizgrad", "torch"])
def engine(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


def text_of(session: Any) -> str:
    with session.at_rest() as (_, look):
        return run_text(look.graph(), look.run())


@pytest.mark.parametrize("many", [True, False], ids=["two parameters", "one"])
def test_a_generator_that_is_cut_off_is_found(engine: Any, *, many: bool) -> None:
    nn, optim = engine.nn, engine.optim
    with vg.watch() as watch:
        generator = nn.Linear(2, 2, bias=many)
        critic = nn.Linear(2, 1)
        steps = optim.SGD(generator.parameters(), lr=0.1)
        noise = engine.ones(4, 2)
        loss = -critic(generator(noise).detach()).mean()  # the cut
        steps.zero_grad()
        loss.backward()
        steps.step()
    (found,) = watch.findings
    whom = "any of the 2 parameters of SGD" if many else "the one parameter of SGD"
    assert found.kind == "cut-detach"
    assert found.culprit is not None
    assert found.culprit.text.endswith("# the cut")
    assert f"found no gradient for {whom}: `generator(noise).detach()`" in found.story
    assert found.mended == "loss = -critic(generator(noise)).mean()  # the cut"


def test_a_generator_that_is_trained_is_no_finding(engine: Any) -> None:
    nn, optim = engine.nn, engine.optim
    with vg.watch() as watch:
        generator, critic = nn.Linear(2, 2), nn.Linear(2, 1)
        of_generator = optim.SGD(generator.parameters(), lr=0.1)
        of_critic = optim.SGD(critic.parameters(), lr=0.1)
        noise = engine.ones(4, 2)
        of_generator.step()  # before any gradient, as schedulers want it
        critic(generator(noise).detach()).mean().backward()
        of_critic.step()
        generator.zero_grad()
        (-critic(generator(noise)).mean()).backward()
        of_generator.step()
    assert watch.findings == []


@pytest.mark.parametrize("how", ["backward", "session", "watch"])
def test_a_step_cannot_be_written_out_of_place(engine: Any, how: str) -> None:
    block = vg.watch()
    if how == "watch":
        block.__enter__()
    w = engine.ones(2, requires_grad=True)
    steps = engine.optim.SGD([w], lr=0.1)
    w.grad = engine.ones(2)
    loss = (w * w).sum()
    session: Any = vg.debug(loss, display=False) if how == "session" else None
    steps.step()
    with pytest.raises(RuntimeError, match="modified by an inplace") as caught:
        loss.backward() if session is None else session.continue_()
    told = getattr(caught.value, "explanation", None)
    if engine is vg or how == "watch":
        assert told is not None
        assert told.kind == "saved-overwritten"
        assert told.culprit.text == "steps.step()"
    if told is not None and told.culprit is not None:
        assert told.fix.startswith("call every backward that needs the old values before step()")
        assert "steps" not in told.tensor
    if how == "watch":
        block.__exit__(None, None, None)


def test_a_leaf_that_is_nan_is_named(engine: Any) -> None:
    w = engine.tensor([float("nan"), 1.0], requires_grad=True)
    x = engine.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * x).sum()
    session: Any = vg.debug(loss, display=False)
    session.continue_()
    assert "AccumulateGrad" not in str(session.stopped.text)
    if engine is vg:
        assert session.stopped.text.endswith("w is not finite itself")
        assert "`w`, which is not finite" in vg.why(loss).story


def test_who_wrote_has_the_name_of_a_tensor_or_none() -> None:
    layer = vg.nn.Linear(2, 2)
    weight = vg.ones(2)
    vg.nn.init.zeros_(weight)
    weight.mul_(2.0)
    vg.relu_(weight)
    (storage,) = vg.versions(layer.weight).storages
    assert [write.alias for write in storage.writes] == [""]
    assert "nn" not in write_text(storage.writes[0]).partition("Linear")[0]
    (storage,) = vg.versions(weight).storages
    assert [write.alias for write in storage.writes] == ["weight"] * 3


def test_a_variable_comes_before_the_results_of_a_notebook() -> None:
    loss = vg.ones(2)
    for names in ({"Out": {10: loss}, "_": loss, "loss": loss}, {"loss": loss, "Out": {10: loss}}):
        assert names_in([names]).get(id(loss)) == "loss"
    assert names_in([{"Out": {10: loss}}]).get(id(loss)) == "Out[10]"


def test_an_expression_is_the_title_of_its_session(engine: Any) -> None:
    x = engine.tensor([1.0, 2.0], requires_grad=True)
    session: Any = vg.debug((x * 2).sum(), display=False)
    assert session.title == "(x * 2).sum()"
    assert text_of(session).startswith("backward of (x * 2).sum(): ")
    session.close()
    loss = x.sum()
    session = vg.debug(loss, display=False)
    assert session.title == "loss"
    session.close()
    long = (x * 2 * 2 * 2 * 2 * 2 * 2 * 2 * 2 * 2).sum()
    session = vg.debug(long + 0.0 * long + 0.0 * long + 0.0 * long + 0.0 * long, display=False)
    assert session.title == "backward"
    assert text_of(session).startswith("backward: ")


class Cube(vg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad * 2 * x**2


def test_a_wrong_gradient_is_said_to_be_for_a_random_one() -> None:
    (found, *_) = vg.check(Cube, vg.tensor([1.0, 2.0, 3.0], requires_grad=True))
    assert "for a random gradient, and differences of forward give" in found.story
    assert "0.6667 times the derivative" in found.fix
