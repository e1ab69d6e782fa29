"""Graphs of launches: a step that is repeated is the step that the program would take. `make gpu-test`."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

import vizgrad as vg
from vizgrad import nn
from vizgrad.core.arrays.statistics import quick
from vizgrad.nn import functional as F

pytestmark = pytest.mark.gpu


def captured(step: Callable[[], Any], **options: Any) -> tuple[vg.cuda.CUDAGraph, Any]:
    """The graph of a step that has been taken before, and what the step returned."""
    made = vg.cuda.CUDAGraph()
    with vg.cuda.graph(made, **options):
        returned = step()
    return made, returned


def warmed(step: Callable[[], Any], times: int = 2) -> None:
    with vg.cuda.stream(vg.cuda.Stream()):
        for _ in range(times):
            step()
    vg.cuda.synchronize()


MODELS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "linear": (lambda: nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 3)), (4, 6)),
    "conv": (
        lambda: nn.Sequential(
            nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(16, 3),
        ),
        (4, 2, 4, 4),
    ),
    "transformer": (
        lambda: nn.Sequential(
            nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True), nn.Flatten(),
            nn.Linear(24, 3),
        ),
        (4, 3, 8),
    ),
}  # fmt: skip
OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "SGD": lambda p: vg.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01),
    "Adam": lambda p: vg.optim.Adam(p, lr=0.01, weight_decay=0.01, amsgrad=True, capturable=True),
    "AdamW": lambda p: vg.optim.AdamW(p, lr=0.01, capturable=True),
}


def training(model: str, optimizer: str) -> tuple[Any, Any, Callable[[], Any]]:
    vg.manual_seed(0)
    build, shape = MODELS[model]
    network, x = build().to("cuda"), vg.rand(shape, device="cuda")
    target, chosen = (
        vg.tensor([0, 1, 2, 1], device="cuda"),
        OPTIMIZERS[optimizer](network.parameters()),
    )

    def step() -> Any:
        chosen.zero_grad()
        loss = F.cross_entropy(network(x), target)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        chosen.step()
        return loss

    return network, x, step


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("model", MODELS)
def test_a_training_goes_on_as_without_a_graph(model: str, optimizer: str) -> None:
    """The numbers are equal to the last bit: the launches are the same, and so are those of dropout."""
    network, x, step = training(model, optimizer)
    warmed(step)
    graph, loss = captured(step)
    offset = vg.cuda.get_rng_state().tolist()
    given = [vg.rand(x.shape, generator=vg.Generator().manual_seed(n)).to("cuda") for n in range(3)]
    losses = []
    for batch in given:
        x.copy_(batch)
        graph.replay()
        losses.append(loss.item())
    weights = [p.detach().cpu() for p in network.parameters()]

    other, x, step = training(model, optimizer)
    warmed(step)
    assert vg.cuda.get_rng_state().tolist() == offset, "a capture draws nothing"
    for batch, found in zip(given, losses, strict=True):
        x.copy_(batch)
        assert step().item() == found
    for weight, parameter in zip(weights, other.parameters(), strict=True):
        assert vg.equal(weight, parameter.detach().cpu())


@pytest.mark.parametrize("way", ["Adam", "AdamW"])
def test_steps_that_are_counted_on_the_device_are_those_of_before(way: str) -> None:
    weights = []
    for capturable in (False, True):
        w = vg.tensor([1.0, -2.0, 3.0], device="cuda", requires_grad=True)
        optimizer = getattr(vg.optim, way)([w], lr=0.1, weight_decay=0.1, capturable=capturable)
        for _ in range(5):
            optimizer.zero_grad()
            (w**2).sum().backward()
            optimizer.step()
        assert optimizer.state[w]["step"].item() == 5
        assert optimizer.state[w]["step"].is_cuda == capturable
        weights.append(w.tolist())
    assert weights[1] == pytest.approx(weights[0], rel=1e-6)


def test_the_rate_may_be_a_tensor_that_a_graph_reads() -> None:
    w, rate = vg.ones(3, device="cuda", requires_grad=True), vg.tensor(0.5, device="cuda")
    optimizer = vg.optim.Adam([w], lr=rate, capturable=True)

    def step() -> None:
        optimizer.zero_grad()
        w.sum().backward()
        optimizer.step()

    warmed(step)
    graph, _ = captured(step)
    before = w.tolist()
    rate.fill_(0)
    graph.replay()
    assert w.tolist() == before
    rate.fill_(0.25)
    graph.replay()
    assert w.tolist() == pytest.approx([before[0] - 0.25] * 3)


def test_nothing_is_done_while_it_is_captured() -> None:
    x, out = vg.ones(3, device="cuda"), vg.zeros(3, device="cuda")
    graph, _ = captured(lambda: out.add_(x))
    assert out.tolist() == [0, 0, 0]
    graph.replay()
    graph.replay()
    assert out.tolist() == [2, 2, 2]
    x.fill_(5)
    with vg.cuda.stream(vg.cuda.Stream()):
        graph.replay()
        vg.cuda.current_stream().synchronize()
    assert out.tolist() == [7, 7, 7]
    assert not vg.cuda.is_current_stream_capturing()


# --- memory -----------------------------------------------------------------------------------------------


def test_memory_of_a_graph_is_given_to_nobody_else() -> None:
    x = vg.ones(1000, device="cuda")
    graph, out = captured(lambda: ((x * 2).exp() - (x * 3)).sum() + 1)
    graph.replay()
    found = out.item()
    others = [vg.full((1000,), float("nan"), device="cuda") for _ in range(50)]
    graph.replay()
    assert out.item() == found
    assert all(other.isnan().all().item() for other in others)


def test_memory_comes_back_with_the_graph() -> None:
    gc.collect()
    before = vg.cuda.memory_allocated(), vg.cuda.memory_reserved()
    graph, out = captured(lambda: vg.ones(1 << 18, device="cuda") * 2)
    assert vg.cuda.memory_allocated() >= before[0] + (1 << 20)
    graph.replay()
    graph.reset()
    assert out.tolist()[:2] == [2, 2]  # its memory is the tensor's
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        graph.replay()
    del graph, out
    gc.collect()
    vg.cuda.empty_cache()
    assert (vg.cuda.memory_allocated(), vg.cuda.memory_reserved()) <= before


def test_graphs_share_a_pool_if_they_are_told_to() -> None:
    x = vg.ones(4, device="cuda")
    first, a = captured(lambda: x * 2)
    second, b = captured(lambda: a + 1, pool=first.pool())
    third, _ = captured(lambda: x - 1)
    assert first.pool() == second.pool() != third.pool()
    assert vg.cuda.graph_pool_handle() not in (first.pool(), third.pool())
    x.fill_(4)
    first.replay()
    second.replay()
    assert (a.tolist(), b.tolist()) == ([8] * 4, [9] * 4)


# --- random numbers ---------------------------------------------------------------------------------------


def test_each_repetition_draws_what_the_program_would() -> None:
    own = vg.Generator("cuda").manual_seed(3)
    graph, out = captured(
        lambda: (vg.rand(5, device="cuda"), vg.randn(5, device="cuda", generator=own))
    )
    graph.register_generator_state(own)
    vg.cuda.manual_seed(11)
    own.manual_seed(12)
    found = []
    for _ in range(2):
        graph.replay()
        found.append([x.tolist() for x in out])
    vg.cuda.manual_seed(11)
    own.manual_seed(12)
    for drawn in found:
        assert vg.rand(5, device="cuda").tolist() == drawn[0]
        assert vg.randn(5, device="cuda", generator=own).tolist() == drawn[1]
    assert found[0] != found[1]


def test_the_state_of_a_generator_is_not_asked_for_inside() -> None:
    for ask in (
        lambda: vg.cuda.manual_seed(0),
        vg.cuda.get_rng_state,
        lambda: vg.Generator("cuda").set_offset(4),
        lambda: vg.poisson(vg.ones(3, device="cuda")),
    ):
        with pytest.raises(RuntimeError, match=r"captured|capturing|not permitted"):
            captured(ask)
        assert not vg.cuda.is_current_stream_capturing()


# --- refusals ---------------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a value": (lambda x: x.sum().item(), "capturing"),
    "a path by a value": (lambda x: bool(x[0] > 0), "capturing"),
    "a copy to the host": (lambda x: x.cpu(), "capturing"),
    "a copy from the host": (lambda _: vg.ones(3).to("cuda"), "capturing"),
    "a tensor of numbers": (lambda _: vg.tensor([1.0, 2.0], device="cuda"), "capturing"),
    "a size by values": (lambda x: x[x > 0], "capturing"),
    "a wait for the device": (lambda _: vg.cuda.synchronize(), "capturing"),
    "a wait for the stream": (lambda _: vg.cuda.current_stream().synchronize(), "capturing"),
    "a question to the stream": (lambda _: vg.cuda.current_stream().query(), "capturing"),
    "an event": (lambda _: vg.cuda.current_stream().record_event().synchronize(), "capturing"),
    "work of before": (lambda _: EARLIER[0].wait(), "uncaptured work"),
    "a stream that is not waited for": (lambda x: forked(x, join=False), "unjoined work"),
    "a debugger": (lambda x: vg.debug((x * 2).sum()), r"vizgrad.debug\(\) cannot be used"),
    "a watch": (
        lambda _: vg.watch(),
        r"vizgrad.watch\(\) cannot be used while launches are captured",
    ),
    "a recording": (
        lambda _: vg.record().__enter__(),
        "cannot be used while launches are captured",
    ),
    "a watched value": (lambda x: quick(x.detach()._array), "values cannot be looked at"),
}
EARLIER: list[Any] = []


def forked(x: Any, *, join: bool) -> Any:
    side = vg.cuda.Stream()
    side.wait_stream(vg.cuda.current_stream())
    with vg.cuda.stream(side):
        y = x.detach() * 3
    if join:
        vg.cuda.current_stream().wait_stream(side)
    return y


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_repeated_is_refused(what: str) -> None:
    x = vg.ones(3, device="cuda", requires_grad=True)
    EARLIER[:] = [vg.cuda.Event()]
    EARLIER[0].record(vg.cuda.Stream())
    refused, words = REFUSED[what]
    with pytest.raises(RuntimeError, match=words):
        captured(lambda: refused(x))
    assert not vg.cuda.is_current_stream_capturing()
    assert (x * 2).sum().item() == 6, "the program goes on"
    graph, out = captured(lambda: x.detach() * 2)
    graph.replay()
    assert out.tolist() == [2, 2, 2]


def test_a_stream_that_is_waited_for_is_part_of_the_graph() -> None:
    x = vg.ones(3, device="cuda")
    graph, out = captured(lambda: forked(x, join=True) + 1)
    x.fill_(2)
    graph.replay()
    assert out.tolist() == [7, 7, 7]


def test_a_graph_is_captured_once_beside_the_default_stream() -> None:
    made = vg.cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match="non-default stream"):
        made.capture_begin()
    for asked in (made.replay, made.pool, made.capture_end):
        with pytest.raises(RuntimeError, match="without a"):
            asked()
    with pytest.raises(RuntimeError, match="Unknown capture error mode"):
        made.capture_begin(capture_error_mode="lax")
    with vg.cuda.stream(vg.cuda.Stream()):
        made.capture_begin()
        x = vg.ones(2, device="cuda")
        with pytest.raises(RuntimeError, match="already owns a captured graph"):
            made.capture_begin()
        made.capture_end()
    with pytest.raises(RuntimeError, match="already owns a captured graph"), vg.cuda.graph(made):
        pass
    made.replay()
    assert x.tolist() == [1, 1]


def test_optimizers_say_whether_their_steps_can_be_repeated() -> None:
    w = vg.ones(3, device="cuda", requires_grad=True)
    w.sum().backward()
    for make, words in (
        (lambda: vg.optim.Adam([w]), "param_groups' capturable is False"),
        (lambda: vg.optim.RAdam([w], capturable=True), "cannot be captured"),
        (lambda: vg.optim.Adagrad([w]), "cannot be captured"),
    ):
        optimizer = make()
        optimizer.step()
        with pytest.raises(RuntimeError, match=words):
            captured(optimizer.step)
    for make in (
        lambda: vg.optim.Adam([w], capturable=True),
        lambda: vg.optim.SGD([w], lr=0.1, momentum=0.9),
    ):
        with pytest.raises(RuntimeError, match="take a step before"):
            captured(make().step)
    here = vg.ones(3, requires_grad=True)
    here.sum().backward()
    with pytest.raises(RuntimeError, match="for parameters on CUDA devices"):
        vg.optim.Adam([here], capturable=True).step()


# --- what autocast remembers, and products ------------------------------------------------------------------


def test_weights_that_autocast_converted_before_are_converted_in_the_graph() -> None:
    layer, x = nn.Linear(3, 2, bias=False).to("cuda"), vg.ones(1, 3, device="cuda")
    with vg.autocast("cuda", dtype=vg.float16):
        layer(x)
        graph, out = captured(lambda: layer(x))
        with vg.no_grad():
            layer.weight.fill_(2)
        graph.replay()
        assert out.tolist() == [[6, 6]]
        assert layer(x).tolist() == [[6, 6]]


PRODUCTS: dict[str, Callable[[Any], Any]] = {
    "matrices": lambda r: r(3, 4) @ r(4, 5),
    "turned": lambda r: r(4, 3).T @ r(5, 4).T,
    "a slice": lambda r: r(3, 8)[:, ::2] @ r(9, 5)[1:5],
    "a matrix and a vector": lambda r: r(3, 4) @ r(4),
    "a vector and a matrix": lambda r: r(4) @ r(4, 3),
    "vectors": lambda r: r(4) @ r(4),
    "stacks": lambda r: r(2, 3, 4) @ r(2, 4, 5),
    "stacks that broadcast": lambda r: r(6, 1, 3, 4) @ r(2, 4, 5),
    "a stack and a matrix": lambda r: r(2, 3, 4) @ r(4, 5),
    "stacks with axes in another order": lambda r: r(3, 2, 4, 5).permute(1, 2, 0, 3) @ r(2, 4, 5, 3),
    "rows of one": lambda r: r(2, 1, 4) @ r(2, 4, 1),
    "nothing to add up": lambda r: r(2, 0) @ r(0, 3),
    "baddbmm": lambda r: vg.baddbmm(r(2, 3, 5), r(2, 3, 4), r(2, 4, 5), beta=0.5, alpha=2),
    "einsum of attention": lambda r: vg.einsum("bhid,bhjd->bhij", r(2, 2, 3, 4), r(2, 2, 5, 4)),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_are_those_without_a_graph(name: str, kind: str) -> None:
    made: list[Any] = []

    def given(*shape: int) -> Any:
        made.append(vg.randn(shape, device="cuda", dtype=getattr(vg, kind)))
        return made[-1]

    vg.manual_seed(0)
    expected = PRODUCTS[name](given)
    again = iter(made)
    graph, out = captured(lambda: PRODUCTS[name](lambda *_: next(again)))
    graph.replay()
    assert (out.shape, out.stride(), out.dtype) == (
        expected.shape,
        expected.stride(),
        expected.dtype,
    )
    if name == "vectors":  # cuBLAS has another function for them
        vg.testing.assert_close(out, expected)
    else:
        assert vg.equal(out, expected)


# --- programs of which a constant, or a table, comes from the host ----------------------------------------

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "a number of the CPU": lambda x: x * vg.tensor(3.0),
    "a list as an index": lambda x: x[[0, 2]],
    "a tensor as an index": lambda x: x[x[:3, 0].abs().long()],
    "pad": lambda x: F.pad(x[None], (1, 2), mode="reflect"),
    "interpolate": lambda x: F.interpolate(x[None, None], scale_factor=2, mode="bilinear"),
    "adaptive pooling": lambda x: F.adaptive_avg_pool2d(x[None], 3),
    "cumsum and maximum": lambda x: x.cumsum(1).max(1).values,
    "losses": lambda x: F.cross_entropy(x, x.argmax(1), label_smoothing=0.1),
    "GRU": lambda x: RECURRENT[0](x[None])[0].detach(),
    "vmap of tangents": vg.func.vmap(lambda row: vg.func.jvp(vg.sin, (row,), (row,))[1]),
    "a second derivative": lambda x: second(x) + 0,
    "uniform numbers in bfloat16": lambda x: vg.rand_like(x, dtype=vg.bfloat16) + x,
}
RECURRENT: list[Any] = []


def second(x: Any) -> Any:
    leaf = x.clone().requires_grad_()
    (first,) = vg.autograd.grad((leaf**3).sum(), leaf, create_graph=True)
    return vg.autograd.grad(first.tanh().sum(), leaf)[0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_what_it_gives_without_a_graph(name: str) -> None:
    vg.manual_seed(0)
    RECURRENT[:] = [nn.GRU(6, 5, batch_first=True).to("cuda")]
    x, given = vg.randn(4, 6, device="cuda"), vg.randn(4, 6, device="cuda")
    program = PROGRAMS[name]
    program(x)
    graph, out = captured(lambda: program(x))
    x.copy_(given)
    for _ in range(2):
        vg.cuda.manual_seed(1)
        graph.replay()
        vg.cuda.manual_seed(1)
        assert vg.equal(out, program(given))


# --- callables --------------------------------------------------------------------------------------------


def test_a_graphed_module_trains_as_the_module() -> None:
    networks, weights = [], []
    for graphed in (False, True):
        vg.manual_seed(0)
        network = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Tanh(), nn.Linear(8, 2)).to(
            "cuda"
        )
        if graphed:
            x = vg.randn(3, 4, device="cuda", requires_grad=True)
            assert vg.cuda.make_graphed_callables(network, (x,)) is network
        vg.manual_seed(1)
        optimizer = vg.optim.SGD(network.parameters(), lr=0.1)
        for _ in range(3):
            given = vg.randn(3, 4, device="cuda", requires_grad=True)
            loss = network(given).square().sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            weights.append([given.grad, *[p.detach().clone() for p in network.parameters()]])
        networks.append(network)
    for plain, repeated in zip(weights[:3], weights[3:], strict=True):
        assert all(vg.equal(a, b) for a, b in zip(plain, repeated, strict=True))
    networks[1].eval()
    given = vg.ones(7, 4, device="cuda")
    assert vg.equal(networks[1](given), networks[0].eval()(given)), "evaluation runs as before"


def test_graphed_functions_share_memory_and_keep_the_form_of_results() -> None:
    def first(pair: Any) -> Any:
        return {"sum": pair[0] + pair[1], "product": pair[0] * pair[1]}

    def second(x: Any) -> Any:
        return (x.exp(),)

    def sample() -> Any:
        return vg.ones(3, device="cuda", requires_grad=True)

    one, two = vg.cuda.make_graphed_callables(
        (first, second), (([sample(), sample()],), (sample(),))
    )
    a, b = (vg.tensor([1.0, 2.0, 3.0], device="cuda", requires_grad=True) for _ in range(2))
    found = one([a, b])
    (out,) = two(found["product"])
    (out + found["sum"]).sum().backward()
    expected = first([a.detach(), b.detach()])
    assert found["sum"].tolist() == expected["sum"].tolist()
    assert a.grad is not None
    assert a.grad.tolist() == (expected["product"].exp() * b + 1).tolist()


def test_what_cannot_be_graphed_is_refused() -> None:
    x = vg.ones(3, device="cuda")
    network = nn.Linear(3, 2).to("cuda")
    with pytest.raises(AssertionError, match="must contain only Tensors"):
        vg.cuda.make_graphed_callables(network, (x, 3))
    with (
        vg.autocast("cuda", dtype=vg.float16),
        pytest.raises(RuntimeError, match="does not support the autocast caching"),
    ):
        vg.cuda.make_graphed_callables(network, (x,))
    network.register_forward_hook(lambda *_: None)
    with pytest.raises(AssertionError, match="must not have hooks"):
        vg.cuda.make_graphed_callables(network, (x,))
