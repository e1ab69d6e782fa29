"""Connectionist temporal classification: the log-probabilities of all ways to align targets with steps.

A. Graves et al., Connectionist Temporal Classification (2006), section 4.1, in logarithms. The states of a
target are its labels with a blank before, between and behind them. A step leads from a state to itself, to
the next one, and past a blank to the one after, where that is another label.
"""

from __future__ import annotations

from math import inf, nan

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.indexing import check_select, scatter_add

Lengths = tuple[int, ...]


def states(targets: Array, lengths: Lengths, blank: int) -> Array:
    """Classes of the states of each target: (N, 2 S + 1) for the longest of S labels.

    `targets` has a row for each sample, or all labels in one row.
    """
    found = np.full((len(lengths), 2 * max(lengths, default=0) + 1), blank, np.int64)
    start = 0
    for n, length in enumerate(lengths):
        labels = targets[n, :length] if targets.ndim == 2 else targets[start : start + length]
        found[n, 1 : 2 * length : 2] = labels
        start += length
    return found


def may_skip(found: Array, blank: int) -> Array:
    """Which states can be reached from the last but one."""
    skips = np.zeros(found.shape, bool)
    skips[:, 2:] = (found[:, 2:] != blank) & (found[:, 2:] != found[:, :-2])
    return skips


def ends(found: Array, lengths: Lengths) -> Array:
    """In which states an alignment ends: the last label, and the blank behind it."""
    last = 2 * np.array(lengths, np.int64)[:, None]
    places = np.arange(found.shape[1])
    return (places == last) | (places == last - 1)


@quiet
def ctc(
    log_probs: Array, targets: Array, input_lengths: Lengths, target_lengths: Lengths, blank: int
) -> tuple[Array, Array]:
    """(loss of each sample, log-probabilities of all beginnings of alignments: (N, T, states))."""
    found = states(targets, target_lengths, blank)
    emitted = _emitted(log_probs, found)
    alpha = np.full_like(emitted, -inf)
    if alpha.size:
        alpha[:, 0, :2] = emitted[:, 0, :2]
    skips = may_skip(found, blank)
    for t in range(1, alpha.shape[1]):
        alpha[:, t] = _reached(alpha[:, t - 1], skips, 1) + emitted[:, t]
    loss = np.empty(len(found), log_probs.dtype)
    last = ends(found, target_lengths)
    for n, steps in enumerate(input_lengths):
        if steps:
            loss[n] = -np.logaddexp.reduce(alpha[n, steps - 1, last[n]])
        else:
            loss[n] = inf if target_lengths[n] else 0
    return loss, alpha


@quiet
def ctc_gradient(
    grad: Array, log_probs: Array, targets: Array, loss: Array, alpha: Array,
    input_lengths: Lengths, target_lengths: Lengths, blank: int, zero_infinity: bool,
) -> Array:  # fmt: skip
    """exp(log_probs) - how often an alignment is in a state of the class at a step, times `grad`.

    As in PyTorch, that is the gradient by scores whose log_softmax `log_probs` is. A loss that is infinite
    for all scores has no slope: NaN, or 0 with `zero_infinity`.
    """
    found = states(targets, target_lengths, blank)
    emitted, skips, last = (
        _emitted(log_probs, found),
        may_skip(found, blank),
        ends(found, target_lengths),
    )
    visits = np.zeros_like(emitted)
    beta = np.full_like(emitted[:, 0], -inf)
    steps = np.array(input_lengths, np.int64)[:, None]
    for t in range(emitted.shape[1] - 1, -1, -1):
        opens = np.where(last, emitted.dtype.type(0), -inf)
        beta = np.where(t == steps - 1, opens, _reached(beta, skips, -1)).astype(emitted.dtype)
        through = alpha[:, t] + beta  # the score of this step is in the first alone
        visits[:, t] = np.where(through > -inf, np.exp(through + loss[:, None]), 0)
        beta = beta + emitted[:, t]
    slopes = np.exp(log_probs).transpose(1, 0, 2).copy()
    index = np.broadcast_to(found[:, None, :], visits.shape)
    slopes[:, : visits.shape[1]] = scatter_add(
        slopes[:, : visits.shape[1]].copy(), index, -visits, 2
    )
    slopes *= np.where(np.isinf(loss), grad.dtype.type(0 if zero_infinity else nan), grad)[
        :, None, None
    ]
    slopes[np.arange(slopes.shape[1]) >= steps] = 0
    return slopes.transpose(1, 0, 2)


def _emitted(log_probs: Array, found: Array) -> Array:
    """The score of each state at each step: (N, T, states)."""
    check_select(found, log_probs.shape[2])
    return np.take_along_axis(log_probs.transpose(1, 0, 2), found[:, None, :], 2)


def _reached(before: Array, skips: Array, step: int) -> Array:
    """log of the sum over the ways into each state; `step` is 1, or -1 for the ways back."""
    ways = np.full((3, *before.shape), -inf, before.dtype)
    ways[0] = before
    if step > 0:
        ways[1, :, 1:] = before[:, :-1]
        ways[2, :, 2:] = np.where(skips[:, 2:], before[:, :-2], -inf)
    else:
        ways[1, :, :-1] = before[:, 1:]
        ways[2, :, :-2] = np.where(skips[:, 2:], before[:, 2:], -inf)
    largest = np.maximum.reduce(ways, 0)
    base = np.where(largest > -inf, largest, 0)
    return np.log(np.add.reduce(np.exp(ways - base), 0)) + base
