"""Failures that are known and not mended yet: (operation, kind of difference). It should be empty."""

from __future__ import annotations

OPEN: frozenset[tuple[str, str]] = frozenset(
    {
        ("cummax", "gradient requires_grad"),
        ("det", "gradient requires_grad"),
        ("det", "second"),
        ("einsum", "raises: nothing, TypeError"),
        ("fft.hfft", "raises: RuntimeError, IndexError"),
        ("fft.rfft", "raises: TypeError, RuntimeError"),
        ("fft.rfftfreq", "raises: nothing, ZeroDivisionError"),
        ("gather", "raises: nothing, RuntimeError"),
        ("grid_sampler", "gradient"),
        ("grid_sampler", "second"),
        ("grid_sampler_2d", "gradient"),
        ("grid_sampler_2d", "second"),
        ("grid_sampler_3d", "second"),
        ("group_norm", "gradient requires_grad"),
        ("hamming_window", "raises: nothing, RuntimeError"),
        ("histogram", "raises: RuntimeError, nothing"),
        ("ldexp", "raises: RuntimeError, nothing"),
        ("log_softmax", "raises: TypeError, IndexError"),
        ("lu_solve", "gradient"),
        ("meshgrid", "raises: RuntimeError, nothing"),
        ("nansum", "raises: RuntimeError, nothing"),
        ("normal", "gradient requires_grad"),
        ("normal", "raises: TypeError, RuntimeError"),
        ("normal", "requires_grad"),
        ("outer", "raises: TypeError, RuntimeError"),
        ("rrelu", "gradient requires_grad"),
        ("scatter_reduce", "gradient"),
        ("selu", "raises: TypeError, RuntimeError"),
        ("sum", "raises: TypeError, nothing"),
        ("topk", "raises: TypeError, IndexError"),
        ("triangular_solve", "requires_grad"),
    }
)
