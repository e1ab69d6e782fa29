"""No gradient: where history left, or was never recorded."""

# Gradients may be None as far as types tell, and these programs are as people write them.
# pyright: reportOperatorIssue=false, reportOptionalMemberAccess=false

from __future__ import annotations

import math
from typing import Any

import vizgrad as T
from tests.pains.corpus import fine, pain
from vizgrad import nn, why


@pain("cut-detach", "pred", seen="https://github.com/pytorch/pytorch/issues/22436")
def a_metric_is_reused_as_the_loss() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    b = T.tensor(0.5, requires_grad=True)

    def metric(pred: Any) -> Any:
        pred = pred.detach()  # BLAME
        return (pred - 1.0).abs().mean()

    loss = metric(w * 3.0 + b) + b**2
    loss.backward()
    return why(w)


@pain(
    "cut-detach",
    seen="https://imaddabbura.github.io/til/pytorch/detach-tensor-from-computation-graph.html",
)
def the_data_of_a_hidden_layer_goes_on() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    head = T.ones(2, requires_grad=True)
    hidden = T.tanh(w * 2.0)
    loss = (hidden.data * head).sum()  # BLAME
    loss.backward()
    return why(w)


@pain("cut-detach")
def a_loss_is_made_of_an_item() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    bias = T.tensor(1.0, requires_grad=True)
    penalty = (w**2).sum().item()  # BLAME
    loss = bias * T.tensor(penalty)
    loss.backward()
    return why(w)


@pain("cut-detach")
def a_loss_collects_floats() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    scale = T.tensor(1.0, requires_grad=True)
    values = [0.0]
    for factor in (1.0, 2.0):
        part = float((w * factor).sum())  # BLAME
        values.append(part)
    loss = scale * T.tensor(values).mean()
    loss.backward()
    return why(w)


@pain("cut-detach")
def an_activation_is_computed_by_numpy() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    scale = T.tensor(1.0, requires_grad=True)
    raw = (w * 2.0).detach().numpy()  # BLAME
    bent = T.from_numpy(raw**2 + 1.0)
    loss = (scale * bent).sum()
    loss.backward()
    return why(w)


@pain("cut-detach")
def a_list_of_numbers_is_a_new_tensor() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    shift = T.tensor(0.0, requires_grad=True)
    parts = (w * 2.0).tolist()  # BLAME
    loss = (T.tensor(parts) + shift).sum()
    loss.backward()
    return why(w)


@pain("cut-detach")
def a_tensor_is_made_of_tensors() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    shift = T.tensor(0.0, requires_grad=True)
    first, second = w[0] * 2.0, w[1] * 3.0
    pair = T.tensor([first, second])  # BLAME
    loss = (pair * shift).sum()
    loss.backward()
    return why(w)


@pain("cut-detach", "target")
def the_backward_of_a_detached_loss_raises() -> None:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    target = (w * 2.0).detach()  # BLAME
    loss = (target - 1.0).pow(2).mean()
    loss.backward()


@pain("cut-dtype", seen="https://github.com/LZGMatrix/BOP19_CDPN_2019ICCV/issues/4")
def a_quantiser_casts_to_integers() -> Any:
    x = T.tensor([0.1, 0.4, 0.9], requires_grad=True)
    gain = T.tensor(1.0, requires_grad=True)
    levels = (x * 7).to(T.int64)  # BLAME
    loss = (gain * (levels / 7)).sum()
    loss.backward()
    return why(x)


@pain("cut-dtype", seen="https://github.com/pytorch/pytorch/issues/1339")
def the_share_of_right_answers_is_the_loss() -> Any:
    w = T.tensor([[0.2, -0.1], [0.3, 0.4]], requires_grad=True)
    bias = T.zeros(2, requires_grad=True)
    labels = T.tensor([0, 1])
    guess = (T.ones(2, 2) @ w).argmax(1)  # BLAME
    loss = 1.0 - (guess == labels).float().mean() + (bias**2).sum()
    loss.backward()
    return why(w)


@pain("cut-dtype", seen="https://github.com/Ugenteraan/Deep_Hierarchical_Classification/issues/6")
def a_threshold_is_a_comparison() -> Any:
    w = T.tensor([0.2, 0.8], requires_grad=True)
    scale = T.tensor(2.0, requires_grad=True)
    fired = w > 0.5  # BLAME
    loss = (fired.float() * scale).sum()
    loss.backward()
    return why(w)


