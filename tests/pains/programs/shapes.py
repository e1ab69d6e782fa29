"""Shapes that broadcast by mistake, and normalisations that are applied twice."""

from __future__ import annotations

from typing import Any

import vizgrad as T
from tests.pains.corpus import fine, pain
from vizgrad import nn, why

F = nn.functional


@pain("shape-broadcast", "pred", seen="https://github.com/pytorch/pytorch/issues/19699")
def a_column_minus_a_row() -> Any:
    x, y = T.tensor([[1.0], [2.0], [3.0]]), T.tensor([3.0, 5.0, 7.0])
    w = T.tensor([[2.0]], requires_grad=True)
    pred = x @ w
    loss = (pred - y).pow(2).mean()  # BLAME
    loss.backward()


@pain("shape-broadcast", "y")
def a_row_minus_a_column() -> Any:
    y = T.tensor([3.0, 5.0, 7.0]).reshape(3, 1)
    w = T.tensor([1.0, 2.0, 3.0], requires_grad=True)
    pred = w * 2.0
    loss = (y - pred).abs().mean()  # BLAME
    loss.backward()


@pain("shape-broadcast", "pred", seen="https://github.com/pytorch/pytorch/issues/16045")
def a_loss_function_broadcasts() -> Any:
    model = nn.Linear(2, 1)
    pred = model(T.ones(4, 2))
    loss = F.mse_loss(pred, T.tensor([1.0, 2.0, 3.0, 4.0]))  # BLAME
    loss.backward()


@pain("shape-broadcast", seen="https://github.com/sunwuzhou03/reinforcement-learning-lab/issues/1")
def a_loss_module_broadcasts() -> Any:
    model, criterion = nn.Linear(2, 1), nn.L1Loss()
    target = T.ones(4)
    loss = criterion(model(T.ones(4, 2)), target)  # BLAME
    loss.backward()


@pain("double-normalised", seen="https://openillumi.com/?p=73112")
def softmax_before_cross_entropy() -> Any:
    w = T.tensor([[0.3, -0.3], [-0.2, 0.2]], requires_grad=True)
    scores = T.softmax(T.ones(2, 2) @ w, dim=1)
    loss = F.cross_entropy(scores, T.tensor([0, 1]))  # BLAME
    loss.backward()


@pain("double-normalised", seen="https://openillumi.com/?p=73112")
def a_softmax_module_before_the_criterion() -> Any:
    model = nn.Sequential(nn.Linear(2, 3), nn.Softmax(dim=1))
    criterion = nn.CrossEntropyLoss()
    loss = criterion(model(T.ones(2, 2)), T.tensor([0, 1]))  # BLAME
    loss.backward()


@pain("double-normalised")
def sigmoid_before_a_loss_with_logits() -> Any:
    w = T.tensor([0.3, -0.3], requires_grad=True)
    p = T.sigmoid(w * 2.0)
    loss = F.binary_cross_entropy_with_logits(p, T.tensor([1.0, 0.0]))  # BLAME
    loss.backward()


@fine
def pairwise_differences() -> Any:
    x = T.tensor([1.0, 2.0, 4.0], requires_grad=True)
    gaps = (x[:, None] - x[None, :]).abs()
    more = x.unsqueeze(1) - x
    (gaps.sum() + more.pow(2).mean()).backward()
    return why(x)


@fine
def distances_to_centres() -> Any:
    centres = T.tensor([0.0, 1.0, 2.0], requires_grad=True)
    x = T.tensor([1.0, 2.0, 4.0])
    loss = (x[:, None] - centres).pow(2).mean()
    loss.backward()
    return why(centres)


@fine
def a_mean_is_taken_off_each_row() -> Any:
    w = T.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    centred = w - w.mean(1, keepdim=True)
    (centred - T.tensor([0.5, 0.1])).pow(2).sum().backward()
    return why(w)


@fine
def a_bias_is_added() -> Any:
    w = T.ones(2, 3, requires_grad=True)
    b = T.zeros(3, requires_grad=True)
    out = T.ones(4, 2) @ w + b
    (out - 1.0).pow(2).mean().backward()
    return [why(w), why(b)]


@fine
def cross_entropy_of_logits() -> Any:
    w = T.tensor([[0.3, -0.3], [-0.2, 0.2]], requires_grad=True)
    logits = T.ones(2, 2) @ w
    F.cross_entropy(logits, T.tensor([0, 1])).backward()
    shares = T.softmax(logits.detach(), dim=1)
    assert shares.shape == (2, 2)
    return why(w)


