"""Trainings that run without an error and learn less than they should: modes, optimizers, rates."""

# Gradients may be None as far as types tell, and these programs are as people write them.
# pyright: reportOperatorIssue=false, reportOptionalMemberAccess=false

from __future__ import annotations

from typing import Any

import vizgrad as T
from tests.pains.corpus import fine, pain
from vizgrad import nn, why
from vizgrad.utils.checkpoint import checkpoint

F = nn.functional


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.drop, self.last = nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1)

    def forward(self, x: Any) -> Any:
        return self.last(self.drop(T.tanh(self.first(x))))


def batches(count: int) -> list[tuple[Any, Any]]:
    T.manual_seed(0)
    return [(T.randn(6, 3), T.randn(6, 1)) for _ in range(count)]


def learn(model: Any, opt: Any, x: Any, y: Any) -> None:
    opt.zero_grad()
    F.mse_loss(model(x), y).backward()
    opt.step()


# --- modes ----------------------------------------------------------------------------------------------


@pain("module-mode", "model", seen="https://unanswered.io/guide/pytorch-model-train-eval")
def the_model_is_never_switched_back() -> None:
    model = Net()
    opt = T.optim.SGD(model.parameters(), lr=0.01)
    for x, y in batches(3):
        for _ in range(2):
            learn(model, opt, x, y)
        model.eval()  # BLAME
        with T.no_grad():
            F.mse_loss(model(x), y).item()


@pain("module-mode", "net")
def batch_norm_stays_in_evaluation() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
    opt = T.optim.SGD(net.parameters(), lr=0.01)

    def validate(x: Any, y: Any) -> float:
        net.eval()  # BLAME
        with T.no_grad():
            return float(F.mse_loss(net(x), y))

    for x, y in batches(4):
        learn(net, opt, x, y)
        validate(x, y)


@pain(
    "module-mode",
    "model",
    seen="https://earino.github.io/applied-deep-learning/pre-work/03_train_eval_mode/slides.html",
)
def the_model_is_evaluated_with_dropout() -> Any:
    model = Net()
    opt = T.optim.SGD(model.parameters(), lr=0.01)
    scores = []
    for x, y in batches(3):
        learn(model, opt, x, y)
        with T.no_grad():
            scores.append(F.mse_loss(model(x), y).item())  # BLAME


@pain("module-mode", "model")
def accuracy_is_measured_with_batch_norm_in_training() -> Any:
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))
    opt = T.optim.SGD(model.parameters(), lr=0.01)
    for x, y in batches(3):
        label = (y > 0).long().squeeze(1)
        opt.zero_grad()
        F.cross_entropy(model(x), label).backward()
        opt.step()
    with T.no_grad():
        for x, y in batches(2):
            guess = model(x).argmax(1)  # BLAME
            (guess == (y > 0).long().squeeze(1)).float().mean().item()


@fine
def a_model_is_switched_there_and_back() -> Any:
    model = Net()
    opt = T.optim.SGD(model.parameters(), lr=0.01)
    for x, y in batches(4):
        model.train()
        learn(model, opt, x, y)
        model.eval()
        with T.no_grad():
            F.mse_loss(model(x), y).item()
    return [why(p) for p in model.parameters()]


@fine
def frozen_statistics_are_meant() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    for number, (x, y) in enumerate(batches(6)):
        net.train()
        if number > 2:
            net[1].eval()
        learn(net, opt, x, y)


@fine
def samples_of_a_model_with_dropout() -> Any:
    model = Net()
    opt = T.optim.SGD(model.parameters(), lr=0.01)
    for x, y in batches(3):
        learn(model, opt, x, y)
    x, _ = batches(1)[0]
    with T.no_grad():
        drawn = T.stack([model(x) for _ in range(8)])
    assert drawn.std(0).mean().item() >= 0


@fine
def statistics_are_brought_up_to_date() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    for x, y in batches(3):
        learn(net, opt, x, y)
    with T.no_grad():
        for x, _ in batches(3):
            net(x)


