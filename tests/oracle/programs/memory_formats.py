"""`memory_format=`: in which order the elements of copies lie, and that gradients follow their leaf."""

from tests.oracle.registry import program

_RANKS = {"channels_last": (2, 3, 4, 5), "channels_last_3d": (2, 3, 4, 5, 6)}
_FORMATS = ["contiguous_format", "preserve_format", "channels_last"]


def _image(torch, *shape):
    count = 1
    for n in shape:
        count *= n
    return torch.arange(float(count)).reshape(shape)


@program(rules="X-11", each=list(_RANKS))
def channels_last(torch, see, case):
    form = getattr(torch, case)
    x = _image(torch, *_RANKS[case])
    y = x.contiguous(memory_format=form)
    see.layout("contiguous", y)
    see("values", y)
    see("in C order", [x.is_contiguous(memory_format=form), x.is_contiguous()])
    see("in this order", [y.is_contiguous(memory_format=form), y.is_contiguous()])
    see("there already", [y.contiguous(memory_format=form) is y, y.to(memory_format=form) is y])
    see("back", y.contiguous().stride())
    see("cloned", [y.clone().stride(), x.clone(memory_format=form).stride()])
    see("empty", torch.empty(x.shape, memory_format=form).stride())
    see("name", repr(form).rpartition(".")[2])
    see("kind", isinstance(form, torch.memory_format))
    see.raises("rank", lambda: x[0, 0, 0].clone(memory_format=form), phrase="required rank")
    see.raises("rank of to", lambda: x[0, 0, 0].to(memory_format=form), phrase="required rank")
    see.raises(
        "rank of contiguous", lambda: x[0].contiguous(memory_format=form), phrase="required rank"
    )
    see("rank of the question", x[0].is_contiguous(memory_format=form))


@program(rules="X-11", each=_FORMATS)
def copies_in_a_format(torch, see, case):
    form = getattr(torch, case)
    x = _image(torch, 2, 3, 4, 5)
    y = x.contiguous(memory_format=torch.channels_last)
    for name, t in (("plain", x), ("channels last", y), ("part", y[:, :, ::2]), ("turned", x.mT)):
        see(f"{name}: clone", t.clone(memory_format=form).stride())
        see(f"{name}: to", t.to(torch.float64, memory_format=form).stride())
        see(f"{name}: to alone", t.to(memory_format=form).stride())
        see(f"{name}: double", t.double(memory_format=form).stride())
        see(f"{name}: half", t.half(memory_format=form).stride())
        see(f"{name}: float", t.float(memory_format=form).stride())
        for like in ("zeros_like", "ones_like", "empty_like", "rand_like", "randn_like"):
            see(f"{name}: {like}", getattr(torch, like)(t, memory_format=form).stride())
        see(f"{name}: full_like", torch.full_like(t, 3.0, memory_format=form).stride())
        see(f"{name}: randint_like", torch.randint_like(t, 3, memory_format=form).stride())
        see(f"{name}: values", t.clone(memory_format=form))
    if case != "preserve_format":
        see("contiguous", [t.contiguous(memory_format=form).stride() for t in (x, y)])


