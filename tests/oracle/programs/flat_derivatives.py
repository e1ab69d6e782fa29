"""What a first derivative is a function of: where it requires grad, and second derivatives that are zero."""

from tests.oracle.data import wave
from tests.oracle.registry import program

#: name -> (function of (torch, x), shape of x)
PIECEWISE = {
    "relu": (lambda torch, x: torch.relu(x), (2, 3)),
    "relu6": (lambda torch, x: torch.nn.functional.relu6(x), (2, 3)),
    "hardtanh": (lambda torch, x: torch.nn.functional.hardtanh(x, -0.5, 0.5), (2, 3)),
    "leaky_relu": (lambda torch, x: torch.nn.functional.leaky_relu(x, 0.1), (2, 3)),
    "hardshrink": (lambda torch, x: torch.nn.functional.hardshrink(x, 0.3), (2, 3)),
    "softshrink": (lambda torch, x: torch.nn.functional.softshrink(x, 0.3), (2, 3)),
    "threshold": (lambda torch, x: torch.nn.functional.threshold(x, 0.1, 2.0), (2, 3)),
    "prelu": (lambda torch, x: torch.nn.functional.prelu(x, x.new_tensor([0.25])), (2, 3)),
    "abs": (lambda torch, x: x.abs(), (2, 3)),
    "clamp": (lambda torch, x: x.clamp(-0.5, 0.5), (2, 3)),
    "max": (lambda torch, x: x.max(), (2, 3)),
    "amax": (lambda torch, x: x.amax(1), (2, 3)),
    "sort": (lambda torch, x: x.sort()[0], (2, 3)),
    "median": (lambda torch, x: x.median(), (2, 3)),
    "maximum": (lambda torch, x: torch.maximum(x, -x), (2, 3)),
    "floor": (lambda torch, x: x.floor(), (2, 3)),
    "sign": (lambda torch, x: x.sign(), (2, 3)),
    "sgn": (lambda torch, x: x.sgn(), (2, 3)),
    "reflect": (lambda torch, x: torch.nn.functional.pad(x, (1, 2), mode="reflect"), (2, 4)),
    "replicate": (lambda torch, x: torch.nn.functional.pad(x, (1, 2), mode="replicate"), (2, 4)),
    "circular": (lambda torch, x: torch.nn.functional.pad(x, (1, 2), mode="circular"), (2, 4)),
    "constant": (lambda torch, x: torch.nn.functional.pad(x, (1, 2)), (2, 4)),
    "max_pool1d": (lambda torch, x: torch.nn.functional.max_pool1d(x, 2), (2, 4)),
    "max_pool2d": (lambda torch, x: torch.nn.functional.max_pool2d(x, 2), (1, 4, 4)),
    "max_pool3d": (lambda torch, x: torch.nn.functional.max_pool3d(x, 2), (1, 2, 2, 4)),
    "avg_pool1d": (lambda torch, x: torch.nn.functional.avg_pool1d(x, 2), (2, 4)),
    "avg_pool2d": (lambda torch, x: torch.nn.functional.avg_pool2d(x, 2), (1, 4, 4)),
    "avg_pool3d": (lambda torch, x: torch.nn.functional.avg_pool3d(x, 2), (1, 2, 2, 4)),
    "adaptive_avg_pool1d": (lambda torch, x: torch.nn.functional.adaptive_avg_pool1d(x, 3), (2, 4)),
    "adaptive_avg_pool2d": (
        lambda torch, x: torch.nn.functional.adaptive_avg_pool2d(x, 3),
        (1, 4, 4),
    ),
    "adaptive_max_pool1d": (lambda torch, x: torch.nn.functional.adaptive_max_pool1d(x, 3), (2, 4)),
    "adaptive_max_pool2d": (
        lambda torch, x: torch.nn.functional.adaptive_max_pool2d(x, 3),
        (1, 4, 4),
    ),
    "interpolate": (
        lambda torch, x: torch.nn.functional.interpolate(x[None], 3, mode="area"),
        (2, 4),
    ),
    "nll_loss": (lambda torch, x: torch.nn.functional.nll_loss(x, torch.tensor([1, 0])), (2, 3)),
    "cross_entropy": (
        lambda torch, x: torch.nn.functional.cross_entropy(x, torch.tensor([1, 0])),
        (2, 3),
    ),
    "l1_loss": (lambda torch, x: torch.nn.functional.l1_loss(x, torch.zeros_like(x)), (2, 3)),
}


def _leaf(torch, shape, seed=0):
    return torch.tensor(wave(*shape, seed=seed), dtype=torch.float64, requires_grad=True)


@program(rules="X-42", each=tuple(PIECEWISE))
def the_gradient_of_a_piecewise_linear_function(torch, see, name):
    fn, shape = PIECEWISE[name]
    for given in (False, True):  # does the incoming gradient have a history itself?
        x = _leaf(torch, shape)
        y = fn(torch, x)
        weights = torch.tensor(wave(y.numel(), seed=5), dtype=torch.float64).reshape(y.shape)
        weights.requires_grad_(given)
        (g,) = torch.autograd.grad(y, x, weights, create_graph=True)
        see(f"requires grad, {given}", g.requires_grad)
        if not g.requires_grad:
            continue
        again = torch.autograd.grad(
            g.sum(), (x, y, weights) if given else (x, y), allow_unused=True
        )
        see(f"second derivatives, {given}", again)