@fine
def a_generator_draws_for_its_critic() -> None:
    maker = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 3))
    critic = nn.Linear(3, 1)
    opt_m = T.optim.SGD(maker.parameters(), lr=0.01)
    opt_c = T.optim.SGD(critic.parameters(), lr=0.01)
    for x, _ in batches(4):
        with T.no_grad():
            fake = maker(x)
        opt_c.zero_grad()
        (critic(fake).mean() - critic(x).mean()).backward()
        opt_c.step()
        opt_m.zero_grad()
        loss = -critic(maker(x)).mean()
        loss.backward()
        opt_m.step()
        loss.item()


@fine
def a_model_is_tuned_in_evaluation_mode_from_the_start() -> None:
    model = Net().eval()
    opt = T.optim.SGD(model.parameters(), lr=0.01)
    for x, y in batches(4):
        learn(model, opt, x, y)


# --- optimizers -----------------------------------------------------------------------------------------


@pain(
    "not-optimized",
    "shift",
    seen="https://theflyingbirds.in/blog/pytorch-mysteries-lets-understand-nnmodule-nnparameter-modulelist-sequential-and-the-classic-layers-linear-activations-dropout",
)
def an_offset_is_left_out_of_the_optimizer() -> None:
    scale, shift = T.ones(1, requires_grad=True), T.zeros(1, requires_grad=True)
    opt = T.optim.SGD([scale], lr=0.01)
    for x, y in batches(4):
        opt.zero_grad()
        pred = scale * x[:, :1] + shift  # BLAME
        F.mse_loss(pred, y).backward()
        opt.step()


@pain("not-optimized", "last.bias")
def only_the_weight_is_trained() -> None:
    last = nn.Linear(3, 1)
    opt = T.optim.Adam([last.weight], lr=0.01)
    for x, y in batches(4):
        opt.zero_grad()
        F.mse_loss(last(x), y).backward()  # BLAME
        opt.step()


@pain("cut-detach", "hidden")
def the_first_layer_never_gets_a_gradient() -> None:
    first, last = nn.Linear(3, 4), nn.Linear(4, 1)
    opt = T.optim.SGD([*first.parameters(), *last.parameters()], lr=0.01)
    for x, y in batches(3):
        hidden = first(x)
        pred = last(hidden.detach())  # BLAME
        opt.zero_grad()
        F.mse_loss(pred, y).backward()
        opt.step()


@pain("grad-mode")
def an_encoder_is_trained_in_vain() -> None:
    encoder, head = nn.Linear(3, 4), nn.Linear(4, 1)
    opt = T.optim.Adam([*encoder.parameters(), *head.parameters()], lr=0.01)
    for x, y in batches(3):
        with T.no_grad():
            code = encoder(x)  # BLAME
        opt.zero_grad()
        F.mse_loss(head(code), y).backward()
        opt.step()


@pain("unused", "gate")
def a_gate_is_computed_and_forgotten() -> None:
    gate, w = T.zeros(3, requires_grad=True), T.ones(3, requires_grad=True)
    opt = T.optim.SGD([gate, w], lr=0.01)
    for x, y in batches(3):
        opened = T.sigmoid(gate)  # BLAME
        pred = (x * w).sum(1, keepdim=True)
        opt.zero_grad()
        F.mse_loss(pred, y).backward()
        opt.step()
        assert opened.shape == (3,)


@fine
def an_encoder_is_frozen_by_leaving_it_out() -> None:
    encoder, head = nn.Linear(3, 4), nn.Linear(4, 1)
    opt = T.optim.SGD(head.parameters(), lr=0.01)
    for x, y in batches(4):
        opt.zero_grad()
        F.mse_loss(head(T.tanh(encoder(x))), y).backward()
        opt.step()


