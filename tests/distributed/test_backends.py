"""Which backend is for which device, and refusals: without cupy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

import vizgrad as vg
import vizgrad.distributed as dist
from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import CPU
from vizgrad.distributed.backends import backends_of, of_host


@pytest.fixture
def begin() -> Iterator[object]:
    yield lambda backend=None, **options: dist.init_process_group(
        backend, store=dist.HashStore(), rank=0, world_size=1, **options
    )
    if dist.is_initialized():
        dist.destroy_process_group()


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("gloo", {"cpu": "gloo", "cuda": "gloo"}),
        ("mpi", {"cpu": "mpi", "cuda": "mpi"}),
        ("nccl", {"cuda": "nccl"}),
        ("CPU:gloo,cuda:NCCL", {"cpu": "gloo", "cuda": "nccl"}),
        ("cpu:mpi,cuda:nccl", {"cpu": "mpi", "cuda": "nccl"}),
        ("cuda:gloo", {"cuda": "gloo"}),
    ],
)
def test_configurations(config: str, expected: dict[str, str]) -> None:
    name, found = backends_of(config)
    assert name == config.lower()
    assert found == expected
    assert of_host(found) == ("mpi" if "mpi" in config else "gloo")


@pytest.mark.parametrize(
    ("config", "kind", "phrase"),
    [
        ("foo", AssertionError, "Unknown backend type foo"),
        ("cpu:foo", AssertionError, "Unknown backend type"),
        ("cpu:gloo,cpu:mpi", ValueError, "Invalid device:backend pairing"),
        ("tpu:gloo", ValueError, "Invalid device:backend pairing"),
        ("cpu:nccl", ValueError, "NCCL moves tensors between CUDA devices"),
    ],
)
def test_other_configurations(config: str, kind: type[Exception], phrase: str) -> None:
    with pytest.raises(kind, match=phrase):
        backends_of(config)


def test_a_group_without_a_backend_for_the_host(begin: object) -> None:
    begin("cuda:gloo")
    assert dist.get_backend() == "cuda:gloo"
    with pytest.raises(
        RuntimeError, match="No backend type associated with device type cpu"
    ) as refused:
        dist.all_reduce(vg.ones(1))
    assert "all_reduce on rank 0" in str(refused.value)
    with pytest.raises(ValueError, match="monitored_barrier is only implemented for GLOO"):
        dist.monitored_barrier()
    found = [None]
    dist.all_gather_object(found, "told")
    assert found == ["told"]
    over_host = dist.new_group(backend="gloo")
    x = vg.ones(2)
    dist.all_reduce(x, group=over_host)
    assert x.tolist() == [1.0, 1.0]


def test_the_default_is_found_out_when_it_is_needed(begin: object) -> None:
    begin()
    assert dist.get_backend() == "undefined"
    group = dist.group.WORLD
    assert group.backend_for("all_reduce", xp.zeros(1)) is group
    assert group.backends == {"cpu": "gloo", "cuda": "undefined"}
    dist.all_reduce(vg.ones(1))


@pytest.mark.parametrize("device", ["cpu", "cuda", CPU])
def test_a_device_has_a_number(begin: object, device: object) -> None:
    with pytest.raises(ValueError, match="must be an accelerator with an index"):
        begin("gloo", device_id=device)


WITHOUT_CUPY = """
import sys
sys.modules["cupy"] = None
import vizgrad as vg
import vizgrad.distributed as dist
assert dist.is_nccl_available() is False
for backend in ("nccl", "cpu:gloo,cuda:nccl"):
    try:
        dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
    except RuntimeError as error:
        assert "Distributed package doesn't have NCCL built in" in str(error)
        assert "cupy is not installed" in str(error)
    else:
        raise AssertionError
assert not dist.is_initialized()
"""


def test_nccl_without_cupy() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_CUPY], check=True, timeout=300)
