"""A layer of LSTM in float32 on a CPU is one node for each direction."""

from tests.oracle.data import wave
from tests.oracle.programs.modules import fill
from tests.oracle.registry import program

_CASES = (
    ("plain", {}),
    ("batch first", {"batch_first": True}),
    ("without bias", {"bias": False}),
    ("two layers, both ways", {"num_layers": 2, "bidirectional": True}),
)


def _given(torch, *shape, seed=0):
    return torch.tensor(wave(*shape, seed=seed), dtype=torch.float32, requires_grad=True)


_BOTH = [(f"{n}, {what}", options, what) for n, options in _CASES for what in ("zeros", "given")]


@program(rules="T-90", each=_BOTH)
def layers_of_lstm(torch, see, case):
    _, options, what = case
    layer = fill(torch, torch.nn.LSTM(3, 4, **options))
    x = _given(torch, 5, 2, 3)
    state = None
    if what == "given":
        count = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
        batch = 5 if options.get("batch_first") else 2
        state = _given(torch, count, batch, 4, seed=1), _given(torch, count, batch, 4, seed=2)
    out, (h, c) = layer(x, state)
    see("values", [out, h, c])
    see.layout("output", out)
    see.graph("of the output", out)
    see.graph("of h", h)
    see.graph("of c", c)
    loss = out.square().sum() + (3 * h).sum() + c.exp().sum()
    inputs = [x, *layer.parameters(), *(state or ())]
    once = torch.autograd.grad(loss, inputs, create_graph=True)
    see("gradients", list(once))
    twice = torch.autograd.grad(sum(g.square().mean() for g in once) / 100, inputs)
    see("and their gradients", list(twice))


@program(rules="T-90", each=("output", "h", "c"))
def one_result_of_a_layer_is_enough(torch, see, which):
    layer = fill(torch, torch.nn.LSTM(3, 4))
    x = _given(torch, 3, 2, 3)
    out, (h, c) = layer(x)
    {"output": out, "h": h, "c": c}[which].sum().backward()
    see("gradients", [x.grad, *(p.grad for p in layer.parameters())])


@program(rules="T-90")
def what_makes_a_layer_of_lstm_several_nodes(torch, see):
    def first(layer, x):
        return layer(x)[0].grad_fn.name()

    x = _given(torch, 3, 2, 3)
    see("one", first(torch.nn.LSTM(3, 4), x), expect="MkldnnRnnLayerBackward0")
    see("float64", first(torch.nn.LSTM(3, 4).double(), x.double()), expect="StackBackward0")
    see("projected", first(torch.nn.LSTM(3, 4, proj_size=2), x), expect="StackBackward0")
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, [3, 2])
    see("packed", torch.nn.LSTM(3, 4)(packed)[0].data.grad_fn.name(), expect="CatBackward0")
    with torch.backends.mkldnn.flags(enabled=False):
        see("without oneDNN", first(torch.nn.LSTM(3, 4), x), expect="StackBackward0")
        see("set", torch.backends.mkldnn.enabled, expect=False)
    see("again", first(torch.nn.LSTM(3, 4), x), expect="MkldnnRnnLayerBackward0")


@program(rules="T-90 V-20")
def a_layer_of_lstm_saves_its_operands_and_results(torch, see):
    layer = fill(torch, torch.nn.LSTM(3, 4))
    out, _ = layer(_given(torch, 3, 2, 3))
    node = out.grad_fn
    operands = "input weight0 weight1 weight2 weight3 hx_ cx_ result0 result1 result2"
    for name in operands.split():
        see(name, getattr(node, f"_saved_{name}"))
    settings = "reverse mode hidden_size num_layers has_biases bidirectional batch_first train"
    for name in settings.split():
        see(name, getattr(node, f"_saved_{name}"))
    with torch.no_grad():
        layer.weight_hh_l0.mul_(2)
    see.raises("a write to a weight", out.sum().backward, phrase="modified by an inplace operation")


@program(rules="T-90 V-60")
def hooks_on_what_a_layer_of_lstm_saves(torch, see):
    layer, packed, unpacked = fill(torch, torch.nn.LSTM(3, 4)), [], []

    def pack(tensor):
        packed.append(tuple(tensor.shape))
        return tensor

    def unpack(tensor):
        unpacked.append(tuple(tensor.shape))
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        out, _ = layer(_given(torch, 3, 2, 3))
    see("packed", packed[:-1])
    out.sum().backward()
    see("unpacked", unpacked[:-1])


@program(rules="T-90 E-41")
def a_layer_of_lstm_is_released(torch, see):
    out, _ = torch.nn.LSTM(3, 4)(_given(torch, 3, 2, 3))
    out.sum().backward(retain_graph=True)
    out.sum().backward()
    see.raises("the third time", out.sum().backward, phrase="through the graph a second time")


_STEPS = (
    ("GRU", lambda nn: nn.GRU(3, 4), (2, 2, 3)),
    ("GRU without bias", lambda nn: nn.GRU(3, 4, bias=False), (2, 2, 3)),
    ("GRU both ways", lambda nn: nn.GRU(3, 4, bidirectional=True), (2, 2, 3)),
    ("GRUCell", lambda nn: nn.GRUCell(3, 4), (2, 3)),
)


@program(rules="T-53 T-90", each=_STEPS)
def steps_of_gru_are_nodes(torch, see, case):
    _, make, shape = case
    layer = fill(torch, make(torch.nn))
    x = _given(torch, *shape)
    out = layer(x)
    out = out[0] if isinstance(out, tuple) else out
    see("values", out)
    if case[0] == "GRUCell":  # in layers PyTorch transposes the weight anew for each step
        see.graph("of the output", out)
    inputs = [x, *layer.parameters()]
    once = torch.autograd.grad(out.square().sum(), inputs, create_graph=True)
    see("gradients", list(once))
    see(
        "and their gradients",
        list(torch.autograd.grad(sum(g.square().sum() for g in once), inputs)),
    )


@program(rules="T-53 V-40")
def gates_of_a_step_are_no_views(torch, see):
    cells = torch.nn.LSTMCell(3, 4), torch.nn.GRUCell(3, 4)
    for cell in cells:
        out = cell(_given(torch, 2, 3))
        out = out[0] if isinstance(out, tuple) else out
        waiting, names = [out.grad_fn], []
        while waiting:
            node = waiting.pop()
            names.append(node.name())
            waiting += [following for following, _ in node.next_functions if following is not None]
        cut = sorted({name for name in names if "Split" in name})
        see(type(cell).__name__, cut, expect=["UnsafeSplitBackward0"])
