"""NaN and Inf, born forwards, backwards, or behind a mask."""

from __future__ import annotations

from typing import Any

import vizgrad as T
from tests.pains.corpus import fine, pain
from vizgrad import why


@pain("nonfinite-forward", "gain", seen="https://github.com/pytorch/pytorch/issues/160016")
def the_log_of_a_negative_number() -> Any:
    scale = T.tensor(1.0, requires_grad=True)
    gain = T.tensor([1.0, -0.5]) * scale
    signal = T.log(gain)  # BLAME
    loss = (signal - 1.0).pow(2).mean()
    return why(loss)


@pain("nonfinite-forward", "p", seen="https://github.com/pytorch/pytorch/issues/101069")
def the_log_of_a_softmax() -> Any:
    logits = T.tensor([[200.0, -200.0]], requires_grad=True)
    p = T.softmax(logits, dim=1)
    loss = -p.log()[0, 1]  # BLAME
    return why(loss)


@pain("nonfinite-forward", "keep.sum()")
def a_mean_over_nothing_selected() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    keep = T.tensor([0.0, 0.0])
    total = (w * keep).sum()
    loss = total / keep.sum()  # BLAME
    return why(loss)


@pain("nonfinite-forward", "score")
def an_exponential_overflows() -> Any:
    w = T.tensor([50.0, 100.0], requires_grad=True)
    score = w * 2.0
    odds = T.exp(score)  # BLAME
    share = odds / odds.sum()
    loss = share[0] - 1.0
    return why(loss)


@pain("nonfinite-forward", seen="https://github.com/pytorch/pytorch/issues/4320")
def the_spread_of_a_single_example() -> Any:
    w = T.tensor([2.0], requires_grad=True)
    batch = T.tensor([3.0]) * w
    spread = batch.std()  # BLAME
    loss = (batch / spread).sum()
    return why(loss)


@pain("nonfinite-forward")
def a_fractional_power_of_a_negative() -> Any:
    w = T.tensor([-1.0, 2.0], requires_grad=True)
    root = w**0.5  # BLAME
    loss = root.sum()
    loss.backward()
    return why(loss)


@pain(
    "nonfinite-forward",
    "scores",
    seen="https://jkschin.com/blog/2023/cross-entropy-loss-ignore-index/",
)
def a_row_is_masked_out_altogether() -> Any:
    scores = T.tensor([[1.0, 2.0], [0.5, 0.1]], requires_grad=True)
    closed = T.tensor([[False, True], [True, True]])
    scores = scores.masked_fill(closed, float("-inf"))
    attention = T.softmax(scores, dim=-1)  # BLAME
    loss = attention.sum()
    return why(loss)


@pain("nonfinite-forward", "x", seen="https://github.com/pytorch/pytorch/issues/89543")
def the_data_held_a_missing_value() -> Any:
    x = T.tensor([1.0, float("nan"), 3.0])  # BLAME
    w = T.tensor(2.0, requires_grad=True)
    loss = (x * w).mean()
    loss.backward()
    return why(loss)


@pain("nonfinite-forward", "cosine")
def an_arc_cosine_outside_its_domain() -> Any:
    a = T.tensor([1.0, 0.0], requires_grad=True)
    cosine = (a * 1.0000002).sum()
    angle = T.acos(cosine)  # BLAME
    loss = angle * 2.0
    return why(loss)


@pain(
    "nonfinite-forward",
    "w.norm()",
    seen="https://github.com/pytorch/pytorch/issues/184575",
)
def a_vector_of_length_zero_is_normalised() -> Any:
    w = T.tensor([0.0, 0.0], requires_grad=True)
    unit = w / w.norm()  # BLAME
    loss = (unit * T.tensor([1.0, 2.0])).sum()
    return why(loss)


@pain("nonfinite-backward", "squared", seen="https://github.com/pytorch/pytorch/issues/6394")
def the_root_of_a_zero_distance() -> Any:
    points = T.tensor([[0.0, 0.0], [1.0, 0.0]], requires_grad=True)
    gap = points[:, None, :] - points[None, :, :]
    squared = (gap**2).sum(-1)
    distance = squared.sqrt()  # BLAME
    distance.mean().backward()
    return why(points)


@pain("nonfinite-backward")
def an_arc_cosine_at_its_border() -> Any:
    a = T.tensor([1.0, 0.5], requires_grad=True)
    angle = T.acos(a)  # BLAME
    angle.sum().backward()
    return why(a)


@pain("nonfinite-backward", seen="https://github.com/pytorch/pytorch/issues/44452")
def a_small_power_at_zero() -> Any:
    w = T.tensor([0.0, 4.0], requires_grad=True)
    loss = (w**0.5).sum()  # BLAME
    loss.backward()
    return why(w)


