"""Losses."""

from __future__ import annotations

from typing import Any

from tests.fuzz.draw import Draw
from tests.fuzz.kinds import SoFar, first, shaped
from tests.fuzz.signatures.layers import some
from tests.fuzz.values import Code, Given

OPTIONS = False
Made = tuple[list[Any], dict[str, Any]]
REDUCTION = "reduction=pick('none','mean','sum')?"


def _channel(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    return first(so_far).shape[-1:]


def signs(d: Draw, so_far: SoFar) -> Given:
    """1 and -1 for the elements of the first."""
    x = first(so_far)
    return Given(x.shape, x.dtype, tuple(d.pick((1.0, -1.0)) for _ in range(max(1, x.count))))


def row_signs(d: Draw, so_far: SoFar) -> Given:
    x = first(so_far)
    return Given(x.shape[:-1], x.dtype, tuple(d.pick((1.0, -1.0)) for _ in range(max(1, x.count))))


def classes(d: Draw, so_far: SoFar) -> Given:
    """A class for each row."""
    x = first(so_far)
    most = (x.shape[-1] if x.rank else 1) - 1 + (5 if d.strange(0.3) else 0)
    return d.tensor(x.shape[:-1], "int64", 0, max(0, most))


def several_classes(d: Draw, so_far: SoFar) -> Given:
    x = first(so_far)
    size = x.shape[-1] if x.rank else 1
    return d.tensor(x.shape, "int64", -1, max(-1, size - 1))


def logits(d: Draw, labels: bool) -> Made:
    many, inside = d.size(1), d.pick(((), (), (), (2,), (2, 1)))
    batch = d.pick(((), (2,), (3,), (1,), (0,))) if not inside else d.pick(((2,), (1,), (0,)))
    dtype = d.dtype("double")
    x = d.tensor((*batch, many, *inside), dtype)
    if labels and d.chance(0.35):
        target = d.tensor(x.shape, dtype, 0, 1)
        words: dict[str, Any] = {}
    else:
        high = many - 1 + (3 if d.strange(0.3) else 0)
        target = d.tensor((*batch, *inside), "int64", 0, high)
        words = {"ignore_index": d.pick((-100, 0, 1, -1))} if d.chance(0.3) else {}
    if d.chance(0.35):
        words["weight"] = d.tensor((many,), dtype, 0.1, 2, grad=False)
    if d.chance(0.6):
        words["reduction"] = d.pick(("none", "mean", "sum"))
    if labels and d.chance(0.3):
        words["label_smoothing"] = d.pick((0.0, 0.1, 1.0))
    return [x, target], words


def cross_entropy(d: Draw) -> Made:
    return logits(d, labels=True)


def nll_loss(d: Draw) -> Made:
    return logits(d, labels=False)


def linear_cross_entropy(d: Draw) -> Made:
    """Rows of features, a matrix that makes scores of them, and settings of `cross_entropy`."""
    many, features, inside = d.size(1), d.size(1), d.pick(((), (), (), (2,), (2, 1)))
    batch = (
        d.pick(((), (2,), (3,), (1,), (5,)))
        if not inside or d.strange(0.3)
        else d.pick(((2,), (1,)))
    )
    dtype = d.dtype("double")
    x = d.tensor((*batch, features + d.strange(0.1)), dtype)
    weight = d.tensor((many, *inside, features), d.dtype() if d.strange(0.2) else dtype)
    words: dict[str, Any] = {}
    if d.chance(0.35):
        target = d.tensor((*batch, many, *inside), dtype, 0, 1)
    else:
        target = d.tensor((*batch, *inside), "int64", 0, many - 1 + (3 if d.strange(0.3) else 0))
        if d.chance(0.3):
            words["ignore_index"] = d.pick((-100, 0, 1, -1, None))
    if d.chance(0.4):
        words["linear_bias"] = d.tensor((many, *inside), dtype)
    if d.chance(0.35):
        words["weight"] = d.tensor((many,), dtype, 0.1, 2, grad=False)
    if d.chance(0.6):
        words["reduction"] = d.pick(("none", "mean", "sum", "word" if d.odd else "sum"))
    if d.chance(0.3):
        words["label_smoothing"] = d.pick((0.0, 0.1, 1.0))
    if OPTIONS and d.chance(0.4):
        options = some(d, {
            "allow_retain_graph": True, "batch_chunk_size": d.pick((1, 2, 3, 0 if d.odd else 9)),
            "chunking_method": d.pick((None, "aspect_ratio", "aspect_ratio:2", "word" if d.odd else "auto")),
            "acc_policy": d.pick(("accurate", "balanced", "compact", "auto", "word" if d.odd else "auto")),
            "acc_dtype": Code(d.pick((f"torch.{dtype}", "None", "torch.float32"))),
        }, 0.4)  # fmt: skip
        given = ", ".join(f"{k}={v!r}" for k, v in options.items())
        words["options"] = Code(f"torch.nn.LinearCrossEntropyOptions({given})")
    return [x, weight, target], words


def ctc(d: Draw) -> Made:
    steps, many, symbols = d.whole(2, 5), d.whole(1, 2), d.whole(2, 4)
    dtype = d.dtype("double")
    lengths = tuple(d.whole(0, 2) for _ in range(many))
    inputs = tuple(d.whole(max(1, 2 * n), steps) if 2 * n <= steps else steps for n in lengths)
    x = Given((steps, many, symbols), dtype, d.values(99, dtype, -3, 0), "plain", d.chance(0.7))
    targets = d.tensor((many, 2), "int64", 1, symbols - 1)
    words: dict[str, Any] = {"reduction": d.pick(("none", "mean", "sum"))} if d.chance(0.6) else {}
    if d.chance(0.3):
        words["zero_infinity"] = d.chance(0.5)
    kinds = Given((many,), "int64", inputs), Given((many,), "int64", lengths)
    as_lists = (inputs, lengths) if d.chance(0.3) else kinds
    return [x, targets, *as_lists], words


MAKERS = {
    "F.cross_entropy": cross_entropy, "F.nll_loss": nll_loss, "F.ctc_loss": ctc,
    "F.linear_cross_entropy": linear_cross_entropy,
}  # fmt: skip

TABLE = f"""
F.mse_loss F.l1_loss : input=t() target=same() *{REDUCTION}
F.mse_loss F.l1_loss : input=t('float') target=same() *weight=same()? *{REDUCTION}
F.mse_loss F.l1_loss : input=t('float') target=meets('float') *{REDUCTION}
F.smooth_l1_loss : input=t('float') target=meets('float') *{REDUCTION} *beta=real(0,2)?
F.huber_loss : input=t('float') target=meets('float') {REDUCTION} delta=real(0,2)?
F.soft_margin_loss : input=t('float') target=signs *{REDUCTION}
F.hinge_embedding_loss : input=t('float') target=signs margin=real()? *{REDUCTION}
F.binary_cross_entropy : input=t('double',low=0.01,high=0.99) target=same(low=0,high=1)
    weight=same(low=0.1)? *{REDUCTION}
F.binary_cross_entropy_with_logits : input=t('double') target=same(low=0,high=1) weight=same(low=0.1)?
    *{REDUCTION} *pos_weight=per_class?
F.kl_div : input=t('double',low=-3,high=0) target=same(low=0,high=1) *{REDUCTION} *log_target=flag?
F.kl_div : input=t('double',low=-3,high=0) target=same(low=0,high=1) *reduction=pick('batchmean')
F.poisson_nll_loss : input=t('double') target=same(low=0,high=4) log_input=flag? full=flag?
    *eps=pick(0.1)? *{REDUCTION}
F.gaussian_nll_loss : input=t('double') target=same() var=same(low=0.1) full=flag? eps=pick(0.01)?
    {REDUCTION}
F.gaussian_nll_loss : input=t('double') target=same() var=real(0.1,2) full=flag?
F.margin_ranking_loss : input1=t('float') input2=same() target=signs margin=real()? *{REDUCTION}
F.cosine_embedding_loss : input1=t('double',rank=(1,2)) input2=same() target=row_signs margin=real()?
    *{REDUCTION}
F.triplet_margin_loss : anchor=t('double',rank=(1,3)) positive=same() negative=same()
    margin=real(0.1,2)? p=pick(1,2.0,3)?
    *eps=pick(0.1)? swap=flag? *{REDUCTION}
F.triplet_margin_with_distance_loss : anchor=t('double',rank=(1,3)) positive=same() negative=same()
    *margin=real(0.1,2)?
    *swap=flag? *{REDUCTION}
F.multi_margin_loss : input=t('double',rank=(1,2)) target=classes p=pick(1,2)? margin=real()?
    weight=per_class? *{REDUCTION}
F.multilabel_margin_loss : input=t('double',rank=(1,2)) target=several_classes *{REDUCTION}
F.multilabel_soft_margin_loss : input=t('double',rank=(1,3)) target=same(low=0,high=1)
    *weight=per_class? *{REDUCTION}
"""
per_class = shaped(_channel, low=0.1, grad=False)
