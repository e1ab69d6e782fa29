"""nn.init and nn.utils: starting values, limits of gradients, all parameters as one vector."""

import copy
import math
import warnings

from tests.oracle.registry import program


@program(rules="T-54")
def fixed_starting_values(torch, see):
    init = torch.nn.init
    see("dirac", init.dirac_(torch.ones(4, 2, 3)))
    see("dirac of groups", init.dirac_(torch.ones(4, 2, 3, 3), 2))
    see("eye", init.eye_(torch.ones(2, 3)))
    see("constant", init.constant_(torch.ones(2, requires_grad=True), 3.0))
    see("zeros", init.zeros_(torch.nn.Parameter(torch.ones(2))))
    see("ones", init.ones_(torch.zeros(2, dtype=torch.float64)))
    kinds = ("linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu")
    see("gains", [float(init.calculate_gain(kind)) for kind in kinds])
    see("gain with a slope", init.calculate_gain("leaky_relu", 0.3))


@program(rules="T-54")
def spread_of_random_starting_values(torch, see):
    init = torch.nn.init
    torch.manual_seed(0)
    wide = torch.ones(300, 200)

    def near(name, filled, spread, mean=0.0):
        filled = filled.detach()
        see(
            name,
            (
                abs(float(filled.std()) / spread - 1) < 0.05,
                abs(float(filled.mean()) - mean) < spread / 20,
            ),
        )

    near("uniform", init.uniform_(wide, 1.0, 3.0), 2 / math.sqrt(12), 2.0)
    near("normal", init.normal_(wide, 1.0, 0.5), 0.5, 1.0)
    near("xavier_uniform", init.xavier_uniform_(wide, 2.0), 2 * math.sqrt(2 / 500))
    near("xavier_normal", init.xavier_normal_(wide), math.sqrt(2 / 500))
    near(
        "kaiming_normal",
        init.kaiming_normal_(wide, mode="fan_out", nonlinearity="relu"),
        math.sqrt(2 / 300),
    )
    near(
        "kaiming_uniform",
        init.kaiming_uniform_(torch.ones(30, 20, 3, 3), a=0.2),
        math.sqrt(2 / 1.04 / 180),
    )
    cut = init.trunc_normal_(torch.ones(1000), 0.0, 1.0, -0.5, 0.5)
    see("trunc_normal", (float(cut.min()) >= -0.5, float(cut.max()) <= 0.5))
    rows = init.orthogonal_(torch.ones(3, 5, dtype=torch.float64), 2.0)
    see("orthogonal", (rows @ rows.t()).round(decimals=6).abs())
    flat = init.orthogonal_(torch.ones(4, 2, 3, dtype=torch.float64)).reshape(4, 6)
    see("orthogonal of more", (flat @ flat.t()).round(decimals=6).abs())
    see("sparse", (init.sparse_(torch.ones(10, 4), 0.3) == 0).sum(0))


@program(rules="T-54")
def mistakes_with_starting_values(torch, see):
    init, one = torch.nn.init, torch.ones(3)
    see.raises("dirac", lambda: init.dirac_(torch.ones(4, 2)))
    see.raises("dirac groups", lambda: init.dirac_(torch.ones(4, 2, 3), 3))
    see.raises("eye", lambda: init.eye_(torch.ones(2, 3, 1)))
    see.raises("orthogonal", lambda: init.orthogonal_(one), phrase="2 or more dimensions")
    see.raises("sparse", lambda: init.sparse_(one, 0.1), phrase="2 dimensions")
    see.raises("fan", lambda: init.xavier_uniform_(one), phrase="fewer than 2 dimensions")
    see.raises("mode", lambda: init.kaiming_normal_(torch.ones(2, 3), mode="x"))
    see.raises("gain", lambda: init.calculate_gain("foo"), phrase="nonlinearity")
    see.raises("slope", lambda: init.calculate_gain("leaky_relu", "a"))
    see.raises("range", lambda: init.uniform_(one, 1.0, 0.0), phrase="from")
    see.raises("spread", lambda: init.normal_(one, 0.0, -1.0), phrase="std")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        init.kaiming_uniform_(torch.ones(0, 3))
        init.constant(torch.ones(2), 3.0)
        init.xavier_normal(torch.ones(2, 2))
    see("warned", [w.category.__name__ for w in caught])


def with_gradient(torch, *values):
    p = torch.nn.Parameter(torch.ones(len(values)))
    p.grad = torch.tensor(values)
    return p


@program(rules="T-56")
def limits_of_gradients(torch, see):
    utils = torch.nn.utils
    p, q = with_gradient(torch, 3.0, 4.0), with_gradient(torch, 12.0)
    see("norm before", utils.clip_grad_norm_([p, q], 1.3), expect=13)
    see("scaled", (p.grad, q.grad))
    see("small enough", utils.clip_grad_norm_(p, 100.0))
    for name, kind in (("largest", math.inf), ("sum", 1.0), ("three", 3.0), ("zero", 0.0)):
        p = with_gradient(torch, 3.0, -4.0)
        see(name, (utils.clip_grad_norm_(p, 1.0, norm_type=kind), p.grad))
    p = with_gradient(torch, 3.0, -4.0)
    utils.clip_grad_value_([p], 3.5)
    see("by value", p.grad)
    utils.clip_grads_with_norm_([p], 1.0, torch.tensor(10.0))
    see("by a given norm", p.grad)
    see("total", utils.get_total_norm([torch.tensor([3.0, 4.0]), torch.tensor([[12.0]])]))
    see(
        "nothing",
        (utils.get_total_norm([]), utils.clip_grad_norm_([torch.nn.Parameter(torch.ones(1))], 1.0)),
    )
    p = with_gradient(torch, math.nan, 4.0)
    see.raises(
        "not finite",
        lambda: utils.clip_grad_norm_(p, 1.0, error_if_nonfinite=True),
        phrase="non-finite",
    )
    see("kept", p.grad)
    utils.clip_grad_norm_(p, 1.0)
    see("all not finite", p.grad)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        utils.clip_grad_norm_((p for p in ()), 1.0)
    see("used up", ["empty generator" in str(w.message) for w in caught])


