"""Autocast and GradScaler: what runs in which type, what is remembered, when a step is left out."""

import warnings

import pytest

from tests.oracle.data import wave
from tests.oracle.registry import program


def _tensor(torch, *shape, seed=0):
    return torch.tensor(wave(*shape, seed=seed))


_LOW = {
    "matmul": lambda t, a, b: t.matmul(a, a),
    "operator": lambda t, a, b: a @ a,
    "mm": lambda t, a, b: a.mm(a),
    "bmm": lambda t, a, b: t.bmm(b, b),
    "addmm": lambda t, a, b: t.addmm(a, a, a),
    "baddbmm": lambda t, a, b: t.baddbmm(b, b, b),
    "mv": lambda t, a, b: t.mv(a, a[0]),
    "dot": lambda t, a, b: a[0].dot(a[0]),
    "matrix and vector": lambda t, a, b: a @ a[0],
    "outer": lambda t, a, b: t.outer(a[0], a[0]),
    "einsum": lambda t, a, b: t.einsum("ij,jk->ik", a, a),
    "einsum of an outer product": lambda t, a, b: t.einsum("i,j->ij", a[0], a[0]),
    "tensordot": lambda t, a, b: t.tensordot(a, a, 1),
    "linear": lambda t, a, b: t.nn.functional.linear(a, a, a[0]),
    "conv1d": lambda t, a, b: t.nn.functional.conv1d(b, b),
    "inner": lambda t, a, b: t.inner(a, a),
    "attention": lambda t, a, b: t.nn.functional.scaled_dot_product_attention(b, b, b),
    "double": lambda t, a, b: a.double() @ a.double(),
    "integers": lambda t, a, b: a.long() @ a.long(),
    "out": lambda t, a, b: t.mm(a, a, out=t.empty(3, 3)),
    "in place": lambda t, a, b: a.clone().addmm_(a, a),
    "twice": lambda t, a, b: (a @ a) @ a,
    "then relu": lambda t, a, b: (a @ a).relu(),
    "then plus": lambda t, a, b: a @ a + a,
    "prelu": lambda t, a, b: t.nn.functional.prelu(a @ a, a[0, :1]),
}
_OTHER = {
    "softmax": lambda t, h: h.softmax(0),
    "exp": lambda t, h: h.exp(),
    "sum": lambda t, h: h.sum(),
    "layer_norm": lambda t, h: t.nn.functional.layer_norm(h, (3,)),
    "norm": lambda t, h: h.norm(),
    "batch_norm": lambda t, h: t.nn.functional.batch_norm(h, None, None, training=True),
    "cumsum": lambda t, h: h.cumsum(0),
    "prod": lambda t, h: h.prod(),
    "trace": lambda t, h: h.trace(),
    "cdist": lambda t, h: t.cdist(h, h),
    "quantile": lambda t, h: h.quantile(0.5),
    "cat": lambda t, h: t.cat([h, h.float()]),
    "cat alone": lambda t, h: t.cat([h, h]),
    "stack": lambda t, h: t.stack([h, h.float()]),
    "plus": lambda t, h: h + h.float(),
    "where": lambda t, h: t.where(h > 0, h, h.float()),
    "mse_loss": lambda t, h: t.nn.functional.mse_loss(h, h * 2),
    "l1_loss": lambda t, h: t.nn.functional.l1_loss(h, h * 2),
    "cross_entropy": lambda t, h: t.nn.functional.cross_entropy(h, t.tensor([0, 1, 2])),
    "nll_loss": lambda t, h: t.nn.functional.nll_loss(h, t.tensor([0, 1, 2])),
    "bce": lambda t, h: t.nn.functional.binary_cross_entropy_with_logits(h, h.sigmoid()),
    "kl_div": lambda t, h: t.nn.functional.kl_div(h, h * h),
    "gaussian_nll_loss": lambda t, h: t.nn.functional.gaussian_nll_loss(h, h * 2, h.abs()),
    "soft_margin": lambda t, h: t.nn.functional.multilabel_soft_margin_loss(h, h.sigmoid()),
    "reflected": lambda t, h: t.nn.functional.pad(h[None], (1, 1), mode="reflect"),
    "padded": lambda t, h: t.nn.functional.pad(h[None], (1, 1)),
    "inverse": lambda t, h: t.linalg.inv(h + 3 * t.eye(3).to(h.dtype)),
    "singular values": lambda t, h: t.linalg.svdvals(h),
    "fft": lambda t, h: t.fft.rfft(h),
}
_MODULES = [
    "RNN",
    "GRU",
    "LSTM",
    "RNNCell",
    "GRUCell",
    "LSTMCell",
    "Linear",
    "TransformerEncoderLayer",
]


@program(rules="X-11", each=list(_LOW))
def products_run_in_the_type_of_autocast(torch, see, case):
    a, b = _tensor(torch, 3, 3), _tensor(torch, 2, 3, 3)
    with torch.autocast("cpu"):
        see("bfloat16", _LOW[case](torch, a, b))
    with torch.autocast("cpu", dtype=torch.float16):
        see("float16", str(_LOW[case](torch, a, b).dtype).rpartition(".")[2])
    with torch.autocast("cpu", enabled=False):
        see("disabled", _LOW[case](torch, a, b))
    see("after", _LOW[case](torch, a, b))


