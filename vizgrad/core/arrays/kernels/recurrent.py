"""A layer of long short-term memory over all times in one piece, and its gradient.

Columns are examples, rows are what an example has: each gate of a step is then one stretch of memory, and
numpy's loops run over all of it. The state of a step is a column of h, x and 1, so that one product with
the weights beside each other gives all gates of a step with their biases. Memory is allocated once for all
steps; the gradients of the weights are one product over all of them.

Gates are o, i, f, g here (those with a sigmoid lie together), where weights have i, f, g, o.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from vizgrad.core.arrays import threads
from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet

#: Where the gates are among the rows of a weight, and back.
_ORDER, _BACK = (3, 0, 1, 2), (1, 2, 3, 0)
_ONE = np.ones((), np.float32)
#: Elements of the factors of a gradient that are computed at once: they stay in the cache.
_BLOCK = 1 << 15


class Workspace(NamedTuple):
    """Views of one stretch of memory: what the gradient needs of each step."""

    #: (T + 1, hidden + input (+ 1), N): h, x and 1 before each step.
    states: Array
    #: (T, 4, hidden, N): o, i, f, g.
    gates: Array
    #: (T + 1, hidden, N): c before each step, and its tangent after it, (T, hidden, N).
    cells: Array
    tanhs: Array


def _workspace(
    memory: Array | None, x: Array, hidden: int, biases: bool
) -> tuple[Array, Workspace]:
    steps, batch, width = x.shape
    shapes = (
        (steps + 1, hidden + width + biases, batch),
        (steps, 4, hidden, batch),
        (steps + 1, hidden, batch),
        (steps, hidden, batch),
    )
    sizes = [prod(shape) for shape in shapes]
    space = np.empty(sum(sizes), np.float32) if memory is None else memory
    parts, begin = [], 0
    for shape, size in zip(shapes, sizes, strict=True):
        parts.append(space[begin : begin + size].reshape(shape))
        begin += size
    return space, Workspace(*parts)


def _ordered(weight: Array, order: tuple[int, ...]) -> Array:
    """The same rows, with the gates in another order (a copy)."""
    rows = weight.reshape(4, -1, *weight.shape[1:])
    return rows[list(order)].reshape(weight.shape)


@quiet
def lstm(
    x: Array, w_x: Array, w_h: Array, b_x: Array | None, b_h: Array | None, h: Array, c: Array,
    *, reverse: bool,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """Outputs (T, N, hidden), the last h and c (N, hidden), and the workspace; all float32.

    `x` is (T, N, input), backwards in time if `reverse`: its outputs lie beside their inputs.
    """
    hidden = h.shape[1]
    bias = None if b_x is None or b_h is None else b_x + b_h
    biases = bias is not None
    memory, (states, gates, cells, tanhs) = _workspace(None, x, hidden, biases)
    steps, _, _, batch = gates.shape
    parts = [w_h, w_x, *([] if bias is None else [bias[:, None]])]
    w = _ordered(np.concatenate(parts, axis=1), _ORDER)
    np.negative(w[: 3 * hidden], out=w[: 3 * hidden])  # a sigmoid is 1 / (1 + exp(-z))
    w = np.asfortranarray(w)  # which BLAS reads faster, beside few columns
    states[:-1, hidden : hidden + x.shape[2]] = (x[::-1] if reverse else x).swapaxes(1, 2)
    if biases:
        states[:, -1] = _ONE
    hs = states[:, :hidden]
    hs[0], cells[0] = h.T, c.T
    threads.for_each(w.size * batch, _forward, w, states, gates, cells, tanhs)
    outputs = np.empty((steps, batch, hidden), np.float32)
    outputs[:: -1 if reverse else 1] = hs[1:].swapaxes(1, 2)
    return outputs, hs[-1].T.copy(), cells[-1].T.copy(), memory


def _forward(w: Array, states: Array, gates: Array, cells: Array, tanhs: Array) -> None:
    """Fills what comes after the first state."""
    steps, _, hidden, batch = gates.shape
    added = np.empty((hidden, batch), np.float32)
    wide = gates.reshape(steps, 4 * hidden, batch)
    gates_of = w.dot
    exp, tanh, multiply, add, reciprocal = np.exp, np.tanh, np.multiply, np.add, np.reciprocal
    before = cells[0]
    for state, gate, sigmoids, (o, i, f, g), after, t, out in zip(
        states[:-1], wide, wide[:, : 3 * hidden], gates, cells[1:], tanhs, states[1:, :hidden],
        strict=True,
    ):  # fmt: skip
        gates_of(state, gate)
        exp(sigmoids, sigmoids)
        add(sigmoids, _ONE, sigmoids)
        reciprocal(sigmoids, sigmoids)
        tanh(g, g)
        multiply(f, before, after)
        multiply(i, g, added)
        add(after, added, after)
        tanh(after, t)
        multiply(o, t, out)
        before = after


def lstm_gradient(
    grads: tuple[Array | None, Array | None, Array | None], x: Array, w_x: Array, w_h: Array,
    memory: Array, *, biases: bool, reverse: bool, wanted: tuple[bool, bool, bool],
) -> tuple[Any, ...]:  # fmt: skip
    """The gradients by x, w_x, w_h, the bias, h and c, given those by outputs, h and c.

    `wanted` says whether that by x, those by the weights and that by the bias are.
    """
    hidden = w_h.shape[1]
    _, (states, gates, cells, tanhs) = _workspace(memory, x, hidden, biases)
    steps, _, _, batch = gates.shape
    by_output, by_h, by_c = grads
    shape = (hidden, batch)
    dh = np.zeros(shape, np.float32) if by_h is None else by_h.T.copy()
    dc = np.zeros(shape, np.float32) if by_c is None else by_c.T.copy()
    arriving: Any = [None] * steps
    if by_output is not None:
        arriving = np.empty((steps, *shape), np.float32)
        arriving[:: -1 if reverse else 1] = by_output.swapaxes(1, 2)
    slopes = np.empty_like(gates)
    back = np.ascontiguousarray(_ordered(w_h, _ORDER).T)
    work = back.size * batch
    threads.for_each(work, _backward, back, states, gates, cells, tanhs, arriving, dh, dc, slopes)
    flat = slopes.reshape(steps, 4 * hidden, batch)
    return *_over_steps(flat, states, x, w_x, hidden, biases, reverse, wanted), dh.T, dc.T


def _backward(
    back: Array, states: Array, gates: Array, cells: Array, tanhs: Array, arriving: Any, dh: Array,
    dc: Array, slopes: Array,
) -> None:  # fmt: skip
    """Fills `slopes`, the gradients of the gates; `dh` and `dc` become those of the first state."""
    steps, _, hidden, batch = gates.shape
    flat = slopes.reshape(steps, 4 * hidden, batch)
    through_weights = back.dot
    added = np.empty((hidden, batch), np.float32)
    multiply, add = np.multiply, np.add
    length = max(1, _BLOCK // max(1, gates[0].size))
    for end in range(steps, 0, -length):
        block = slice(max(0, end - length), end)
        through = _factors(
            slopes[block], gates[block], cells[block], tanhs[block], states[1:, :hidden][block]
        )
        for slope, all_slopes, factor, f, arrived in zip(
            slopes[block][::-1], flat[block][::-1], through[::-1], gates[block, 2][::-1],
            arriving[block][::-1], strict=True,
        ):  # fmt: skip
            if arrived is not None:
                add(dh, arrived, dh)
            multiply(dh, factor, added)
            add(dc, added, dc)
            multiply(slope[0], dh, slope[0])
            multiply(slope[1:], dc, slope[1:])
            multiply(dc, f, dc)
            through_weights(all_slopes, dh)


def _factors(slopes: Array, gates: Array, cells: Array, tanhs: Array, hs: Array) -> Array:
    """Fills `slopes` with what the gradients of h (for o) and c (for i, f, g) are multiplied by to give
    those of the gates; returns the factor on the way from h to c.
    """
    o, i, f, g = (gates[:, number] for number in range(4))
    by_o, by_i, by_f, by_g = (slopes[:, number] for number in range(4))
    np.subtract(_ONE, gates[:, :3], out=slopes[:, :3])
    np.multiply(by_o, hs, out=by_o)  # tanh(c) o (1 - o)
    np.multiply(by_f, f, out=by_f)
    np.multiply(by_f, cells, out=by_f)
    new = i * g
    np.multiply(by_i, new, out=by_i)
    np.multiply(new, g, out=new)
    np.subtract(i, new, out=by_g)  # i (1 - g g)
    np.multiply(hs, tanhs, out=new)
    return np.subtract(o, new, out=new)  # o (1 - tanh(c) tanh(c))


def _over_steps(
    flat: Array, states: Array, x: Array, w_x: Array, hidden: int, biases: bool, reverse: bool,
    wanted: tuple[bool, bool, bool],
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """The gradients by x, w_x, w_h and the bias: products over all steps at once."""
    steps, rows, batch = flat.shape
    width = x.shape[2]
    gates = np.ascontiguousarray(flat.swapaxes(0, 1)).reshape(rows, steps * batch)
    by_x = by_w_x = by_w_h = by_bias = None
    if wanted[0]:
        turned = (_ordered(w_x, _ORDER).T @ gates).reshape(width, steps, batch)
        by_x = np.empty(x.shape, np.float32)
        by_x[:: -1 if reverse else 1] = turned.transpose(1, 2, 0)
    if wanted[1] or (wanted[2] and biases):
        before = np.ascontiguousarray(states[:-1].swapaxes(0, 1)).reshape(-1, steps * batch)
        by_all = _ordered(gates @ before.T, _BACK)
        by_w_h = np.ascontiguousarray(by_all[:, :hidden])
        by_w_x = np.ascontiguousarray(by_all[:, hidden : hidden + width])
        by_bias = np.ascontiguousarray(by_all[:, -1]) if biases else None
    return by_x, by_w_x, by_w_h, by_bias