@program(rules="T-56")
def all_parameters_as_one_vector(torch, see):
    utils = torch.nn.utils
    p, q = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(1, 2))
    see("vector", utils.parameters_to_vector([p, q * 2]))
    utils.vector_to_parameters(torch.arange(4.0), [p, q])
    see("back", [p, q])
    see.raises("list", lambda: utils.vector_to_parameters([1.0], [p]), phrase="Tensor")


def filled(torch, layer):
    with torch.no_grad():
        for number, p in enumerate(layer.parameters()):
            p.copy_((torch.arange(float(p.numel())) + number - 1.5).reshape(p.shape) / 4)
    return layer


@program(rules="T-50")
def weights_as_length_and_direction(torch, see):
    utils = torch.nn.utils
    x = torch.tensor([[1.0, -2.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch would have the parametrization used
        for dim in (0, 1, None):
            layer = utils.weight_norm(filled(torch, torch.nn.Linear(2, 3)), dim=dim)
            see(f"{dim}: parameters", dict(layer.named_parameters()))
            layer(x).sum().backward()
            see(f"{dim}: gradients", {n: p.grad for n, p in layer.named_parameters()})
        see("keys", sorted(layer.state_dict()))
        see.raises("twice", lambda: utils.weight_norm(layer), phrase="two weight_norm hooks")
        before = layer(x)
        utils.remove_weight_norm(layer)
    see("removed", (sorted(n for n, _ in layer.named_parameters()), type(layer.weight).__name__))
    see("as before", (layer(x) - before).abs().max() < 1e-6)
    see.raises(
        "again", lambda: utils.remove_weight_norm(layer), phrase="weight_norm of 'weight' not found"
    )


@program(rules="T-50")
def weights_of_unit_spectral_norm(torch, see):
    utils = torch.nn.utils
    layer = utils.spectral_norm(filled(torch, torch.nn.Linear(3, 2)), n_power_iterations=50)
    see("keys", sorted(layer.state_dict()))
    see("parameters", sorted(n for n, _ in layer.named_parameters()))
    x = torch.tensor([[1.0, -2.0, 0.5]])
    y = layer(x)
    see("result", y)
    see("largest singular value", torch.linalg.norm(layer.weight.detach(), 2))
    y.sum().backward()
    see("gradient", layer.weight_orig.grad)
    layer.eval()
    kept = layer.weight_u.clone()
    layer(x)
    see("no steps in eval", bool((layer.weight_u == kept).all()))
    see.raises(
        "steps",
        lambda: utils.spectral_norm(torch.nn.Linear(1, 1), n_power_iterations=0),
        phrase="positive",
    )
    see.raises("twice", lambda: utils.spectral_norm(layer), phrase="two spectral_norm hooks")
    utils.remove_spectral_norm(layer)
    see("removed", (sorted(layer.state_dict()), type(layer.weight).__name__))
    see("as before", layer(x))
    see.raises(
        "again",
        lambda: utils.remove_spectral_norm(layer),
        phrase="spectral_norm of 'weight' not found",
    )
    see("plain again", sorted(copy.deepcopy(layer).state_dict()))


@program(rules="T-53")
def sequences_of_unequal_lengths(torch, see):
    rnn = torch.nn.utils.rnn
    first = torch.arange(6.0).reshape(2, 3).requires_grad_()
    rest = [torch.ones(4, 3) * 2, torch.ones(1, 3) * 3]
    padded = rnn.pad_sequence([first, *rest])
    see("time first", padded)
    see("batch first", rnn.pad_sequence([first, *rest], True, -1.0))
    see("at the beginning", rnn.pad_sequence([first, *rest], True, padding_side="left"))
    (padded * torch.arange(36.0).reshape(4, 3, 3)).sum().backward()
    see("gradient", first.grad)
    see("back", rnn.unpad_sequence(padded, torch.tensor([2, 4, 1])))
    see("of a tensor", rnn.pad_sequence(torch.ones(2, 3)))
    see("whole numbers", rnn.pad_sequence([torch.arange(2), torch.arange(1)], padding_value=7))
    see("type of the first", rnn.pad_sequence([torch.ones(2), torch.arange(3)]))
    see.raises("none", lambda: rnn.pad_sequence([]), phrase="empty list")
    see.raises("shapes", lambda: rnn.pad_sequence([torch.ones(2, 3), torch.ones(2, 4)]))
    see.raises("number", lambda: rnn.pad_sequence(3), phrase="Expected iterable")
    see.raises("side", lambda: rnn.pad_sequence(rest, padding_side="x"), phrase="left or right")
    see.raises("0-dim", lambda: rnn.pad_sequence([torch.tensor(1.0)]))
