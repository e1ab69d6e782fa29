"""A tensor that was looked at is as it was: nothing that a program can ask of it has changed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.debugger.engines.pytorch.threads import held_threads  # noqa: E402
from vizgrad.debugger.engines.api import summarizer  # noqa: E402
from vizgrad.debugger.engines.pytorch.elements import elements_of, has_elements  # noqa: E402
from vizgrad.debugger.model import ArrayName  # noqa: E402


def state(tensor: Any) -> tuple[Any, ...]:
    """All that a program may ask of a tensor, and of its memory."""
    storage = tensor.untyped_storage()
    hooks = tensor._backward_hooks
    return (
        tensor._version, tensor.requires_grad, tensor.is_leaf, tensor.retains_grad, tensor._is_view(),
        storage.resizable(), storage.nbytes(), storage.data_ptr(), storage.is_shared(),
        None if hooks is None else len(hooks), sorted(vars(tensor)), sys.getrefcount(tensor),
        torch._C._storage_Use_Count(storage._cdata),
    )  # fmt: skip


def program(see: Callable[[str, Any], None], backward: Callable[[Any], None]) -> None:
    """Says what its tensors are like: `see(name, tensor)`."""
    x = torch.linspace(-1, 1, 6).reshape(2, 3).requires_grad_()
    w = torch.nn.Parameter(torch.full((3, 2), 0.5))
    half = torch.ones(2, dtype=torch.bfloat16)
    net = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD([x, w, *net.parameters()], 0.1, momentum=0.9)
    hidden = x @ w
    view = hidden.clone()[0]
    view.mul_(2.0)
    turned = hidden.T * half.float()
    kept = turned.exp()
    kept.retain_grad()
    out = net(kept.sigmoid()) + view
    loss = out.log_softmax(0).square().mean()
    tensors = {
        "x": x, "w": w, "half": half, "hidden": hidden, "view": view, "turned": turned, "kept": kept,
        "out": out, "loss": loss, "weight": net.weight,
    }  # fmt: skip
    for name, tensor in tensors.items():
        see(name, tensor)
    backward(loss)
    torch.nn.utils.clip_grad_norm_([w, net.weight], 0.1)
    for name, tensor in tensors.items():
        see(f"{name} after backward", tensor)
    for name in ("x", "w", "kept", "weight"):
        see(f"{name}.grad", tensors[name].grad)
    optimizer.step()
    for name, tensor in tensors.items():
        see(f"{name} after the step", tensor)
    see("momentum", optimizer.state[w]["momentum_buffer"])


def plainly(loss: Any) -> None:
    loss.backward()


def stepped(loss: Any) -> None:
    with vizgrad.debug(loss, display=False) as session:
        session.step(3)
        session.back(2)
        for _ in session.trace.arrays():
            pass
        vizgrad.why(loss)
        session.continue_()
        str(session)
    for thread in held_threads():
        thread.join()


def looked_at(loss: Any) -> None:
    vizgrad.graph(loss).to_text()
    vizgrad.versions(loss)
    vizgrad.why(loss)
    vizgrad.memory()
    loss.backward()


def states_of(backward: Callable[[Any], None]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    addresses: dict[int, str] = {}

    def see(name: str, tensor: Any) -> None:
        told = list(state(tensor))
        told[7] = addresses.setdefault(told[7], name)  # whose memory it is, not where
        found[name] = told

    torch.manual_seed(0)
    program(see, backward)
    return found


@pytest.mark.parametrize("backward", [stepped, looked_at])
def test_sessions_and_pictures_leave_tensors_as_they_are(backward: Callable[[Any], None]) -> None:
    expected = states_of(plainly)
    assert states_of(backward) == expected


@pytest.mark.parametrize("backward", [plainly, stepped, looked_at])
def test_a_watch_leaves_tensors_as_they_are(backward: Callable[[Any], None]) -> None:
    expected = states_of(plainly)
    with vizgrad.watch():
        found = states_of(backward)
    assert found == expected


def test_memory_is_freed_and_comes_again_in_a_watch() -> None:
    """As FSDP2 does with the parameters of each layer."""
    with vizgrad.watch() as watch:
        x = torch.randn(4, requires_grad=True)
        w = torch.full((4,), 2.0)
        y = x * w
        storage = w.untyped_storage()
        size = storage.nbytes()
        storage.resize_(0)
        assert not has_elements(w)
        storage.resize_(size)
        torch.autograd._unsafe_preserve_version_counter(w)
        with torch.no_grad():
            w.data.fill_(2.0)
        y.sum().backward()
    assert x.grad.tolist() == [2.0] * 4
    assert watch.findings is not None


def test_freed_memory_is_not_read() -> None:
    """What was freed is shown by its type alone: to read it would end the process."""
    x = torch.randn(1 << 16, requires_grad=True)
    w = torch.full((1 << 16,), 2.0)
    loss = (x * w).sum()
    storage = w.untyped_storage()
    size = storage.nbytes()
    with vizgrad.watch():
        storage.resize_(0)
        _ = w.detach()
        assert "other" in str(vizgrad.graph(loss).data.nodes[1])
        session = vizgrad.debug(loss, display=False)
        with session.at_rest() as (_, look):
            told = summarizer.summarize_closely(look.value(ArrayName(1, "saved", name="other")))
        assert told.shape == (1 << 16,)
        assert told.norm is None
        storage.resize_(size)
        w.fill_(2.0)
    session.close()


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(6.0).reshape(2, 3).T, torch.arange(6.0)[::2], torch.arange(6.0).expand(3, 6),
        torch.tensor(3), torch.empty(0, 3), torch.tensor([True, False]), torch.tensor([1j, 2.0]).conj(),
        torch.tensor([1j]).conj().imag, torch.ones(3, dtype=torch.bfloat16), torch.ones(2, dtype=torch.half),
        torch.ones(2, dtype=torch.float8_e4m3fn),
        torch.tensor([7], dtype=torch.uint16), torch.arange(9)[4:],
    ],
    ids=str,
)  # fmt: skip
def test_elements_are_those_that_pytorch_shows(tensor: Any) -> None:
    wide = tensor
    if tensor.dtype in (torch.bfloat16, torch.float8_e4m3fn):
        wide = tensor.float()
    found = elements_of(tensor)
    assert found.tolist() == wide.tolist()
    assert found.dtype == wide.clone().resolve_conj().resolve_neg().numpy().dtype
    assert not found.flags.writeable or not found.size
    assert tensor.untyped_storage().resizable()


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_elements_of_short_complex_numbers() -> None:
    assert elements_of(torch.tensor([1 + 2j], dtype=torch.complex32)).tolist() == [1 + 2j]


def test_elements_live_as_long_as_somebody_has_them() -> None:
    found = elements_of(torch.full((1 << 18,), 3.0))
    others = [torch.zeros(1 << 18) for _ in range(4)]
    assert (found == 3.0).all()
    assert len(others) == 4


def quantized() -> Any:
    return torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: torch.ones(2, device="meta"), "tensor on the meta device"),
        (lambda: torch.eye(2).to_sparse(), "tensor of layout torch.sparse_coo"),
        (quantized, "tensor of type torch.qint8"),
    ],
)
@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_what_has_no_elements_says_why(make: Callable[[], Any], kind: str) -> None:
    tensor = make()
    assert not has_elements(tensor)
    with pytest.raises(TypeError, match=f"the elements of a {kind} cannot be shown"):
        elements_of(tensor)
