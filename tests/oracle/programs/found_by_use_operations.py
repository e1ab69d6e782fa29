"""What other people's programs found in the operations: names that were missing, wrong values."""

from collections import deque
from functools import partial

from tests.oracle.data import wave
from tests.oracle.registry import program

_M = wave(3, 4)


def _f64(torch, values):
    return torch.tensor(values, dtype=torch.float64)


@program(rules="X-16")
def questions_about_devices_that_are_not_there(torch, see):
    x = torch.ones(2)
    for name in [
        "xpu",
        "mps",
        "ipu",
        "xla",
        "vulkan",
        "meta",
        "mkldnn",
        "quantized",
        "nested",
        "maia",
        "mtia",
        "cuda",
    ]:
        see(name, getattr(x, f"is_{name}"), expect=False)
    see("cpu", x.is_cpu, expect=True)
    see("shared", x.is_shared(), expect=False)
    see("distributed", torch.is_distributed(x), expect=False)


@program(rules="X-16 X-32")
def operators_with_the_tensor_on_the_right(torch, see):
    x = _f64(torch, [1.5, 2.0, 4.0]).requires_grad_()
    other = _f64(torch, [7.0, 5.0, 3.0]).requires_grad_()
    for name in [
        "__rsub__",
        "__rdiv__",
        "__rtruediv__",
        "__rpow__",
        "__radd__",
        "__rmul__",
        "__div__",
        "__sub__",
    ]:
        for what, value in {
            "int": 3,
            "float": 2.5,
            "tensor": other,
            "ints": torch.tensor([1, 2, 3]),
        }.items():
            made = getattr(x, name)(value)
            see(f"{name} {what}", made)
            leaves = (x, other) if value is other else (x,)
            see(
                f"{name} {what}: gradient",
                torch.autograd.grad(made.sum(), leaves, allow_unused=True),
            )
    for name in ["__rmod__", "__rfloordiv__", "__mod__", "__floordiv__"]:
        for what, value in {"float": 7.5, "tensor": other.detach()}.items():
            see(f"{name} {what}", getattr(x.detach(), name)(value))
    whole = torch.tensor([1, 2, 3])
    see("2 << t", 2 << whole)
    see("64 >> t", 64 >> whole)
    for name in [
        "__rsub__",
        "__rmod__",
        "__rfloordiv__",
        "__rtruediv__",
        "__rpow__",
        "__mod__",
        "__pow__",
        "__matmul__",
    ]:
        see(f"{name} of a string", getattr(x, name)("text") is NotImplemented, expect=True)


_PIECES = [
    {},
    {"hop_length": 2},
    {"win_length": 3},
    {"onesided": False},
    {"normalized": True},
    {"center": False},
    {"pad_mode": "circular"},
    {"pad_mode": "replicate"},
]


@program(rules="X-32")
def short_time_transforms(torch, see):
    for options in _PIECES:
        x = _f64(torch, wave(2, 12)).requires_grad_()
        window = _f64(torch, wave(options.get("win_length", 4), low=0.3, high=1.0))
        for whole in (True, False):
            made = torch.stft(x, 4, window=window, return_complex=whole, **options)
            see(f"{options} {whole}", made)
            see(f"{options} {whole}: gradient", torch.autograd.grad(made.abs().sum(), x))
    see.raises("integers", lambda: torch.stft(torch.arange(12), 4, return_complex=True))


@program(rules="X-32")
def inverse_short_time_transforms(torch, see):
    for options in (
        {},
        {"hop_length": 2},
        {"win_length": 3, "hop_length": 2},
        {"length": 4},
        {"onesided": False},
    ):
        for rows in (3, 4):
            z = torch.complex(
                _f64(torch, wave(rows, 5)), _f64(torch, wave(rows, 5, seed=1))
            ).requires_grad_()
            window = _f64(torch, wave(options.get("win_length", 4), low=0.5, high=1.0))
            call = partial(torch.istft, z, 4, window=window, **options)
            see.attempt(f"{options} {rows}", call)
            if not hasattr(see.outcome(call), "kind"):
                see(f"{options} {rows}: gradient", torch.autograd.grad(call().pow(2).sum(), z))
    see.raises("real input", lambda: torch.istft(torch.ones(3, 5), 4), phrase="complex")
    see.raises(
        "complex window",
        lambda: torch.istft(torch.ones(3, 5) + 0j, 4, window=torch.ones(4) + 0j),
        phrase="window",
    )


