"""Functions that make tensors: where, of which type and in which memory, said by keywords."""

from tests.oracle.registry import program

#: Like another tensor, by its first argument; `{}` is where settings go.
LIKE = {
    "zeros_like": "torch.zeros_like(x, {})",
    "ones_like": "torch.ones_like(x, {})",
    "empty_like": "torch.empty_like(x, {})",
    "full_like": "torch.full_like(x, 2, {})",
    "rand_like": "torch.rand_like(x, {})",
    "randn_like": "torch.randn_like(x, {})",
    "randint_like": "torch.randint_like(x, 5, {})",
    "randint_like from": "torch.randint_like(x, 2, 5, {})",
}

DRAWN_LIKE = ("rand_like", "randn_like", "randint_like", "randint_like from")

NEW = {
    "new_zeros": "x.new_zeros((2, 3), {})",
    "new_ones": "x.new_ones(2, 3, {})",
    "new_empty": "x.new_empty((2, 3), {})",
    "new_full": "x.new_full((2, 3), 2, {})",
    "new_empty_strided": "x.new_empty_strided((2, 3), (1, 2), {})",
    "new_tensor": "x.new_tensor([1.0, 2.0], {})",
}

MADE = {
    "zeros": "torch.zeros(2, 3, {})",
    "ones": "torch.ones(2, 3, {})",
    "empty": "torch.empty(2, 3, {})",
    "full": "torch.full((2, 3), 2.0, {})",
    "empty_strided": "torch.empty_strided((2, 3), (1, 2), {})",
    "empty_permuted": "torch.empty_permuted((2, 3), (1, 0), {})",
    "scalar_tensor": "torch.scalar_tensor(2.0, {})",
    "arange": "torch.arange(3.0, {})",
    "linspace": "torch.linspace(0, 1, 3, {})",
    "logspace": "torch.logspace(0, 1, 3, {})",
    "eye": "torch.eye(2, {})",
    "rand": "torch.rand(2, 3, {})",
    "randn": "torch.randn((2, 3), {})",
    "randint": "torch.randint(5, (2, 3), {})",
    "normal": "torch.normal(0.0, 1.0, (2, 3), {})",
    "hann_window": "torch.hann_window(3, {})",
}

SETTINGS = {
    "device": "device='cpu'",
    "device of another": "device=x.device",
    "no device": "device=None",
    "dtype": "dtype=torch.float64",
    "no dtype": "dtype=None",
    "layout": "layout=torch.strided",
    "no layout": "layout=None",
    "pin_memory": "pin_memory=False",
    "requires_grad": "dtype=torch.float64, requires_grad=True",
    "all": "dtype=torch.float32, device=x.device, layout=torch.strided, pin_memory=False, requires_grad=True",
}

FORMATS = ("preserve_format", "contiguous_format", "channels_last")


def _see_made(see, name, made):
    see(f"{name}: dtype", str(made.dtype).rpartition(".")[2])
    see(f"{name}: stride", (tuple(made.shape), tuple(made.stride())))
    see(f"{name}: leaf", (made.requires_grad, made.is_leaf))


def _evaluate(torch, call, settings, x):
    return eval(call.format(settings), {"torch": torch, "x": x})


@program(rules="Y-2", each=LIKE)
def tensors_like_another_take_every_setting(torch, see, name):
    models = {
        "in order": torch.ones(2, 3),
        "transposed": torch.ones(2, 3).t(),
        "integers": torch.ones(2, dtype=torch.int32),
    }
    for which, x in models.items():
        for setting, words in SETTINGS.items():
            if which == "integers" and "dtype=torch" not in words:
                continue
            _see_made(see, f"{which}, {setting}", _evaluate(torch, LIKE[name], words, x))
    images = torch.ones(1, 2, 3, 4).contiguous(memory_format=torch.channels_last)
    for form in FORMATS:
        for which, x in (("images", images), ("in order", torch.ones(1, 2, 3, 4))):
            words = f"memory_format=torch.{form}, device=x.device"
            _see_made(see, f"{which}, {form}", _evaluate(torch, LIKE[name], words, x))