@fine
def a_softmax_within_a_model() -> Any:
    q = T.tensor([[0.3, -0.3], [-0.2, 0.2]], requires_grad=True)
    mixed = T.softmax(q @ q.T, dim=-1) @ q
    F.cross_entropy(mixed, T.tensor([0, 1])).backward()
    return why(q)


@fine
def the_log_of_shares_with_nll_loss() -> Any:
    w = T.tensor([[0.3, -0.3], [-0.2, 0.2]], requires_grad=True)
    F.nll_loss(F.log_softmax(w, dim=1), T.tensor([0, 1])).backward()
    return why(w)


@fine
def a_loss_of_one_shape() -> Any:
    model = nn.Linear(2, 1)
    loss = F.mse_loss(model(T.ones(4, 2)).squeeze(1), T.ones(4))
    loss.backward()
    return [why(p) for p in model.parameters()]


@pain("shape-broadcast")
def advantages_weigh_a_column_of_log_probabilities() -> None:
    policy = nn.Linear(2, 3)
    scores = T.log_softmax(policy(T.ones(4, 2)), -1)
    chosen = scores.gather(1, T.tensor([[0], [1], [2], [0]]))
    advantages = T.tensor([1.0, -1.0, 0.5, 2.0])
    loss = -(chosen * advantages).mean()  # BLAME
    loss.backward()


@fine
def pairs_that_are_meant() -> Any:
    """Something is made of them before they are added up: bumps, a field, an encoding."""
    grid = T.linspace(0, 1, 4).reshape(-1, 1)
    centres = nn.Parameter(T.tensor([0.1, 0.4, 0.6, 0.9]))
    T.exp(-((grid - centres) ** 2)).pow(2).mean().backward()
    column = nn.Parameter(T.ones(4, 1))
    field = column * T.tensor([1.0, -1.0, 0.5, 2.0])
    field.pow(2).mean().backward()
    net = nn.Linear(2, 1)
    T.sin(net(T.ones(4, 2)) * T.arange(4.0)).pow(2).mean().backward()
    return [why(centres), why(column), why(net.weight)]


@pain("double-normalised")
def a_sigmoid_after_the_last_layer_and_another() -> None:
    net = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())
    out = net(T.ones(3, 2))  # BLAME
    p = T.sigmoid(out)  # BLAME
    nn.BCELoss()(p, T.ones(3, 1)).backward()


@pain("double-normalised")
def a_softmax_written_out_before_cross_entropy() -> None:
    net = nn.Linear(2, 3)

    def softmax(z: Any) -> Any:
        raised = (z - z.max(1, keepdim=True).values).exp()
        return raised / raised.sum(1, keepdim=True)  # BLAME

    probabilities = softmax(net(T.ones(2, 2)))  # BLAME
    nn.CrossEntropyLoss()(probabilities, T.tensor([0, 2])).backward()  # BLAME


@fine
def a_sigmoid_of_a_gate() -> Any:
    w = nn.Parameter(T.tensor([0.3, -0.2]))
    (T.sigmoid(T.sigmoid(w)) - 0.2).pow(2).sum().backward()
    net = nn.Sequential(nn.Linear(2, 4), nn.Sigmoid(), nn.Linear(4, 1))
    nn.BCELoss()(T.sigmoid(net(T.ones(3, 2))), T.ones(3, 1)).backward()
    return [why(w), *(why(each) for each in net.parameters())]


@pain("shape-broadcast")
def errors_of_values_that_follow_each_other() -> None:
    critic = nn.Linear(3, 1)
    values, rewards = critic(T.ones(6, 3)), T.arange(6.0)
    targets = rewards[:-1] + 0.99 * values[1:].detach().squeeze(-1)
    delta = targets - values[:-1]  # BLAME
    nn.functional.huber_loss(delta, T.zeros_like(delta)).backward()


@pain("shape-broadcast", "pred")
def a_criterion_that_belongs_to_a_class() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.criterion = nn.MSELoss()

        def loss(self, pred: Any, y: Any) -> Any:
            return self.criterion(pred, y)  # BLAME

    Trainer().loss(nn.Linear(2, 1)(T.ones(6, 2)), T.arange(6.0)).backward()
