"""Summaries of gradients: cheap ones, close ones, those of a device, and those of other engines' types."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures import strict_array, strict_module
from vizgrad.core.arrays.statistics import Statistics
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.engines.vizgrad.summary import (
    outline,
    summarize,
    summarize_closely,
    summarize_later,
)
from vizgrad.debugger.model import TensorSummary


def test_the_fields_are_those_of_statistics_in_order() -> None:
    names = [f.name for f in fields(TensorSummary)]
    assert names[4:15] == list(Statistics._fields)
    assert names[:4] == ["shape", "dtype", "device", "bytes"]
    assert names[15:] == ["layout", "nnz", "tangents"]


def test_a_cheap_summary_has_numbers_and_no_pictures() -> None:
    found = summarize(vg.tensor([[3.0, -4.0, 0.0]]))
    assert found == TensorSummary(
        (1, 3), "float32", "cpu", 12, 5, -4, 3, -1 / 3, 1, 0, 0, (), None, (3, -4, 0)
    )
    assert summarize(vg.zeros(9)).values is None
    assert summarize(vg.tensor([1.0, math.nan])).norm != summarize(vg.tensor([1.0])).norm


def test_a_close_summary_has_all() -> None:
    tensor = vg.arange(60.0).reshape(3, 20)
    found, cheap = summarize_closely(tensor), summarize(tensor)
    assert found.values is None
    assert sum(found.histogram) == 60
    assert found.heat is not None
    assert found.heat.values[2] == tuple(range(40, 60))
    for field in ("norm", "min", "max", "mean", "zeros", "nans", "infs", "shape", "bytes"):
        assert getattr(found, field) == getattr(cheap, field)
    assert outline(tensor) == TensorSummary((3, 20), "float32", "cpu", 240)


@pytest.mark.parametrize("look", [outline, summarize, summarize_closely, summarizer.summarize,
                                  summarizer.summarize_closely, lambda v: summarize_later(v)()])  # fmt: skip
def test_every_look_takes_tensors_arrays_and_what_is_undefined(look: Any) -> None:
    assert look(None) is None
    kinds = [np.ones((2, 3), "f4"), vg.ones(2, 3), vg.nn.Parameter(vg.ones(2, 3))]
    summaries = [look(kind) for kind in kinds]
    assert summaries == [summaries[0]] * 3
    assert (summaries[0].shape, summaries[0].bytes) == ((2, 3), 24)
    sparse = vg.eye(3).to_sparse()
    for kind in (sparse, sparse._array, vg.eye(3).to_sparse_csr()):
        assert (look(kind).nnz, look(kind).shape) == (3, (3, 3))


def test_a_number_of_a_half_is_a_number() -> None:
    for dtype in (vg.float16, vg.bfloat16):
        found = summarize(vg.full((20,), 300.0, dtype=dtype))
        assert found.norm == pytest.approx(300 * math.sqrt(20))
        assert (found.dtype, found.bytes) == (str(dtype).removeprefix("vizgrad."), 40)


@pytest.fixture
def cuda() -> Iterator[None]:
    with strict_module.as_cuda():
        yield


def test_a_device_is_waited_for_when_the_numbers_are_read(cuda: None) -> None:
    tensor = vg.ones(300, device="cuda")
    strict_array.reads.clear()
    later = summarize_later(tensor)
    tensor.zero_()
    assert strict_array.reads == []
    found = later()
    assert later() == found
    assert (found.device, found.mean, found.zeros) == ("cuda:0", 1, 0)
    assert len(strict_array.reads) == 1
    assert summarize(tensor).zeros == 300


def test_a_gradient_that_waits_on_a_device_is_pictured_as_on_the_host(cuda: None) -> None:
    seen = []
    for device in ("cpu", "cuda"):
        x = vg.arange(24.0, device=device).reshape(4, 6).requires_grad_()
        with open_session((x * x).exp().sum(), names={}) as session:
            session.step()
            _, _, (waiting,), _ = session.inspect(1)
        assert waiting is not None
        assert waiting.heat is not None
        seen.append((waiting.histogram, waiting.heat))
    assert seen[0] == seen[1]
