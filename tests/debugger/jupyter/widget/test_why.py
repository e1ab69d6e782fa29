"""Why a node is as it is, asked from a view: the answer, the way by node numbers, and the step."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from tests.debugger.jupyter.widget.views import View
from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain import watch_block
from vizgrad.debugger.explain.phrases import PHRASES
from vizgrad.debugger.explain.watch_block import Watch
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.session.session import Session


@pytest.fixture(autouse=True)
def _nobody_watched_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_block, "_last", None)


def opened(loss: Any) -> tuple[Session, View]:
    session = vg.debug(loss, display=False)
    view = View()
    view.ask(p.Attach, session.id)
    return session, view


def number(session: Session, name: str) -> int:
    return next(node.id for node in session.graph.nodes if name in (node.name, node.label))


def why(session: Session, view: View, name: str) -> p.Why:
    answer = view.ask(p.GetWhy, session.id, number(session, name))
    assert isinstance(answer, p.Why)
    assert (answer.session, answer.revision) == (session.id, session.revision)
    return answer


def names(session: Session, answer: p.Why) -> list[str]:
    """What the chain goes through, read off the graph."""
    nodes = session.graph.nodes
    return [nodes[link.node].name for link in answer.chain if link.node is not None]


def test_a_nan_leads_from_any_node_to_the_step_where_the_session_stopped() -> None:
    w = vg.tensor([0.0, 1.0], requires_grad=True)
    square = w * w
    session, view = opened(square.sqrt().sum())
    session.continue_()
    stopped = session.stopped
    assert stopped is not None
    session.continue_()
    for name, way in (
        ("w", ["AccumulateGrad", "MulBackward0", "SqrtBackward0"]),
        ("MulBackward0", ["MulBackward0", "SqrtBackward0"]),
        ("SqrtBackward0", ["MulBackward0", "SqrtBackward0"]),
    ):
        answer = why(session, view, name)
        assert (answer.kind, answer.culprit) == ("nonfinite-backward", stopped.place)
        assert answer.position == stopped.position
        assert names(session, answer) == way
        assert [
            line.text.strip()
            for line in answer.lines
            if answer.culprit and line.number == answer.culprit.line
        ] == ["session, view = opened(square.sqrt().sum())"]
    answer = why(session, view, "SumBackward0")
    assert (answer.kind, answer.chain, answer.position) == ("healthy", (), None)


def test_a_nan_of_the_forward_pass_leads_on_to_the_node_whose_forward_made_it() -> None:
    w = vg.tensor([-1.0, 1.0], requires_grad=True)
    a = w.log()
    session, view = opened((a * a).sum())
    before = why(session, view, "MulBackward0")  # nothing has run: what it saved tells
    assert (before.kind, names(session, before)) == (
        "nonfinite-forward",
        ["MulBackward0", "LogBackward0"],
    )
    assert before.position is None
    session.continue_()
    stopped = session.stopped
    assert stopped is not None
    answer = why(session, view, "MulBackward0")
    assert (answer.kind, answer.culprit) == ("nonfinite-forward", stopped.place)
    assert answer.position == stopped.position
    assert names(session, answer)[-1] == "LogBackward0"
    assert "`w` is -1 at [0]" in answer.story


def test_a_stale_value_is_told_before_its_node_raises_and_after() -> None:
    w = vg.ones(3, requires_grad=True)
    h = w.exp()
    session, view = opened(h.sin().sum())
    h.detach().mul_(3.0)
    before = why(session, view, "SinBackward0")
    assert (before.kind, before.culprit and before.culprit.text) == (
        "saved-overwritten",
        "h.detach().mul_(3.0)",
    )
    assert "at version 0; mul_" in before.story
    with pytest.raises(RuntimeError):
        session.continue_()
    after = why(session, view, "SinBackward0")
    assert (after.kind, after.culprit) == (before.kind, before.culprit)
    assert names(session, after) == ["SinBackward0"]


def test_what_kills_a_gradient_is_named_by_itself_and_by_those_behind() -> None:
    w = vg.tensor([-1.0, -2.0], requires_grad=True)
    session, view = opened((w * 2).relu().sum())
    session.continue_()
    for name in ("ReluBackward0", "w"):
        answer = why(session, view, name)
        assert answer.kind == "zero-derivative"
        assert names(session, answer)[-1] == "ReluBackward0"


def test_of_a_custom_function_it_is_said_how_to_check_it() -> None:
    class Twice(vg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: vg.Tensor) -> vg.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0] * 2

    w = vg.ones(2, requires_grad=True)
    session, view = opened(Twice.apply(w).sum())
    answer = why(session, view, "TwiceBackward")
    assert answer.check.startswith("%vizgrad check Twice ")
    assert why(session, view, "w").check == ""


def test_what_is_no_node_and_a_closed_session_are_refused() -> None:
    w = vg.ones(2, requires_grad=True)
    session, view = opened(w.sum())
    for wrong in (-1, 2, 10**6):
        answer = view.ask(p.GetWhy, session.id, wrong)
        assert isinstance(answer, p.Failed)
    session.close()
    answer = view.ask(p.GetWhy, session.id, 0)
    assert isinstance(answer, p.Failed)


def test_pytorchs_engine_tells_what_its_steps_say() -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    session, view = opened(x.sqrt().sum())
    session.continue_()
    session.continue_()
    answer = why(session, view, "SqrtBackward0")
    assert (answer.kind, answer.chain[-1].text) == ("nonfinite-backward", "SqrtBackward0")
    assert "at [0]: gradient 1 arrived, 1/(2 * sqrt(x)) is inf at x = 0" in answer.story
    assert why(session, view, "SumBackward0").kind == "healthy"


def kept(cell: str | None = None) -> tuple[Session, View, Explanation]:
    """The third backward of a loop, which was kept since something was found in it."""
    vg.manual_seed(0)
    net = vg.nn.Linear(4, 4)
    optimizer = vg.optim.SGD(net.parameters(), lr=0.1)
    x = vg.randn(8, 4)
    watch = Watch(cell, keep=2)
    with watch:
        for step in range(3):
            optimizer.zero_grad()
            h = net(x)
            loss = (h * h).mean()
            if step == 2:
                loss = loss + (h * 0).sqrt().sum()
            loss.backward()
            optimizer.step()
    session = watch.kept[3]
    view = View()
    view.ask(p.Attach, session.id)
    return session, view, next(each for each in watch.findings if each.backward == 3)


def test_a_node_of_a_kept_backward_is_explained_as_the_finding_explains_it() -> None:
    session, view, found = kept("ab-1")
    session.continue_()
    stopped = session.position
    session.continue_()
    for name in ("SqrtBackward0", "AddmmBackward0", "net.weight"):
        answer = why(session, view, name)
        assert (answer.story, answer.fix, answer.culprit) == (found.story, found.fix, found.culprit)
        assert (answer.heading, answer.when) == (found.heading, found.when)
        assert (answer.at, answer.cell) == (3, "ab-1")
        assert answer.position == stopped  # where the node made it, in the trace
        assert answer.when.startswith("round 3 of `for step in range(3)`")
        assert answer.lines
    healthy = why(session, view, "MeanBackward0")
    assert healthy.story == PHRASES["found-elsewhere"].format(story=found.story)
    assert (healthy.culprit, healthy.chain) == (found.culprit, ())


def test_the_leaf_that_a_finding_names_is_explained_by_it() -> None:
    weight = vg.ones(2, requires_grad=True)
    bias = vg.ones(2, requires_grad=True)
    optimizer = vg.optim.SGD([weight, bias], lr=0.1)
    with vg.watch(keep=1) as watch:
        for _ in range(2):
            (weight * bias).sum().backward()
            optimizer.step()
    (found,) = watch.findings
    session = watch.kept[2]
    view = View()
    view.ask(p.Attach, session.id)
    answer = why(session, view, found.tensor)
    assert (answer.heading, answer.story) == (found.heading, found.story)
    assert answer.at == 0  # no cell of a notebook


def test_a_backward_is_kept_as_long_as_its_block_is() -> None:
    weight = vg.ones(2, requires_grad=True)
    with vg.watch(keep=1) as watch:
        for _ in range(2):
            weight.sum().backward()
    view, block = View(), watch.kept.id
    assert isinstance(view.ask(p.IsKept, f"{block}:2"), p.Done)
    gone = view.ask(p.IsKept, f"{block}:1")
    assert isinstance(gone, p.Failed)
    assert "%%vizgrad debug --at 1" in gone.message
    assert isinstance(view.ask(p.IsKept, "s1"), p.Failed)
