"""What was wrong, or missing, in explanations that people read while they worked."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.debugger.drawing.describe import write_text
from vizgrad.debugger.drawing.text import run_text
from vizgrad.debugger.engines.common.variable_names import names_in
from vizgrad.debugger.explain.node_answers import why_node


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
    assert f"found no gradient for {whom}: detach() in `generator(noise).detach()`" in found.story
    assert found.mended == "loss = -critic(generator(noise)).mean()  # the cut"


def test_a_cut_that_is_right_is_not_to_be_removed(engine: Any) -> None:
    """The critic alone has a loss so far: its detach() is right, and the generator's step is too early."""
    nn, optim = engine.nn, engine.optim
    with vg.watch() as watch:
        generator, critic = nn.Linear(2, 2), nn.Linear(2, 1)
        of_generator = optim.SGD(generator.parameters(), lr=0.1)
        of_critic = optim.Adam(critic.parameters(), lr=0.1)
        noise = engine.ones(4, 2)
        for _ in range(3):
            of_critic.zero_grad()
            critic(generator(noise).detach()).mean().backward()
            of_critic.step()
            of_generator.step()  # too early
    (found,) = watch.findings
    assert found.heading == "No loss for this optimizer"
    assert found.culprit is not None
    assert found.culprit.text.endswith("# too early")
    assert "Adam has used the gradients of that loss" in found.story
    assert "compute a loss for SGD without the detach()" in found.fix
    assert not found.mended


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
    if told is not None and (told.culprit is not None or how == "session"):
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
    assert session.stopped.text.endswith("w is not finite itself")
    with session.at_rest() as (_, look):
        told = why_node(look, session.stopped.node).explanation
    assert "was computed from `w`, which is not finite" in told.story
    assert "`w`, which is not finite" in vg.why(loss).story


@pytest.mark.parametrize("watched", [True, False], ids=["watched", "unwatched"])
def test_a_parameter_that_a_step_made_nan_is_blamed(engine: Any, *, watched: bool) -> None:
    """The run stops in the round after the one in which it went wrong."""
    block = vg.watch()
    if watched:
        block.__enter__()
    bias = engine.ones(2, requires_grad=True)
    steps = engine.optim.SGD([bias], lr=0.1)
    odd = (bias - bias.detach()).sqrt().sum()  # born
    odd.backward()
    steps.step()
    loss = (bias * bias).sum()
    if watched:
        block.__exit__(None, None, None)
    session: Any = vg.debug(loss, display=False)
    session.continue_()
    with session.at_rest() as (_, look):
        told = why_node(look, session.stopped.node).explanation
    if watched:
        assert "AccumulateGrad" not in str(told)
        assert told.culprit is not None
        assert told.culprit.text.endswith("# born")
    else:
        assert "`bias`, which is not finite" in told.story
        written = "The last write to `bias` was SGD.step on line "
        assert (written in told.story) is (engine is vg)  # PyTorch notes no writes


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
    assert names_in([{"losses": {vg.sum: loss}}]).get(id(loss)) == "losses[sum]"
    assert (
        names_in([{"losses": {object(): loss}}]).get(id(loss)) == "losses[<object>]"
    )  # no address


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


