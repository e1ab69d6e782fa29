"""A watch of PyTorch's tensors: it changes nothing, leaves nothing behind, and hears all that writes."""

from __future__ import annotations

import gc
import threading
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any
from weakref import ref

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.debugger.engines.pytorch.models import MODELS, Made  # noqa: E402
from tests.debugger.engines.pytorch.programs import PROGRAMS, plainly, same  # noqa: E402
from vizgrad.debugger.engines.pytorch.torch_notes import TorchNoting  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings(
        "ignore:Using backward.. with create_graph=True",
        "ignore:None of the inputs have requires_grad",
    ),
    pytest.mark.filterwarnings("error:.*was removed because it raised"),
]


def leaf() -> Any:
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


# --- nothing is changed -------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [*PROGRAMS, *MODELS], ids=lambda make: make.__name__)
def test_values_versions_and_order_are_those_of_an_unwatched_run(make: Callable[[], Made]) -> None:
    plain, order = plainly(make)
    with vizgrad.watch():
        watched, order_then = plainly(make)
    assert order_then == order
    for name, tensor in plain.items():
        then = watched[name]
        assert same(then.detach(), tensor.detach())
        assert then._version == tensor._version
        if tensor.is_leaf or tensor.retains_grad:
            assert same(then.grad, tensor.grad), name


def _with_hooks() -> list[str]:
    told: list[str] = []

    def tell(word: str) -> Callable[..., None]:
        return lambda *_: told.append(word)

    a = leaf()
    model = torch.nn.Linear(3, 3)
    model.register_forward_hook(tell("forward"))
    model.register_full_backward_hook(tell("module"))
    b = model(a)
    b.register_hook(tell("tensor"))
    b.grad_fn.register_prehook(tell("before"))
    b.grad_fn.register_hook(tell("behind"))
    a.register_post_accumulate_grad_hook(tell("accumulated"))
    opt = torch.optim.SGD([a], 0.1)
    opt.register_step_pre_hook(tell("step"))
    opt.register_step_post_hook(tell("stepped"))
    b.sum().backward()
    opt.step()
    return told


def test_hooks_are_called_in_their_order() -> None:
    plain = _with_hooks()
    with vizgrad.watch():
        assert _with_hooks() == plain
    assert len(plain) == 8


def test_tensors_graphs_and_memory_die_as_soon_as_without() -> None:
    gc.disable()
    try:
        with vizgrad.watch():
            a = leaf()
            hidden = a * 2.0
            array = hidden.detach().numpy()
            loss = hidden.tanh().sum()
            loss.backward()
            gone = [ref(each) for each in (a, hidden, loss, a.grad, array)]
            del a, hidden, loss, array
            assert [each() for each in gone] == [None] * 5
    finally:
        gc.enable()


def test_notes_go_with_their_tensors() -> None:
    with vizgrad.watch() as watch:
        x = torch.zeros(1)
        for _ in range(50):
            x = x + 1.0
        (noting,) = [each for each in watch._notings if isinstance(each, TorchNoting)]
        assert len(noting.notes.known) <= 2


def test_the_gradient_is_stored_and_not_copied() -> None:
    """A hook that kept a tensor would make PyTorch copy what it else takes as it is."""

    def stored() -> bool:
        a, seen = leaf(), []
        b = a * torch.ones(3)
        b.grad_fn.register_hook(lambda made, _: seen.append(made[0].data_ptr()))
        b.sum().backward()
        return a.grad.data_ptr() == seen[0]

    assert stored()
    with vizgrad.watch():
        assert stored()


# --- nothing is left ------------------------------------------------------------------------------------


def _traces() -> tuple[Any, ...]:
    from torch.nn.modules import module
    from torch.optim import optimizer

    return (
        len(torch.overrides._get_current_function_mode_stack()),
        torch.from_numpy, torch.frombuffer, torch.from_dlpack, torch.utils.dlpack.from_dlpack,
        torch.autograd.graph._engine_run_backward.__code__,
        torch.autograd.Function.__dict__["apply"].__func__.__code__,
        torch.nn.Module.train.__code__, torch.nn.Module.eval.__code__,
        threading.Thread.start.__code__, threading.Thread.run.__code__,
        *(len(hooks) for hooks in (
            module._global_forward_hooks, module._global_forward_pre_hooks,
            optimizer._global_optimizer_pre_hooks, optimizer._global_optimizer_post_hooks,
        )),
    )  # fmt: skip


