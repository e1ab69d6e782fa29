"""Two devices, the first of which is current: what is on the second is made and computed there (E-94).

The rows of the spec table are computed there in tests/core/ops/test_on_a_device.py.
"""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import vizgrad as vg
import vizgrad.distributed as dist
from tests.fixtures import strict_devices, strict_module
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.vizgrad.opener import open_session

F: Any = vg.nn.functional
SECOND = "cuda:1"


@pytest.fixture(autouse=True, scope="module")
def two() -> Iterator[None]:
    # For all tests at once: each time that a device comes or goes all compiled functions are written anew.
    with strict_module.as_cuda(2):
        yield


@pytest.fixture(autouse=True)
def the_first_is_current_again() -> Iterator[None]:
    yield
    assert strict_devices.current() == 0


def there(*shape: int) -> Tensor:
    return vg.linspace(-1, 1, vg.Size(shape).numel(), device=SECOND).reshape(shape)


MAKERS: dict[str, Callable[[], Any]] = {
    "zeros": lambda: vg.zeros(3, device=SECOND),
    "ones": lambda: vg.ones(3, device=SECOND),
    "empty": lambda: vg.empty(3, device=SECOND),
    "full": lambda: vg.full((3,), 2.0, device=SECOND),
    "a number of a device": lambda: vg.ones(3, device=1),
    "a device": lambda: vg.ones(3, device=vg.device(SECOND)),
    "empty_strided": lambda: vg.empty_strided((2, 2), (1, 2), device=SECOND),
    "arange": lambda: vg.arange(5, device=SECOND),
    "a long arange": lambda: vg.arange(200_000, device=SECOND),
    "linspace": lambda: vg.linspace(0, 1, 5, device=SECOND),
    "logspace": lambda: vg.logspace(0, 1, 5, device=SECOND),
    "eye": lambda: vg.eye(3, device=SECOND),
    "tril_indices": lambda: vg.tril_indices(3, 3, device=SECOND),
    "scalar_tensor": lambda: vg.scalar_tensor(2.0, device=SECOND),
    "tensor": lambda: vg.tensor([1.0, 2.0], device=SECOND),
    "as_tensor": lambda: vg.as_tensor([1.0, 2.0], device=SECOND),
    "to": lambda: vg.ones(3).to(SECOND),
    "from one to the other": lambda: vg.ones(3, device="cuda:0").to(SECOND),
    "cuda": lambda: vg.ones(3).cuda(1),
    "rand": lambda: vg.rand(3, device=SECOND),
    "randn": lambda: vg.randn(3, device=SECOND),
    "randn of none": lambda: vg.randn(0, 3, device=SECOND),
    "randint": lambda: vg.randint(5, (3,), device=SECOND),
    "randperm": lambda: vg.randperm(5, device=SECOND),
    "normal": lambda: vg.normal(0.0, 1.0, (3,), device=SECOND),
    "zeros_like": lambda: vg.zeros_like(vg.ones(3), device=SECOND),
    "ones_like": lambda: vg.ones_like(there(3)),
    "full_like": lambda: vg.full_like(there(3), 2.0),
    "rand_like": lambda: vg.rand_like(there(3)),
    "randn_like": lambda: vg.randn_like(there(3)),
    "new_zeros": lambda: there(3).new_zeros(2),
    "new_full": lambda: there(3).new_full((2,), 1.0),
    "new_tensor": lambda: there(3).new_tensor([1.0]),
    "bernoulli": lambda: vg.bernoulli(there(3).abs()),
    "multinomial": lambda: vg.multinomial(there(3).abs(), 1),
    "normal_": lambda: there(3).normal_(),
    "uniform_": lambda: there(3).uniform_(),
    "dropout": lambda: F.dropout(there(3)),
    "layer": lambda: vg.nn.Linear(3, 2, device=SECOND).weight,
    "a moved layer": lambda: vg.nn.Linear(3, 2).to(SECOND).weight,
    "stack": lambda: vg.stack([there(3), there(3)]),
    "cat": lambda: vg.cat([there(3), there(3)]),
    "index": lambda: there(3, 3)[vg.tensor([0, 2], device=SECOND)],
    "mask": lambda: there(3, 3)[there(3, 3) > 0],
    "one element": lambda: there(3, 3)[0, 1],
    "comparison": lambda: there(3) == 1,
    "in place": lambda: there(3).mul_(2).add_(1).clamp_(0),
    "copy_": lambda: there(3).copy_(vg.ones(3)),
    "fill_": lambda: there(3).fill_(2),
    "clone": lambda: there(3).clone(),
    "contiguous": lambda: there(3, 2).T.contiguous() * 1,
    "half": lambda: there(3).half(),
    "bfloat16": lambda: there(3).to(vg.bfloat16) + 1,
    "number first": lambda: 2 - there(3),
    "chunk": lambda: vg.chunk(there(4), 2)[1],
    "meshgrid": lambda: vg.meshgrid(there(2), there(3), indexing="ij")[0],
    "einsum": lambda: vg.einsum("ij,jk->ik", there(2, 3), there(3, 2)),
    "out": lambda: vg.add(there(3), 1, out=there(3)),
}  # fmt: skip


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_it_is_made_on_the_device_that_is_named(make: Callable[[], Any]) -> None:
    made = make()
    assert made.device == vg.device(SECOND)
    assert isinstance(made.sum().item(), (int, float))


