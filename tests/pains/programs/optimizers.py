"""What optimizers and parameters tell: who is trained, in which memory and order; and what is meant so."""

# Gradients may be None as far as types tell, and these programs are as people write them.
# pyright: reportOperatorIssue=false, reportOptionalMemberAccess=false

from __future__ import annotations

import warnings
from typing import Any

import vizgrad as T
from tests.pains.corpus import fine, pain
from vizgrad import nn

F = nn.functional
GradScaler = T.amp.GradScaler


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wte, self.up, self.out = nn.Embedding(6, 4), nn.Linear(4, 4), nn.Linear(4, 6)

    def forward(self, tokens: Any) -> Any:
        return self.out(T.tanh(self.up(self.wte(tokens))))


def tokens() -> tuple[Any, Any]:
    T.manual_seed(0)
    return T.tensor([[0, 1, 2], [3, 4, 5]]), T.tensor([1, 2, 3, 4, 5, 0])


def loss_of(net: Any, text: Any, wanted: Any) -> Any:
    return F.cross_entropy(net(text).reshape(6, 6), wanted)


# --- held by no optimizer ---------------------------------------------------------------------------------


@pain("not-optimized", "net.adapter.weight")
def an_adapter_comes_after_the_optimizer() -> None:
    text, wanted = tokens()
    net = Block()
    opt = T.optim.Adam(net.parameters(), lr=0.01)  # BLAME
    net.adapter = nn.Linear(6, 6)
    for _ in range(3):
        loss = F.cross_entropy(net.adapter(net(text)).reshape(6, 6), wanted)
        net.zero_grad()
        loss.backward()
        opt.step()


@pain("not-optimized", "net.up.weight")
def what_is_thawed_is_not_in_the_optimizer() -> None:
    text, wanted = tokens()
    net = Block()
    net.up.requires_grad_(False)
    opt = T.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=0.01)  # BLAME
    for epoch in range(5):
        if epoch == 1:
            net.up.requires_grad_(True)
        net.zero_grad()
        loss_of(net, text, wanted).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()


@pain("not-optimized", "net.heat")
def a_temperature_is_no_parameter() -> None:
    class Warm(Block):
        def __init__(self) -> None:
            super().__init__()
            self.heat = T.ones(1, requires_grad=True)  # BLAME

        def forward(self, tokens: Any) -> Any:
            return super().forward(tokens) * self.heat

    text, wanted = tokens()
    net = Warm()
    opt = T.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        opt.zero_grad()
        loss_of(net, text, wanted).backward()
        opt.step()


@fine
def a_head_is_trained_on_a_body_that_is_left_out() -> None:
    text, wanted = tokens()
    net = Block()
    opt = T.optim.Adam(net.out.parameters(), lr=0.01)
    for _ in range(4):
        net.zero_grad()
        loss_of(net, text, wanted).backward()
        opt.step()


@fine
def matrices_and_biases_have_two_optimizers() -> None:
    text, wanted = tokens()
    net = Block()
    big = T.optim.SGD([p for p in net.parameters() if p.ndim > 1], lr=0.01)
    small = T.optim.Adam([p for p in net.parameters() if p.ndim == 1], lr=0.01)
    for _ in range(4):
        net.zero_grad()
        loss_of(net, text, wanted).backward()
        big.step()
        small.step()


@fine
def an_adapter_is_added_as_a_group() -> None:
    text, wanted = tokens()
    net = Block()
    opt = T.optim.Adam(net.parameters(), lr=0.01)
    net.adapter = nn.Linear(6, 6)
    opt.add_param_group({"params": net.adapter.parameters()})
    for _ in range(4):
        loss = F.cross_entropy(net.adapter(net(text)).reshape(6, 6), wanted)
        net.zero_grad()
        loss.backward()
        opt.step()


@fine
def an_input_is_kept_in_the_module_and_read() -> Any:
    class Warm(Block):
        def __init__(self) -> None:
            super().__init__()
            self.warmth = T.ones(1, requires_grad=True)

        def forward(self, tokens: Any) -> Any:
            return super().forward(tokens) * self.warmth

    text, wanted = tokens()
    net = Warm()
    opt = T.optim.SGD(net.parameters(), lr=0.1)
    slopes = []
    for _ in range(4):
        opt.zero_grad()
        loss_of(net, text, wanted).backward()
        slopes.append(float(net.warmth.grad.abs().sum()))
        opt.step()


# --- gradients that no step uses ----------------------------------------------------------------------------


