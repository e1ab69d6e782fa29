"""Depthwise convolution by products with bands: what a sum over windows gives, also of what is not finite."""

from __future__ import annotations

import numpy as np
import pytest

from vizgrad.core.arrays.kernels import convolution, depthwise

#: Size of the image, kernel, padding, dilation.
CASES = [
    ((6, 5), (3, 3), (1, 1), (1, 1)),
    ((9, 16), (7, 7), (3, 3), (1, 1)),
    ((8, 9), (2, 3), (0, 2), (2, 3)),
    ((4, 1), (3, 1), (2, 0), (1, 1)),
    ((5, 7), (1, 4), (0, 1), (1, 1)),
    ((3, 70), (3, 3), (1, 1), (1, 1)),  # too wide for bands
    ((4, 4), (2, 2), (3, 2), (1, 1)),  # more padding than a window: no gradient by bands
]


def _windows(image: np.ndarray, kernel: tuple, padding: tuple, dilation: tuple) -> np.ndarray:
    """(N, C, rows, columns, *kernel)."""
    edges = [(0, 0), (0, 0), *((p, p) for p in padding)]
    reach = tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True))
    seen = np.lib.stride_tricks.sliding_window_view(np.pad(image, edges), reach, axis=(2, 3))
    return seen[..., :: dilation[0], :: dilation[1]]


def _case(case: tuple, images: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple]:
    size, kernel, padding, dilation = case
    draws = np.random.default_rng(0)
    image, filters = (
        draws.standard_normal((images, 3, *size)),
        draws.standard_normal((3, 1, *kernel)),
    )
    windows = _windows(image, kernel, padding, dilation)
    return image, filters, windows, ((1, 1), padding, dilation, 3)


@pytest.mark.parametrize("case", CASES)
def test_it_and_its_gradients_are_sums_over_windows(case: tuple) -> None:
    image, filters, windows, settings = _case(case)
    result = convolution.convolve(image, filters, None, *settings)
    expected = np.einsum("nchwij,cij->nchw", windows, filters[:, 0])
    np.testing.assert_allclose(result, expected, rtol=1e-10, atol=1e-12)
    grad = np.random.default_rng(1).standard_normal(result.shape)
    by_image, by_filters = convolution.gradients(image, grad, filters, *settings)
    np.testing.assert_allclose(
        by_filters[:, 0], np.einsum("nchwij,nchw->cij", windows, grad), rtol=1e-10, atol=1e-12
    )
    other = np.random.default_rng(2).standard_normal(image.shape)
    along = (grad * convolution.convolve(other, filters, None, *settings)).sum()
    np.testing.assert_allclose((by_image * other).sum(), along, rtol=1e-10)
    size, kernel = image.shape[2:], filters.shape[2:]
    alone = convolution.input_gradient(grad, filters, size, *settings)
    assert by_image.tobytes() == alone.tobytes()
    alone = convolution.weight_gradient(image, grad, kernel, *settings)
    assert by_filters.tobytes() == alone.tobytes()


@pytest.mark.parametrize("value", [np.inf, np.nan])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_what_is_not_finite_reaches_its_own_windows_alone(value: float) -> None:
    case = CASES[1]
    image, filters, _, settings = _case(case)
    image[1, 2, 4, 5] = value
    result = convolution.convolve(image, filters, None, *settings)
    windows = _windows(image, *case[1:])
    np.testing.assert_array_equal(np.isfinite(result), np.isfinite(windows).all((4, 5)))
    assert np.isfinite(result).any(3)[1, 2].all()  # in each row of the image itself
    grad = np.ones(result.shape)
    grad[0, 1, 3, 3] = value
    by_image, _ = convolution.gradients(windows[..., 0, 0].copy(), grad, filters, *settings)
    reached = convolution.input_gradient(
        (grad != 1).astype(float), np.ones_like(filters), case[0], *settings
    )
    np.testing.assert_array_equal(np.isfinite(by_image), reached == 0)


def test_many_images_are_done_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    image, filters, _, settings = _case(CASES[0], images=5)
    result = convolution.convolve(image, filters, None, *settings)
    whole = convolution.gradients(image, result, filters, *settings)
    monkeypatch.setattr(depthwise, "_CHUNK", 700)  # two images
    assert convolution.convolve(image, filters, None, *settings).tobytes() == result.tobytes()
    by_image, by_filters = convolution.gradients(image, result, filters, *settings)
    assert by_image.tobytes() == whole[0].tobytes()
    np.testing.assert_allclose(by_filters, whole[1], rtol=1e-12)


def test_no_images() -> None:
    image, filters, _, settings = _case(CASES[0], images=0)
    by_image, by_filters = convolution.gradients(image, image, filters, *settings)
    assert by_image.shape == image.shape
    assert by_filters.shape == filters.shape
    assert not by_filters.any()
