"""Modules that take the sizes of their parameters from their first input."""

import copy

from tests.oracle.data import wave
from tests.oracle.registry import program

LAYERS = {
    "LazyLinear": ((3,), (2, 5)),
    "LazyConv1d": ((4, 3), (2, 6, 9)),
    "LazyConv2d": ((4, 3, 2, 1, 1, 2), (2, 6, 9, 8)),
    "LazyConv3d": ((4, 2), (1, 2, 3, 4, 5)),
    "LazyConvTranspose1d": ((4, 3), (2, 6, 5)),
    "LazyConvTranspose2d": ((4, 3, 2, 1, 1, 2), (2, 6, 5, 4)),
    "LazyConvTranspose3d": ((2, 2), (1, 2, 3, 4, 3)),
    "LazyBatchNorm1d": ((), (4, 3)),
    "LazyBatchNorm2d": ((1e-3, 0.2), (4, 3, 2, 2)),
    "LazyBatchNorm3d": ((1e-5, None, True, True), (2, 3, 2, 2, 2)),
    "LazyInstanceNorm1d": ((), (4, 3, 5)),
    "LazyInstanceNorm2d": ((1e-5, 0.1, False, False), (2, 3, 4, 4)),
    "LazyInstanceNorm3d": ((), (2, 3, 2, 2, 2)),
}


def fill(torch, module):
    """Values that do not come from a generator of either side."""
    with torch.no_grad():
        for place, each in enumerate(module.parameters()):
            each.copy_(torch.tensor(wave(*each.shape, seed=place)))


@program(rules="T-50", each=LAYERS)
def the_first_input_gives_the_sizes(torch, see, name):
    settings, shape = LAYERS[name]
    module = getattr(torch.nn, name)(*settings)
    see("before", (repr(module), module.has_uninitialized_params()))
    see("kinds", {key: type(each).__name__ for key, each in module.state_dict().items()})
    own = list(module.parameters())
    x = torch.tensor(wave(*shape))
    module(x)
    see("after", (type(module).__name__, repr(module)))
    see("sizes", {key: tuple(each.shape) for key, each in module.state_dict().items()})
    see("the same objects", [a is b for a, b in zip(own, module.parameters(), strict=True)])
    see("their classes", [type(each).__name__ for each in module.parameters()])
    fill(torch, module)
    module.eval()
    x.requires_grad_()
    y = module(x)
    see("value", y)
    y.square().sum().backward()
    see("gradients", [x.grad, *(each.grad for each in own)])


@program(rules="T-50")
def an_uninitialized_parameter_refuses_to_be_used(torch, see):
    weight = torch.nn.LazyLinear(3).weight
    see("what is known", (repr(weight), weight.requires_grad, weight.is_leaf, weight.grad))
    see("type", str(weight.dtype).rpartition(".")[2])
    see("lazy", torch.nn.parameter.is_lazy(weight))
    phrase = "Attempted to use an uninitialized parameter"
    for name in ("numel", "sum", "clone", "tolist", "zero_", "requires_grad_"):
        see.raises(name, lambda name=name: getattr(weight, name)(), phrase=phrase)
    ones = torch.ones(2, 2)
    see.raises("left", lambda: weight + 1, phrase=phrase)
    see.raises("right", lambda: ones + weight, phrase=phrase)
    see.raises("product", lambda: ones @ weight, phrase=phrase)
    see.raises("function", lambda: torch.nn.functional.linear(ones, weight), phrase=phrase)
    see.raises("filling", lambda: torch.nn.init.xavier_uniform_(weight), phrase=phrase)
    see.raises("shape", lambda: weight.shape, phrase="Can't access the shape of an uninitialized")


@program(rules="T-52")
def a_state_gives_the_sizes_too(torch, see):
    known = torch.nn.Linear(2, 3)
    fill(torch, known)
    module = torch.nn.LazyLinear(7)
    see("loaded", repr(module.load_state_dict(known.state_dict())))
    see("class", (type(module).__name__, module.has_uninitialized_params()))
    see("weight", module.weight)
    see("value", module(torch.tensor(wave(2, 2))))
    see("class after a call", type(module).__name__)
    lazy = torch.nn.LazyLinear(3)
    see("both lazy", repr(torch.nn.LazyLinear(3).load_state_dict(lazy.state_dict())))
    see.raises(
        "lazy into known",
        lambda: known.load_state_dict(lazy.state_dict()),
        phrase="Can't access the shape of an uninitialized parameter",
    )
    see.raises("missing", lambda: torch.nn.LazyLinear(3).load_state_dict({}), phrase="Missing key")