@pain("not-optimized", "second.weight")
def the_second_optimizer_never_steps() -> None:
    T.manual_seed(0)
    first, second = nn.Linear(3, 1), nn.Linear(3, 1)
    one = T.optim.SGD(first.parameters(), lr=0.01)
    two = T.optim.SGD(second.parameters(), lr=0.01)
    x, y = T.randn(4, 3), T.randn(4, 1)
    for _ in range(4):
        one.zero_grad()
        F.mse_loss(first(x), y).backward()
        one.step()
        two.zero_grad()
        F.mse_loss(second(x), first(x).detach()).backward()  # BLAME
        one.step()


@fine
def a_step_comes_after_several_backwards() -> None:
    T.manual_seed(0)
    net = nn.Linear(3, 1)
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    for x in T.randn(4, 4, 3):
        opt.zero_grad()
        for part in x:
            (net(part).pow(2).sum() / 4).backward()
        F.l1_loss(net(x), T.ones(4, 1)).backward()
        opt.step()


@fine
def gradients_of_a_task_are_set_aside() -> None:
    T.manual_seed(0)
    net = nn.Linear(3, 2)
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    x = T.randn(4, 3)
    for _ in range(4):
        opt.zero_grad(set_to_none=True)
        net(x)[:, 0].pow(2).mean().backward()
        first = [p.grad for p in net.parameters()]
        opt.zero_grad(set_to_none=True)
        net(x)[:, 1].pow(2).mean().backward()
        for p, other in zip(net.parameters(), first, strict=True):
            p.grad = p.grad + other
        opt.step()


# --- memory -----------------------------------------------------------------------------------------------


@pain("shared-memory", "decoder.weight")
def a_decoder_is_given_the_memory_of_the_encoder() -> None:
    T.manual_seed(0)
    encoder, decoder = nn.Linear(3, 3), nn.Linear(3, 3)
    decoder.weight = nn.Parameter(encoder.weight.data)  # BLAME
    opt = T.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.01)
    x = T.randn(4, 3)
    for _ in range(2):
        opt.zero_grad()
        F.mse_loss(decoder(T.tanh(encoder(x))), x).backward()
        opt.step()


@pain("shared-memory", "teacher.weight")
def an_average_of_a_model_with_itself() -> None:
    T.manual_seed(0)
    net, teacher = nn.Linear(3, 1), nn.Linear(3, 1)
    for mine, yours in zip(teacher.parameters(), net.parameters(), strict=True):
        mine.data = yours.data
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    x, y = T.randn(4, 3), T.randn(4, 1)
    for _ in range(3):
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
        for mine, yours in zip(teacher.parameters(), net.parameters(), strict=True):
            mine.data.mul_(0.9).add_(yours.data, alpha=0.1)  # BLAME


@fine
def one_parameter_is_in_two_places() -> None:
    T.manual_seed(0)
    encoder, decoder = nn.Linear(3, 3), nn.Linear(3, 3)
    decoder.weight = encoder.weight
    opt = T.optim.Adam({*encoder.parameters(), *decoder.parameters()}, lr=0.01)
    x = T.randn(4, 3)
    for _ in range(3):
        opt.zero_grad()
        F.mse_loss(decoder(T.tanh(encoder(x))), x).backward()
        opt.step()


@fine
def a_teacher_has_memory_of_its_own() -> None:
    T.manual_seed(0)
    net, teacher = nn.Linear(3, 1), nn.Linear(3, 1)
    teacher.load_state_dict(net.state_dict())
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    x, y = T.randn(4, 3), T.randn(4, 1)
    for _ in range(3):
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
        with T.no_grad():
            for mine, yours in zip(teacher.parameters(), net.parameters(), strict=True):
                mine.lerp_(yours, 0.1)


@fine
def a_copy_shares_memory_and_is_only_read() -> None:
    T.manual_seed(0)
    net, view = nn.Linear(3, 1), nn.Linear(3, 1)
    for mine, yours in zip(view.parameters(), net.parameters(), strict=True):
        mine.data = yours.data
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    x, y = T.randn(4, 3), T.randn(4, 1)
    for _ in range(3):
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
        with T.no_grad():
            assert bool((view(x) == net(x)).all())


# --- steps that change nothing ------------------------------------------------------------------------------


@pain("not-optimized")
def the_step_is_not_called() -> None:
    text, wanted = tokens()
    net = Block()
    opt = T.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(4):
        opt.zero_grad()
        loss_of(net, text, wanted).backward()
        opt.step  # noqa: B018  the bug  # BLAME


@pain("not-optimized")
def the_step_was_left_out() -> None:
    text, wanted = tokens()
    net = Block()
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(3):
        loss_of(net, text, wanted).backward()
        opt.zero_grad()  # BLAME