def model() -> Any:
    vg.manual_seed(0)
    made = vg.nn.Sequential(
        vg.nn.Linear(4, 3), vg.nn.BatchNorm1d(3), vg.nn.ReLU(), vg.nn.Linear(3, 2)
    )
    return made.to(SECOND)


OPTIMIZERS = [
    "SGD",
    "Adam",
    "AdamW",
    "RMSprop",
    "Adagrad",
    "Adadelta",
    "Adamax",
    "NAdam",
    "RAdam",
    "Rprop",
    "ASGD",
]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training(name: str) -> None:
    network = model()
    optimizer = getattr(vg.optim, name)(network.parameters(), lr=0.01)
    target = vg.tensor([0, 1, 0], device=SECOND)
    for _ in range(2):
        optimizer.zero_grad()
        F.cross_entropy(network(there(3, 4)), target).backward()
        vg.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
    for parameter in network.parameters():
        assert parameter.device == parameter.grad.device == vg.device(SECOND)
    held = [v for state in optimizer.state.values() for v in state.values()]
    assert {str(v.device) for v in held if isinstance(v, Tensor) and v.ndim} <= {SECOND}


@pytest.mark.rule("E-94")
def test_a_graph_over_both_devices() -> None:
    x = vg.ones(3, device="cuda:0", requires_grad=True)
    far = (x * 2).to(SECOND)
    y = far * far + far
    z = y.to("cuda:0") + x.exp()
    assert (y.device.index, z.device.index) == (1, 0)
    z.sum().backward()
    assert x.grad is not None
    assert x.grad.device.index == 0
    assert x.grad.tolist() == pytest.approx([10 + 2.718281828] * 3)


def test_gradients_of_the_second_device_add_up_in_place() -> None:
    x = there(3).requires_grad_()
    for _ in range(2):
        (x * x + x.sum()).sum().backward()
    assert x.grad is not None
    assert x.grad.device == vg.device(SECOND)
    (grad,) = vg.autograd.grad((x * x * x).sum(), x, create_graph=True)
    assert vg.autograd.grad(grad.sum(), x)[0].device == vg.device(SECOND)


def test_a_session_steps_there() -> None:
    x = there(3).requires_grad_()
    with open_session((x.exp() * x).sum(), names={}) as session:
        session.step()
        assert strict_devices.current() == 0
        session.continue_()
    assert x.grad is not None
    assert x.grad.device == vg.device(SECOND)


def test_with_a_device_tensors_are_made_there() -> None:
    with vg.device(SECOND):
        assert vg.ones(3).device == vg.rand(3).device == vg.device(SECOND)
        assert vg.tensor([1.0]).device == vg.arange(3).device == vg.device(SECOND)
        assert vg.nn.Linear(2, 2).weight.device == vg.device(SECOND)
    assert vg.ones(3, device="cuda").device.index == 0


def test_the_current_device_is_what_cuda_stands_for() -> None:
    vg.cuda.set_device(1)
    try:
        assert vg.ones(3, device="cuda").device == vg.device(SECOND)
        assert vg.ones(3, device="cuda:0").add(1).device.index == 0
        assert vg.cuda.current_device() == 1
    finally:
        vg.cuda.set_device(0)


def test_two_devices_do_not_mix() -> None:
    one, other = vg.ones(3, device="cuda:0"), vg.ones(3, device=SECOND)
    for call in (
        lambda: one + other,
        lambda: other * one,
        lambda: vg.cat([one, other]),
        lambda: one.add_(other),
    ):
        with pytest.raises(RuntimeError, match=r"same device.*cuda:0 and cuda:1"):
            call()


def test_each_device_has_a_generator() -> None:
    vg.manual_seed(3)
    here = vg.rand(3, device="cuda:0")
    assert vg.rand(3, device=SECOND).tolist() == here.tolist()


BEYOND: dict[str, Callable[[], Any]] = {
    "zeros": lambda: vg.zeros(3, device="cuda:5"),
    "tensor": lambda: vg.tensor([1.0], device="cuda:5"),
    "as_tensor": lambda: vg.as_tensor([1.0], device="cuda:5"),
    "to": lambda: vg.ones(3).to("cuda:5"),
    "cuda": lambda: vg.ones(3).cuda(2),
    "rand": lambda: vg.rand(3, device="cuda:5"),
    "arange": lambda: vg.arange(3, device="cuda:5"),
    "zeros_like": lambda: vg.zeros_like(vg.ones(3), device="cuda:5"),
    "new_ones": lambda: vg.ones(3).new_ones(2, device="cuda:5"),
    "layer": lambda: vg.nn.Linear(2, 2).to("cuda:5"),
    "with": lambda: vg.device("cuda:5").__enter__(),
    "set_default_device": lambda: vg.set_default_device("cuda:5"),
    "set_device": lambda: vg.cuda.set_device(5),
    "synchronize": lambda: vg.cuda.synchronize(5),
}


