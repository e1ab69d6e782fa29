"""SyncBatchNorm: ranks with parts of a batch give what BatchNorm gives for all of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import vizgrad as vg
from tests.distributed.ranks import in_processes
from vizgrad.nn import BatchNorm1d, BatchNorm2d, Sequential, SyncBatchNorm

WEIGHT = vg.tensor([1.0, -2.0, 0.5])


def given() -> tuple[vg.Tensor, vg.Tensor]:
    source = vg.Generator().manual_seed(4)
    x = vg.randn(7, 3, 2, 2, generator=source, dtype=vg.float64) * 3 + 100
    return x, vg.randn(7, 3, 2, 2, generator=source, dtype=vg.float64)


def run(layer: Any, x: vg.Tensor, weights: vg.Tensor) -> list[Any]:
    layer = layer.double()
    with vg.no_grad():
        layer.weight.copy_(WEIGHT)
    x = x.clone().requires_grad_()
    out = layer(x)
    (out * weights).sum().backward()
    return [
        out.detach(),
        x.grad,
        layer.running_mean,
        layer.running_var,
        layer.weight.grad,
        layer.bias.grad,
    ]


PROGRAM = """\
import vizgrad as vg
import vizgrad.distributed as dist
from tests.distributed.test_sync_batch_norm import given, run
from vizgrad.nn import BatchNorm2d, SyncBatchNorm
dist.init_process_group("gloo")
rank = dist.get_rank()
x, weights = given()
own = [slice(0, 4), slice(4, 4), slice(4, 7)][rank]  # one rank has none
found = run(SyncBatchNorm(3), x[own], weights[own])
wanted = run(BatchNorm2d(3), x, weights)
for at in (0, 1):
    assert vg.allclose(found[at], wanted[at][own], rtol=1e-9, atol=1e-9), at
for at in (2, 3):
    assert vg.allclose(found[at], wanted[at], rtol=1e-12), at
for at in (4, 5):  # each rank has the part of its own batch
    dist.all_reduce(found[at])
    assert vg.allclose(found[at], wanted[at], rtol=1e-9, atol=1e-9), at
twice = SyncBatchNorm(3).eval()(x.float())
assert vg.equal(twice, BatchNorm2d(3).eval()(x.float()))
try:
    SyncBatchNorm(2)(vg.ones(int(rank == 1), 2))
except ValueError as error:
    assert "Expected more than 1 value per channel" in str(error)
else:
    raise AssertionError("one number in all was taken")
dist.destroy_process_group()
print("done")
"""


def test_parts_give_what_the_whole_gives(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    for each in in_processes(script, 3):
        assert each.out == "done\n", each.err


def test_alone_it_is_a_batch_norm() -> None:
    x, weights = given()
    one, other = run(SyncBatchNorm(3), x, weights), run(BatchNorm2d(3), x, weights)
    assert all(vg.equal(a, b) for a, b in zip(one, other, strict=True))
    assert vg.equal(SyncBatchNorm(3).eval()(x.float()), BatchNorm2d(3).eval()(x.float()))
    with pytest.raises(ValueError, match="at least 2D"):
        SyncBatchNorm(3)(vg.ones(3))


def test_models_are_converted() -> None:
    model = Sequential(
        vg.nn.Linear(2, 3), BatchNorm1d(3), Sequential(BatchNorm2d(3, affine=False))
    ).eval()
    before = model[1].weight
    made: Any = SyncBatchNorm.convert_sync_batchnorm(model)
    assert made is model
    assert type(made[1]) is SyncBatchNorm
    assert made[1].weight is before
    assert not made[1].training
    assert type(made[2][0]) is SyncBatchNorm
    assert made[2][0].weight is None
    assert type(SyncBatchNorm.convert_sync_batchnorm(BatchNorm1d(2))) is SyncBatchNorm