@program(rules="T-50")
def an_optimizer_may_be_made_before_the_first_input(torch, see):
    net = torch.nn.Sequential(torch.nn.LazyLinear(3), torch.nn.Tanh(), torch.nn.LazyLinear(1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    x = torch.tensor(wave(4, 5))
    net(x)
    fill(torch, net)
    for _ in range(3):
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()
    see("parameters", list(net.parameters()))


@program(rules="T-50")
def casts_and_copies_keep_what_is_unknown(torch, see):
    module = torch.nn.LazyLinear(3).double()
    see("cast", (str(module.weight.dtype).rpartition(".")[2], module.has_uninitialized_params()))
    twin = copy.deepcopy(module)
    see("apart", (twin.weight is module.weight, twin.has_uninitialized_params()))
    twin(torch.tensor(wave(2, 4)).double())
    see("the copy is known", (type(twin).__name__, type(module).__name__))
    see("its type", str(twin.weight.dtype).rpartition(".")[2])
    frozen = torch.nn.parameter.UninitializedParameter(requires_grad=False, dtype=torch.float64)
    frozen.materialize((2, 3))
    see("materialized", (type(frozen).__name__, tuple(frozen.shape), frozen.requires_grad))
    buffer = torch.nn.parameter.UninitializedBuffer()
    buffer.materialize((2,), dtype=torch.int64)
    see("a buffer", (type(buffer).__name__, tuple(buffer.shape), str(buffer.dtype)[-5:]))


@program(rules="T-50")
def hooks_see_the_class_that_it_becomes(torch, see):
    module, seen = torch.nn.LazyLinear(3), []
    module.register_forward_pre_hook(lambda module, args: seen.append(type(module).__name__))
    module.register_forward_hook(lambda module, args, out: seen.append(type(module).__name__))
    module(torch.ones(1, 2))
    module(input=torch.ones(1, 2))
    see("seen", seen)
    see("own hooks", len(module._forward_pre_hooks))


@program(rules="T-50")
def a_lazy_module_of_ones_own(torch, see):
    class Scale(torch.nn.modules.lazy.LazyModuleMixin, torch.nn.Module):
        def __init__(self, whole):
            super().__init__()
            self.whole = whole
            self.factor = torch.nn.parameter.UninitializedParameter()

        def initialize_parameters(self, x):
            if self.whole:
                self.factor.materialize(x.shape[-1:])
                torch.nn.init.ones_(self.factor)

        def forward(self, x):
            return x * self.factor

    x = torch.tensor(wave(2, 3))
    made = Scale(True)
    see("value", made(x))
    see("class", type(made).__name__)
    see.raises("in part", lambda: Scale(False)(x), phrase="has not been fully initialized")

    class Without(torch.nn.modules.lazy.LazyModuleMixin, torch.nn.Linear):
        pass

    missing = "initialize_parameters is not implemented for Without"
    see.raises("without the method", lambda: Without(2, 2)(torch.ones(2)), phrase=missing)


@program(rules="T-50")
def inputs_that_do_not_fit(torch, see):
    nn = torch.nn
    see.raises(
        "rank",
        lambda: nn.LazyConv2d(4, 3)(torch.ones(9, 9)),
        phrase="Expected 3D (unbatched) or 4D (batched) input to LazyConv2d",
    )
    see.raises(
        "groups",
        lambda: nn.LazyConv2d(4, 3, groups=2)(torch.ones(1, 3, 9, 9)),
        phrase="in_channels must be divisible by groups",
    )
    see.raises("norm", lambda: nn.LazyBatchNorm2d()(torch.ones(9, 9)), phrase="expected 4D input")
    see("unbatched", tuple(nn.LazyConv2d(4, 3)(torch.ones(5, 9, 9)).shape))
