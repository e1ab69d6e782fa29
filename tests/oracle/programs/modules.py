"""nn.Module and its parameters; layers with parameters copied in from lists."""

from tests.oracle.data import wave
from tests.oracle.registry import program


def fill(torch, module, seed=0):
    """Gives every parameter the same irregular values on both sides."""
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(torch.tensor(wave(*p.shape, low=-0.5, high=0.5, seed=seed + i), dtype=p.dtype))
    return module


def gradients(module):
    return {name: p.grad for name, p in module.named_parameters()}


@program(rules="T-50")
def modules_list_their_parameters(torch, see):
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(3, 4)
            self.rest = nn.Sequential(nn.ReLU(), nn.Linear(4, 2, bias=False))
            self.scale = nn.Parameter(torch.ones(2))
            self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

        def forward(self, x):
            return self.rest(self.first(x)) * self.scale

    model = Model()
    see("names", [name for name, _ in model.named_parameters()])
    see("shapes", [tuple(p.shape) for p in model.parameters()])
    see("flags", [(p.requires_grad, p.is_leaf) for p in model.parameters()])
    see("children", [name for name, _ in model.named_children()])
    see("modules", [(name, type(m).__name__) for name, m in model.named_modules()])
    see("buffers", [name for name, _ in model.named_buffers()])
    see("state", list(model.state_dict()))
    see("calling runs forward", model(torch.ones(1, 3)).shape, expect=(1, 2))


@program(rules="T-50")
def shared_parameters_are_listed_once(torch, see):
    nn = torch.nn
    a, b = nn.Linear(2, 2), nn.Linear(2, 2)
    b.weight = a.weight
    model = fill(torch, nn.Sequential(a, b).double())
    see("names", [name for name, _ in model.named_parameters()])
    model(torch.tensor(wave(3, 2), dtype=torch.float64)).square().sum().backward()
    see("gradients add up", gradients(model))
    see("state has both", list(model.state_dict()))


@program(rules="T-50")
def train_eval_and_requires_grad(torch, see):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    see("starts in training", model.training, expect=True)
    see("eval returns the module", model.eval() is model, expect=True)
    see("children follow", [m.training for m in model.modules()], expect=[False, False, False])
    x = torch.ones(1, 2)
    see("dropout is off", torch.equal(model(x), model[0](x)), expect=True)
    model.requires_grad_(False)
    see("frozen", [p.requires_grad for p in model.parameters()], expect=[False, False])
    see("result", model(x).requires_grad, expect=False)
    see.raises("train(3)", lambda: model.train(3), phrase="boolean")


@program(rules="T-50")
def zero_grad_sets_none(torch, see):
    layer = fill(torch, torch.nn.Linear(2, 1))
    layer(torch.ones(1, 2)).sum().backward()
    see("before", gradients(layer))
    layer.zero_grad(set_to_none=False)
    see("zeroed", gradients(layer))
    layer.zero_grad()
    see("None", list(gradients(layer).values()), expect=[None, None])


@program(rules="T-51")
def mistakes_with_modules(torch, see):
    nn = torch.nn

    class Early(nn.Module):
        def __init__(self):
            self.w = nn.Parameter(torch.ones(1))

    layer = nn.Linear(2, 2)
    see.raises("before super().__init__()", Early, phrase="__init__")
    see.raises(
        "a tensor over a parameter",
        lambda: setattr(layer, "weight", torch.ones(2, 2)),
        phrase="weight",
    )
    layer.bias = None
    see("None is allowed", [name for name, _ in layer.named_parameters()], expect=["weight"])
    see.raises(
        "dotted name",
        lambda: layer.register_parameter("a.b", nn.Parameter(torch.ones(1))),
        phrase='"."',
    )
    see.raises(
        "taken name",
        lambda: layer.register_parameter("in_features", nn.Parameter(torch.ones(1))),
        phrase="exists",
    )
    see.raises("int parameter", lambda: nn.Parameter(torch.tensor([1])), phrase="require gradients")
    see.raises("no forward", lambda: nn.Module()(1), phrase="forward")
    see.raises(
        "missing attribute",
        lambda: layer.nothing,
        phrase="'Linear' object has no attribute 'nothing'",
    )


@program(rules="T-52")
def loading_state(torch, see):
    nn = torch.nn
    source, target = fill(torch, nn.Linear(2, 2), seed=3), fill(torch, nn.Linear(2, 2))
    weight = target.weight
    target.load_state_dict(source.state_dict())
    see("copied", target.state_dict())
    see("in place", target.weight is weight, expect=True)
    see("version", weight._version)
    state = {"weight": source.weight.detach(), "extra": torch.ones(1)}
    see.raises("missing", lambda: target.load_state_dict(state), phrase="bias")
    see.raises("unexpected", lambda: target.load_state_dict(state), phrase="extra")
    result = target.load_state_dict(state, strict=False)
    see("not strict", (result.missing_keys, result.unexpected_keys), expect=(["bias"], ["extra"]))
    wrong = {"weight": torch.ones(3, 2), "bias": torch.ones(2)}
    see.raises(
        "size",
        lambda: target.load_state_dict(wrong, strict=False),
        phrase="size mismatch for weight",
    )