@program(rules="Y-2", each=DRAWN_LIKE)
def numbers_drawn_like_another_come_from_the_generator_given(torch, see, name):
    x = torch.ones(4)
    generator = torch.Generator().manual_seed(3)
    first = _evaluate(torch, LIKE[name], "generator=None", x)
    drawn = [
        eval(LIKE[name].format("generator=g"), {"torch": torch, "x": x, "g": g})
        for g in (generator, torch.Generator().manual_seed(3), generator)
    ]
    see("made", tuple(first.shape))
    see("the same seed", torch.equal(drawn[0], drawn[1]), expect=True)
    if not name.startswith("randint"):
        see("goes on", torch.equal(drawn[0], drawn[2]), expect=False)


@program(rules="Y-2", each=NEW)
def new_tensors_take_every_setting(torch, see, name):
    for which, x in (("float", torch.ones(1)), ("double", torch.ones(1, dtype=torch.float64))):
        for setting, words in SETTINGS.items():
            if name == "new_tensor" and ("layout" in words or "pin" in words):  # it takes neither
                continue
            _see_made(see, f"{which}, {setting}", _evaluate(torch, NEW[name], words, x))


@program(rules="Y-2", each=MADE)
def functions_that_make_tensors_take_every_setting(torch, see, name):
    x = torch.ones(1)
    for setting, words in SETTINGS.items():
        _see_made(see, setting, _evaluate(torch, MADE[name], words, x))


@program(rules="Y-2")
def places_take_every_setting(torch, see):
    for call in ("randperm(4, {})", "tril_indices(2, 2, {})", "triu_indices(2, 2, {})"):
        for words in (
            "device='cpu'",
            "dtype=torch.int32",
            "layout=torch.strided",
            "pin_memory=False",
        ):
            _see_made(see, f"{call} {words}", _evaluate(torch, f"torch.{call}", words, None))
        see.raises(
            call, lambda call=call: _evaluate(torch, f"torch.{call}", "requires_grad=True", None),
            phrase="floating point",
        )  # fmt: skip


@program(rules="Y-2", each={**LIKE, **NEW, **MADE})
def a_setting_that_is_none_is_a_type_error(torch, see, name):
    call = {**LIKE, **NEW, **MADE}[name]
    x = torch.ones(2, 3)
    wrong = ["requires_grad=1", "device=0.5", "dtype=3", "bogus=1", "names=None"]
    if name != "new_tensor":
        wrong.append("layout=3")
    if name in {**NEW, **MADE} and name != "empty":
        wrong.append("memory_format=torch.contiguous_format")
    for words in wrong:
        see.raises(words, lambda words=words: _evaluate(torch, call, words, x))


@program(rules="Y-2")
def zeros_may_be_asked_for_in_a_sparse_layout(torch, see):
    x = torch.ones(2, 3)
    made = {
        "zeros": torch.zeros(2, 3, layout=torch.sparse_coo),
        "empty": torch.empty((2, 3), layout=torch.sparse_coo),
        "rows": torch.zeros(2, 3, layout=torch.sparse_csr, dtype=torch.float64),
        "zeros_like": torch.zeros_like(x, layout=torch.sparse_coo),
        "new_zeros": x.new_zeros((2, 3), layout=torch.sparse_coo),
        "new_empty": x.new_empty(2, 3, layout=torch.sparse_coo),
        "a leaf": torch.zeros(2, 3, layout=torch.sparse_coo, requires_grad=True),
    }
    for name, tensor in made.items():
        see(f"{name}: layout", str(tensor.layout).rpartition(".")[2])
        see(f"{name}: leaf", (tensor.requires_grad, tensor.is_leaf))
        see(f"{name}: values", tensor.detach().to_dense())
    for name in ("ones", "rand", "randn"):
        see.raises(name, lambda name=name: getattr(torch, name)(2, layout=torch.sparse_coo))
    for name in ("ones_like", "rand_like", "randn_like"):
        see.raises(name, lambda name=name: getattr(torch, name)(x, layout=torch.sparse_coo))


@program(rules="Y-2")
def memory_may_be_asked_for_in_an_order_of_dimensions(torch, see):
    for size, order in (((2, 3, 4), (2, 0, 1)), ((2, 0, 3), (1, 0, 2)), ((), ()), ((5,), (0,))):
        made = torch.empty_permuted(size, order)
        see(f"{size} {order}", (tuple(made.shape), tuple(made.stride())))
    see.raises("twice", lambda: torch.empty_permuted((2, 3), (1, 1)), phrase="Duplicate dim")
    see.raises("too few", lambda: torch.empty_permuted((2, 3), (1,)), phrase="physical_layout")
    see.raises("negative", lambda: torch.empty_permuted((2, 3), (1, -2)), phrase="out of range")