@program(rules="X-32 X-30")
def index_fill_by_a_number_that_has_a_gradient(torch, see):
    for shape in ((), (3,), (3, 4)):
        for index in ([0], [0, 0], [-1]):
            if shape == () and index == [-1]:
                continue
            x = _f64(torch, wave(*shape) if shape else 0.4).requires_grad_()
            v = _f64(torch, 1.7).requires_grad_()
            made = x.index_fill(0, torch.tensor(index), v)
            see(f"{shape} {index}", made)
            if index != [-1]:
                see(f"{shape} {index}: gradient", torch.autograd.grad(made.pow(2).sum(), (x, v)))
    x = torch.ones(3)
    see.raises(
        "a vector", lambda: x.index_fill(0, torch.tensor([0]), torch.ones(1)), phrase="0-dim"
    )
    see.raises("outside", lambda: x.index_fill(0, torch.tensor([3]), 1.0))
    see.raises("a complex number", lambda: x.index_fill(0, torch.tensor([0]), 1j))


@program(rules="X-32 X-30")
def masked_scatter_from_sources_of_any_shape(torch, see):
    mask = torch.tensor([[True, False, True], [False, True, True]])
    for shape in ((6,), (2, 3), (3, 2), (2, 2, 2), (4,)):
        x, s = (
            _f64(torch, wave(2, 3)).requires_grad_(),
            _f64(torch, wave(*shape, seed=2)).requires_grad_(),
        )
        made = x.masked_scatter(mask, s)
        see(f"{shape}", made)
        see(f"{shape}: gradient", torch.autograd.grad(made.pow(2).sum(), (x, s)))
    x, s = _f64(torch, wave(2, 3)).requires_grad_(), _f64(torch, wave(9)).requires_grad_()
    made = x.masked_scatter(mask[0], s)
    see("mask of a row", made)
    see("mask of a row: gradient", torch.autograd.grad(made.pow(2).sum(), (x, s)))
    number, one = _f64(torch, 2.0).requires_grad_(), _f64(torch, 3.0).requires_grad_()
    made = number.masked_scatter(torch.tensor(True), one)
    see("numbers: gradient", torch.autograd.grad(made * made, (number, one)))


@program(rules="X-32")
def index_reduce_of_numbers_and_vectors(torch, see):
    for reduce in ("prod", "mean", "amax", "amin"):
        for include in (True, False):
            x, s = (
                _f64(torch, wave(3, 2)).requires_grad_(),
                _f64(torch, wave(4, 2, seed=3)).requires_grad_(),
            )
            made = x.index_reduce(0, torch.tensor([0, 2, 0, 2]), s, reduce, include_self=include)
            see(f"{reduce} {include}", made)
            see(f"{reduce} {include}: gradient", torch.autograd.grad(made.pow(2).sum(), (x, s)))
    x, s = _f64(torch, 2.0).requires_grad_(), _f64(torch, 3.0).requires_grad_()
    made = x.index_reduce(0, torch.tensor([0]), s, "prod")
    see("numbers", made)
    see("numbers: gradient", torch.autograd.grad(made, (x, s)))
    see.raises(
        "as many",
        lambda: torch.ones(3).index_reduce(0, torch.tensor([0]), torch.ones(3), "prod"),
        phrase="should be equal to source.size",
    )


@program(rules="X-32")
def gradient_with_spacings_and_dims(torch, see):
    places = [_f64(torch, [0.0, 1, 3]), _f64(torch, [0.0, 2, 3, 7])]
    for order in (1, 2):
        for what, options in {
            "numbers": {"spacing": [0.5, 2.0]},
            "swapped": {"spacing": [0.5, 2.0], "dim": (1, 0)},
            "places": {"spacing": places},
            "one dim": {"spacing": (places[1],), "dim": 1},
            "places swapped": {"spacing": places[::-1], "dim": (1, 0)},
        }.items():
            x = _f64(torch, wave(3, 4)).requires_grad_()
            made = torch.gradient(x, edge_order=order, **options)
            see(f"{order} {what}", list(made))
            see(
                f"{order} {what}: gradient",
                torch.autograd.grad(sum(m.pow(2).sum() for m in made), x),
            )
    x = torch.ones(3, 4)
    see("no dims", len(torch.gradient(x, dim=())), expect=0)
    see.raises("lengths", lambda: torch.gradient(x, spacing=[1.0, 2.0, 3.0]))


@program(rules="X-32")
def mean_and_spread_without_dims(torch, see):
    for name in ("var_mean", "std_mean"):
        for args in ((), (False,), (True,), (None,), (0,), (0, False), (1, True, True)):
            x = _f64(torch, wave(3, 4)).requires_grad_()
            made = getattr(torch, name)(x, *args)
            see(f"{name} {args}", list(made))
            see(f"{name} {args}: gradient", torch.autograd.grad(sum(m.sum() for m in made), x))


class _Own:
    """A sequence by its methods alone."""

    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, place):
        return self.items[place]


