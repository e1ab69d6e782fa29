"""Weights that are computed: nn.utils.parametrize and nn.utils.parametrizations."""

from copy import deepcopy

from tests.oracle.programs.modules import gradients
from tests.oracle.registry import program


def _filled(torch, module):
    for k, each in enumerate(module.state_dict().values()):
        values = torch.linspace(-1, 1, each.numel(), dtype=each.dtype).reshape(each.shape)
        each.copy_(values.sin() + 0.1 * k)
    return module


def _trained(torch, see, module, width, sizes):
    for step in range(2):
        y = module(torch.ones(2, width).double())
        (y**2 * torch.arange(1.0, 1 + y.numel()).double().reshape(y.shape)).sum().backward()
        see(f"{sizes}: result {step}", y)
        see(f"{sizes}: gradients {step}", gradients(module))
    module.eval()
    see(f"{sizes}: in eval mode", module.weight)


_NORMS = {
    "weight_norm": ("weight_norm", {}),
    "weight_norm of columns": ("weight_norm", {"dim": 1}),
    "weight_norm of all": ("weight_norm", {"dim": None}),
    "spectral_norm": ("spectral_norm", {}),
    "spectral_norm of columns": ("spectral_norm", {"dim": 1, "n_power_iterations": 3}),
    **{
        f"orthogonal by {kind}, {start}": (
            "orthogonal",
            {"orthogonal_map": kind, "use_trivialization": start},
        )
        for kind in (None, "matrix_exp", "cayley", "householder")
        for start in (True, False)
    },
}


@program(rules="X-16", each=_NORMS)
def weights_are_computed_from_what_is_learned(torch, see, case):
    name, settings = _NORMS[case]
    for sizes in ((3, 4), (4, 3), (3, 3)):
        layer = _filled(torch, torch.nn.Linear(*sizes)).double()
        weight = layer.weight
        getattr(torch.nn.utils.parametrizations, name)(layer, **settings)
        see(f"{sizes}: class", type(layer).__name__)
        see(f"{sizes}: kept", {k: tuple(v.shape) for k, v in layer.state_dict().items()})
        if name == "orthogonal":
            see(f"{sizes}: the same parameter", layer.parametrizations.weight.original is weight)
        _trained(torch, see, _filled(torch, layer), sizes[0], sizes)


@program(rules="X-16")
def a_computed_weight_is_assigned_copied_and_made_plain_again(torch, see):
    tools = torch.nn.utils
    for name in ("weight_norm", "spectral_norm", "orthogonal"):
        layer = getattr(tools.parametrizations, name)(_filled(torch, torch.nn.Linear(3, 3)))
        layer.eval()
        if name != "spectral_norm":
            layer.weight = torch.eye(3)
            see(f"{name}: assigned", layer.weight)
        copy = deepcopy(layer)
        see(
            f"{name}: copied",
            [type(copy).__name__, tools.parametrize.is_parametrized(copy, "weight")],
        )
        see(f"{name}: class before", tools.parametrize.type_before_parametrizations(layer).__name__)
        tools.parametrize.remove_parametrizations(layer, "weight")
        see(f"{name}: plain", [type(layer).__name__, sorted(layer.state_dict())])
        see(f"{name}: a parameter", isinstance(layer.weight, torch.nn.Parameter))


@program(rules="X-16")
def functions_of_ones_own_make_a_weight(torch, see):
    class Symmetric(torch.nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).T

    class Halves(torch.nn.Module):
        def forward(self, a, b):
            return a + b

        def right_inverse(self, x):
            return x * 0.5, x * 0.5

    tools = torch.nn.utils.parametrize
    layer = _filled(torch, torch.nn.Linear(3, 3))
    see("registered", tools.register_parametrization(layer, "weight", Symmetric()) is layer)
    see("weight", layer.weight)
    see("each time anew", layer.weight is layer.weight)
    with tools.cached():
        see("once", layer.weight is layer.weight)
    see.raises(
        "assigned", lambda: setattr(layer, "weight", torch.ones(3, 3)), phrase="right_inverse"
    )
    tools.register_parametrization(layer, "weight", Symmetric())
    see("two", [len(layer.parametrizations.weight), list(layer.state_dict())])
    other = tools.transfer_parametrizations_and_params(layer, torch.nn.Linear(3, 3))
    see("transferred", [type(other).__name__, bool((other.weight == layer.weight).all())])

    layer = _filled(torch, torch.nn.Linear(3, 3))
    tools.register_parametrization(layer, "weight", Halves())
    see("of two", list(layer.state_dict()))
    layer.weight = torch.ones(3, 3)
    see("two assigned", layer.weight)
    see.raises(
        "left", lambda: tools.remove_parametrizations(layer, "weight", False), phrase="sequence"
    )
    see.raises(
        "none there",
        lambda: tools.remove_parametrizations(layer, "bias"),
        phrase="parametrization on",
    )
    see("made plain", list(tools.remove_parametrizations(layer, "weight").state_dict()))

    norm = tools.register_parametrization(
        torch.nn.BatchNorm1d(2), "running_mean", torch.nn.Identity()
    )
    see("a buffer", [name for name, _ in norm.named_buffers()])


@program(rules="X-16")
def what_makes_no_weight_is_refused(torch, see):
    def making(forward, back=None):
        members = {"forward": lambda self, x: forward(x)}
        if back is not None:
            members["right_inverse"] = lambda self, x: back(x)
        made = type("Made", (torch.nn.Module,), members)()
        layer = torch.nn.Linear(3, 3)
        return lambda: torch.nn.utils.parametrize.register_parametrization(layer, "weight", made)

    see.raises("another shape", making(lambda x: x[:1]), phrase="may not change the shape")
    see.raises("no tensor", making(lambda x: 3), phrase="must return a tensor")
    see.raises("another type", making(lambda x: x.double()), phrase="may not change the dtype")
    same = lambda x: x  # noqa: E731  as short as those beside it
    see.raises("no inverse tensor", making(same, lambda x: 3), phrase="Got int")
    see.raises("another inverse shape", making(same, lambda x: x[:1]), phrase="shape")
    see.raises(
        "another inverse type",
        making(same, lambda x: x.double()),
        phrase="may not change the dtype",
    )
    new = torch.nn.utils.parametrizations
    layer = torch.nn.Linear(2, 2)
    see.raises("no such name", lambda: new.weight_norm(layer, "nope"), phrase="nope")
    see.raises("no step", lambda: new.spectral_norm(layer, n_power_iterations=0), phrase="positive")
    see.raises("no matrix", lambda: new.orthogonal(layer, "bias"), phrase="Expected a matrix")
    see.raises("no map", lambda: new.orthogonal(layer, orthogonal_map="x"), phrase="orthogonal_map")


@program(rules="X-16")
def files_of_the_older_weight_norm_are_read(torch, see):
    older = torch.nn.utils.weight_norm(_filled(torch, torch.nn.Linear(2, 2)))
    newer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
    see("loaded", str(newer.load_state_dict(older.state_dict())))
    see("weight", newer.weight)