@program(rules="X-42")
def the_gradient_of_a_bias_is_a_function_of_image_and_filters(torch, see):
    for image, filters in ((True, True), (False, True), (True, False), (False, False)):
        x = _leaf(torch, (1, 2, 5)).detach().requires_grad_(image)
        w = _leaf(torch, (3, 2, 3), seed=1).detach().requires_grad_(filters)
        b = _leaf(torch, (3,), seed=2)
        y = torch.nn.functional.conv1d(x, w, b)
        (g,) = torch.autograd.grad(y.sum(), b, create_graph=True)
        see(f"{image} {filters}", g.requires_grad)
        if g.requires_grad:
            leaves = [t for t in (x, w, b) if t.requires_grad]
            see(
                f"{image} {filters} second", torch.autograd.grad(g.sum(), leaves, allow_unused=True)
            )


@program(rules="X-42", each=("layer_norm", "batch_norm", "group_norm", "instance_norm"))
def the_gradient_of_the_bias_of_a_norm(torch, see, name):
    functional = torch.nn.functional
    x, w, b = _leaf(torch, (4, 4, 3)), _leaf(torch, (4,), seed=1), _leaf(torch, (4,), seed=2)
    y = {
        "layer_norm": lambda: functional.layer_norm(x.mT, (4,), w, b),
        "batch_norm": lambda: functional.batch_norm(x, None, None, w, b, training=True),
        "group_norm": lambda: functional.group_norm(x, 2, w, b),
        "instance_norm": lambda: functional.instance_norm(x, None, None, w, b),
    }[name]()
    firsts = torch.autograd.grad(y.sum(), (x, w, b), create_graph=True)
    see("requires grad", [g.requires_grad for g in firsts])


@program(rules="X-42", each=("prod", "prod of a dim", "cumprod", "det", "log_ndtr", "ldexp"))
def a_gradient_is_a_function_of_the_saved_result(torch, see, name):
    x = _leaf(torch, (3, 3))
    fn = {
        "prod": lambda x: x.prod(),
        "prod of a dim": lambda x: x.prod(1),
        "cumprod": lambda x: x.cumprod(0),
        "det": torch.linalg.det,
        "log_ndtr": torch.special.log_ndtr,
        "ldexp": lambda x: torch.ldexp(x, x),
    }[name]
    y = fn(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    see("by the result", torch.autograd.grad(g.sum(), y, retain_graph=True)[0])
    see("by the input", torch.autograd.grad(g.sum(), x)[0])


@program(rules="X-42")
def a_gradient_that_does_not_depend_on_the_input(torch, see):
    cases = {
        "product of a number": (lambda x: x.prod(), ()),
        "cumprod of one": (lambda x: x.cumprod(0), (1,)),
        "erfinv, by the result": (lambda x: x.erfinv(), (2,)),
        "distances of power 0": (lambda x: torch.cdist(x, x * 2, p=0), (2, 3)),
        "pairs of power 0": (lambda x: torch.nn.functional.pdist(x, p=0), (3, 3)),
    }
    for name, (fn, shape) in cases.items():
        x = torch.tensor(wave(*shape, low=-0.8, high=0.8), dtype=torch.float64, requires_grad=True)
        y = fn(x)
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True, allow_unused=True)
        see(name, g.detach())
        if "power 0" in name:
            continue  # PyTorch has no second derivative there
        see(f"{name}: requires grad", g.requires_grad)
        if g.requires_grad:
            see(f"{name}: result", torch.autograd.grad(g.sum(), y, allow_unused=True)[0])


@program(rules="X-14", each=(True, False))
def products_of_groups_are_differentiated_twice(torch, see, include_self):
    x, src = _leaf(torch, (2, 3)), _leaf(torch, (3, 3), seed=4)
    index = torch.tensor([[0, 1, 0], [1, 1, 0], [0, 0, 0]])
    rows = torch.tensor([0, 1, 0])
    for name, fn in {
        "scatter": lambda: x.scatter_reduce(0, index, src, "prod", include_self=include_self),
        "index": lambda: x.index_reduce(0, rows, src, "prod", include_self=include_self),
    }.items():
        y = fn()
        firsts = torch.autograd.grad((y * y).sum(), (x, src), create_graph=True)
        see(f"{name}: first", [g.detach() for g in firsts])
        total = sum((g * g).sum() for g in firsts)
        see(f"{name}: second", torch.autograd.grad(total, (x, src)))


@program(rules="X-14")
def products_of_groups_with_zeros_have_a_first_derivative(torch, see):
    x = torch.tensor([2.0, 3.0, 5.0], dtype=torch.float64, requires_grad=True)
    index = torch.tensor([0, 0, 1, 1, 1, 2])
    for values in ([0.0, 2.0, 0.0, 0.0, 3.0, 4.0], [0.0, 0.0, 0.0, 1.0, 2.0, 0.0]):
        src = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        for graph in (False, True):
            y = x.scatter_reduce(0, index, src, "prod")
            found = torch.autograd.grad(y.sum(), (x, src), create_graph=graph)
            see(f"{values} {graph}", [g.detach() for g in found])


@program(rules="X-14")
def extremes_of_groups_of_truth_values(torch, see):
    x = torch.tensor([True, False, True, False])
    index, src = torch.tensor([0, 0, 1]), torch.tensor([False, False, True])
    for reduce in ("amax", "amin"):
        see(reduce, x.scatter_reduce(0, index, src, reduce, include_self=False))
