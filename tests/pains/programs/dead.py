"""Parameters that get a gradient of zeros in each backward, and some that get one for good reasons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import vizgrad as T
from tests.pains.corpus import fine, pain
from vizgrad import nn


def _train(
    model: Any,
    loss_of: Callable[[Any, int], Any],
    rounds: int = 8,
    *,
    every: int = 1,
    rate: float = 0.05,
) -> None:
    """Steps come after `every` backwards."""
    opt = T.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=rate)
    for turn in range(rounds):
        loss_of(T.randn(4, 3), turn).backward()
        if turn % every == every - 1:
            opt.step()
            opt.zero_grad()


def _net(*more: Any) -> Any:
    T.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 5), *more, nn.Linear(5, 1))


@pain("zero-derivative", "hidden")
def no_unit_is_active() -> None:
    body, head = nn.Linear(3, 5), nn.Linear(5, 1)
    nn.init.constant_(body.bias, -100.0)

    def loss_of(x: Any, _: int) -> Any:
        hidden = body(x)
        return (head(T.relu(hidden)) - 1.0).pow(2).mean()  # BLAME

    _train(nn.ModuleList([body, head]), loss_of)


@pain("zero-derivative")
def units_die_on_the_way() -> None:
    net = _net()

    def loss_of(x: Any, turn: int) -> Any:
        if turn == 4:
            net[1].bias.data.fill_(-50.0)
        return (T.relu(net(x)) - 1.0).pow(2).mean()  # BLAME

    _train(net, loss_of, 12)


@pain("zero-derivative")
def inputs_are_in_raw_units() -> None:
    net = _net()

    def loss_of(x: Any, _: int) -> Any:
        return (T.sigmoid(net(x) * 1e6) - 0.5).pow(2).mean()  # BLAME

    _train(net, loss_of)


@pain("zero-derivative")
def outputs_are_clamped_away() -> None:
    net = _net()

    def loss_of(x: Any, _: int) -> Any:
        shown = (net(x) + 30.0).clamp(0.0, 1.0)  # BLAME
        return (shown - 0.3).pow(2).mean()

    _train(net, loss_of)


@pain("zero-derivative")
def codes_are_rounded() -> None:
    net = _net()

    def loss_of(x: Any, _: int) -> Any:
        codes = T.round(net(x))  # BLAME
        return (codes * 1.5 - 0.2).pow(2).mean()

    _train(net, loss_of, every=2)


@pain("zero-derivative", "mask")
def a_mask_of_zeros_stays() -> None:
    net, mask = _net(), T.zeros(5)

    def loss_of(x: Any, _: int) -> Any:
        hidden = net[0](x) * mask  # BLAME
        return (net[1](hidden) - 1.0).pow(2).mean()

    _train(net, loss_of)


@pain("zero-derivative")
def the_whole_loss_has_weight_zero() -> None:
    net = _net()

    def loss_of(x: Any, _: int) -> Any:
        return (net(x) - 1.0).pow(2).mean() * 0.0  # BLAME

    _train(net, loss_of)


@pain("zero-derivative")
def both_factors_begin_at_zero() -> None:
    T.manual_seed(0)
    down, up, base = nn.Linear(3, 2, bias=False), nn.Linear(2, 1, bias=False), nn.Linear(3, 1)
    nn.init.zeros_(down.weight)
    nn.init.zeros_(up.weight)

    def loss_of(x: Any, _: int) -> Any:
        return (base(x) + up(down(x)) - 1.0).pow(2).mean()  # BLAME

    _train(nn.ModuleList([down, up, base]), loss_of)


# --- look-alikes ----------------------------------------------------------------------------------------


@fine
def an_adapter_begins_at_zero() -> None:
    T.manual_seed(0)
    down, up, base = nn.Linear(3, 2, bias=False), nn.Linear(2, 1, bias=False), nn.Linear(3, 1)
    nn.init.zeros_(up.weight)
    base.requires_grad_(False)
    _train(
        nn.ModuleList([down, up, base]), lambda x, _: (base(x) + up(down(x)) - 1.0).pow(2).mean()
    )


@fine
def an_adapter_waits_for_its_first_step() -> None:
    T.manual_seed(0)
    down, up, base = nn.Linear(3, 2, bias=False), nn.Linear(2, 1, bias=False), nn.Linear(3, 1)
    nn.init.zeros_(up.weight)
    both = nn.ModuleList([down, up, base])
    _train(both, lambda x, _: (base(x) + up(down(x)) - 1.0).pow(2).mean() / 8, every=8)


@fine
def a_rate_that_is_still_zero() -> None:
    T.manual_seed(0)
    down, up = nn.Linear(3, 2, bias=False), nn.Linear(2, 1)
    nn.init.zeros_(up.weight)
    both = nn.ModuleList([down, up])
    _train(both, lambda x, _: (up(down(x)) - 1.0).pow(2).mean(), 3, rate=0.0)


@fine
def gates_of_residuals_begin_at_zero() -> None:
    T.manual_seed(0)
    layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(4)])
    gates = nn.ParameterList([nn.Parameter(T.zeros(1)) for _ in layers])

    def loss_of(x: Any, _: int) -> Any:
        for layer, gate in zip(layers, gates, strict=True):
            x = x + gate * T.tanh(layer(x))
        return (x - 1.0).pow(2).mean()

    _train(nn.ModuleList([layers, gates]), loss_of)


@fine
def projections_of_a_branch_begin_at_zero() -> None:
    T.manual_seed(0)
    first, middle, last, base = (nn.Linear(3, 3) for _ in range(4))
    for each in (first, last):
        nn.init.zeros_(each.weight)
        nn.init.zeros_(each.bias)

    def loss_of(x: Any, _: int) -> Any:
        return (base(x) + last(T.tanh(middle(x + first(x)))) - 1.0).pow(2).mean()

    _train(nn.ModuleList([first, middle, last, base]), loss_of)


@fine
def layers_are_frozen() -> None:
    net = _net(nn.Tanh())
    net[0].requires_grad_(False)
    _train(net, lambda x, _: (net(x) - 1.0).pow(2).mean())


@fine
def some_batches_have_no_targets() -> None:
    net = _net(nn.Tanh())

    def loss_of(x: Any, turn: int) -> Any:
        keep = T.zeros(4, 1) if turn % 4 else T.ones(4, 1)
        return ((net(x) - 1.0).pow(2) * keep).sum()

    _train(net, loss_of)


@fine
def rewards_are_rare() -> None:
    net = _net(nn.Tanh())

    def loss_of(x: Any, turn: int) -> Any:
        reward = T.zeros(4, 1) if turn < 12 else T.ones(4, 1)
        return -(T.log_softmax(net(x), 0) * reward).sum()

    _train(net, loss_of, 12)


@fine
def a_term_is_to_come_later() -> None:
    net, other = _net(nn.Tanh()), nn.Linear(3, 1)

    def loss_of(x: Any, turn: int) -> Any:
        weight = max(0.0, (turn - 20) / 10)
        return (net(x) - 1.0).pow(2).mean() + weight * (other(x) - 2.0).pow(2).mean()

    _train(nn.ModuleList([net, other]), loss_of, 10)


@fine
def a_constant_input_is_zero() -> None:
    cell, head = nn.LSTMCell(3, 4), nn.Linear(4, 1)

    def loss_of(x: Any, _: int) -> Any:
        return (head(cell(x)[0]) - 1.0).pow(2).mean()

    _train(nn.ModuleList([cell, head]), loss_of)


@fine
def words_that_do_not_come() -> None:
    words, head = nn.Embedding(9, 4), nn.Linear(4, 1)

    def loss_of(_: Any, turn: int) -> Any:
        return (head(words(T.tensor([turn % 2, 2]))) - 1.0).pow(2).mean()

    _train(nn.ModuleList([words, head]), loss_of)


@fine
def experts_without_a_token() -> None:
    T.manual_seed(0)
    experts = nn.ModuleList([nn.Linear(3, 1) for _ in range(3)])

    def loss_of(x: Any, _: int) -> Any:
        total = T.zeros(())
        for number, expert in enumerate(experts):
            chosen = T.arange(4) % 2 == number  # none for the last
            total = total + (expert(x[chosen]) - 1.0).pow(2).sum()
        return total

    _train(experts, loss_of)


@fine
def a_head_waits_for_its_turn() -> None:
    net, other = _net(nn.Tanh()), nn.Linear(3, 1)

    def loss_of(x: Any, turn: int) -> Any:
        return ((other if turn == 0 else net)(x) - 1.0).pow(2).mean()

    _train(nn.ModuleList([net, other]), loss_of)


@fine
def a_margin_is_kept() -> None:
    net = _net(nn.Tanh())
    nn.init.constant_(net[2].bias, 40.0)
    _train(net, lambda x, _: T.relu(1.0 - net(x)).mean())


@fine
def a_dropout_of_much() -> None:
    T.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.8), nn.Tanh(), nn.Linear(8, 1))
    _train(net, lambda x, _: (net(x) - 1.0).pow(2).mean())


@fine
def a_temperature_at_its_limit() -> None:
    net, heat = _net(nn.Tanh()), nn.Parameter(T.tensor([9.0]))
    both = nn.ModuleList([net, nn.ParameterList([heat])])
    _train(both, lambda x, _: (net(x) * heat.clamp(max=5.0) - 1.0).pow(2).mean(), rate=1e-3)


@fine
def a_hook_freezes() -> None:
    net = _net(nn.Tanh())
    net[0].weight.register_hook(lambda grad: grad * 0.0)
    _train(net, lambda x, _: (net(x) - 1.0).pow(2).mean())


@fine
def the_loss_is_at_its_minimum() -> None:
    net = _net()
    for each in net.parameters():
        each.data.zero_()
    _train(net, lambda x, _: net(x).pow(2).mean())
