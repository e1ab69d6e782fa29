"""Random index expressions on PyTorch and vizgrad: shapes, views, values, gradients, writing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tests.fixtures.index_expressions import Indexed, indexed

each = settings(max_examples=300, deadline=None, derandomize=True, database=None)

pytestmark = pytest.mark.rule("T-20", "T-21", "T-22", "T-23", "T-24")


def seen(module: Any, case: Indexed) -> dict[str, Any]:
    def numbers(*shape: int) -> Any:
        made = np.cos(np.arange(int(np.prod(shape))) + 1.0)
        return module.from_numpy(made).reshape(shape)

    key = case.given(module)
    x = numbers(*case.shape).requires_grad_()
    found = x[key]
    weights = numbers(*found.shape).requires_grad_()
    (grad,) = module.autograd.grad(found, x, weights, create_graph=True)
    (second,) = module.autograd.grad(grad, weights, numbers(*case.shape))
    y, new = x * 1, numbers(*found.shape).requires_grad_()
    y[key] = new
    written = module.autograd.grad(y, (x, new), numbers(*case.shape))
    plain = numbers(*case.shape)
    view = plain[key]
    assert view._is_view() == case.basic
    # of nothing, no element's place could be read
    layout = (view.stride(), view.storage_offset()) if case.basic and view.numel() else None
    plain[key] = 2.5
    kept = [found, grad, second, plain, *written]
    places = case.places().reshape(-1)
    if len(set(places)) == places.size:  # else which value stays is not said
        kept.append(y)
    return {
        "arrays": [t.detach().numpy() for t in kept],
        "layout": layout,
        "node": found.grad_fn.name().rpartition("::")[2],
    }


@each
@given(indexed())
def test_index_expressions(oracle: Any, vizgrad: Any, case: Indexed) -> None:
    theirs, ours = seen(oracle, case), seen(vizgrad, case)
    for want, have in zip(theirs.pop("arrays"), ours.pop("arrays"), strict=True):
        assert want.shape == have.shape
        np.testing.assert_allclose(have, want, rtol=1e-12, atol=1e-12)
    assert theirs == ours
