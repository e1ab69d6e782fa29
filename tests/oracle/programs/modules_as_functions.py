"""Modules as functions of their parameters: functional_call, stack_module_state."""

import importlib

from tests.oracle.data import wave
from tests.oracle.registry import program


def _tensor(torch, *shape, seed=1):
    return torch.tensor(wave(*shape, seed=seed), dtype=torch.float64)


def _set(torch, module):
    module = module.double()
    with torch.no_grad():
        for seed, p in enumerate(module.parameters()):
            p.copy_(_tensor(torch, *p.shape, seed=seed + 1))
    return module


def _tied(torch):
    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(2, 2)
            self.again = self.inner.weight
            self.register_buffer("scale", torch.tensor([1.0, 2.0], dtype=torch.float64))

        def forward(self, x, times=1.0):
            return self.inner(x) * self.scale * times + x @ self.again

    return _set(torch, Tied())


def _call(torch):
    return importlib.import_module(f"{torch.__name__}.func").functional_call


@program(rules="C-9")
def what_is_given_takes_the_place_of_what_is_held(torch, see):
    call, m, x, w = _call(torch), _tied(torch), _tensor(torch, 2), _tensor(torch, 2, 2, seed=9)
    see("nothing", call(m, {}, (x,)))
    see("a tied weight", call(m, {"inner.weight": w}, (x,)))
    see("by its other name", call(m, {"again": w}, (x,)))
    see("by one name alone", call(m, {"again": w}, (x,), tie_weights=False))
    see("by both", call(m, {"again": w, "inner.weight": w}, (x,)))
    see("two", call(m, {"again": w, "inner.weight": w * 2}, (x,), tie_weights=False))
    see("a buffer", call(m, {"scale": x}, (x,)))
    see("without a bias", call(m, {"inner.bias": None}, (x,)))
    see("one argument", call(m, {}, x))
    see("keywords", call(m, {"scale": x}, (x,), {"times": 2.0}))
    see("keywords alone", call(m, {}, kwargs={"x": x}))
    see("two dicts", call(m, ({"scale": x}, {"again": w}), (x,)))
    see("the module stays", m(x))
    see("tied", m.again is m.inner.weight, expect=True)


@program(rules="C-9")
def what_is_refused(torch, see):
    call, m, x, w = _call(torch), _tied(torch), _tensor(torch, 2), _tensor(torch, 2, 2, seed=9)
    see.raises(
        "tied", lambda: call(m, {"again": w, "inner.weight": w * 1}, (x,)), phrase="which are tied"
    )
    see.raises("no tensor", lambda: call(m, {"scale": 3.0}, (x,)), phrase="is not an instance of")
    see.raises("no path", lambda: call(m, {"outer.weight": w}, (x,)), phrase="no attribute `outer`")
    see.raises("no dict", lambda: call(m, 3, (x,)), phrase="Expected parameter_and_buffer_dicts")
    see.raises("no dicts", lambda: call(m, ({}, 3), (x,)), phrase="to be dictionaries")
    see.raises(
        "in both", lambda: call(m, ({"scale": x}, {"scale": x}), (x,)), phrase="in multiple dict"
    )
    see.raises(
        "strict: missing", lambda: call(m, {"scale": x}, (x,), strict=True), phrase="Missing"
    )
    see.raises(
        "strict: other", lambda: call(m, {"more": x}, (x,), strict=True), phrase="Unexpected"
    )
    state = {**dict(m.named_parameters()), **dict(m.named_buffers())}
    see("strict: all", call(m, state, (x,), strict=True))
    see("an unknown name", call(m, {"inner.more": w}, (x,)))
    see("which is gone", hasattr(m.inner, "more"), expect=False)
    see("the module stays", m(x))


@program(rules="C-9")
def gradients_go_to_what_was_given(torch, see):
    call, m, x = _call(torch), _tied(torch), _tensor(torch, 2)
    w = _tensor(torch, 2, 2, seed=9).requires_grad_()
    call(m, {"inner.weight": w * 2}, (x,)).sum().backward()
    see("given", w.grad)
    see("held", (m.again.grad, m.inner.bias.grad))


