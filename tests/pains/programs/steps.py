"""Training loops: gradients used twice, histories carried along."""

# Gradients may be None as far as types tell, and these programs are as people write them.
# pyright: reportOperatorIssue=false, reportOptionalMemberAccess=false

from __future__ import annotations

from typing import Any

import vizgrad as T
from tests.pains.corpus import fine, pain
from vizgrad import nn, why


@pain("grad-accumulated", "w")
def a_loop_without_zero_grad() -> Any:
    w = T.tensor([0.0, 0.0], requires_grad=True)
    opt = T.optim.SGD([w], lr=0.1)
    for _ in range(3):
        loss = (w * T.tensor([1.0, 2.0])).sum().sub(1.0) ** 2
        loss.backward()  # BLAME
        opt.step()


@pain("grad-accumulated")
def an_update_by_hand_without_zeroing() -> Any:
    w = T.tensor([0.5, 1.0], requires_grad=True)
    for _ in range(3):
        loss = (w * w).sum()
        loss.backward()  # BLAME
        with T.no_grad():
            w -= 0.1 * w.grad


@pain("grad-accumulated")
def the_wrong_optimizer_is_zeroed() -> Any:
    w = T.tensor([0.5, 1.0], requires_grad=True)
    other = T.tensor([0.5, 1.0], requires_grad=True)
    opt, unrelated = T.optim.SGD([w], lr=0.1), T.optim.SGD([other], lr=0.1)
    for _ in range(3):
        unrelated.zero_grad()
        (w * w).sum().backward()  # BLAME
        opt.step()


@pain(
    "history-kept",
    "total",
    seen="https://discuss.pytorch.org/t/gpu-memory-increase-while-i-wanna-to-backward-with-accumulative-loss/43284",
)
def a_running_total_keeps_graphs() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    opt = T.optim.SGD([w], lr=0.01)
    total: Any = 0.0
    for step in range(5):
        loss = ((w - step) ** 2).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total = total + loss  # BLAME
    assert float(total) > 0


@pain(
    "history-kept",
    "total",
    seen="https://discuss.pytorch.org/t/gpu-memory-increase-while-i-wanna-to-backward-with-accumulative-loss/43284",
)
def a_running_total_in_place() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    total = T.tensor(0.0)
    for step in range(5):
        w.grad = None
        loss = ((w - step) ** 2).sum()
        loss.backward()
        total += loss  # BLAME
    assert float(total) > 0


@pain("history-kept|graph-freed", "state", seen="https://learn.biosrag.com/ai/rnn-training-4.html")
def a_state_is_carried_with_its_history() -> Any:
    w = T.tensor(0.8, requires_grad=True)
    state = T.tensor(0.0)
    for x in (0.1, 0.2, 0.3):
        w.grad = None
        state = T.tanh(w * state + x)  # BLAME
        loss = (state - 0.5) ** 2
        loss.backward()


@pain("history-kept", "state", seen="https://github.com/pytorch/pytorch/pull/5251")
def a_carried_state_is_hushed_by_retain_graph() -> Any:
    w = T.tensor(0.8, requires_grad=True)
    state = T.tensor(0.0)
    for x in (0.1, 0.2, 0.3, 0.4):
        w.grad = None
        state = T.tanh(w * state + x)  # BLAME
        loss = (state - 0.5) ** 2
        loss.backward(retain_graph=True)


@pain("history-kept", "average")
def a_moving_average_of_the_loss() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    average: Any = T.tensor(0.0)
    for step in range(5):
        w.grad = None
        loss = ((w - step) ** 2).sum()
        loss.backward()
        average = 0.9 * average + 0.1 * loss  # BLAME
    assert float(average) > 0


@pain(
    "history-kept",
    "loss",
    seen="https://theneuralbase.com/pytorch/learn/intermediate/memory-leak-detection/",
)
def a_list_keeps_every_loss() -> None:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    history = []
    for step in range(5):
        w.grad = None
        loss = ((w - step) ** 2).sum()
        loss.backward()
        history.append(loss)  # BLAME
    assert len(history) == 5


@pain("reference-cycle")
def a_gradient_has_a_history() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    loss = (w**3).sum()
    loss.backward(create_graph=True)  # BLAME
    return w


@pain("nonfinite-forward")
def a_step_is_far_too_long() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    opt = T.optim.SGD([w], lr=100.0)
    for _ in range(30):
        opt.zero_grad()
        loss = (w**2).sum()
        loss.backward()
        opt.step()  # BLAME
    return why((w * 1.0).sum())


@fine
def a_usual_training() -> Any:
    T.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    opt = T.optim.Adam(model.parameters(), lr=0.01)
    x, y = T.randn(8, 3), T.randn(8, 1)
    for _ in range(4):
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.step()
    return [why(p) for p in model.parameters()]


