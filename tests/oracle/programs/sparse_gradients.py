"""Embeddings with sparse gradients: what arrives, how it accumulates, what optimizers make of it."""

from tests.oracle.data import wave
from tests.oracle.registry import program

INDICES = [[1, 3], [1, 0]]


def table(torch, rows=5, width=2):
    return torch.tensor(wave(rows, width), dtype=torch.float64).requires_grad_()


def looked_up(torch, w, indices=INDICES, **options):
    return torch.nn.functional.embedding(torch.tensor(indices), w, sparse=True, **options)


def entries(see, name, grad):
    """A gradient as it is stored, not only what it is."""
    see(name, grad)
    if grad.is_sparse:
        see(f"{name}: stored", [grad._indices(), grad._values(), grad.is_coalesced()])


@program(rules="S-8")
def each_use_of_a_row_is_an_entry(torch, see):
    w = table(torch)
    out = looked_up(torch, w)
    see("node", out.grad_fn)
    (out**2).sum().backward()
    entries(see, "gradient", w.grad)
    w.grad = None
    (looked_up(torch, w, padding_idx=1) * 3).sum().backward()
    entries(see, "without the padding", w.grad)
    w.grad = None
    looked_up(torch, w, 2).sum().backward()
    entries(see, "one index", w.grad)
    w.grad = None
    see("captured", torch.autograd.grad(looked_up(torch, w).sum(), w)[0])


@program(rules="S-8")
def modules_pass_it_on(torch, see):
    e = torch.nn.Embedding(5, 2, sparse=True, padding_idx=0).double()
    with torch.no_grad():
        e.weight.copy_(torch.tensor(wave(5, 2), dtype=torch.float64))
    (e(torch.tensor(INDICES)) ** 2).sum().backward()
    entries(see, "embedding", e.weight.grad)
    see("shown", str(e))


@program(rules="S-8", each=("sum", "mean"))
def bags(torch, see, mode):
    w = table(torch)
    fn = torch.nn.functional.embedding_bag
    i, offsets = torch.tensor([1, 3, 1, 0]), torch.tensor([0, 3])
    (fn(i, w, offsets, sparse=True, mode=mode) ** 2).sum().backward()
    see("gradient", w.grad)
    see("sparse", w.grad.is_sparse, expect=True)
    w.grad = None
    (fn(i.reshape(2, 2), w, sparse=True, mode=mode, padding_idx=1) ** 2).sum().backward()
    see("without the padding", w.grad)
    w.grad = None
    bag = torch.nn.EmbeddingBag(5, 2, mode=mode, sparse=True).double()
    bag(i, offsets).sum().backward()
    see("module", bag.weight.grad)


@program(rules="S-8")
def what_cannot_be_sparse_is_refused(torch, see):
    w = table(torch)
    see.raises(
        "by frequency", lambda: looked_up(torch, w, scale_grad_by_freq=True).sum().backward(),
        phrase="scale_grad_by_freq not supported with sparse",
    )  # fmt: skip
    see.raises(
        "largest of a bag",
        lambda: torch.nn.functional.embedding_bag(
            torch.tensor([[1, 2]]), w, sparse=True, mode="max"
        ),
        phrase="max mode does not support sparse weights",
    )


@program(rules="S-8")
def a_sparse_gradient_can_be_differentiated(torch, see):
    w = table(torch)
    (grad,) = torch.autograd.grad((looked_up(torch, w) ** 3).sum(), w, create_graph=True)
    see("first", grad)
    see("node", grad.grad_fn)
    see("second", torch.autograd.grad((grad.to_dense() ** 2).sum(), w)[0])


@program(rules="S-9")
def sparse_onto_sparse_stays_sparse(torch, see):
    w = table(torch)
    looked_up(torch, w, [1, 3]).sum().backward()
    first = w.grad
    looked_up(torch, w, [3, 0]).sum().backward()
    see("same object", w.grad is first, expect=True)
    see("version", first._version, expect=1)
    entries(see, "sum", first)