@pain("not-optimized")
def the_rate_is_zero_for_ever() -> None:
    text, wanted = tokens()
    net = Block()
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    scheduler = T.optim.lr_scheduler.LambdaLR(opt, lambda step: step // 1000)
    for _ in range(6):
        opt.zero_grad()
        loss_of(net, text, wanted).backward()
        opt.step()  # BLAME
        scheduler.step()


@fine
def a_warm_up_begins_at_zero() -> None:
    text, wanted = tokens()
    net = Block()
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    scheduler = T.optim.lr_scheduler.LambdaLR(opt, lambda step: min(1.0, max(0, step - 2) / 2))
    for _ in range(5):
        opt.zero_grad()
        loss_of(net, text, wanted).backward()
        opt.step()
        scheduler.step()


@fine
def one_group_has_no_rate() -> None:
    text, wanted = tokens()
    net = Block()
    groups = [{"params": net.wte.parameters(), "lr": 0.0}, {"params": net.out.parameters()}]
    opt = T.optim.SGD(groups, lr=0.01)
    for _ in range(6):
        opt.zero_grad()
        loss_of(net, text, wanted).backward()
        opt.step()


@fine
def gradients_are_looked_at_and_cleared() -> None:
    text, wanted = tokens()
    net = Block()
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    norms: list[float] = []
    for _ in range(4):
        opt.zero_grad()
        loss_of(net, text, wanted).backward()
        norms.append(sum(float(each.grad.norm()) for each in net.parameters()))


@fine
def two_batches_before_the_first_step() -> None:
    text, wanted = tokens()
    net = Block()
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(2):  # to see that it runs
        opt.zero_grad()
        loss_of(net, text, wanted).backward()


# --- scaler, clipping and step ------------------------------------------------------------------------------


@pain("step-order")
def clipped_before_it_is_unscaled() -> None:
    text, wanted = tokens()
    net, scaler = Block(), GradScaler("cpu")
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(2):
        opt.zero_grad()
        scaler.scale(loss_of(net, text, wanted)).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # BLAME
        scaler.unscale_(opt)
        scaler.step(opt)
        scaler.update()


@pain("step-order", "opt")
def a_step_by_hand_with_scaled_gradients() -> None:
    text, wanted = tokens()
    net, scaler = Block(), GradScaler("cpu")
    opt = T.optim.Adam(net.parameters(), lr=0.001)
    for _ in range(2):
        opt.zero_grad()
        scaler.scale(loss_of(net, text, wanted)).backward()
        opt.step()  # BLAME
        scaler.update(1024.0)


@pain("step-order", "second")
def one_of_two_losses_is_not_scaled() -> None:
    text, wanted = tokens()
    net, other, scaler = Block(), Block(), GradScaler("cpu")
    opt, second = (T.optim.SGD(each.parameters(), lr=0.01) for each in (net, other))
    for _ in range(2):
        opt.zero_grad()
        second.zero_grad()
        scaler.scale(loss_of(net, text, wanted)).backward()
        loss_of(other, text, wanted).backward()
        scaler.step(opt)
        scaler.step(second)  # BLAME
        scaler.update()


@pain("step-order")
def clipped_when_the_step_is_done() -> None:
    text, wanted = tokens()
    net = Block()
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(3):
        opt.zero_grad()
        loss_of(net, text, wanted).backward()
        opt.step()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # BLAME


@pain("step-order")
def an_iterator_is_clipped_after_it_has_ended() -> None:
    text, wanted = tokens()
    net = Block()
    weights = net.parameters()
    opt = T.optim.SGD(weights, lr=0.01)
    for _ in range(2):
        opt.zero_grad()
        loss_of(net, text, wanted).backward()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch warns once, and without the line
            nn.utils.clip_grad_norm_(weights, 1.0)  # BLAME
        opt.step()


@fine
def unscaled_clipped_and_stepped() -> None:
    text, wanted = tokens()
    net, scaler = Block(), GradScaler("cpu")
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(3):
        opt.zero_grad()
        for _ in range(2):
            (scaler.scale(loss_of(net, text, wanted)) / 2).backward()
        scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        nn.utils.clip_grad_value_(net.parameters(), 0.5)
        scaler.step(opt)
        scaler.update()


@fine
def the_limit_is_scaled_too() -> None:
    text, wanted = tokens()
    net, scaler = Block(), GradScaler("cpu")
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(3):
        opt.zero_grad()
        scaler.scale(loss_of(net, text, wanted)).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0 * scaler.get_scale())
        scaler.step(opt)
        scaler.update()


@fine
def a_scaler_that_is_off() -> None:
    text, wanted = tokens()
    net, scaler = Block(), GradScaler("cpu", enabled=False)
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(3):
        opt.zero_grad()
        scaler.scale(loss_of(net, text, wanted)).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()


