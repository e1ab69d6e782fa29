"""Names and edges of the nodes that operations leave: what people see when they print a `grad_fn`."""

from tests.oracle.registry import program

_OF_MATRIX = {
    "add": lambda x, t: x + x,
    "add number": lambda x, t: x + 1,
    "sub": lambda x, t: x - x,
    "rsub": lambda x, t: 1 - x,
    "mul": lambda x, t: x * x,
    "div": lambda x, t: x / x,
    "rdiv": lambda x, t: 1 / x,
    "neg": lambda x, t: -x,
    "pow number": lambda x, t: x**2,
    "pow tensor": lambda x, t: x**x,
    "number pow": lambda x, t: 2**x,
    "exp": lambda x, t: x.exp(),
    "log": lambda x, t: x.log(),
    "sqrt": lambda x, t: x.sqrt(),
    "abs": lambda x, t: x.abs(),
    "sin": lambda x, t: x.sin(),
    "tanh": lambda x, t: x.tanh(),
    "sigmoid": lambda x, t: x.sigmoid(),
    "relu": lambda x, t: x.relu(),
    "square": lambda x, t: x.square(),
    "reciprocal": lambda x, t: x.reciprocal(),
    "clamp": lambda x, t: x.clamp(0, 1),
    "maximum": lambda x, t: t.maximum(x, x),
    "where": lambda x, t: t.where(x > 0, x, x),
    "clone": lambda x, t: x.clone(),
    "sum": lambda x, t: x.sum(),
    "sum dim": lambda x, t: x.sum(0),
    "mean": lambda x, t: x.mean(),
    "mean dim": lambda x, t: x.mean(0),
    "prod": lambda x, t: x.prod(),
    "max": lambda x, t: x.max(),
    "max dim": lambda x, t: x.max(0)[0],
    "amax": lambda x, t: x.amax(0),
    "var": lambda x, t: x.var(),
    "std": lambda x, t: x.std(),
    "norm": lambda x, t: x.norm(),
    "logsumexp": lambda x, t: x.logsumexp(0),
    "cumsum": lambda x, t: x.cumsum(0),
    "mm": lambda x, t: x.mm(x),
    "matmul": lambda x, t: x @ x,
    "mv": lambda x, t: x @ x[0],
    "dot": lambda x, t: x[0] @ x[1],
    "bmm": lambda x, t: t.bmm(x[None], x[None]),
    "addmm": lambda x, t: t.addmm(x, x, x),
    "cat": lambda x, t: t.cat([x, x]),
    "stack": lambda x, t: t.stack([x, x]),
    "softmax": lambda x, t: x.softmax(0),
    "log_softmax": lambda x, t: x.log_softmax(0),
    "gather": lambda x, t: x.gather(0, t.zeros(1, 2, dtype=t.int64)),
    "index_select": lambda x, t: x.index_select(0, t.tensor([0])),
    "masked_fill": lambda x, t: x.masked_fill(x > 0, 0.0),
    "tril": lambda x, t: x.tril(),
    "to double": lambda x, t: x.double(),
}
_VIEWS = {
    "view": lambda x: x.view(4),
    "reshape": lambda x: x.reshape(4),
    "reshape copy": lambda x: x.t().reshape(4),
    "flatten": lambda x: x.flatten(),
    "transpose": lambda x: x.transpose(0, 1),
    "t": lambda x: x.t(),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "permute": lambda x: x.permute(1, 0),
    "unsqueeze": lambda x: x.unsqueeze(0),
    "squeeze": lambda x: x.squeeze(),
    "squeeze dim": lambda x: x.squeeze(0),
    "expand": lambda x: x.expand(3, 2, 2),
    "select": lambda x: x[0],
    "slice": lambda x: x[:1],
    "two slices": lambda x: x[:1, 1:],
    "full slice": lambda x: x[:, 0],
    "index": lambda x: x[[0]],
    "mask": lambda x: x[x > 0],
    "none": lambda x: x[None],
    "narrow": lambda x: x.narrow(0, 0, 1),
    "diagonal": lambda x: x.diagonal(),
    "unbind": lambda x: x.unbind()[0],
    "split": lambda x: x.split(1)[0],
    "chunk": lambda x: x.chunk(2)[0],
    "as_strided": lambda x: x.as_strided((2,), (1,)),
    "contiguous of a transpose": lambda x: x.t().contiguous(),
}