@program(rules="S-9")
def dense_onto_sparse_gives_a_new_dense_gradient(torch, see):
    w = table(torch)
    looked_up(torch, w, [1, 3]).sum().backward()
    first = w.grad
    (w * 2).sum().backward()
    see("same object", w.grad is first, expect=False)
    see("sum", w.grad)
    see("the old one", first)


@program(rules="S-9")
def sparse_onto_dense_adds_in_place(torch, see):
    w = table(torch)
    (w * 2).sum().backward()
    first = w.grad
    looked_up(torch, w, [1, 3, 3]).sum().backward()
    see("same object", w.grad is first, expect=True)
    see("version", first._version, expect=1)
    see("sum", w.grad)


@program(rules="S-9")
def gradients_meet_before_the_leaf(torch, see):
    w = table(torch)
    (looked_up(torch, w, [1, 3]).sum() + looked_up(torch, w, [3, 0]).sum()).backward()
    see("two sparse", w.grad)
    w.grad = None
    (looked_up(torch, w, [1, 3]).sum() + (w * 2).sum()).backward()
    see("sparse and dense", w.grad)
    w.grad = None
    ((w * 2).sum() + looked_up(torch, w, [1, 3]).sum()).backward()
    see("dense and sparse", w.grad)


@program(rules="S-9")
def with_create_graph(torch, see):
    w = table(torch)
    looked_up(torch, w, [1, 3]).pow(2).sum().backward(create_graph=True)
    see("first", w.grad.detach())
    (w**2).sum().backward(create_graph=True)
    see("dense onto sparse", w.grad.detach())
    looked_up(torch, w, [1]).pow(2).sum().backward(create_graph=True)
    see("sparse onto dense", w.grad.detach())
    w.grad = None


@program(rules="S-9")
def hooks_see_the_sparse_gradient(torch, see):
    w = table(torch)
    seen = []
    w.register_hook(lambda g: seen.append(g.is_sparse) or g * 2)
    w.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.is_sparse))
    looked_up(torch, w, [1, 3]).sum().backward()
    see("seen", seen, expect=[True, True])
    see("doubled", w.grad)


@program(rules="S-9")
def gradients_pass_through_other_nodes(torch, see):
    for name, fn in (
        ("times a number", lambda w: w * 2),
        ("over a number", lambda w: w / 2),
        ("negated", lambda w: -w),
        ("sum", lambda w: w + w),
        ("clone", lambda w: w.clone()),
        ("exp", lambda w: w.exp()),
        ("times a tensor", lambda w: w * w.detach()),
    ):
        w = table(torch)
        looked_up(torch, fn(w), [1, 3]).sum().backward()
        see(name, w.grad)
    w = table(torch)
    kept = w * 1
    kept.retain_grad()
    looked_up(torch, kept, [1]).sum().backward()
    see("retained", kept.grad)


@program(rules="S-9")
def a_gradient_can_be_assigned_and_cleared(torch, see):
    w = torch.zeros(2, 2, requires_grad=True)
    w.grad = torch.eye(2).to_sparse()
    see("sparse", w.grad.is_sparse, expect=True)
    (w * 3).sum().backward()
    see("dense", w.grad, expect=[[4, 3], [3, 4]])
    w.grad = torch.eye(2).to_sparse()
    torch.optim.SGD([w], lr=1.0).zero_grad(set_to_none=False)
    see("zeroed", [w.grad, w.grad._nnz(), w.grad._version])


def _trained(torch, make, steps=4):
    w = torch.nn.Parameter(table(torch).detach())
    optimizer = make([w])
    for step in range(steps):
        optimizer.zero_grad()
        (looked_up(torch, w, [1, 3, 1, step]) ** 2).sum().backward()
        optimizer.step()
    return w, optimizer


STEPS = {
    "plain": lambda o, p: o.SGD(p, lr=0.1),
    "momentum": lambda o, p: o.SGD(p, lr=0.1, momentum=0.9),
    "dampened": lambda o, p: o.SGD(p, lr=0.1, momentum=0.9, dampening=0.5),
    "nesterov": lambda o, p: o.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "ascent": lambda o, p: o.SGD(p, lr=0.1, maximize=True),
    "adagrad": lambda o, p: o.Adagrad(p, lr=0.1, lr_decay=0.1, initial_accumulator_value=0.5),
    "sparse adam": lambda o, p: o.SparseAdam(p, lr=0.1),
    "sparse adam, ascent": lambda o, p: o.SparseAdam(p, lr=0.1, betas=(0.5, 0.9), maximize=True),
}


