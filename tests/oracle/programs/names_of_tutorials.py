"""Names that tutorials use beside layers: forked random numbers, streams of data, folded norms, kernels."""

from tests.oracle.data import wave
from tests.oracle.registry import program


@program(rules="T-40")
def numbers_drawn_in_a_fork_do_not_count(torch, see):
    torch.manual_seed(3)
    first = torch.rand(2)
    torch.manual_seed(3)
    with torch.random.fork_rng(devices=[]):
        torch.rand(5)
        torch.manual_seed(11)
    see("as without", bool((torch.rand(2) == first).all()))
    with torch.random.fork_rng(enabled=False):
        torch.manual_seed(12)
    see("not forked", torch.random.initial_seed())

    def ends_with_an_error():
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(13)
            raise KeyError("within")

    see.raises("an error", ends_with_an_error, phrase="within")
    see("after it", torch.initial_seed())
    torch.random.manual_seed(7)
    see("one generator", torch.default_generator.initial_seed())
    state = torch.random.get_rng_state()
    drawn = torch.rand(3)
    torch.random.set_rng_state(state)
    see("again", bool((torch.rand(3) == drawn).all()))


@program(rules="T-50")
def what_things_are_called(torch, see):
    name = torch.__name__
    ours = lambda text: text.replace(name, "torch")  # noqa: E731  shorter than a def
    see("tensor", ours(torch.typename(torch.ones(2))), expect="torch.FloatTensor")
    see("number", torch.typename(3), expect="int")
    see("class", ours(torch.typename(torch.nn.Linear)), expect="torch.nn.modules.linear.Linear")
    see(
        "module",
        ours(torch.typename(torch.nn.Linear(1, 1))),
        expect="torch.nn.modules.linear.Linear",
    )
    see("function", torch.typename(len), expect="len")
    see("no GPU of AMD's", torch.version.hip, expect=None)


@program(rules="T-50")
def layers_without_starting_values(torch, see):
    skip = torch.nn.utils.skip_init
    layer = skip(torch.nn.Linear, 3, 2, bias=False)
    see("shape", layer.weight.shape)
    see("leaf", (layer.weight.is_leaf, layer.weight.requires_grad, layer.bias))
    see.raises("no module", lambda: skip(dict, 3), phrase="Expected a Module; got")

    class Own(torch.nn.Module):
        pass

    see.raises("no device", lambda: skip(Own), phrase="must support a 'device' arg")


@program(rules="T-55")
def batch_norms_of_several_processes_alone(torch, see):
    nn = torch.nn
    model = nn.Sequential(
        nn.BatchNorm1d(2), nn.Sequential(nn.BatchNorm2d(2, affine=False, momentum=None))
    )
    made = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    see("text", str(made))
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0], [4.0, 4.0]])
    see("training", made[0](x))
    see("running", made[0].running_var)
    see("counted", int(made[0].num_batches_tracked))
    see("eval", made.eval()[0](x))
    see("parameters", [name for name, _ in made.named_parameters()])
    one = nn.SyncBatchNorm(2)
    see.raises("a vector", lambda: one(x[0]), phrase="expected at least 2D input (got 1D input)")
    see("of more dims", one(x.reshape(3, 2, 1, 1, 1, 1)).flatten())


@program(rules="T-50")
def streams_one_after_the_other(torch, see):
    data = torch.utils.data

    class Stream(data.IterableDataset):
        def __init__(self, *items):
            self.items = items

        def __iter__(self):
            return iter(self.items)

    class Counted(Stream):
        def __len__(self):
            return len(self.items)

    see("chained", list(data.ChainDataset([Stream(1, 2), Stream(3)])))
    see("a sum", list(Stream(1, 2) + Stream(3)))
    see("its class", type(Stream(1) + Stream(3)).__name__)
    see("length", len(data.ChainDataset([Counted(1, 2), Counted(3)])))
    see.raises("no length", lambda: len(data.ChainDataset([Stream(1)])), phrase="no len()")
    see("batches", list(data.DataLoader(Stream(1, 2) + Stream(3, 4, 5), batch_size=2)))
    wrong = data.ChainDataset([[1, 2]])
    see.raises(
        "no stream", lambda: list(wrong), phrase="ChainDataset only supports IterableDataset"
    )
    see("no worker", data.get_worker_info())


CONVOLUTIONS = {
    "Conv1d": ((2, 4, 3), {}, (2, 2, 6)),
    "Conv2d": ((2, 4, 3), {"groups": 2, "bias": False}, (2, 2, 5, 5)),
    "ConvTranspose2d": ((2, 4, 3), {}, (2, 2, 5, 5)),
}