# --- what an engineer found by reading -------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Converting a tensor")
@pytest.mark.parametrize("how", ["tensor", "as_tensor"])
def test_a_tensor_made_of_tensors_is_no_detach(engine: Any, how: str) -> None:
    w, q = (engine.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    with vg.watch():
        copied = getattr(engine, how)([w[0] * 2, w[1] * 3])
        (copied * q).sum().backward()
    found = vg.why(w)
    assert "copies values without their history" in found.story
    assert "detach" not in str(found)
    assert "stack()" in found.fix


def test_a_fix_names_the_operand_of_a_chain_over_lines(engine: Any) -> None:
    a = engine.tensor([0.0, 1.0], requires_grad=True)
    with vg.watch():
        (
            a
            .sqrt()
            .sum()
        ).backward()  # fmt: skip
    found = vg.why(a)
    assert found.fix.startswith("add a small eps (1e-12) to `a`")
    assert found.tensor == "a"


def test_a_number_is_outside_of_the_domain_that_it_is_said_to_leave(engine: Any) -> None:
    with vg.watch():
        a = engine.tensor([1.0000001])
        angle = engine.acos(a)
    assert "acos(1.0000001) = NaN at [0], where `a` is 1.0000001" in vg.why(angle).story


def test_the_infinite_factor_is_to_blame(engine: Any) -> None:
    with vg.watch():
        a = engine.tensor([0.0], requires_grad=True)
        loss = (a * float("inf")).sum()
    found = vg.why(loss)
    assert found.tensor == "float('inf')"
    assert found.fix.startswith("do not multiply by `float('inf')`")


def test_words_are_not_in_code_quotes(engine: Any) -> None:
    w, v = (engine.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    with vg.watch():
        dead = w * 3
        del dead
        (v * 2).sum().backward()
    found = vg.why(w)
    assert "the result, `dead`, never reaches the loss" in found.story
    with vg.watch():
        data = engine.tensor([float("nan"), 1.0])
        loss = (data * 2 / 3).sum()
    found = vg.why(loss)
    assert "__" not in str(found)
    assert found.story.endswith(". From there it reached `loss`.")


def test_where_the_derivative_is_not_finite_has_a_noun(engine: Any) -> None:
    x, mask = engine.tensor([0.0, 4.0], requires_grad=True), engine.tensor([0.0, 1.0])
    with vg.watch():
        (engine.sqrt(x) * mask).sum().backward()
    assert "is not finite where `x` is 0" in vg.why(x).story


def test_two_bugs_of_one_line_are_told_apart_by_the_banner(engine: Any) -> None:
    with vg.watch():
        x, kept = engine.tensor([0.0, 1.0, 4.0], requires_grad=True), engine.tensor([0.0, 1.0, 1.0])
        loss = (x.sqrt() * kept).sum() + (x.log() * 0).sum()
    session: Any = vg.debug(loss, display=False)
    for call in ("x.log()", "x.sqrt()"):
        session.continue_()
        with session.at_rest() as (_, look):
            told = why_node(look, session.stopped.node).explanation
        assert told.story.startswith(f"The derivative of `{call}` on line ")
        assert "at [0]: gradient 0 arrived, " in told.story
        assert not told.mended or call.replace("x", "x.clamp(min=1e-12)", 1) in told.mended


@pytest.mark.parametrize("name", ["vizgrad", "torch"])
def test_a_module_is_no_operand_whatever_it_is_imported_as(name: str, tmp_path: Path) -> None:
    pytest.importorskip(name)
    text = (
        f"import {name} as tensors\n"
        "x = tensors.tensor([[-2.0, 4.0]], requires_grad=True)\n"
        "y = tensors.log(tensors.add(x, 1.0))\n"
        "z = tensors.log(tensors.softmax(x * 1e30, 1))\n"
    )
    file = tmp_path / "program.py"
    file.write_text(text, encoding="utf-8")
    linecache.checkcache(str(file))
    names: dict[str, Any] = {}
    with vg.watch():
        exec(compile(text, str(file), "exec"), names)
    found = vg.why(names["y"])
    assert "where `tensors.add(x, 1.0)` is -1" in found.story
    assert found.mended == "y = tensors.log(tensors.add(x, 1.0).clamp(min=1e-12))"
    assert vg.why(names["z"]).fix.startswith("use log_softmax")


CARRIES = """\
def train(T, vg):
    net, x = T.nn.Linear(3, 1), T.randn(4, 3)
    with vg.watch() as seen:
        acc = T.zeros(())
        for _ in range(4):
            losses = [net(x).mean(), net(x).mean()]
            losses[0].backward(retain_graph=True)
            {0}
    return seen.findings
"""


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("acc = acc + net(x).mean()", "acc += net(x).mean().item()"),
        ("acc = acc + losses[0]", "acc += losses[0].item()"),
        ("acc = acc + losses[0] * 2", "losses[0].item()"),
        ("acc = 0.9 * acc + net(x).mean() * 0.5", "(net(x).mean() * 0.5).item()"),
        ("acc = acc + losses[1]; acc.backward(retain_graph=True)", "acc = acc.detach()"),
    ],
)
def test_what_is_added_with_its_graph_is_named_as_written(
    engine: Any, tmp_path: Path, line: str, advice: str
) -> None:
    program = tmp_path / "train.py"
    program.write_text(CARRIES.format(line))
    scope: dict[str, Any] = {}
    exec(compile(program.read_text(), str(program), "exec"), scope)
    (finding,) = (each for each in scope["train"](engine, vg) if each.kind == "history-kept")
    assert advice in finding.fix, finding.fix