@fine
def an_input_is_optimized_through_a_fixed_model() -> None:
    model = nn.Linear(3, 1)
    x = T.zeros(1, 3, requires_grad=True)
    opt = T.optim.SGD([x], lr=0.1)
    for _ in range(4):
        opt.zero_grad()
        (model(x) - 1.0).pow(2).sum().backward()
        opt.step()


@fine
def a_frozen_parameter_is_in_the_optimizer() -> None:
    first, last = nn.Linear(3, 4), nn.Linear(4, 1)
    first.requires_grad_(False)
    opt = T.optim.SGD([*first.parameters(), *last.parameters()], lr=0.01)
    for x, y in batches(4):
        learn(nn.Sequential(first, last), opt, x, y)


@fine
def two_branches_take_turns() -> None:
    left, right = nn.Linear(3, 1), nn.Linear(3, 1)
    opt = T.optim.SGD([*left.parameters(), *right.parameters()], lr=0.01)
    for number, (x, y) in enumerate(batches(4)):
        learn(right if number % 2 else left, opt, x, y)


@fine
def a_temperature_is_stepped_by_hand() -> None:
    w, warmth = T.ones(3, requires_grad=True), T.ones(1, requires_grad=True)
    opt = T.optim.SGD([w], lr=0.01)
    for x, y in batches(4):
        opt.zero_grad()
        F.mse_loss((x * w).sum(1, keepdim=True) * warmth, y).backward()
        opt.step()
        with T.no_grad():
            warmth -= 0.1 * warmth.grad
        warmth.grad = None


# --- rates ----------------------------------------------------------------------------------------------


@pain("step-too-large", "w")
def the_learning_rate_is_far_too_large() -> None:
    w = T.tensor([0.5, -0.5, 1.0], requires_grad=True)
    opt = T.optim.SGD([w], lr=3.0)
    for x, y in batches(6):
        opt.zero_grad()
        loss = F.mse_loss((x * w).sum(1, keepdim=True), y)
        loss.backward()
        opt.step()  # BLAME


@pain("step-too-large")
def adam_with_the_rate_of_sgd() -> None:
    T.manual_seed(1)
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
    opt = T.optim.Adam(model.parameters(), lr=5.0)
    for x, y in batches(8):
        opt.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        opt.step()  # BLAME


@fine
def a_regression_begins_at_zero() -> None:
    w, b = T.zeros(3, 1, requires_grad=True), T.zeros(1, requires_grad=True)
    opt = T.optim.SGD([w, b], lr=0.3)
    for x, _ in batches(8):
        opt.zero_grad()
        F.mse_loss(x @ w + b, x @ T.tensor([[1.0], [-2.0], [0.5]]) + 3.0).backward()
        opt.step()


# --- run again by a checkpoint ----------------------------------------------------------------------------


@pain("not-repeatable", "keep", seen="https://github.com/ankanbhunia/PIDM/pull/66")
def a_reentrant_checkpoint_draws_anew() -> None:
    w = T.arange(8.0).requires_grad_()

    def layer(x: Any) -> Any:
        keep = (T.rand(8) < 0.5).float()  # BLAME
        return (x * keep).exp()

    checkpoint(layer, w, use_reentrant=True, preserve_rng_state=False).sum().backward()


@pain("not-repeatable")
def a_reentrant_checkpoint_counts_its_calls() -> None:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    calls = [0]

    def layer(x: Any) -> Any:
        calls[0] += 1
        return T.sin(x * calls[0])  # BLAME

    checkpoint(layer, w, use_reentrant=True).sum().backward()


@fine
def a_reentrant_checkpoint_repeats_its_dropout() -> Any:
    w = T.ones(16, requires_grad=True)

    def layer(x: Any) -> Any:
        return F.dropout(x * 2.0, 0.5).sin()

    checkpoint(layer, w, use_reentrant=True).sum().backward()
    return why(w)


@pain("not-repeatable", "h")
def a_model_is_evaluated_before_backward() -> None:
    body = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Tanh())
    h = checkpoint(body, T.ones(8, 4), use_reentrant=False)  # BLAME
    body.eval()
    h.sum().backward()