def test_nothing_is_left_behind_also_by_an_error_and_by_one_within_another() -> None:
    before = _traces()
    with vizgrad.watch():
        assert all(a != b for a, b in zip(_traces(), before, strict=True))
    assert _traces() == before
    with pytest.raises(KeyError), vizgrad.watch(), vizgrad.watch():
        raise KeyError
    assert _traces() == before
    a = leaf()
    loss = a.exp().sum()
    loss.register_hook(lambda grad: 1 / 0)
    with vizgrad.watch(), pytest.raises(ZeroDivisionError):
        loss.backward(retain_graph=True)
    assert _traces() == before
    hooks = [len(h) for h in (loss.grad_fn._register_hook_dict,) if hasattr(h, "__len__")]
    assert not any(hooks)


def test_an_error_outside_is_pytorchs_own() -> None:
    with vizgrad.watch():
        pass
    a = leaf()
    b = a.exp()
    b.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace") as raised:
        b.sum().backward()
    assert not hasattr(raised.value, "explanation")
    assert not hasattr(raised.value, "__notes__")


def test_what_goes_wrong_in_noting_ends_the_watch_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("noted wrongly")

    for way in ("made_plainly", "_made"):  # of the CPU, and of a device
        monkeypatch.setattr(TorchNoting, way, broken)
    a = leaf()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with vizgrad.watch():
            (a * 2).sum().backward()
    assert a.grad.tolist() == [2.0, 2.0, 2.0]
    assert sum("noted wrongly" in str(each.message) for each in told) == 1


# --- what is heard ------------------------------------------------------------------------------------


def _by_view(b: Any) -> None:
    b[1:].mul_(2)  # here


def _by_out(b: Any) -> None:
    torch.add(torch.ones(3), 1, out=b)  # here


def _by_item(b: Any) -> None:
    b[0] = 5.0  # here


def _by_list(b: Any) -> None:
    torch._foreach_mul_([b], 2.0)  # here


def _by_operator(b: Any) -> None:
    b *= 2  # here


def _by_function(b: Any) -> None:
    torch.nn.functional.relu(b, inplace=True)  # here


def _by_init(b: Any) -> None:
    torch.nn.init.zeros_(b)  # here


def _by_op(b: Any) -> None:
    torch.ops.aten.mul_(b, torch.ones(3))  # here


WRITES = [
    _by_view, _by_out, _by_item, _by_list, _by_operator, _by_function, _by_init, _by_op,
]  # fmt: skip


@pytest.mark.parametrize("write", WRITES)
def test_the_line_that_wrote_is_blamed(write: Callable[[Any], None]) -> None:
    a = leaf()
    with vizgrad.watch():
        b = a.exp()
        loss = b.sin().sum() + b.sum()
        with torch.no_grad():
            write(b)
        with pytest.raises(RuntimeError, match="modified by an inplace") as raised:
            loss.backward()
    explanation = raised.value.explanation
    assert explanation.kind == "saved-overwritten"
    assert explanation.culprit.text.endswith("# here")
    assert "saved" in explanation.story
    assert "clone" in explanation.fix
    assert any(str(explanation) in note for note in raised.value.__notes__)


@pytest.mark.parametrize("mode", [nullcontext(), torch.device("cpu")], ids=["", "in a mode"])
def test_an_optimizer_that_wrote_is_blamed_by_the_line_of_its_step(mode: Any) -> None:
    """In a mode of functions, as a default device is, there are more of PyTorch's frames."""
    for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW):
        w = leaf()
        opt = kind([w], lr=0.1)
        with mode, vizgrad.watch():
            first, second = (w * w).sum(), (w * w * w).sum()
            first.backward()
            opt.step()
            with pytest.raises(RuntimeError, match="modified by an inplace") as raised:
                second.backward()
        explanation = raised.value.explanation
        assert explanation.culprit.text == "opt.step()"
        assert explanation.tensor == "w"


def test_a_second_backward_names_the_first() -> None:
    a = leaf()
    with vizgrad.watch():
        loss = a.exp().sum()
        loss.backward()  # the first
        with pytest.raises(RuntimeError, match="second time") as raised:
            loss.backward()
    assert raised.value.explanation.kind == "graph-freed"
    assert raised.value.explanation.culprit.text == "loss.backward()  # the first"


@pytest.mark.parametrize("run", [
    lambda loss, a: loss.backward(),
    lambda loss, a: torch.autograd.backward(loss),
    torch.autograd.grad,
])  # fmt: skip
def test_each_way_to_run_a_backward_is_heard(run: Callable[[Any, Any], Any]) -> None:
    a = leaf()
    with vizgrad.watch():
        loss = a.detach().sum()
        with pytest.raises(RuntimeError, match="does not require grad") as raised:
            run(loss, a)
    assert raised.value.explanation.kind == "cut-detach"
    assert raised.value.explanation.culprit.text == "loss = a.detach().sum()"