@fine
def two_optimizers_of_which_one_is_scaled() -> None:
    text, wanted = tokens()
    net, other, scaler = Block(), Block(), GradScaler("cpu")
    opt, second = (T.optim.SGD(each.parameters(), lr=0.01) for each in (net, other))
    for _ in range(3):
        opt.zero_grad()
        second.zero_grad()
        scaler.scale(loss_of(net, text, wanted)).backward()
        loss_of(other, text, wanted).backward()
        nn.utils.clip_grad_norm_(other.parameters(), 1.0)
        second.step()
        scaler.step(opt)
        scaler.update()


@fine
def the_norm_is_looked_at_after_the_step() -> None:
    text, wanted = tokens()
    net = Block()
    opt = T.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(3):
        opt.zero_grad()
        loss_of(net, text, wanted).backward()
        nn.utils.clip_grad_norm_((p for p in net.parameters()), 1.0)
        opt.step()
        assert float(nn.utils.clip_grad_norm_(net.parameters(), float("inf"))) < 2


# --- frozen -----------------------------------------------------------------------------------------------


@pain("step-order", "net.wte.weight")
def a_frozen_table_goes_on_moving() -> None:
    text, wanted = tokens()
    net = Block()
    opt = T.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(4):
        if epoch == 1:
            net.wte.weight.requires_grad_(False)  # BLAME
        else:
            net.up.zero_grad()
        loss_of(net, text, wanted).backward()
        opt.step()
        net.out.zero_grad()
        net.up.zero_grad()


@fine
def a_judge_is_frozen_for_the_other_step() -> None:
    T.manual_seed(0)
    maker, judge = nn.Linear(2, 2), nn.Linear(2, 1)
    one, two = (T.optim.SGD(each.parameters(), lr=0.01) for each in (maker, judge))
    for _ in range(4):
        made = maker(T.randn(4, 2))
        judge.requires_grad_(True)
        two.zero_grad()
        judge(made.detach()).mean().backward()
        two.step()
        judge.requires_grad_(False)
        one.zero_grad()
        (-judge(made).mean()).backward()
        one.step()


@fine
def a_frozen_body_stays_in_the_optimizer() -> None:
    text, wanted = tokens()
    net = Block()
    net.wte.requires_grad_(False)
    opt = T.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)
    for _ in range(4):
        opt.zero_grad()
        loss_of(net, text, wanted).backward()
        opt.step()


# --- rates ------------------------------------------------------------------------------------------------


@pain("step-too-large", "net.1.weight")
def the_rate_of_one_group_is_too_large() -> None:
    T.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 8), nn.Linear(8, 1))
    groups = [{"params": net[0].parameters()}, {"params": net[1].parameters(), "lr": 40.0}]
    opt = T.optim.SGD(groups, lr=1e-3)
    x, y = T.randn(8, 3), T.randn(8, 1)
    for _ in range(14):
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()  # BLAME


@fine
def rates_differ_by_a_thousand() -> None:
    T.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 8), nn.Linear(8, 1))
    groups = [{"params": net[0].parameters()}, {"params": net[1].parameters(), "lr": 0.05}]
    opt = T.optim.SGD(groups, lr=5e-5)
    x, y = T.randn(8, 3), T.randn(8, 1)
    for _ in range(14):
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()


# --- losses -----------------------------------------------------------------------------------------------


@pain("wrong-call", "odds")
def a_divergence_is_given_probabilities() -> None:
    T.manual_seed(0)
    net = nn.Linear(3, 4)
    x, wanted = T.randn(5, 3), F.softmax(T.randn(5, 4), dim=-1)
    odds = F.softmax(net(x), dim=-1)  # BLAME
    F.kl_div(odds, wanted, reduction="batchmean").backward()


@pain("wrong-call", "frames")
def an_alignment_is_given_probabilities() -> None:
    T.manual_seed(0)
    net = nn.Linear(3, 4)
    frames = F.softmax(net(T.randn(6, 1, 3)), dim=-1)  # BLAME
    F.ctc_loss(frames, T.tensor([[1, 2]]), T.tensor([6]), T.tensor([2])).backward()


@fine
def a_divergence_is_given_logarithms() -> None:
    T.manual_seed(0)
    net = nn.Linear(3, 4)
    x, wanted = T.randn(5, 3), F.softmax(T.randn(5, 4), dim=-1)
    F.kl_div(F.log_softmax(net(x), dim=-1), wanted, reduction="batchmean").backward()
    F.kl_div(F.softmax(net(x), dim=-1).log(), wanted, reduction="batchmean").backward()


@fine
def a_divergence_between_two_logarithms() -> None:
    T.manual_seed(0)
    net = nn.Linear(3, 4)
    x, wanted = T.randn(5, 3), F.log_softmax(T.randn(5, 4), dim=-1)
    mine = F.log_softmax(net(x), dim=-1)
    F.kl_div(mine, wanted, reduction="batchmean", log_target=True).backward()