@program(rules="X-11")
def without_a_format_the_order_is_kept(torch, see):
    y = _image(torch, 2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    part = torch.zeros(6, 8).t()[::2]
    repeated = torch.zeros(3, 1).expand(3, 4)
    for name, t in (("channels last", y), ("part", part), ("repeated", repeated)):
        see(f"{name}: clone", t.clone().stride())
        see(f"{name}: double", t.double().stride())
        see(f"{name}: zeros_like", torch.zeros_like(t).stride())
        see(f"{name}: rand_like", torch.rand_like(t).stride())
        see(f"{name}: contiguous", t.contiguous().stride())
    see("one", (y + 1).stride())
    see("relu", torch.relu(y).stride())
    see("two", (y * y).stride())


@program(rules="X-11")
def mistakes_with_formats(torch, see):
    x = _image(torch, 2, 3, 4, 5)
    see.raises("empty", lambda: torch.empty(2, 3, memory_format=torch.preserve_format))
    see.raises("a number", lambda: x.to(memory_format=3))
    see.raises("a number to clone", lambda: x.clone(memory_format=3))


@program(rules="X-11 E-63", each=["contiguous", "clone", "to"])
def gradients_through_a_format(torch, see, case):
    form = torch.channels_last
    copy = {
        "contiguous": lambda t: t.contiguous(memory_format=form),
        "clone": lambda t: t.clone(memory_format=form),
        "to": lambda t: t.to(torch.float64, memory_format=form),
    }[case]
    x = _image(torch, 2, 3, 2, 2).requires_grad_()
    y = copy(x)
    see.graph("graph", y)
    (y * _image(torch, 2, 3, 2, 2)).sum().backward()
    see("gradient", x.grad)
    see("strides", x.grad.stride())


@program(rules="X-11 E-63")
def a_gradient_lies_as_its_leaf(torch, see):
    x = _image(torch, 2, 3, 4, 5)
    for name, leaf in (
        ("channels last", x.contiguous(memory_format=torch.channels_last)),
        ("turned", torch.zeros(3, 4).t()),
        ("with gaps", torch.zeros(4, 6)[:, ::2].detach()),
        ("3d", _image(torch, 2, 3, 2, 2, 2).contiguous(memory_format=torch.channels_last_3d)),
    ):
        for way, function in (
            ("product", lambda t: (t * 2).sum()),
            ("in C order", lambda t: (t.contiguous() * torch.ones(t.shape)).sum()),
            ("flat", lambda t: t.reshape(-1).sum()),
        ):
            own = leaf.detach().clone() if name != "with gaps" else leaf
            own = own.detach().requires_grad_()
            function(own).backward()
            see(f"{name}, {way}", own.grad.stride())
            own.grad = None


@program(rules="X-11")
def modules_in_a_format(torch, see):
    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(24, 2))
    model.to(memory_format=torch.channels_last)
    see("strides", [tuple(p.stride()) for p in model.parameters()])
    see("leaves", [p.is_leaf for p in model.parameters()])
    model(_image(torch, 2, 3, 4, 5)).sum().backward()
    see("gradients", [tuple(p.grad.stride()) for p in model.parameters()])
    model.to(torch.float64, memory_format=torch.contiguous_format)
    see("back", [(str(p.dtype).rpartition(".")[2], tuple(p.stride())) for p in model.parameters()])
    deep = nn.Conv3d(2, 3, 2).to(memory_format=torch.channels_last_3d)
    see("3d", deep.weight.stride())
    see.raises("rank", lambda: nn.Conv3d(2, 3, 2).to(memory_format=torch.channels_last))


@program(rules="X-11")
def images_keep_their_format(torch, see):
    F = torch.nn.functional
    x = _image(torch, 2, 3, 4, 5)
    y = x.contiguous(memory_format=torch.channels_last)
    w = _image(torch, 4, 3, 3, 3)
    last = w.contiguous(memory_format=torch.channels_last)
    see("convolution", [F.conv2d(a, b).stride() for a in (x, y) for b in (w, last)])
    see("transposed", F.conv_transpose2d(y, w.transpose(0, 1)).stride())
    see("batch norm", torch.nn.BatchNorm2d(3)(y).stride())
    see("max pool", F.max_pool2d(y, 2).stride())
    see("mean pool", F.avg_pool2d(y, 2).stride())
    see("adaptive", F.adaptive_avg_pool2d(y, 2).stride())
    see("nearest", F.interpolate(y, scale_factor=2.0).stride())
    see("bilinear", F.interpolate(y, scale_factor=2.0, mode="bilinear").stride())
    see("joined", torch.cat([y, y]).stride())
    see("values", F.conv2d(y, last))