def test_memory_lent_to_numpy_is_watched_from_both_sides() -> None:
    numpy = pytest.importorskip("numpy")
    array = numpy.ones(3, numpy.float32)
    w = leaf()
    with vizgrad.watch() as watch:
        x = torch.from_numpy(array)
        loss = (x * w).sum()
        array += 1  # written
        loss.backward()
    (found,) = watch.findings
    assert found.kind == "hidden-write"
    assert found.culprit is not None
    assert found.culprit.text == "array += 1  # written"


def test_another_thread_is_not_heard() -> None:
    with vizgrad.watch() as watch:

        def work() -> None:
            b = leaf().exp()
            b.mul_(2)
            with pytest.raises(RuntimeError) as raised:
                b.sum().backward()
            assert not hasattr(raised.value, "explanation")

        failed: list[BaseException] = []

        def safely() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001  told below
                failed.append(error)

        thread = threading.Thread(target=safely)
        thread.start()
        thread.join()
        assert not failed
    assert watch.findings == []


def test_one_within_another_both_hear() -> None:
    a = leaf()
    with vizgrad.watch() as outer:
        with vizgrad.watch() as inner:
            first, second = torch.zeros(4, 1, requires_grad=True), torch.ones(4)
            (first - second).pow(2).mean().backward()
        (a * 2).sum().backward()
    for watch in (outer, inner):
        assert [each.kind for each in watch.findings] == ["shape-broadcast"]


def test_values_are_not_read_while_somebody_hears_of_each_operation() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Counting(TorchDispatchMode):
        def __init__(self) -> None:
            super().__init__()
            self.heard: list[str] = []

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            self.heard.append(str(func))
            return func(*args, **(kwargs or {}))

    def work() -> list[str]:
        with Counting() as counting:
            a = leaf()
            (a.exp() * 2).sum().backward()
        return counting.heard

    plain = work()
    with vizgrad.watch():
        assert work() == plain


# --- what is not plain -----------------------------------------------------------------------------------


def _batched() -> Any:
    a = leaf()
    return torch.autograd.grad(a * 2, a, torch.eye(3), is_grads_batched=True)[0]


def _mapped() -> Any:
    return torch.func.vmap(torch.func.grad(lambda a: (a**2).sum()))(torch.ones(2, 3))


def _traced() -> Any:
    layer = torch.nn.Linear(3, 3)
    return torch.jit.trace(layer, torch.ones(2, 3))(torch.ones(2, 3)).shape


def _faked() -> Any:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.nn.Linear(3, 3)(torch.ones(2, 3)).sum().shape


def _derived() -> Any:
    class Derived(torch.Tensor):
        pass

    a = leaf()
    (a.as_subclass(Derived) * 2).sum().backward()
    return a.grad


def _compiled() -> Any:
    layer = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh())
    torch.compile(layer, backend="eager")(torch.ones(2, 3)).sum().backward()
    return layer[0].weight.grad.shape


def _narrow() -> Any:
    a = leaf()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = (a @ torch.ones(3, 3)).sum()
    loss.backward()
    return a.grad


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Using .torch.compile.module")
@pytest.mark.parametrize(
    "work", [_batched, _mapped, _traced, _faked, _derived, _compiled, _narrow]
)  # fmt: skip
def test_what_is_not_plain_runs_as_it_does(work: Callable[[], Any]) -> None:
    plain = work()
    with vizgrad.watch() as watch:
        found = work()
    assert watch.findings == []
    assert found.equal(plain) if isinstance(found, torch.Tensor) else found == plain


def test_a_checkpoint_that_pytorch_refuses_names_its_function() -> None:
    from torch.utils.checkpoint import checkpoint

    seen: list[int] = []

    def layer(x: Any) -> Any:  # here
        seen.append(1)
        return x.exp().sin() if len(seen) % 2 else x.exp()

    a = leaf()
    with vizgrad.watch():
        loss = checkpoint(layer, a, use_reentrant=False).sum()
        with pytest.raises(RuntimeError, match="different number of tensors") as raised:
            loss.backward()
    assert raised.value.explanation.kind == "not-repeatable"
    assert raised.value.explanation.culprit.text.endswith("# here")


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpoint_that_repeats_is_left_in_peace(reentrant: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    layer = torch.nn.Sequential(
        torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.Dropout(0.5)
    )
    x = torch.randn(4, 3, requires_grad=True)
    with vizgrad.watch() as watch:
        for _ in range(2):
            checkpoint(layer, x, use_reentrant=reentrant).sum().backward()
    assert watch.findings == []