@pytest.mark.parametrize("batched", [True, False])
def test_a_masked_product_is_nan_by_what_went_in(engine: Any, *, batched: bool) -> None:
    """A batched product is several nodes, and its elements have no operand of their own."""
    with vg.watch() as watch:
        h = engine.tensor([[1.0, 2.0], [0.0, 0.0], [3.0, -1.0]], requires_grad=True)
        unit = h / h.norm(dim=-1, keepdim=True)  # 0 / 0
        rows = unit[None] if batched else unit
        mask = engine.tensor([False, True, False])
        product = rows @ rows.mT
        loss = product.masked_fill(mask, 0.0).masked_fill(mask[:, None], 0.0).mean()
        loss.backward()
    (found,) = watch.findings
    assert found.kind == "nonfinite-masked"
    assert found.culprit is not None
    assert found.culprit.text.endswith("# 0 / 0")
    assert "is NaN in the branch that is masked out" in found.story
    assert "0 * NaN is NaN" in found.story
    assert "where(mask, h.norm(dim=-1, keepdim=True), 1)" in found.fix


def test_a_stop_at_a_product_shows_no_element_that_is_not_to_blame(engine: Any) -> None:
    h = engine.tensor([[1.0, 2.0], [0.0, 0.0], [3.0, -1.0]], requires_grad=True)
    unit = h / h.norm(dim=-1, keepdim=True)
    mask = engine.tensor([False, True, False])
    product = unit @ unit.mT
    loss = product.masked_fill(mask, 0.0).masked_fill(mask[:, None], 0.0).mean()
    session: Any = vg.debug(loss, display=False)
    session.continue_()
    assert "MmBackward0 made" in session.stopped.text
    assert "self =" not in session.stopped.text
    assert "made by the forward of DivBackward0" in session.stopped.text


def test_a_loss_that_overflows_names_the_large_operand(engine: Any) -> None:
    with vg.watch() as watch:
        w = engine.tensor([1e20], requires_grad=True)
        target = engine.tensor([1.0])
        steps = engine.optim.SGD([w], lr=0.1)
        state = w * 1e10
        loss = engine.nn.functional.mse_loss(state, target)
        loss.backward()
        steps.step()
    (found,) = watch.findings
    assert "values of `state` are as large as 1e+30" in found.story
    assert found.story.endswith("From there it reached `w`.")
    assert found.fix.startswith("scale `state` down")


def test_an_optimizer_that_was_given_the_other_model(engine: Any) -> None:
    nn, optim = engine.nn, engine.optim
    with vg.watch() as watch:
        generator, critic = nn.Linear(2, 2), nn.Linear(2, 1)
        of_generator = optim.SGD(generator.parameters(), lr=0.1)
        of_critic = optim.Adam(generator.parameters(), lr=0.1)
        noise = engine.ones(4, 2)
        for _ in range(4):
            fake = generator(noise)
            of_critic.zero_grad()
            critic(fake.detach()).mean().backward()
            of_critic.step()  # has none
            of_generator.zero_grad()
            (-critic(fake)).mean().backward()
            of_generator.step()
    found = watch.findings[0]
    assert found.heading == "Optimizer has parameters of another"
    assert found.culprit is not None
    assert found.culprit.text.endswith("# has none")
    assert "also those of `SGD`" in found.story
    assert "zero_grad" not in found.fix


def test_a_gradient_that_is_not_there_is_no_good_news_without_a_watch(engine: Any) -> None:
    w = engine.ones(2, requires_grad=True)
    loss = (w * 1).detach().sum() + engine.ones(1, requires_grad=True).sum()
    loss.backward()
    found = vg.why(w)
    assert not found  # no fault is known
    assert found.story.startswith("`w.grad` is None, and nothing was noted that tells why")
    assert found.fix == "run the block inside vizgrad.watch(), and ask again"
    assert "nothing to explain" in vg.why(engine.ones(2)).story


def test_a_model_that_came_with_nan_is_found(engine: Any) -> None:
    """The cell of a training is run again, after it has made the weights NaN."""
    net = engine.nn.Linear(2, 1)
    with engine.no_grad():
        net.bias.fill_(float("nan"))
    steps = engine.optim.SGD(net.parameters(), lr=0.1)
    with vg.watch() as watch:
        for _ in range(3):
            loss = net(engine.ones(4, 2)).pow(2).mean()
            steps.zero_grad()
            loss.backward()
            steps.step()
    (found,) = watch.findings
    assert found.kind == "nonfinite-forward"
    assert found.story.startswith("`net.bias` held values that are not finite before the block")
    assert found.fix.startswith("run the cells again that make the model and its optimizer")