@program(rules="C-9")
def statistics_are_kept_in_what_was_given(torch, see):
    call = _call(torch)
    norm = torch.nn.BatchNorm1d(2)
    state = {name: tensor.clone() for name, tensor in norm.state_dict().items()}
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    see("value", call(norm, state, (x,)))
    see("given", {name: state[name] for name in sorted(state)})
    see("held", (norm.running_mean, norm.num_batches_tracked))


@program(rules="C-9")
def what_the_module_assigns_is_told(torch, see):
    call = _call(torch)

    class Assigns(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(1))
            self.register_buffer("count", torch.zeros(1))
            self.plain = torch.zeros(1)

        def forward(self):
            self.count = self.count + self.w
            return self.count + self.plain

    m = Assigns()
    held, buffer = m.w, m.count
    state = {"w": torch.full((1,), 5.0), "count": torch.ones(1), "plain": torch.full((1,), 0.5)}
    see("value", call(m, state, ()))
    see("in the dict", state["count"])
    see("held", (m.w is held, m.count is buffer, m.plain))


@program(rules="C-9")
def an_error_leaves_the_module_as_it_was(torch, see):
    call = _call(torch)

    class Fails(torch.nn.Linear):
        def forward(self, x):
            raise KeyError("mine")

    m = Fails(2, 2)
    held = m.weight
    see.raises("error", lambda: call(m, {"weight": torch.ones(2, 2)}, (torch.ones(2),)))
    see("held", m.weight is held, expect=True)


LAYERS = (
    ("conv", lambda nn: nn.Conv1d(2, 3, 2), (1, 2, 4)),
    ("lstm", lambda nn: nn.LSTM(2, 3, bidirectional=True), (3, 1, 2)),
    ("attention", lambda nn: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0), (3, 1, 4)),
    ("norm", lambda nn: nn.LayerNorm(3), (2, 3)),
    ("weight norm", lambda nn: nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)), (2, 3)),
    ("sequence", lambda nn: nn.Sequential(nn.Linear(3, 2), nn.PReLU(), nn.Linear(2, 1)), (2, 3)),
)


@program(rules="C-9", each=LAYERS)
def every_kind_of_layer(torch, see, layer):
    _, make, shape = layer
    module, x = _set(torch, make(torch.nn)), _tensor(torch, *shape)
    given = {
        name: (p.detach() * 0.5 + 0.1).requires_grad_() for name, p in module.named_parameters()
    }
    out = _call(torch)(module, given, (x,), strict=False)
    out = out[0] if isinstance(out, tuple) else out
    see("value", out)
    out.square().sum().backward()
    see("given", [given[name].grad for name in sorted(given)])
    see("held", [p.grad for p in module.parameters()])


@program(rules="C-9")
def the_states_of_many_modules(torch, see):
    stack = importlib.import_module(f"{torch.__name__}.func").stack_module_state
    nn = torch.nn
    norms = [_set(torch, nn.BatchNorm1d(2)) for _ in range(3)]
    parameters, buffers = stack(norms)
    see("parameters", {name: parameters[name] for name in sorted(parameters)})
    see("leaves", [(p.requires_grad, p.is_leaf) for p in parameters.values()])
    see("buffers", {name: buffers[name] for name in sorted(buffers)})
    see("a list", len(stack(nn.ModuleList(norms))[0]))
    see.raises("none", lambda: stack([]), phrase="Expected at least one model, got 0")
    see.raises("classes", lambda: stack([nn.ReLU(), nn.Tanh()]), phrase="of the same class")
    see.raises("modes", lambda: stack([norms[0], nn.BatchNorm1d(2).eval()]), phrase="same training")
    see.raises("shapes", lambda: stack([nn.Linear(2, 1), nn.Linear(3, 1)]), phrase="equal size")
    frozen = nn.BatchNorm1d(2)
    frozen.weight.requires_grad_(False)
    see.raises("frozen", lambda: stack([nn.BatchNorm1d(2), frozen]), phrase="same .requires_grad")
    see("all frozen", [p.requires_grad for p in stack([frozen, frozen])[0].values()])


@program(rules="C-9")
def the_older_place(torch, see):
    old = importlib.import_module(f"{torch.__name__}.nn.utils.stateless").functional_call
    m, x = _tied(torch), _tensor(torch, 2)
    out = see.warns(
        "warning", lambda: old(m, {"scale": x}, (x,)), FutureWarning, phrase="deprecated"
    )
    see("value", out)