def settled(torch, module, seed):
    with torch.no_grad():
        for place, each in enumerate([*module.parameters(), *module.buffers()]):
            if each.dtype.is_floating_point:
                each.copy_(torch.tensor(wave(*each.shape, low=0.1, seed=seed + place)))
    return module.eval()


@program(rules="T-50", each=CONVOLUTIONS)
def a_batch_norm_is_folded_into_the_convolution_before_it(torch, see, name):
    utils, nn = torch.nn.utils, torch.nn
    settings, more, shape = CONVOLUTIONS[name]
    layer = settled(torch, getattr(nn, name)(*settings, **more), 1)
    x = torch.tensor(wave(*shape))
    turned = name.startswith("ConvTranspose")
    for affine in (True, False):
        norm = settled(torch, getattr(nn, f"BatchNorm{name[-2]}d")(4, affine=affine), 5)
        fused = utils.fuse_conv_bn_eval(layer, norm, transpose=turned)
        see(f"module {affine}", (repr(fused)[:6], fused is layer, fused.weight.requires_grad))
        see(f"parameters {affine}", list(fused.parameters()))
        see(f"equal {affine}", bool(torch.allclose(fused(x), norm(layer(x)), atol=1e-5)))
    layer.train()
    see.raises(
        "training", lambda: utils.fuse_conv_bn_eval(layer, norm), phrase="Fusion only for eval!"
    )


@program(rules="T-50")
def a_batch_norm_is_folded_into_a_linear_layer(torch, see):
    utils, nn = torch.nn.utils, torch.nn
    layer = settled(torch, nn.Linear(3, 4), 1)
    norm = settled(torch, nn.BatchNorm1d(4), 5)
    fused = utils.fuse_linear_bn_eval(layer, norm)
    x = torch.tensor(wave(5, 3))
    see("parameters", list(fused.parameters()))
    see("equal", bool(torch.allclose(fused(x), norm(layer(x)), atol=1e-5)))
    phrase = "To fuse, linear.out_features == bn.num_features or bn.num_features == 1"
    other = nn.BatchNorm1d(5).eval()
    see.raises("sizes", lambda: utils.fuse_linear_bn_eval(layer, other), phrase=phrase)
    bare = nn.BatchNorm1d(4, track_running_stats=False).eval()
    phrase = "bn.running_mean and bn.running_var must not be None"
    see.raises("no statistics", lambda: utils.fuse_linear_bn_eval(layer, bare), phrase=phrase)


@program(rules="T-70")
def attention_with_a_chosen_kernel(torch, see):
    from importlib import import_module

    attention = import_module(f"{torch.__name__}.nn.attention")
    kernels, choose = attention.SDPBackend, attention.sdpa_kernel
    see("names", list(kernels.__members__))
    q, k, v = (torch.tensor(wave(1, 2, 3, 4, seed=n)) for n in range(3))
    attend = torch.nn.functional.scaled_dot_product_attention
    for chosen in (kernels.MATH, [kernels.EFFICIENT_ATTENTION, kernels.MATH]):
        with choose(chosen):
            see(f"value {chosen}", attend(q, k, v, is_causal=True))

    def without():
        with choose([kernels.EFFICIENT_ATTENTION]):
            attend(q, k, v)

    see.raises(
        "none", without, phrase="No viable backend for scaled_dot_product_attention was found"
    )
    see("afterwards", attend(q, k, v))
    phrase = "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got str"
    see.raises("no backend", lambda: choose("math").__enter__(), phrase=phrase)


POOLS = {
    "max_pool1d": ((2,), (2, 3, 6)),
    "max_pool2d": ((2,), (1, 2, 4, 5)),
    "max_pool3d": ((2,), (1, 2, 4, 4, 4)),
    "adaptive_max_pool1d": ((3,), (2, 3, 7)),
    "adaptive_max_pool2d": ((3,), (1, 2, 5, 7)),
    "adaptive_max_pool3d": ((2,), (1, 2, 3, 4, 5)),
}


@program(rules="T-72", each=POOLS)
def a_pool_that_gives_the_places_too(torch, see, name):
    settings, shape = POOLS[name]
    pool = getattr(torch.nn.functional, f"{name}_with_indices")
    x = torch.tensor(wave(*shape), requires_grad=True)
    result, places = pool(x, *settings)
    see("results and places", (result, places))
    result.sum().backward()
    see("gradient", x.grad)


