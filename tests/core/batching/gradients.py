"""Checks of a row: gradients through a batch, batches of gradients, batches of batches (C-5, E-34)."""

from __future__ import annotations

from typing import Any

import numpy as np

import vizgrad as vg
from tests.core.ops.differences import leaves_of, weights_for
from tests.specs.row import Row, Sample
from vizgrad.func import vmap


def _outputs(row: Row, tensors: Any) -> tuple[Any, ...]:
    found = row.call(*tensors)
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)


def _tracked(tensors: Any) -> list[Any]:
    return [tensor for tensor in tensors if tensor.requires_grad]


def _gradients(outputs: Any, inputs: Any, given: list[np.ndarray], **options: Any) -> Any:
    cotangents = [vg.from_numpy(g).to(o.dtype) for g, o in zip(given, outputs, strict=True)]
    return vg.autograd.grad(outputs, inputs, cotangents, allow_unused=True, **options)


def _close(found: Any, want: np.ndarray) -> None:
    array = np.zeros_like(want) if found is None else found.numpy()
    np.testing.assert_allclose(array, want, rtol=1e-6, atol=1e-7)


def _twice(array: np.ndarray) -> np.ndarray:
    return np.stack([array, array])


def gradients_and_batches_go_together(row: Row, sample: Sample) -> None:
    if all(sample is not each for each in row.samples[:2]):
        return
    leaves = leaves_of(sample)
    outputs, inputs = _tracked(_outputs(row, leaves)), _tracked(leaves)
    if not outputs or not inputs:
        return
    weights = weights_for(outputs)
    rows = [(w, w[::-1].copy() if w.ndim else np.asarray(2 * w)) for w in weights]
    try:
        each = [
            _gradients(outputs, inputs, [pair[nr] for pair in rows], retain_graph=True)
            for nr in (0, 1)
        ]
    except RuntimeError:  # what is not differentiable where it lies
        return
    at_once = _gradients(outputs, inputs, [np.stack(pair) for pair in rows], is_grads_batched=True)
    for found, *want in zip(at_once, *each, strict=True):
        zeros = np.zeros(0 if want[0] is None else want[0].shape)
        _close(found, np.stack([zeros if w is None else w.numpy() for w in want]))
    batch = leaves_of(Sample(sample.name, tuple(map(_twice, sample.arrays))))
    through = _tracked(vmap(lambda *t: _outputs(row, t))(*batch))
    gradients = _gradients(through, _tracked(batch), list(map(_twice, weights)))
    for found, want in zip(gradients, each[0], strict=True):
        if want is not None:
            _close(found, _twice(want.numpy()))


def a_batch_of_batches_is_a_loop_of_loops(row: Row, sample: Sample) -> None:
    if sample is not row.samples[0]:
        return
    want = _outputs(row, [vg.from_numpy(array.copy()) for array in sample.arrays])
    with vg.no_grad():
        found = vmap(vmap(lambda *t: _outputs(row, t)))(
            *[vg.from_numpy(_twice(_twice(array))) for array in sample.arrays]
        )
    for result, one in zip(found, want, strict=True):
        _close(result, _twice(_twice(one.detach().numpy())))
