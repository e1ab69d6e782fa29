"""Module and Parameter: what they hold, refuse, save and record (spec T-50 ... T-52)."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict
from typing import Any

import pytest

import vizgrad as vg
from vizgrad import nn


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.rest = nn.Sequential(nn.ReLU(), nn.Linear(4, 2, bias=False))
        self.scale = nn.Parameter(vg.ones(2))
        self.register_buffer("steps", vg.zeros((), dtype=vg.int64))
        self.register_buffer("scratch", vg.zeros(1), persistent=False)

    def forward(self, x: Any) -> Any:
        return self.rest(self.first(x)) * self.scale


def test_what_a_module_lists() -> None:
    model = Model()
    names = ["scale", "first.weight", "first.bias", "rest.1.weight"]
    assert [n for n, _ in model.named_parameters()] == names
    assert [n for n, _ in model.named_buffers()] == ["steps", "scratch"]
    assert [n for n, _ in model.named_children()] == ["first", "rest"]
    assert [n for n, _ in model.named_modules()] == ["", "first", "rest", "rest.0", "rest.1"]
    assert list(model.state_dict()) == ["scale", "steps", *names[1:]]
    assert model.get_submodule("rest.1") is model.rest[1]
    assert model.get_parameter("rest.1.weight") is model.rest[1].weight
    with pytest.raises(AttributeError, match="has no attribute `nothing`"):
        model.get_submodule("rest.nothing")


def test_a_shared_parameter_is_listed_once() -> None:
    a, b = nn.Linear(2, 2), nn.Linear(2, 2)
    b.weight = a.weight
    model = nn.Sequential(a, b, a)
    assert [n for n, _ in model.named_parameters()] == ["0.weight", "0.bias", "1.bias"]
    assert len(list(model.parameters())) == 3
    assert "1.weight" in model.state_dict()


def test_mistakes() -> None:
    class Early(nn.Module):
        def __init__(self) -> None:
            self.w = nn.Parameter(vg.ones(1))

    layer = nn.Linear(2, 2)
    with pytest.raises(AttributeError, match=r"Module[.]__init__"):
        Early()
    with pytest.raises(TypeError, match="as parameter 'weight'"):
        layer.weight = vg.ones(2, 2)
    with pytest.raises(KeyError, match=r'contain "[.]"'):
        layer.register_parameter("a.b", None)
    with pytest.raises(KeyError, match="empty string"):
        layer.register_buffer("", None)
    with pytest.raises(KeyError, match="already exists"):
        layer.register_buffer("in_features", None)
    with pytest.raises(RuntimeError, match="require gradients"):
        nn.Parameter(vg.tensor([1]))
    with pytest.raises(NotImplementedError, match='missing the required "forward"'):
        nn.Module()(1)
    with pytest.raises(ValueError, match="boolean"):
        layer.train(3)
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'nothing'"):
        layer.nothing  # noqa: B018
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        nn.Sequential(3)
    layer.bias = None
    assert [n for n, _ in layer.named_parameters()] == ["weight"]
    del layer.weight
    assert not list(layer.parameters())


def test_loading_copies_in_place_and_reports_everything_at_once() -> None:
    source, target = nn.Linear(2, 2), nn.Linear(2, 2)
    weight, before = target.weight, target.weight._version
    assert str(target.load_state_dict(source.state_dict())) == "<All keys matched successfully>"
    assert target.weight is weight
    assert weight._version == before + 1
    assert vg.equal(weight, source.weight)
    state = {"weight": vg.ones(3, 2), "extra": vg.ones(1)}
    with pytest.raises(RuntimeError) as caught:
        target.load_state_dict(state)
    for part in ("Missing key", '"bias"', "Unexpected key", '"extra"', "size mismatch for weight"):
        assert part in str(caught.value)
    state["weight"] = vg.ones(2, 2)
    result = target.load_state_dict(state, strict=False)
    assert (result.missing_keys, result.unexpected_keys) == (["bias"], ["extra"])
    with pytest.raises(TypeError, match="dict-like"):
        target.load_state_dict(3)


def test_loading_by_assignment_keeps_the_given_tensors() -> None:
    target, given = nn.Linear(2, 2), nn.Linear(2, 2).state_dict()
    target.load_state_dict(given, assign=True)
    assert target.weight.data_ptr() == given["weight"].data_ptr()
    assert isinstance(target.weight, nn.Parameter)


def test_switches() -> None:
    model = Model()
    assert model.eval() is model
    assert not any(m.training for m in model.modules())
    model.requires_grad_(False)
    assert not model(vg.ones(1, 3)).requires_grad
    model.double()
    assert {p.dtype for p in model.parameters()} == {vg.float64}
    assert model.steps.dtype is vg.int64
    with pytest.raises(TypeError, match="floating point"):
        model.to(vg.int64)
    seen: list[str] = []
    model.apply(lambda m: seen.append(type(m).__name__))
    assert seen == ["Linear", "ReLU", "Linear", "Sequential", "Model"]


def test_zero_grad() -> None:
    model = Model()
    model(vg.ones(1, 3)).sum().backward()
    model.zero_grad(set_to_none=False)
    assert all(p.grad is not None and p.grad.abs().sum().item() == 0 for p in model.parameters())
    model.zero_grad()
    assert all(p.grad is None for p in model.parameters())


def test_a_parameter_shares_memory_and_versions_with_its_data() -> None:
    data = vg.ones(3)
    parameter = nn.Parameter(data)
    data.add_(1)
    assert parameter._version == 1
    assert parameter.tolist() == [2, 2, 2]
    assert repr(parameter).startswith("Parameter containing:\ntensor([2., 2., 2.]")
    with pytest.raises(TypeError, match="from a Tensor"):
        nn.Parameter([1.0])


def test_copies_are_independent() -> None:
    model = Model()
    for made in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert vg.equal(made.scale, model.scale)
        assert made.scale is not model.scale
        assert isinstance(made.scale, nn.Parameter)
        assert made.scale.requires_grad
        assert repr(made) == repr(model)
        assert vg.equal(made(vg.ones(2, 3)), model(vg.ones(2, 3)))


def test_hooks_see_and_replace() -> None:
    layer = nn.Linear(2, 2)
    log: list[str] = []
    before = layer.register_forward_pre_hook(lambda m, args: (log.append("pre"), (args[0] * 0,))[1])
    after = layer.register_forward_hook(lambda m, args, out: log.append("post"))
    assert vg.equal(layer(vg.ones(1, 2))[0], layer.bias)
    assert log == ["pre", "post"]
    before.remove()
    after.remove()
    assert not layer._forward_hooks

    def last(m: Any, args: Any, kwargs: Any, out: Any) -> None:
        log.append("always" if out is None else "last")

    layer.register_forward_hook(last, with_kwargs=True, always_call=True)
    layer(vg.ones(1, 2))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        layer(vg.ones(1, 3))
    assert log[2:] == ["last", "always"]


def test_backward_hooks() -> None:
    layer = nn.Linear(2, 1, bias=False)
    seen: dict[str, Any] = {}

    def full(module: Any, grad_input: Any, grad_output: Any) -> Any:
        seen["output"] = grad_output[0].tolist()
        return (grad_input[0] * 10,)

    layer.register_full_backward_pre_hook(lambda m, g: (g[0] * 2,))
    layer.register_full_backward_hook(full)
    x = vg.ones(1, 2, requires_grad=True)
    layer(x).sum().backward()
    assert seen["output"] == [[2]]
    expected = (layer.weight * 20).detach()
    assert vg.allclose(x.grad, expected)
    assert layer.weight.grad.tolist() == [[2, 2]]


def test_repr_is_nested() -> None:
    model = nn.Sequential(
        OrderedDict(a=nn.Linear(1, 2), b=nn.Sequential(nn.ReLU(), nn.Sequential()))
    )
    assert repr(model) == (
        "Sequential(\n"
        "  (a): Linear(in_features=1, out_features=2, bias=True)\n"
        "  (b): Sequential(\n"
        "    (0): ReLU()\n"
        "    (1): Sequential()\n"
        "  )\n"
        ")"
    )
    layers = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])
    assert repr(layers) == "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)"


def test_containers() -> None:
    layers = nn.ModuleList([nn.Linear(1, 1)])
    layers.append(nn.ReLU())
    layers += [nn.Tanh()]
    layers.insert(0, nn.Identity())
    assert [type(m).__name__ for m in layers] == ["Identity", "Linear", "ReLU", "Tanh"]
    assert isinstance(layers[-1], nn.Tanh)
    assert len(layers[1:3]) == 2
    del layers[0]
    assert [n for n, _ in layers.named_children()] == ["0", "1", "2"]
    with pytest.raises(IndexError, match="out of range"):
        layers[5]
    table = nn.ModuleDict({"a": nn.ReLU()})
    table["b"] = nn.Linear(1, 1)
    assert list(table) == ["a", "b"]
    assert "a" in table
    assert table.pop("a")(vg.ones(1)).item() == 1
    parameters = nn.ParameterList([vg.ones(2)])
    parameters.append(nn.Parameter(vg.zeros(1)))
    assert [n for n, _ in parameters.named_parameters()] == ["0", "1"]
    named = nn.ParameterDict({"w": vg.ones(2)})
    assert list(named.keys()) == ["w"]
    assert named["w"].requires_grad


def test_a_copied_handle_removes_the_copied_hook() -> None:
    layer = nn.Linear(1, 1)
    handle = layer.register_forward_hook(print)
    twin, its_handle = copy.deepcopy((layer, handle))
    its_handle.remove()
    assert (len(layer._forward_hooks), len(twin._forward_hooks)) == (1, 0)
    pickle.loads(pickle.dumps(handle)).remove()  # its hooks stayed behind: nothing to remove
    assert len(layer._forward_hooks) == 1
