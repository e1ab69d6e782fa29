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
    (4, 6, (6, 5), (1, 1), (0, 0), (1, 1)),
    (9, 8, (2, 1), (1, 1), (0, 0), (2, 1)),
    (3, 5, (1, 1), (1, 1), (0, 0), (1, 1)),
    (3, 5, (4, 4), (1, 1), (1, 1), (1, 1)),
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


@pytest.mark.parametrize(
    "case",
    [
        *CASES,
        (4, 4, (20, 40), (3, 3), (1, 1), (1, 1)),  # long rows: channels stay where they are
        (4, 4, (200, 180), (3, 3), (1, 1), (1, 1)),  # the windows of each image on their own
        (9, 4, (6, 5), (3, 3), (1, 1), (1, 1)),
    ],
)
@pytest.mark.parametrize("stride", [1, 2])
def test_both_gradients_together_are_those_one_by_one(case: tuple, stride: int) -> None:
    outputs, inputs, size, kernel, padding, dilation = case
    draws = np.random.default_rng(0)
    image = draws.standard_normal((3, inputs, *size))
    filters = draws.standard_normal((outputs, inputs, *kernel))
    settings = (stride, stride), padding, dilation, 1
    grad = draws.standard_normal(convolution.convolve(image, filters, None, *settings).shape)
    by_image, by_filters = convolution.gradients(image, grad, filters, *settings)
    assert (
        by_image.tobytes() == convolution.input_gradient(grad, filters, size, *settings).tobytes()
    )
    alone = convolution.weight_gradient(image, grad, kernel, *settings)
    assert by_filters.tobytes() == alone.tobytes()
    # <grad, A(w) x> = <B(grad, x), w>, for any w
    for w in (filters, draws.standard_normal(filters.shape)):
        along = (grad * convolution.convolve(image, w, None, *settings)).sum()
        np.testing.assert_allclose((by_filters * w).sum(), along, rtol=1e-9)


def test_the_gradients_of_no_images() -> None:
    image, filters = np.empty((0, 2, 5, 5)), np.ones((3, 2, 3, 3))
    settings = (1, 1), (1, 1), (1, 1), 1
    by_image, by_filters = convolution.gradients(image, np.empty((0, 3, 5, 5)), filters, *settings)
    assert by_image.shape == image.shape
    assert by_filters.shape == filters.shape
    assert not by_filters.any()


@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("infinite", ["image", "gradient"])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_an_infinity_is_multiplied_by_no_zero_around_the_gradients(
    groups: int, infinite: str
) -> None:
    """As in PyTorch: by those around the image, where there is one group, and by none in a depthwise one."""
    draws = np.random.default_rng(0)
    image, grad = draws.standard_normal((2, 1, 4, 5, 5))
    filters = draws.standard_normal((4, 4 // groups, 3, 3))
    (image if infinite == "image" else grad)[0, 0, 0, 0] = np.inf
    settings = (1, 1), (1, 1), (1, 1), groups
    _, together = convolution.gradients(image, grad, filters, *settings)
    alone = convolution.weight_gradient(image, grad, (3, 3), *settings)
    nans = 20 if (groups, infinite) == (1, "gradient") else 0
    for found in (together, alone):
        assert np.isnan(found).sum() == nans
        assert np.isinf(found).sum() == 16 // groups
