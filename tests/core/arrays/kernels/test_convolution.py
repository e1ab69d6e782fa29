"""The gradient of a convolution by its image is the same however it is computed."""

from __future__ import annotations

import numpy as np
import pytest

from vizgrad.core.arrays.kernels import convolution

#: Outputs, inputs, size of the image, kernel, padding, dilation: as many outputs as inputs, fewer, and more.
CASES = [
    (4, 4, (6, 5), (3, 3), (1, 1), (1, 1)),
    (2, 4, (6, 5), (3, 2), (0, 1), (1, 1)),
    (4, 8, (7, 7), (3, 3), (2, 2), (2, 1)),
    (4, 4, (6, 6), (1, 3), (0, 2), (1, 1)),
    (4, 4, (4, 4), (2, 2), (1, 1), (1, 1)),
    (4, 4, (4, 4), (2, 2), (3, 2), (1, 1)),
    (8, 4, (6, 5), (3, 3), (1, 1), (1, 1)),
]


@pytest.mark.parametrize("case", CASES)
def test_the_gradient_is_the_transpose_of_the_convolution(case: tuple) -> None:
    outputs, inputs, size, kernel, padding, dilation = case
    draws = np.random.default_rng(0)
    image, other = draws.standard_normal((2, 3, inputs, *size))
    filters = draws.standard_normal((outputs, inputs, *kernel))
    settings = (1, 1), padding, dilation, 1
    result = convolution.convolve(image, filters, None, *settings)
    grad = draws.standard_normal(result.shape)
    found = convolution.input_gradient(grad, filters, size, *settings)
    assert found.shape == image.shape
    # <grad, A x> = <A' grad, x>, for any x
    for x in (image, other):
        along = (grad * convolution.convolve(x, filters, None, *settings)).sum()
        np.testing.assert_allclose((found * x).sum(), along, rtol=1e-10)