@pytest.mark.parametrize("make", BEYOND.values(), ids=BEYOND)
def test_a_number_beyond_the_count_is_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(RuntimeError, match="CUDA error: invalid device ordinal"):
        make()
    assert vg.get_default_device() == vg.device("cpu")


def steps_of_lbfgs() -> None:
    weight = there(3).requires_grad_()
    optimizer = vg.optim.LBFGS([weight])

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = (weight * weight).sum()
        loss.backward()
        return loss

    optimizer.step(closure)


def scaled() -> None:
    weight = there(3).requires_grad_()
    optimizer, scaler = vg.optim.SGD([weight], lr=0.1), vg.amp.GradScaler("cuda")
    scaler.scale((weight * weight).sum()).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()


def watched() -> None:
    x = there(3).requires_grad_()
    with vg.watch(), vg.record() as recorded:
        (x.exp() * x).sum().backward()
    assert recorded.graph.nodes


def written() -> None:
    x = there(3, 4).requires_grad_() * 1
    x[0] = 2
    x[:, 1] = x[:, 2]
    x[x > 0] = 1
    x[:1].mul_(2)
    x.sum().backward()


def edited() -> None:
    """A gradient that waits, a saved value and a leaf, and back over each."""
    w = there(3).requires_grad_()
    w.grad = vg.ones(3, device=SECOND)
    with open_session((w.exp() * w).sum(), names={}) as session:
        session.step(2)
        session.set_grad(session.node, "g * 2")
        session.set_saved("Exp*", "result", "g * 3")
        session.set_leaf(w, "scale by 0.5")
        assert w.tolist() == [-0.5, 0, 0.5]
        session.continue_()
        after = w.grad.tolist()
        session.restart()
        assert w.grad.tolist() == [1, 1, 1]
        assert w.tolist() == [-1, 0, 1]
        session.continue_()
        assert w.grad.tolist() == after
        assert w.tolist() == [-0.5, 0, 0.5]
    assert w.device == w.grad.device == vg.device(SECOND)


def exchanged() -> None:
    """The thread of a group, which writes what a collective gives, has a current device of its own."""
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group("gloo", f"file://{folder}/store", rank=0, world_size=1)
        try:
            x = there(3)
            work = dist.all_reduce(x, async_op=True)
            assert work is not None
            assert work.wait()
            dist.broadcast(x, 0)
            gathered = [there(3) * 0]
            dist.all_gather(gathered, x)
        finally:
            dist.destroy_process_group()
    assert x.tolist() == gathered[0].tolist() == [-1, 0, 1]
    assert x.device == gathered[0].device == vg.device(SECOND)


PROGRAMS: dict[str, Callable[[], object]] = {
    "edits of a session": edited,
    "collectives": exchanged,
    "lbfgs": steps_of_lbfgs,
    "GradScaler": scaled,
    "watch and record": watched,
    "writes": written,
    "vmap": lambda: vg.func.vmap(lambda x: x * 2 + x.sum())(there(3, 4)),
    "hessian": lambda: vg.func.hessian(lambda x: (x**3).sum())(there(3)),
    "jvp": lambda: vg.func.jvp(lambda x: x.exp(), (there(3),), (there(3),)),
    "gradcheck": lambda: vg.autograd.gradcheck(
        lambda x: x.exp() * x, (there(3).double().requires_grad_(),)
    ),
    "LSTM": lambda: vg.nn.LSTM(4, 3).to(SECOND)(there(1, 3, 4))[0].sum().backward(),
    "deepcopy": lambda: copy.deepcopy(vg.nn.Linear(3, 2).to(SECOND)),
    "orthogonal_": lambda: vg.nn.init.orthogonal_(there(3, 4)),
    "where": lambda: vg.where(there(3) > 0),
    "clip_grad_value_": lambda: vg.nn.utils.clip_grad_value_(model().parameters(), 0.1),
    "sparse": lambda: vg.sparse_coo_tensor(vg.tensor([[0, 1]], device=SECOND), there(2), (3,)) * 2,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_runs_there(program: Callable[[], object]) -> None:
    program()


def test_norms_of_gradients_on_two_devices_meet_on_the_first() -> None:
    weights = [vg.ones(3, device=d, requires_grad=True) for d in ("cuda:0", SECOND)]
    for weight in weights:
        (weight * 2).sum().backward()
    total = vg.nn.utils.clip_grad_norm_(weights, 1.0)
    assert total.device.index == 0
    assert total.item() == pytest.approx(24**0.5)
    for weight in weights:
        assert weight.grad is not None
        assert weight.grad.device == weight.device
        assert weight.grad.tolist() == pytest.approx([2 / 24**0.5] * 3, rel=1e-5)