@program(rules="X-11", each=list(_OTHER))
def the_others_in_float32_or_their_own_type(torch, see, case):
    half = _tensor(torch, 3, 3).to(torch.bfloat16)
    with torch.autocast("cpu"):
        see("result", _OTHER[case](torch, half))


@program(rules="X-11", each=_MODULES)
def types_of_modules(torch, see, case):
    sizes = (4, 2, 8) if case.startswith("Trans") else (4, 4)
    module = getattr(torch.nn, case)(*sizes)
    x = _tensor(torch, 3, 4) if "Cell" in case else _tensor(torch, 2, 3, 4)

    def kinds(found):
        if isinstance(found, (tuple, list)):
            return [kinds(f) for f in found]
        return str(found.dtype).rpartition(".")[2]

    with torch.autocast("cpu"):
        try:
            found = module(x)
        except RuntimeError as error:
            if "could not create a primitive" not in str(error):
                raise
            pytest.skip(f"PyTorch has no {case} in bfloat16 on this processor")
        see("types", kinds(found))


@program(rules="X-11")
def nested_blocks_and_questions(torch, see):
    a = _tensor(torch, 2, 2)
    kind = lambda: str((a @ a).dtype).rpartition(".")[2]  # noqa: E731
    see("before", [torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled()])
    with torch.amp.autocast("cpu"):
        see("on", [kind(), torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled("cuda")])
        with torch.autocast(device_type="cpu", enabled=False):
            see("off", [kind(), torch.is_autocast_enabled("cpu")])
            with torch.autocast("cpu", dtype=torch.float16):
                see("on again", kind())
                see("type", str(torch.get_autocast_dtype("cpu")).rpartition(".")[2])
        see("back", [kind(), str(torch.get_autocast_dtype("cpu")).rpartition(".")[2]])
    see("after", kind())
    see("cuda", str(torch.get_autocast_dtype("cuda")).rpartition(".")[2])
    see("cache", torch.is_autocast_cache_enabled())
    see("available", torch.amp.is_autocast_available("cpu"))
    see.raises("another device", lambda: torch.autocast("abacus"))
    see.raises("no device", lambda: torch.autocast(dtype=torch.bfloat16))
    see.raises("no string", lambda: torch.autocast(3))
    try:
        with torch.autocast("cpu"):
            {}["gone"]
    except KeyError:
        see("after an error", [kind(), torch.is_autocast_enabled("cpu")])

    @torch.autocast("cpu")
    def decorated(x):
        return x @ x

    see("decorated", decorated(a))
    see("outside", kind())


@program(rules="X-11")
def autocast_that_cannot_be(torch, see):
    a = _tensor(torch, 2, 2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autocast("cuda"):
            see("cuda", a @ a)
        with torch.autocast("cpu", dtype=torch.float32):
            see("float32", a @ a)
        with torch.cpu.amp.autocast():
            see("older name", a @ a)
    see("warnings", [w.category.__name__ for w in caught])


@program(rules="X-11")
def gradients_under_autocast(torch, see):
    w = _tensor(torch, 3, 3).requires_grad_()
    x = _tensor(torch, 2, 3, seed=4)
    with torch.autocast("cpu"):
        y = torch.nn.functional.linear(x, w)
        z = torch.nn.functional.linear(y, w)
        loss = torch.nn.functional.mse_loss(z, torch.zeros(2, 3))
    see("loss", loss)
    see.graph("the weight is converted once", z)
    loss.backward()
    see("gradient", w.grad)
    with torch.autocast("cpu", cache_enabled=False):
        see.graph("or each time", torch.nn.functional.linear(torch.nn.functional.linear(x, w), w))


@program(rules="X-11")
def own_functions_under_autocast(torch, see):
    seen = []

    class Square(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        def forward(ctx, x):
            seen.append((str(x.dtype).rpartition(".")[2], torch.is_autocast_enabled("cpu")))
            ctx.save_for_backward(x)
            return x @ x

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            seen.append((str(grad.dtype).rpartition(".")[2], torch.is_autocast_enabled("cpu")))
            return grad @ x.t() + x.t() @ grad

    class Plain(Square):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu")
        def forward(ctx, x):
            seen.append((str(x.dtype).rpartition(".")[2], torch.is_autocast_enabled("cpu")))
            ctx.save_for_backward(x)
            return x @ x

    for function in (Square, Plain):
        x = _tensor(torch, 2, 2).requires_grad_()
        with torch.autocast("cpu"):
            y = function.apply(x.to(torch.bfloat16))
        see(f"{function.__name__}: result", y)
        y.sum().backward()
        see(f"{function.__name__}: gradient", x.grad)
    see("seen", seen)


@program(rules="X-11")
def a_scaler_without_cuda_does_nothing(torch, see):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scaler = torch.amp.GradScaler()
        old = torch.cuda.amp.GradScaler()
    see("warnings", [w.category.__name__ for w in caught])
    see("enabled", [scaler.is_enabled(), old.is_enabled(), scaler.get_scale()])
    w = _tensor(torch, 3).requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.1)
    loss = (w * w).sum()
    see("same", scaler.scale(loss) is loss)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    see("stepped", w)
    see("state", scaler.state_dict())
    scaler.load_state_dict({})


@program(rules="X-11")
def a_scaler_scales_and_steps(torch, see):
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    w = _tensor(torch, 3).requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.1)
    see("scale", scaler.get_scale(), expect=8.0)
    for number, factor in enumerate((1.0, 1.0, float("inf"), 1.0, float("nan"), 1.0, 1.0)):
        optimizer.zero_grad()
        loss = (w * w).sum()
        scaler.scale(loss * factor).backward()
        see(f"{number}: gradient", w.grad)
        if number % 2:
            scaler.unscale_(optimizer)
            see(f"{number}: unscaled", w.grad)
        scaler.step(optimizer)
        scaler.update()
        see(f"{number}: weight", w)
        see(f"{number}: scale", scaler.get_scale())
        see(f"{number}: state", scaler.state_dict())
    see("several", [t.item() for t in scaler.scale([torch.ones(()), torch.ones(()) * 2])])
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    see("loaded", [other.get_scale(), other.get_growth_interval(), other.get_backoff_factor()])
    scaler.update(3.0)
    see("given", scaler.get_scale())