@program(rules="E-3 E-4", each=_OF_MATRIX.items())
def operations(torch, see, case):
    x = torch.ones(2, 2, requires_grad=True)
    see.graph("graph", case[1](x, torch))


@program(rules="E-3 E-4", each=_VIEWS.items())
def views(torch, see, case):
    x = torch.ones(2, 2, requires_grad=True)
    see.graph("graph", case[1](x))


@program(rules="E-3")
def layers_and_losses(torch, see):
    F = torch.nn.functional
    x, w, b = (torch.ones(*s, requires_grad=True) for s in ((2, 3), (2, 3), (2,)))
    target = torch.tensor([0, 1])
    see.graph("linear", F.linear(x, w, b))
    see.graph("linear without bias", F.linear(x, w))
    see.graph("cross_entropy", F.cross_entropy(x, target))
    see.graph("nll_loss", F.nll_loss(x, target))
    see.graph("mse_loss", F.mse_loss(x, torch.zeros(2, 3)))
    see.graph("embedding", F.embedding(target, w))
    image, kernel = (
        torch.ones(1, 1, 4, 4, requires_grad=True),
        torch.ones(1, 1, 2, 2, requires_grad=True),
    )
    see.graph("conv2d", F.conv2d(image, kernel))
    see.graph("max_pool2d", F.max_pool2d(image, 2))
    see.graph("avg_pool2d", F.avg_pool2d(image, 2))


@program(rules="E-3")
def special_nodes(torch, see):
    x = torch.ones(4, requires_grad=True)
    y = x * 1
    leaf = y.grad_fn.next_functions[0][0]
    see("leaf", leaf, expect="AccumulateGrad")
    view = y[:2]
    view.mul_(2)
    see("base written through a view", y.grad_fn, expect="CopySlices")
    see("the view", view.grad_fn, expect="AsStridedBackward0")
    z = x * 1
    z[0] = 5
    see.graph("written by index", z)


@program(rules="E-3", each=("add_", "mul_", "sub_", "div_"))
def in_place_operations(torch, see, name):
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    getattr(y, name)(x)
    see.graph("by a tensor", y)
    getattr(y, name)(3)
    see.graph("then by a number", y)


@program(rules="E-3")
def other_in_place_operations(torch, see):
    x = torch.ones(2, requires_grad=True)
    for name, write in (
        ("copy_", lambda y: y.copy_(x)),
        ("zero_", lambda y: y.zero_()),
        ("fill_", lambda y: y.fill_(2.0)),
        ("relu_", lambda y: y.relu_()),
        ("exp_", lambda y: y.exp_()),
        ("clamp_", lambda y: y.clamp_(0, 1)),
        ("masked_fill_", lambda y: y.masked_fill_(y > 0, 0.0)),
    ):
        y = x * 1
        write(y)
        see.graph(name, y)


@program(rules="E-3")
def broadcasting_leaves_no_node(torch, see):
    x, row = torch.ones(2, 2, requires_grad=True), torch.ones(2, requires_grad=True)
    see.graph("sum of shapes", x + row)
    see.graph("comparison", (x > 0).double())


@program(rules="E-8", each=("exp", "mul", "pow", "sum", "relu", "sigmoid", "mm"))
def names_of_saved_values(torch, see, name):
    x = torch.ones(2, 2, requires_grad=True)
    arguments = {"mul": (x,), "mm": (x,), "pow": (2,)}.get(name, ())
    node = getattr(x, name)(*arguments).grad_fn
    tensors = [
        n
        for n in sorted(dir(node))
        if n.startswith("_saved_") and isinstance(getattr(node, n), torch.Tensor)
    ]
    see("tensors", tensors)
