"""Calls under transforms in which vizgrad once did something else than PyTorch, made small: source text.

`weight`, `batch` and `weighted` are those of `tests.fuzz.transformed`; the last line makes the call.
"""

from __future__ import annotations

FOUND: tuple[str, ...] = (
    # what was written in place was laid beside the examples, dimension by dimension
    """
a, b = torch.ones(2, 4), torch.arange(24.0).reshape(3, 2, 4)
result = torch.func.vmap(lambda b: torch.func.vmap(lambda a: a.clone().add_(b))(a))(b)
""",
    """
a, b = torch.ones(2, 4), torch.arange(8.0).reshape(2, 4)
result = torch.func.vmap(lambda a: a.clone().copy_(b))(a)
""",
    # a node had saved what was written over
    """
a = torch.tensor([[1.0, 2.0], [3.0, 0.5]])
result = torch.func.vmap(torch.func.grad(lambda a: a.clone().cumprod_(0).sum()))(a)
""",
    """
a, c = torch.tensor([[[-1.5], [0.5]]]), torch.tensor([[2.5]])
def f(c, a):
    return a.clone().scatter_reduce_(0, torch.tensor([[1]]), c, reduce="mean").sum()
result = torch.func.vmap(torch.func.grad(f), (None, 0))(c, a)
""",
    # a tangent of what the loss is linear in was left out
    """
x, y, w = torch.tensor([[0.2, 0.3]]), torch.tensor([[1.0, 0.0]]), torch.tensor([1.0, 3.0])
f = lambda x, w, p: torch.nn.functional.binary_cross_entropy_with_logits(x, y, w, pos_weight=p)
result = torch.func.jvp(f, (x, w, w + 1), (x, w + 2, w))
""",
    """
x, y, w = torch.tensor([[0.2, 0.3]]), torch.tensor([[1.0, 0.0]]), torch.tensor([1.0, 3.0])
f = lambda w: torch.nn.functional.binary_cross_entropy_with_logits(x, y, w)
result = torch.func.grad(f)(w)
""",
    """
a, b = torch.zeros(2, 3), torch.tensor([[2], [0]], dtype=torch.int32)
result = torch.func.vmap(lambda a, b: a.index_fill(0, b, 7.0))(a, b)
""",
    """
a = torch.arange(2.0)
result = torch.func.vmap(lambda a: a.unfold(-1, 1, 2))(a)
""",
    """
a = torch.zeros(2, 2, 3)
result = torch.func.vmap(lambda a: a.clone().fill_diagonal_(1.0, wrap=True), 2)(a)
""",
    """
a, b = torch.tensor(1.0), torch.arange(3.0)
result = torch.func.vmap(torch.fill, (None, 0))(a, b)
""",
    """
a, b = torch.arange(4), torch.arange(8.0).reshape(2, 4)
result = torch.func.vmap(lambda b: torch.cat([a, b]))(b)
""",
    """
a = torch.arange(8.0).reshape(2, 4)
result = torch.func.vmap(lambda a: torch.diagonal_copy(a.reshape(2, 2)))(a)
""",
    """
a = torch.arange(8.0).reshape(2, 4)
result = torch.func.vmap(lambda a: torch.nanquantile(a, q=a[0] / 9))(a)
""",
    """
a = torch.arange(16.0).reshape(2, 1, 8)
def f(a):
    b, places = torch.nn.functional.max_pool1d(a, 2, return_indices=True)
    return torch.nn.functional.max_unpool1d(b, places, 2)
result = torch.func.vmap(f)(a)
""",
    """
a = torch.arange(18.0).reshape(2, 3, 3) ** 2 + torch.eye(3)
result = torch.func.vmap(torch.linalg.lu_factor)(a)
""",
    """
a = torch.tensor([[1.0, 2.0], [0.5, 3.0]])
result = torch.func.vmap(lambda a: torch.searchsorted(a, 2.5))(a)
""",
    """
mean, a = torch.zeros(2, 3), torch.arange(48.0).reshape(2, 2, 3, 4)
def f(a, mean):
    spread = mean + 1
    torch.nn.functional.instance_norm(a, mean, spread)
    return mean, spread
result = torch.func.vmap(f)(a, mean)
""",
    """
mean, a = torch.zeros(3), torch.arange(48.0).reshape(2, 2, 3, 4)
result = torch.func.vmap(lambda a: torch.nn.functional.instance_norm(a, mean, mean + 1))(a)
""",
    """
a, b = torch.tensor([[0], [2]]), torch.ones(3, 2)
result = torch.func.vmap(lambda a: torch.nn.functional.embedding(a, b, max_norm=1.0))(a)
""",
    """
a = torch.tensor([[4.0, 1, 0], [1, 3, 0.5], [0, 0.5, 1]], dtype=torch.float64)
start = torch.ones(3, 1, dtype=torch.float64)
value, slope = torch.func.jvp(lambda a: torch.lobpcg(a, X=start)[0], (a,), (a.cos() + a.cos().T,))
result = value, slope
""",
    """
a = torch.ones(2, 3)
result = torch.func.grad(lambda a: a.requires_grad_(False).sum())(a)
""",
    """
a = torch.ones(2, 3)
result = torch.func.vmap(lambda a: a * (a.grad is None))(a)
""",
    """
a, b = torch.tensor([[[2.0]], [[-1.0]]]), torch.tensor([[[-2.5]]])
f = lambda a, b: torch.triangular_solve(a, b)[0].sum()
result = torch.func.vmap(torch.func.grad(f), (None, 0))(a, b[None])
""",
    """
a, b, c = torch.ones(2, 1), torch.tensor([True]), torch.tensor(-0.5)
f = lambda a, c: (a.clone().masked_fill_(b, c) * 3).sum()
result = torch.func.vmap(torch.func.grad(f, 1), (0, None))(a, c)
""",
    """
a, b, c = torch.ones(3), torch.tensor([[2]]), torch.tensor([[4.0]])
result = torch.func.vmap(torch.func.vmap(torch.put, (None, None, 0)), (None, 0, None))(a, b, c)
""",
    """
a = torch.zeros(2)
def f(b):
    return a.add_(b)
result = torch.func.jvp(f, (torch.ones(2),), (torch.ones(2),))
""",
    """
a, b = torch.tensor([[0.5, -0.5]]), torch.tensor([2.0, 2.5])
f = lambda a, b: torch.cov(a, aweights=b)
result = torch.func.vmap(torch.func.grad(f, 1), (0, None))(a, b)
""",
    """
mean, a = torch.zeros(3), torch.arange(24.0).reshape(4, 3, 2)
def f(a):
    return torch.nn.functional.batch_norm(a, mean, mean + 1, training=True)
result = torch.func.jvp(f, (a,), (a * a,)), torch.func.grad(lambda a: (f(a) * a).sum())(a), mean
""",
    # a weight that is not given was taken for one with a dimension
    """
a, b, c = torch.tensor(-2.5), torch.tensor(0.5), torch.tensor([2.5, 0.5])
f = lambda c: torch.nn.functional.binary_cross_entropy_with_logits(a, b, reduction="none", pos_weight=c)
result = torch.func.vmap(f)(c)
""",
    # an example of no dimensions gives way to the type of another
    """
result = torch.func.vmap(torch.dist, (None, 0))(torch.tensor([0.0]), torch.tensor([-0.5], dtype=torch.float64))
""",
    # statistics that are the same for all examples may be kept
    """
a, mean = torch.arange(16.0).reshape(2, 2, 2, 2), torch.zeros(2)
def f(b):
    return torch.nn.functional.instance_norm(a, mean, mean + 1, bias=b)
result = torch.func.vmap(f)(torch.arange(6.0).reshape(3, 2)), mean
""",
    """
a, mean = torch.arange(16.0).reshape(2, 2, 2, 2), torch.zeros(2)
def f(w, b):
    return torch.nn.functional.batch_norm(a, mean, mean + 1, weight=w, bias=b, training=True)
result = torch.func.vmap(f, (0, None))(torch.arange(6.0).reshape(3, 2), torch.ones(2)), mean
""",
    # nobody had written what lies between the elements of a tangent
    """
a = torch.arange(12.0).reshape(3, 4)[:, ::2]
result = torch.func.jvp(lambda a: a.as_strided((5,), (1,)), (a,), (a + 1,))
""",
    """
a = torch.arange(24.0).reshape(2, 3, 4)[:, :, ::2]
f = lambda a: torch.func.jvp(lambda a: (a * 2).as_strided((3,), (1,)), (a,), (a + 1,))
result = torch.func.vmap(f)(a)
""",
    """
a, b = torch.zeros(3, 4)[:, ::2].requires_grad_(), torch.arange(5.0).requires_grad_()
c = torch.autograd.grad(a.as_strided((5,), (1,)), a, b, create_graph=True)[0]
result = c, torch.autograd.grad(c, b, torch.ones(3, 2))
""",
    # a batch of one example has a stride that no example has
    """
f = lambda a: torch.view_copy(a, dtype=torch.float64)
result = torch.func.vmap(f, 1)(torch.zeros(2, 1))
""",
)