@pain("nonfinite-backward", seen="https://github.com/pytorch/pytorch/issues/6394")
def a_root_of_a_difference_from_one() -> Any:
    w = T.tensor([0.0, 1.0], requires_grad=True)
    p = w * 2.0 + 1.0
    loss = (p - 1.0).pow(0.25).sum()  # BLAME
    loss.backward()
    return why(w)


@pain("nonfinite-masked", seen="https://github.com/pytorch/pytorch/issues/68425")
def where_hides_a_log_of_zero() -> Any:
    p = T.tensor([0.5, 0.0], requires_grad=True)
    logs = T.log(p)  # BLAME
    entropy = T.where(p > 0, p * logs, T.zeros(2))
    entropy.sum().backward()
    return why(p)


@pain("nonfinite-masked", seen="https://github.com/pytorch/pytorch/issues/36923")
def where_hides_a_division() -> Any:
    x = T.tensor([2.0, 0.0], requires_grad=True)
    ratio = T.sin(x) / x  # BLAME
    sinc = T.where(x == 0, T.ones(2), ratio)
    sinc.sum().backward()
    return why(x)


@pain("nonfinite-masked", seen="https://github.com/pytorch/pytorch/issues/187297")
def a_mask_is_multiplied_over_a_root() -> Any:
    x = T.tensor([4.0, 0.0], requires_grad=True)
    mask = T.tensor([1.0, 0.0])
    roots = T.sqrt(x)  # BLAME
    (roots * mask).sum().backward()
    return why(x)


@pain("nonfinite-masked", seen="https://github.com/pytorch/pytorch/issues/156212")
def padded_rows_are_selected_away() -> Any:
    x = T.tensor([1.0, 0.0, 2.0], requires_grad=True)
    logs = x.log()  # BLAME
    kept = logs.masked_fill(x == 0, 0.0)
    kept.sum().backward()
    return why(x)


@fine
def scores_are_masked_with_minus_infinity() -> Any:
    q = T.tensor([[1.0, 0.0], [0.5, 0.5]], requires_grad=True)
    future = T.ones(2, 2).triu(1) > 0
    scores = (q @ q.T).masked_fill(future, float("-inf"))
    loss = (T.softmax(scores, dim=-1) @ q).sum()
    loss.backward()
    return [why(q), why(loss)]


@fine
def the_input_is_masked_too() -> Any:
    p = T.tensor([0.5, 0.0], requires_grad=True)
    safe = T.where(p > 0, p, T.ones(2))
    entropy = T.where(p > 0, p * safe.log(), T.zeros(2))
    entropy.sum().backward()
    return why(p)


@fine
def a_root_with_an_eps() -> Any:
    points = T.tensor([[0.0, 0.0], [1.0, 0.0]], requires_grad=True)
    gap = points[:, None, :] - points[None, :, :]
    ((gap**2).sum(-1) + 1e-12).sqrt().mean().backward()
    return why(points)


@fine
def a_running_minimum_begins_at_infinity() -> Any:
    w = T.tensor([3.0, 1.0, 2.0], requires_grad=True)
    best = T.tensor(float("inf"))
    for value in w:
        best = T.minimum(best, value)
    best.backward()
    return [why(w), why(best)]


@fine
def infinity_is_cleaned_before_it_is_used() -> Any:
    x = T.tensor([1.0, float("nan"), 3.0])
    w = T.tensor(2.0, requires_grad=True)
    loss = (T.nan_to_num(x) * w).sum()
    loss.backward()
    return [why(w), why(loss)]


@fine
def a_logsumexp_of_large_scores() -> Any:
    w = T.tensor([500.0, 1000.0], requires_grad=True)
    loss = T.logsumexp(w * 2.0, dim=0)
    loss.backward()
    return [why(w), why(loss)]


@pain("nonfinite-backward", "1 - p")
def a_focal_loss_of_what_is_certain() -> Any:
    p = T.tensor([1.0, 0.5], requires_grad=True)
    gamma = 0.5
    loss = ((1 - p) ** gamma).sum()  # BLAME
    loss.backward()
    return why(p)


@pain("nonfinite-masked", "counts")
def means_of_groups_that_may_be_empty() -> Any:
    sums = T.tensor([6.0, 10.0], requires_grad=True)
    counts = T.tensor([1.0, 0.0])
    means = T.where(counts > 0, sums / counts, T.zeros(2))  # BLAME
    means.sum().backward()
    return why(sums)


@pain("nonfinite-forward", "x")
def an_infinite_input_of_a_product() -> Any:
    w = T.tensor([[1.0, -1.0], [0.5, 0.5]], requires_grad=True)
    x = T.tensor([[T.inf, 1.0]])  # BLAME
    y = x @ w
    loss = y.sum()
    loss.backward()
    return why(loss)