@program(rules="T-53")
def linear_and_activations(torch, see):
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(3, 4),
        nn.Tanh(),
        nn.Linear(4, 4),
        nn.ReLU(),
        nn.Linear(4, 2),
        nn.LogSoftmax(dim=1),
    )
    fill(torch, model.double())
    x = torch.tensor(wave(5, 3), dtype=torch.float64, requires_grad=True)
    y = model(x)
    see("value", y)
    y[:, 0].sum().backward()
    see("gradients", gradients(model))
    see("input", x.grad)


@program(rules="T-53")
def a_convolutional_stack(torch, see):
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(2, 3, 2, stride=2),
        nn.AvgPool2d(1),
        nn.Flatten(),
        nn.Linear(3, 2),
    )
    fill(torch, model.double())
    x = torch.tensor(wave(2, 1, 4, 4), dtype=torch.float64, requires_grad=True)
    y = model(x)
    see("value", y)
    nn.CrossEntropyLoss()(y, torch.tensor([0, 1])).backward()
    see("gradients", gradients(model))
    see("input", x.grad)


@program(rules="T-53")
def embeddings(torch, see):
    layer = fill(torch, torch.nn.Embedding(4, 3, padding_idx=0).double())
    y = layer(torch.tensor([[1, 0], [3, 1]]))
    see("value", y)
    (y * y).sum().backward()
    see("gradient", layer.weight.grad)


@program(rules="T-53 T-55")
def normalisation_layers(torch, see):
    nn = torch.nn
    x = torch.tensor(wave(4, 3), dtype=torch.float64, requires_grad=True)
    norm = fill(torch, nn.LayerNorm(3).double())
    norm(x).square().sum().backward()
    see("layer norm", gradients(norm))
    batch = fill(torch, nn.BatchNorm1d(3).double())
    y = batch(x)
    y.square().sum().backward()
    see("batch norm", y)
    see("gradients", gradients(batch))
    see("running", (batch.running_mean, batch.running_var, batch.num_batches_tracked))
    batch.eval()
    see("evaluation", batch(x).detach())
    see.raises(
        "one value per channel",
        lambda: nn.BatchNorm1d(3)(torch.ones(1, 3)),
        phrase="more than 1 value per channel",
    )


@program(rules="T-53")
def a_transposed_and_a_1d_convolution(torch, see):
    nn = torch.nn
    model = fill(
        torch,
        nn.Sequential(nn.Conv1d(2, 3, 2), nn.Sigmoid(), nn.Flatten(), nn.Linear(9, 1)).double(),
    )
    model(torch.tensor(wave(2, 2, 4), dtype=torch.float64)).sum().backward()
    see("gradients", gradients(model))


@program(rules="T-50")
def containers(torch, see):
    nn = torch.nn
    stack = nn.ModuleList([nn.Linear(1, 1), nn.Linear(1, 1)])
    stack.append(nn.ReLU())
    see("list", ([name for name, _ in stack.named_parameters()], len(stack)))
    named = nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.Tanh()})
    see("dict", ([name for name, _ in named.named_parameters()], list(named.keys())))
    params = nn.ParameterList([nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(2))])
    see("parameters", [(name, tuple(p.shape)) for name, p in params.named_parameters()])
    model = nn.Sequential(nn.Linear(1, 1), nn.Tanh())
    see("indexing", (type(model[1]).__name__, len(model), [type(m).__name__ for m in model]))


@program(rules="T-50")
def module_hooks(torch, see):
    layer = fill(torch, torch.nn.Linear(2, 1))
    log = []
    layer.register_forward_pre_hook(lambda m, args: log.append(("pre", len(args))))
    handle = layer.register_forward_hook(lambda m, args, out: (log.append("forward"), out * 10)[1])
    y = layer(torch.ones(1, 2))
    handle.remove()
    z = layer(torch.ones(1, 2))
    see("log", log)
    see("replaced output", torch.allclose(y, z * 10), expect=True)


@program(rules="T-56")
def clipping_gradients(torch, see):
    clip = torch.nn.utils.clip_grad_norm_
    p, q = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(1))
    p.grad, q.grad = torch.tensor([3.0, 0.0]), torch.tensor([4.0])
    see("norm before", clip([p, q], 1.0), expect=5)
    see("clipped", (p.grad, q.grad))
    see("small stays", clip([p, q], 10.0))
    see("unchanged", (p.grad, q.grad))
    torch.nn.utils.clip_grad_value_([p, q], 0.7)
    see("by value", (p.grad, q.grad))
    vector = torch.nn.utils.parameters_to_vector([p, q])
    see("vector", vector)