@program(rules="X-11")
def mistakes_with_scalers(torch, see):
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    w = _tensor(torch, 3).requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.1)
    see.raises("update", scaler.update, phrase="_scale is None")
    scaler.scale((w * w).sum()).backward()
    see.raises("nothing seen", scaler.update, phrase="No inf checks")
    see.raises(
        "closure", lambda: scaler.step(optimizer, closure=lambda: 0), phrase="Closure use is not"
    )
    scaler.unscale_(optimizer)
    see.raises("twice", lambda: scaler.unscale_(optimizer), phrase="already been called")
    scaler.step(optimizer)
    see.raises("step twice", lambda: scaler.step(optimizer), phrase="already been called")
    see.raises("after step", lambda: scaler.unscale_(optimizer), phrase="called after step")
    scaler.update()
    none = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
    see.raises("no gradients", lambda: scaler.step(none), phrase="No inf checks")
    half = torch.zeros(2, dtype=torch.float16, requires_grad=True)
    half.grad = torch.ones(2, dtype=torch.float16)
    see.raises("float16", lambda: scaler.unscale_(torch.optim.SGD([half], lr=0.1)), phrase="FP16")
    see.raises("empty", lambda: scaler.load_state_dict({}), phrase="state dict is empty")
    see.raises("no tensor", lambda: scaler.scale(3), phrase="must be a Tensor or an iterable")


@program(rules="X-11", each=["bfloat16", "float16"])
def training_in_mixed_precision(torch, see, case):
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Linear(12, 2)
    )
    with torch.no_grad():
        for number, parameter in enumerate(model.parameters()):
            parameter.copy_(_tensor(torch, *parameter.shape, seed=number) * 0.3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scaler = torch.amp.GradScaler("cpu", init_scale=16.0)
    x, target = _tensor(torch, 4, 1, 4, 4, seed=9), torch.tensor([0, 1, 1, 0])
    losses = []
    for _ in range(4):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=getattr(torch, case)):
            out = model(x)
            loss = nn.functional.cross_entropy(out, target)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    see("type", str(out.dtype).rpartition(".")[2])
    see("losses", torch.tensor(losses, dtype=torch.bfloat16))
    see("weights", [p.detach().to(torch.bfloat16) for p in model.parameters()])


@program(rules="X-33")
def what_autocast_is_told_has_a_type(torch, see):
    see.raises("a word", lambda: torch.set_autocast_enabled("cpu", "yes"), phrase="must be bool")
    see.raises("one argument", lambda: torch.set_autocast_enabled(1), phrase="must be bool")
    see.raises("nothing", lambda: torch.set_autocast_enabled("cpu", None), phrase="must be bool")
    see.raises("cache", lambda: torch.set_autocast_cache_enabled(1), phrase="must be")
    see.raises("type", lambda: torch.set_autocast_dtype("cpu", 1), phrase="dtype")
    see.raises("device", lambda: torch.get_autocast_dtype(None), phrase="must be str")
    see.raises("is it on", lambda: torch.is_autocast_enabled(None), phrase="must be str")
    see("still off", torch.is_autocast_enabled("cpu"), expect=False)


@program(rules="X-33")
def inside_autocast_what_is_no_tensor_is_refused_as_outside(torch, see):
    a = _tensor(torch, 3, 3)
    with torch.autocast("cpu"):
        for name, call in {
            "product": lambda: torch.mm([1.0], a),
            "trace": lambda: torch.trace([1.0]),
            "layer": lambda: torch.nn.functional.linear((1.0,), a),
        }.items():
            see.raises(name, call, phrase="must be Tensor")