@program(rules="S-10", each=tuple(STEPS))
def optimizers_step_on_sparse_gradients(torch, see, name):
    w, optimizer = _trained(torch, lambda p: STEPS[name](torch.optim, p))
    see("weights", w.data)
    for key, value in sorted(optimizer.state[w].items()):
        see(key, value.to_dense() if hasattr(value, "to_dense") else value)
    see("version", w._version)
    again = STEPS[name](torch.optim, [w])
    again.load_state_dict(optimizer.state_dict())
    (looked_up(torch, w, [1, 3]) ** 2).sum().backward()
    again.step()
    see("after loading its state", w.data)


@program(
    rules="S-10",
    each=("Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adadelta", "ASGD", "RMSprop", "Rprop"),
)
def other_optimizers_refuse(torch, see, name):
    make = getattr(torch.optim, name)
    see.raises(
        "step", lambda: _trained(torch, lambda p: make(p, lr=0.1)),
        phrase="does not support sparse gradients",
    )  # fmt: skip


@program(rules="S-10")
def what_else_is_refused(torch, see):
    sgd = lambda p: torch.optim.SGD(p, lr=0.1, weight_decay=0.1)  # noqa: E731
    see.raises(
        "weight decay", lambda: _trained(torch, sgd), phrase="add(sparse, dense) is not supported"
    )
    adagrad = lambda p: torch.optim.Adagrad(p, lr=0.1, weight_decay=0.1)  # noqa: E731
    see.raises(
        "adagrad", lambda: _trained(torch, adagrad),
        phrase="weight_decay option is not compatible with sparse gradients",
    )  # fmt: skip
    w = table(torch)
    adam = torch.optim.SparseAdam([w])
    (w**2).sum().backward()
    see.raises("dense gradient", adam.step, phrase="SparseAdam does not support dense gradients")
    see.raises(
        "sparse parameter",
        lambda: torch.optim.SparseAdam([torch.eye(2).to_sparse().requires_grad_()]),
        phrase="SparseAdam requires dense parameter tensors",
    )
    see.raises(
        "learning rate", lambda: torch.optim.SparseAdam([w], lr=0), phrase="Invalid learning rate"
    )
    see.raises("eps", lambda: torch.optim.SparseAdam([w], eps=0), phrase="Invalid epsilon value")
    w.grad = None
    looked_up(torch, w).sum().backward()
    see.raises(
        "clipping", lambda: torch.nn.utils.clip_grad_norm_([w], 1.0), phrase="linalg_vector_norm"
    )


@program(rules="S-10")
def lbfgs_takes_them_as_dense(torch, see):
    w = torch.nn.Parameter(table(torch).detach())
    optimizer = torch.optim.LBFGS([w], max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (looked_up(torch, w) ** 2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    see("weights", w.data)


@program(rules="S-12")
def copies(torch, see):
    import copy
    import pickle

    w = table(torch)
    looked_up(torch, w, [1, 3, 1]).sum().backward()
    for name, made in (
        ("detach", w.grad.detach()),
        ("clone", w.grad.clone()),
        ("to", w.grad.to(torch.float32)),
        ("deepcopy", copy.deepcopy(w).grad),
        ("pickle", pickle.loads(pickle.dumps(w.grad))),
    ):
        entries(see, name, made)
    adjacency = torch.nn.Module()
    adjacency.register_buffer("a", torch.eye(2).to_sparse())
    adjacency.register_buffer("rows", torch.eye(2).to_sparse_csr())
    state = adjacency.double().state_dict()
    see("state", [state["a"], state["rows"]])
    other = torch.nn.Module()
    other.register_buffer("a", torch.zeros(2, 2, dtype=torch.float64).to_sparse())
    other.register_buffer("rows", (2 * torch.eye(2, dtype=torch.float64)).to_sparse_csr())
    other.load_state_dict(state)
    see("loaded", [other.a, other.rows])