@pain("grad-mode", seen="https://github.com/pytorch/pytorch/issues/57776")
def an_encoder_runs_under_no_grad() -> Any:
    w = T.full((2, 2), 0.5, requires_grad=True)
    head = T.ones(2, requires_grad=True)

    @T.no_grad()
    def encode(x: Any) -> Any:
        return T.tanh(x @ w)  # BLAME

    loss = (encode(T.ones(3, 2)) @ head).mean()
    loss.backward()
    return why(w)


@pain("grad-mode")
def evaluation_switched_gradients_off_for_good() -> Any:
    w = T.tensor(2.0, requires_grad=True)
    bias = T.tensor(1.0, requires_grad=True)
    try:
        T.set_grad_enabled(False)  # BLAME
        hidden = w * 3.0
    finally:
        T.set_grad_enabled(True)
    loss = hidden * bias
    loss.backward()
    return why(w)


@pain("grad-mode")
def a_loss_under_no_grad_raises() -> None:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    with T.no_grad():
        loss = (w * 2.0).sum()  # BLAME
    loss.backward()


@pain("grad-mode")
def features_of_inference_mode_are_trained_on() -> None:
    with T.inference_mode():
        features = T.ones(4) * 0.5  # BLAME
    w = T.zeros(4, requires_grad=True)
    (features * w).sum().backward()


@pain("unused")
def the_first_layer_is_skipped() -> Any:
    first = T.full((2, 2), 0.1, requires_grad=True)
    second = T.full((2, 2), 0.2, requires_grad=True)
    x = T.ones(1, 2)
    hidden = T.relu(x @ first)  # BLAME
    out = T.relu(x @ second)
    del hidden
    loss = out.mean()
    loss.backward()
    return why(first)


@pain("unused")
def an_auxiliary_loss_is_never_added() -> Any:
    w = T.tensor(1.0, requires_grad=True)
    extra = T.tensor(2.0, requires_grad=True)
    aux = (extra * 3.0) ** 2  # BLAME
    loss = (w - 1.5) ** 2
    loss.backward()
    return why(extra), aux.shape and None


@pain("unused")
def grad_is_asked_of_what_was_not_used() -> None:
    a = T.tensor([1.0, 2.0], requires_grad=True)
    b = T.tensor([3.0, 4.0], requires_grad=True)
    bent = b * 2.0  # BLAME
    loss = (a * 3.0).sum()
    assert bent.shape == (*loss.shape, 2)
    T.autograd.grad(loss, [a, b])


@pain("not-a-leaf", "w", seen="https://github.com/pytorch/pytorch/pull/30531")
def a_scaled_initialisation_is_no_leaf() -> Any:
    w = T.ones(3, requires_grad=True) * 0.1  # BLAME
    loss = (w * 2.0).sum()
    loss.backward()
    return why(w)


@pain("not-a-leaf", "w", seen="https://github.com/Maghoumi/pytorch-softdtw-cuda/issues/25")
def a_weight_moved_to_another_type_is_no_leaf() -> Any:
    w = T.ones(3, requires_grad=True).double()  # BLAME
    loss = (w * 2.0).sum()
    loss.backward()
    return why(w)


@pain("not-a-leaf", "w", seen="https://github.com/pytorch/pytorch/pull/30531")
def an_update_replaces_the_leaf() -> Any:
    w = T.ones(3, requires_grad=True)
    (w * 2.0).sum().backward()
    w = w - 0.1 * w.grad  # BLAME
    (w * 2.0).sum().backward()
    return why(w)


@pain("grad-mode", "image")
def an_attack_asks_for_the_gradient_late() -> Any:
    net = nn.Sequential(nn.Flatten(), nn.Linear(4, 3))
    image = T.rand(2, 2, 2)
    scores = net(image)  # BLAME
    loss = scores.sum()
    image.requires_grad_()
    loss.backward()
    return why(image)


@fine
def an_attack_asks_for_the_gradient_first() -> Any:
    net = nn.Sequential(nn.Flatten(), nn.Linear(4, 3))
    image = T.rand(2, 2, 2)
    image.requires_grad_()
    net(image).sum().backward()
    return why(image)


@fine
def logging_by_item_and_detach() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    history, total = [], 0.0
    for _ in range(4):
        w.grad = None
        loss = (w**2).sum()
        loss.backward()
        total += loss.item()
        history.append(loss.detach())
        with T.no_grad():
            w -= 0.1 * w.grad
    assert total > 0
    assert len(history) == 4
    return why(w)


