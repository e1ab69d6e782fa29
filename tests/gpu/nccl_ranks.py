"""What each rank of `test_nccl.py` does: `nccl_ranks.py NAME FOLDER` runs the function of that name."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
EMULATED = "EMULATED_RANKS" in os.environ

if EMULATED:
    from tests.gpu import emulated

    emulated.start(devices=SIZE)

# After the emulated device has started, which stands in for CUDA when cupy is imported:
import vizgrad as vg  # noqa: E402
import vizgrad.distributed as dist  # noqa: E402
from vizgrad import nn  # noqa: E402
from vizgrad.nn.parallel import DistributedDataParallel  # noqa: E402

HERE = f"cuda:{RANK}"
OPS = dist.ReduceOp
RUNS = itertools.count()
TYPES = (
    "int8", "uint8", "bool", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex64", "complex128",
)  # fmt: skip


def begin(backend: str | None = None, **options: Any) -> None:
    """In a run of its own: the store of the last one may still be there."""
    place = f"{sys.argv[2]}/{next(RUNS)}"
    dist.init_process_group(backend, f"file://{place}", rank=RANK, world_size=SIZE, **options)


def refused(kind: type[Exception], phrase: str, function: Callable[[], object]) -> None:
    try:
        function()
    except kind as error:
        told = "\n".join([str(error), *getattr(error, "__notes__", ())])
        assert phrase in told, told
    else:
        raise AssertionError(f"nothing was raised: {phrase}")


@contextmanager
def nothing_comes_to_the_host() -> Iterator[None]:
    """Only the emulated device counts its copies."""
    if not EMULATED:
        yield
        return
    emulated.ACCOUNT.clear()
    yield
    assert not [each for each in emulated.ACCOUNT.copies if each[0] == "DtoH"]


def values(*shape: int, dtype: str = "float32", of: int = RANK) -> Any:
    """Other ones for each rank, small enough for each type."""
    count = vg.arange(int(vg.zeros(shape).numel()))
    drawn = ((count * 7 + 3 * of) % 5 + 1).to(vg.float64)
    if "float" in dtype or "complex" in dtype:
        drawn = drawn / 3 - 0.5 * of
    if "complex" in dtype:
        drawn = vg.complex(drawn, drawn.flip(0) * 0.7)
    if dtype == "bool":
        drawn = drawn > 3
    return drawn.reshape(shape).to(getattr(vg, dtype))


def as_on_the_host(call: Callable[..., Any], *given: Any, exact: bool = True) -> None:
    """`call(*tensors)` writes into them: the same is there as of copies on the host, bit for bit."""
    there = [
        [each.to(HERE) for each in one] if isinstance(one, list) else one.to(HERE) for one in given
    ]
    call(*given)
    with nothing_comes_to_the_host():
        call(*there)
    for host, device in zip(flat(given), flat(there), strict=True):
        assert device.device == vg.device(HERE)
        assert device.dtype is host.dtype
        if exact:
            assert vg.equal(device.cpu(), host), (device, host)
        else:
            assert vg.allclose(
                device.cpu().to(vg.complex128), host.to(vg.complex128), rtol=1e-2, atol=0.05
            )


def flat(given: Any) -> list[Any]:
    return [each for one in given for each in (one if isinstance(one, list) else [one])]


def collectives() -> None:
    begin("cpu:gloo,cuda:nccl")
    assert dist.get_backend() == "cpu:gloo,cuda:nccl"
    assert dist.is_nccl_available()
    vg.cuda.set_device(RANK)
    each_type()
    each_shape()
    from_one_to_one()
    begun_and_waited_for()
    groups_of_some()
    refusals()
    dist.destroy_process_group()
    assert not dist.is_initialized()


def each_type() -> None:
    for dtype in TYPES:
        kinds = [OPS.SUM]
        if "complex" not in dtype:
            kinds += [OPS.MIN, OPS.MAX, OPS.PRODUCT]
        for op in kinds:
            as_on_the_host(lambda x, op=op: dist.all_reduce(x, op), values(3, 5, dtype=dtype))
        if dtype not in ("int8", "uint8", "bool", "int32", "int64"):
            as_on_the_host(
                lambda x: dist.all_reduce(x, OPS.AVG), values(7, dtype=dtype), exact=False
            )
        as_on_the_host(lambda x: dist.broadcast(x, SIZE - 1), values(4, dtype=dtype))
        as_on_the_host(lambda x: dist.reduce(x, 1), values(4, dtype=dtype))
        places = [values(2, dtype=dtype) for _ in range(SIZE)]
        as_on_the_host(dist.all_gather, places, values(2, dtype=dtype, of=RANK + 3))
        as_on_the_host(
            dist.all_gather_single, values(2 * SIZE, dtype=dtype), values(2, dtype=dtype)
        )
        parts = [values(2, 2, dtype=dtype, of=RANK + each) for each in range(SIZE)]
        as_on_the_host(dist.reduce_scatter, values(2, 2, dtype=dtype), parts)
        as_on_the_host(
            dist.reduce_scatter_single, values(3, dtype=dtype), values(3 * SIZE, dtype=dtype)
        )
        as_on_the_host(dist.all_to_all, [x.clone() for x in parts], parts)


def each_shape() -> None:
    """Parts of other sizes, none at all, and memory that is not in one piece."""
    uneven = [values(each, of=RANK) for each in range(SIZE)]
    as_on_the_host(dist.reduce_scatter, values(RANK), uneven)
    sizes = [1 + (RANK + each) % SIZE for each in range(SIZE)]
    as_on_the_host(
        lambda out, given: dist.all_to_all_single(out, given, sizes, sizes),
        values(sum(sizes), 2), values(sum(sizes), 2),
    )  # fmt: skip
    as_on_the_host(dist.all_to_all_single, values(SIZE, 2), values(SIZE, 2))
    as_on_the_host(dist.all_reduce, values(0))
    as_on_the_host(dist.all_reduce, vg.tensor(float(RANK)))
    as_on_the_host(lambda x: dist.all_reduce(x.t()), values(2, 3))
    as_on_the_host(lambda x: dist.broadcast(x[:, 1], 0), values(4, 3))
    as_on_the_host(
        lambda out, x: dist.all_gather_single(out, x.t()), values(SIZE, 3, 2), values(2, 3)
    )
    gathered = [values(2) for _ in range(SIZE)]
    as_on_the_host(
        lambda out, x: dist.gather(x, out if RANK == 1 else None, dst=1), gathered, values(2)
    )
    as_on_the_host(
        lambda x, given: dist.scatter(x, given if RANK == 0 else None, src=0), values(2), gathered
    )


def from_one_to_one() -> None:
    """Plain, and all around a ring at once."""
    if RANK == 0:
        as_on_the_host(lambda x: dist.send(x, 1), values(6))
    elif RANK == 1:
        as_on_the_host(lambda x: dist.recv(x, 0), values(6))

    def around(given: Any, taken: Any) -> None:
        ops = [
            dist.P2POp(dist.isend, given, (RANK + 1) % SIZE),
            dist.P2POp(dist.irecv, taken, (RANK - 1) % SIZE),
        ]
        for work in dist.batch_isend_irecv(ops):
            work.wait()

    as_on_the_host(around, values(5), values(5))
    dist.barrier()


def begun_and_waited_for() -> None:
    """Also a Future; and a write is counted."""
    first, second = vg.ones(3, device=HERE), vg.full((2,), float(RANK), device=HERE)
    with nothing_comes_to_the_host():
        works = [dist.all_reduce(first, async_op=True), dist.broadcast(second, 1, async_op=True)]
        doubled = works[0].get_future().then(lambda done: done.value()[0] * 2)
        for work in works:
            assert work.wait()
            assert work.is_success()
    assert first.tolist() == [float(SIZE)] * 3
    assert second.tolist() == [1.0, 1.0]
    assert doubled.wait().tolist() == [2.0 * SIZE] * 3
    w = vg.ones(3, requires_grad=True, device=HERE)
    loss = (w * first).sum()
    dist.all_reduce(first)
    refused(RuntimeError, "modified by an inplace operation", loss.backward)


def groups_of_some() -> None:
    """And one over the host."""
    two = dist.new_group([0, 1])
    if RANK < 2:
        x = vg.ones(2, device=HERE)
        dist.all_reduce(x, group=two)
        assert x.tolist() == [2.0, 2.0]
        dist.destroy_process_group(two)
    over_host = dist.new_group(backend="gloo")
    x = vg.ones(2, device=HERE)
    work = dist.all_reduce(x, group=over_host, async_op=True)
    assert work.wait()
    assert x.tolist() == [float(SIZE)] * 2


def refusals() -> None:
    x = vg.ones(2, device=HERE)
    refused(ValueError, "Cannot use ReduceOp.BXOR with NCCL",
            lambda: dist.all_reduce(vg.ones(1, dtype=vg.int32, device=HERE), OPS.BXOR))  # fmt: skip
    refused(TypeError, "not supported for NCCL process group: int16",
            lambda: dist.all_reduce(vg.ones(1, dtype=vg.int16, device=HERE)))  # fmt: skip
    refused(ValueError, "on the same device", lambda: dist.all_gather_single(vg.ones(SIZE), x[:1]))
    refused(RuntimeError, "does not support recvAnysource", lambda: dist.recv(x))


def alone() -> None:
    """NCCL and nothing else."""
    device = vg.device(HERE)
    begin("nccl", device_id=device)
    assert dist.get_backend() == "nccl"
    x = vg.ones(2, device=device)
    dist.all_reduce(x)  # though the current device is the first one
    assert x.tolist() == [float(SIZE)] * 2
    refused(
        RuntimeError,
        "No backend type associated with device type cpu",
        lambda: dist.all_reduce(vg.ones(1)),
    )
    refused(ValueError, "only implemented for GLOO", dist.monitored_barrier)
    with nothing_comes_to_the_host():
        dist.barrier()
    found: list[Any] = [None] * SIZE
    dist.all_gather_object(found, RANK)
    assert found == list(range(SIZE))
    dist.destroy_process_group()
    begin()
    assert dist.get_backend() == "undefined"
    with nothing_comes_to_the_host():
        dist.all_reduce(x)
    host = vg.ones(1)
    dist.all_reduce(host)
    assert host.item() == SIZE
    dist.destroy_process_group()


def made() -> Any:
    vg.manual_seed(0)
    layers = [
        nn.Linear(4, 8),
        nn.BatchNorm1d(8),
        nn.Tanh(),
        nn.Linear(8, 8),
        nn.Tanh(),
        nn.Linear(8, 1),
    ]
    return nn.Sequential(*layers).double()


def data_parallel() -> None:
    """The program is that of the CPU but for the device, which need not be the current one."""
    begin("nccl")
    alone, own = made(), made()
    for each in (alone, own):
        each[1].eval()
    with vg.no_grad():
        for p in own.parameters():
            p.add_(RANK)  # those of rank 0 are sent
    model = DistributedDataParallel(own.to(HERE), device_ids=[RANK], bucket_cap_mb=1e-4)
    vg.manual_seed(1)
    x, y = vg.randn(4, 6 * SIZE, 4).double(), vg.randn(4, 6 * SIZE, 1).double()
    mine = slice(6 * RANK, 6 * RANK + 6)
    steps = [vg.optim.SGD(each.parameters(), lr=0.1, momentum=0.9) for each in (alone, model)]

    def loss(net: Any, step: int, part: slice = slice(None), device: Any = "cpu") -> Any:
        return ((net(x[step, part].to(device)) - y[step, part].to(device)) ** 2).mean()

    for step in range(4):
        for each in steps:
            each.zero_grad()
        loss(alone, step).backward()
        found = loss(model, step, mine, HERE)
        if step == 2:  # stepped, back and on again
            with vg.debug(found, display=False) as session:
                while session.status != "finished":
                    session.step()
                session.restart()
                assert all(p.grad is None for p in own.parameters())
                session.continue_()
        else:
            with nothing_comes_to_the_host():
                found.backward()
        for p, q in zip(alone.parameters(), own.parameters(), strict=True):
            assert q.grad.device == vg.device(HERE)
            assert vg.allclose(p.grad, q.grad.cpu(), rtol=1e-12, atol=1e-14), step
        for each in steps:
            each.step()
    dist.destroy_process_group()


def faults() -> None:
    os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"
    vg.cuda.set_device(RANK)
    x = vg.ones(2, device=HERE)

    begin("nccl")  # other collectives
    other = dist.all_reduce if RANK else lambda x: dist.broadcast(x, 0)
    refused(RuntimeError, "mismatch between collectives", lambda: other(x))
    dist.destroy_process_group()

    del os.environ["TORCH_DISTRIBUTED_DEBUG"]
    begin("nccl", timeout=timedelta(seconds=2))
    messages = dist.new_group(backend="gloo", timeout=timedelta(minutes=5))
    dist.all_reduce(x)
    if RANK != 1:  # one that does not come
        try:
            dist.all_reduce(x)
        except dist.DistBackendError as error:
            told = str(error)
        if "Timed out" in told:  # on one of those that wait at least; the other may hear of it
            assert "Timed out waiting 2000ms: " in told, told
            assert "rank 1 has not called it" in told, told
            if SIZE == 3:
                assert f"rank {2 - RANK} waits in all_reduce SUM of float32 [2]" in told, told
        else:
            assert f"rank {2 - RANK} gave up in all_reduce" in told, told
        assert x.tolist() == [float(SIZE)] * 2
        refused(dist.DistBackendError, f"was aborted on rank {RANK}", lambda: dist.all_reduce(x))
        dist.send_object_list(["given up"], 1, messages)
    else:
        for rank in {0, SIZE - 1} - {1}:
            dist.recv_object_list([None], rank, messages)
        refused(dist.DistBackendError, " gave up in all_reduce", lambda: dist.all_reduce(x))
    dist.destroy_process_group()

    begin("nccl")
    dist.all_reduce(x)
    if RANK == 1:
        os._exit(0)  # one that ends
    work = dist.all_reduce(x, async_op=True)
    refused(dist.DistBackendError, "rank 1 has ended", work.wait)
    dist.destroy_process_group()


def one_device() -> None:
    begin("nccl")
    x = vg.ones(1, device="cuda:0")
    refused(dist.DistBackendError, "a device of its own", lambda: dist.all_reduce(x))
    os._exit(0)


globals()[sys.argv[1]]()
if EMULATED:  # a function of CUDA's that fails there is no error of the program's
    assert not emulated.ACCOUNT.failures, emulated.ACCOUNT.failures