_SEQUENCES = {
    "deque": deque([1.0, 2.0]),
    "deque of deques": deque([deque([1, 2]), deque([3, 4])]),
    "list of deques": [deque([1.5, 2]), deque([3, 4])],
    "of one's own": _Own([1, 2, 3]),
    "nothing": deque(),
    "range": range(3),
}


@program(rules="X-32", each=_SEQUENCES)
def any_sequence_makes_a_tensor(torch, see, name):
    see("tensor", torch.tensor(_SEQUENCES[name]))
    see("as_tensor", torch.as_tensor(_SEQUENCES[name]))
    see("typed", torch.tensor(_SEQUENCES[name], dtype=torch.float64))
    see.raises(
        "ragged", lambda: torch.tensor([deque([1]), [1, 2]]), phrase="expected sequence of length"
    )
    see.raises("a set", lambda: torch.tensor({1, 2}))
    see.raises("bytes", lambda: torch.tensor(b"ab"))


@program(rules="T-95")
def differences_of_too_few_elements_and_of_none_are_new_memory(torch, see):
    x = torch.tensor([[1.0], [4.0]], requires_grad=True)
    for n in range(3):
        y = x.diff(n, prepend=torch.zeros(2, 1))
        see(f"{n} times", (y, y._is_view(), y.requires_grad))
        with torch.no_grad():
            see(f"{n} times, not recorded", x.diff(n).requires_grad, expect=False)
    see("gradient", torch.autograd.grad(x.diff(0).sum(), x)[0])


@program(rules="T-95")
def triangles_prelu_and_complex_of_small_and_turned_tensors(torch, see):
    number = torch.tensor(-2.0, requires_grad=True)
    see.raises("triu_", lambda: torch.tensor(1.0).triu_(), phrase="at least 2 dimensions")
    see.raises("tril_", lambda: torch.ones(2).tril_(), phrase="at least 2 dimensions")
    layer = torch.nn.PReLU()
    layer(number).backward()
    see("prelu of a number", (number.grad, layer.weight.grad))
    x = torch.ones(2, 3).t()
    see("strides", (torch.complex(x, x).stride(), torch.polar(x, x).stride()), expect=((1, 3),) * 2)


@program(rules="T-95")
def elements_that_are_one_place_share_the_gradient_of_a_strided_view(torch, see):
    column = torch.tensor([[1.0], [2.0]], requires_grad=True)
    w = torch.tensor([1.0, 2.0])

    def strided(x):
        return x.expand(2, 3).as_strided((2,), (1,))

    see(
        "of the column",
        torch.autograd.grad((strided(column) * w).sum(), column)[0],
        expect=[[1], [2]],
    )
    wide = torch.ones(2, 1).expand(2, 3).requires_grad_()
    see("of a leaf", torch.autograd.grad((wide.as_strided((2,), (1,)) * w).sum(), wide)[0])
    first = torch.autograd.grad((strided(column) ** 3).sum(), column, create_graph=True)[0]
    see("twice", torch.autograd.grad(first.sum(), column)[0], expect=[[6], [12]])


@program(rules="T-95")
def a_comparison_in_place_has_derivative_0_by_both(torch, see):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for name in ("eq_", "ne_", "lt_", "le_", "gt_", "ge_", "greater_equal_"):
        y = torch.ones(3, 2)
        getattr(y, name)(x)
        see(name, (y, torch.autograd.grad(y.sum(), x)[0]))


@program(rules="T-95")
def ranges_fill_an_out_of_as_many_elements_as_it_is(torch, see):
    see("arange", torch.arange(4.0, out=torch.zeros(2, 2)).shape, expect=(2, 2))
    see("linspace", torch.linspace(0, 1, 4, out=torch.zeros(2, 2)), expect=[[0, 1 / 3], [2 / 3, 1]])
    see("rfftfreq", torch.fft.rfftfreq(6, out=torch.zeros(2, 2)))
    see("requires grad", torch.ones(2, out=torch.zeros(2), requires_grad=True).requires_grad)
    see.raises("a negative count", lambda: torch.fft.fftfreq(-4), phrase="negative dimension")


@program(rules="T-95")
def bools_are_added_and_multiplied_as_or_and_and(torch, see):
    yes = torch.tensor([True])
    for alpha in (-1, 0, 2):
        see(f"{alpha}", torch.addr(yes[0] & False, yes, yes, alpha=alpha))
    x = torch.ones(2, 3).t()
    see("strides", (torch.erf(x).stride(), torch.ceil(x.int()).stride()), expect=((1, 3), (1, 3)))
    see("places", [t.stride() for t in torch.where(torch.ones(2, 2))], expect=[(1,), (1,)])