@program(rules="T-40")
def an_accelerator_that_is_not_there(torch, see):
    from importlib import import_module

    accelerator = import_module(f"{torch.__name__}.accelerator")
    see("none", (accelerator.is_available(), accelerator.device_count()))
    see(
        "its kind", (accelerator.current_accelerator(), torch.accelerator.current_accelerator(True))
    )
    phrase = "Cannot access accelerator device when none is available"
    for name in ("current_device_index", "synchronize", "empty_cache", "memory_allocated"):
        see.raises(name, getattr(accelerator, name), phrase=phrase)
    see.raises("choosing", lambda: accelerator.set_device_index(0), phrase=phrase)
    with accelerator.device_index(None):
        see("no choice", accelerator.is_available())


@program(rules="T-50")
def compiling_changes_no_result(torch, see):
    import warnings

    x = torch.tensor(wave(3), requires_grad=True)
    layer = torch.nn.Linear(3, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        double = torch.compile(lambda x: x * 2, backend="eager")
        see("a function", double(x).detach())

        @torch.compile(backend="eager")
        def square(x):
            return x * x

        square(x).sum().backward()
        see("a decorated one", x.grad)
        see("disabled", torch.compile(layer, disable=True) is layer)
        compiled = torch.compile(layer, backend="eager")
        see("a module", bool((compiled(x) == layer(x)).all()))
        keys = ["weight", "bias"]
        see.differs(
            "its state",
            list(compiled.state_dict()),
            torch=[f"_orig_mod.{key}" for key in keys],
            vizgrad=keys,
            because="vizgrad has no compiler: compile returns the module itself",
        )
    see.raises("no function", lambda: torch.compile(3), phrase="A callable function is expected")
    both = {"mode": "default", "options": {}}
    phrase = "Either mode or options can be specified"
    see.raises("both", lambda: torch.compile(layer, **both), phrase=phrase)
    phrase = "Unrecognized mode=nope"
    see.raises("mode", lambda: torch.compile(layer, mode="nope"), phrase=phrase)
    see("compiling", torch.compiler.is_compiling())


@program(rules="T-50")
def rows_in_reverse(torch, see):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = reversed(x)
    see("rows", y)
    see("scalar", reversed(torch.tensor(3)))
    (y * torch.tensor([[1.0], [10.0]])).sum().backward()
    see("gradient", x.grad)


@program(rules="T-89")
def modes_of_repeatable_results(torch, see):
    before = torch.get_deterministic_debug_mode()
    see("before", before)
    try:
        for mode in ("warn", 2, 1, "error", "default", True):
            torch.set_deterministic_debug_mode(mode)
            see(f"{mode!r}", (torch.get_deterministic_debug_mode(),
                torch.are_deterministic_algorithms_enabled(),
                torch.is_deterministic_algorithms_warn_only_enabled()))  # fmt: skip
        torch.use_deterministic_algorithms(True, warn_only=True)
        see("warns", torch.get_deterministic_debug_mode())
        torch.use_deterministic_algorithms(False)
        see("off", torch.get_deterministic_debug_mode())
        set_mode = torch.set_deterministic_debug_mode
        see.raises(
            "a word", lambda: set_mode("bad"), phrase="`default`, `warn`, `error`, but got bad"
        )
        see.raises("a number", lambda: set_mode(7), phrase="expected 0, 1, or 2, but got 7")
    finally:
        torch.set_deterministic_debug_mode(before)


@program(rules="T-50")
def parameters_without_values(torch, see):
    layer = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3)).requires_grad_(
        False
    )
    weight = layer[0].weight
    see("itself", layer.to_empty(device="cpu") is layer)
    see("shapes", [tuple(p.shape) for p in layer.parameters()])
    see("frozen", [p.requires_grad for p in layer.parameters()])
    see("same object", layer[0].weight is weight)
    see.raises("no device", layer.to_empty, phrase="device")
    see(
        "classes", [torch.nn.UninitializedParameter.__name__, torch.nn.UninitializedBuffer.__name__]
    )
    handle = weight.requires_grad_().register_hook(lambda grad: grad)
    see("handle", isinstance(handle, torch.utils.hooks.RemovableHandle))


@program(rules="C-9")
def batch_norms_without_running_statistics(torch, see):
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Sequential(torch.nn.BatchNorm1d(3)),
                              torch.nn.InstanceNorm1d(3, track_running_stats=True))  # fmt: skip
    see("itself", torch.func.replace_all_batch_norm_modules_(net) is net)
    norm = net[1][0]
    see(
        "none",
        (norm.track_running_stats, norm.running_mean, norm.running_var, norm.num_batches_tracked),
    )
    see("left", net[2].running_mean)
    x = torch.tensor(wave(4, 3, 3))
    see("in a batch", torch.func.vmap(norm)(x))
    see("names", sorted(name for name in norm.state_dict()))