@fine
def a_frozen_encoder_and_a_trained_head() -> Any:
    encoder, head = nn.Linear(3, 2), nn.Linear(2, 1)
    for parameter in encoder.parameters():
        parameter.requires_grad_(False)
    loss = head(encoder(T.ones(4, 3))).pow(2).mean()
    loss.backward()
    return [why(p) for p in (*head.parameters(), *encoder.parameters())]


@fine
def a_straight_through_estimator() -> Any:
    x = T.tensor([0.1, 0.4, 0.9], requires_grad=True)
    rounded = x + (T.round(x) - x).detach()
    (rounded * T.tensor([1.0, 2.0, 3.0])).sum().backward()
    return why(x)


@fine
def a_target_network_is_detached() -> Any:
    w = T.tensor([0.5, 1.0], requires_grad=True)
    with T.no_grad():
        target = (w * 2.0).sum()
    loss = ((w * 3.0).sum() - target) ** 2
    loss.backward()
    return why(w)


@fine
def an_accuracy_beside_the_loss() -> Any:
    w = T.tensor([[0.2, -0.1], [0.3, 0.4]], requires_grad=True)
    labels = T.tensor([0, 1])
    scores = T.tensor([[1.0, 2.0], [0.5, 1.0]]) @ w
    loss = T.nn.functional.cross_entropy(scores, labels)
    right = (scores.argmax(1) == labels).float().mean().item()
    loss.backward()
    assert 0.0 <= right <= 1.0
    return why(w)


@fine
def an_embedding_is_looked_up_by_argmax() -> Any:
    table = T.tensor([[0.5, 1.0], [1.5, -1.0]], requires_grad=True)
    chosen = T.tensor([0.2, 0.8]).argmax()
    loss = (table[chosen] ** 2).sum()
    loss.backward()
    return why(table)


@fine
def a_leaf_is_made_after_scaling() -> Any:
    w = (T.ones(3) * 0.1).requires_grad_()
    (w * 2.0).sum().backward()
    return why(w)


@fine
def a_gradient_of_a_result_is_retained() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    hidden = w * 2.0
    hidden.retain_grad()
    hidden.sum().backward()
    return [why(w), why(hidden)]


@fine
def a_schedule_uses_plain_numbers() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    scale = math.exp(-(w.detach() ** 2).sum().item())
    loss = (w * scale).sum()
    loss.backward()
    return why(w)


@fine
def nothing_was_run_backward_yet() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * 2.0).sum()
    return [why(w), why(loss)]


@fine
def a_copy_of_a_model_is_only_evaluated() -> Any:
    model, twin = nn.Linear(2, 1), nn.Linear(2, 1)
    model(T.ones(3, 2)).pow(2).mean().backward()
    twin.load_state_dict(model.state_dict())
    shown = twin(T.ones(1, 2)).item()
    assert shown == model(T.ones(1, 2)).item()
    return [why(p) for p in twin.parameters()]


@pain("cut-detach", "diff")
def a_loss_is_made_a_tensor_again() -> Any:
    model = nn.Linear(2, 1)
    diff = (model(T.ones(3, 2)) - 1.0).abs().mean()
    loss = T.tensor(diff, requires_grad=True)  # BLAME
    loss.backward()
    return why(model.weight)


@pain("cut-detach")
def a_result_becomes_a_parameter() -> Any:
    base = T.ones(2, requires_grad=True)
    scaled = nn.Parameter(base * 2.0)  # BLAME
    (scaled**2).sum().backward()
    return why(base)


@fine
def parameters_made_of_those_of_another_model() -> Any:
    pretrained = nn.Linear(2, 2)
    mine = nn.Parameter(pretrained.weight.detach().clone())
    copied = nn.Parameter(pretrained.weight * 2.0)
    (mine**2 + copied**2).sum().backward()
    return [why(mine), why(copied)]


@fine
def an_average_of_weights_is_asked_about() -> Any:
    """A Parameter that is frozen has no gradient, wherever its values come from."""
    model = nn.Linear(2, 1)
    shadow = nn.Linear(2, 1)
    for each in shadow.parameters():
        each.requires_grad_(False)
    model(T.ones(3, 2)).pow(2).mean().backward()
    with T.no_grad():
        for mean, new in zip(shadow.parameters(), model.parameters(), strict=True):
            mean.mul_(0.9).add_(new, alpha=0.1)
    return [why(each) for each in shadow.parameters()]


@pain("cut-detach", "loss")
def all_parameters_are_frozen() -> Any:
    layer = nn.Linear(2, 1)
    for parameter in layer.parameters():
        parameter.requires_grad_(False)  # BLAME
    loss = layer(T.ones(1, 2)).sum()
    loss.backward()