@fine
def gradients_of_small_batches_are_summed() -> Any:
    w = T.tensor([0.5, 1.0], requires_grad=True)
    opt = T.optim.SGD([w], lr=0.1)
    for step in range(6):
        ((w * step).sum() ** 2 / 2).backward()
        if step % 2:
            opt.step()
            opt.zero_grad()
    return why(w)


@fine
def two_players_take_turns() -> Any:
    g, d = T.tensor([0.5], requires_grad=True), T.tensor([1.5], requires_grad=True)
    opt_g, opt_d = T.optim.SGD([g], lr=0.1), T.optim.SGD([d], lr=0.1)
    for _ in range(3):
        opt_d.zero_grad()
        (d * g.detach()).sum().backward()
        opt_d.step()
        opt_g.zero_grad()
        (d * g).sum().backward()
        opt_g.step()
    return [why(g), why(d)]


@fine
def gradients_are_zeroed_in_place() -> Any:
    w = T.tensor([0.5, 1.0], requires_grad=True)
    opt = T.optim.SGD([w], lr=0.1)
    for _ in range(3):
        opt.zero_grad(set_to_none=False)
        (w * w).sum().backward()
        opt.step()
    return why(w)


@fine
def a_state_is_detached_between_chunks() -> Any:
    w = T.tensor(0.8, requires_grad=True)
    opt = T.optim.SGD([w], lr=0.01)
    state = T.tensor(0.0)
    for chunk in ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]):
        state = state.detach()
        loss: Any = 0.0
        for x in chunk:
            state = T.tanh(w * state + x)
            loss = loss + (state - 0.5) ** 2
        opt.zero_grad()
        loss.backward()
        opt.step()
    return why(w)


@fine
def inner_steps_are_differentiated() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    fast = w
    for _ in range(4):
        (slope,) = T.autograd.grad((fast**2).sum(), fast, create_graph=True)
        fast = fast - 0.1 * slope
    (fast**2).sum().backward()
    return why(w)


@fine
def a_loss_is_summed_over_examples() -> Any:
    w = T.tensor(2.0, requires_grad=True)
    for _ in range(4):
        w.grad = None
        loss: Any = T.tensor(0.0)
        for x in (1.0, 2.0, 3.0):
            loss = loss + (w * x - 1.0) ** 2
        loss.backward()
    return why(w)


@fine
def an_lbfgs_step_with_a_closure() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    opt = T.optim.LBFGS([w], lr=0.5, max_iter=4)

    def closure() -> Any:
        opt.zero_grad()
        loss = ((w - 0.5) ** 2).sum()
        loss.backward()
        return loss

    for _ in range(2):
        opt.step(closure)
    return why(w)


@pain("history-kept")
def losses_are_added_to_a_list() -> None:
    w = T.ones(2, requires_grad=True)
    losses: list[Any] = []
    for i in range(5):
        w.grad = None
        loss = (w * float(i)).pow(2).sum()
        loss.backward()
        losses += [loss]  # BLAME


@pain("history-kept")
def losses_are_kept_by_step() -> None:
    net = nn.Linear(2, 1)
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    history = {}
    for step in range(5):
        opt.zero_grad()
        loss = net(T.ones(2, 2)).pow(2).mean()
        loss.backward()
        opt.step()
        history[step] = loss  # BLAME


@fine
def values_of_losses_are_kept_and_the_last_loss() -> None:
    net = nn.Linear(2, 1)
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    by_step, values, best = {}, [], {}
    for step in range(5):
        opt.zero_grad()
        loss = net(T.ones(2, 2)).pow(2).mean()
        loss.backward()
        opt.step()
        by_step[step] = loss.detach()
        values += [loss.item()]
        best["loss"] = loss


@pain("reference-cycle")
def a_penalty_on_gradients_that_backward_stored() -> None:
    model = nn.Linear(2, 1)
    loss = model(T.ones(3, 2)).pow(2).mean()
    loss.backward(create_graph=True)  # BLAME
    penalty = sum((p.grad**2).sum() for p in model.parameters())
    penalty.backward()


@fine
def gradients_of_a_copy_are_stored_by_hand() -> Any:
    """`autograd.grad` stores nothing in the leaf: nothing old is added to."""
    w = T.tensor([0.5, 1.0], requires_grad=True)
    opt = T.optim.SGD([w], 0.01)

    def loss(w: Any) -> Any:
        return ((w * T.tensor([1.0, 2.0])).sum() - 3.0) ** 2

    for _ in range(3):
        (slope,) = T.autograd.grad(loss(w), w)
        fast = (w - 0.01 * slope).detach().requires_grad_()
        (outer,) = T.autograd.grad(loss(fast), fast)
        opt.zero_grad()
        w.grad = outer
        opt.step()
    return why(w)
