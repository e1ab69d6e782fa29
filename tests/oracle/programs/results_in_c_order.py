"""Results that lie in C order whatever the order of what they are made from: `view` takes them."""

from tests.oracle.registry import program

_PICKED = {
    "a list": "x[:, [2, 0]]",
    "a tensor": "x[:, i]",
    "the last dimension": "x[:, :, i]",
    "behind dots": "x[..., i]",
    "a mask": "x[:, x[0, :, 0] >= 0]",
    "with a slice": "x[:, i, 1:3]",
    "two tensors": "x[:, i[:, None], i]",
    "two apart": "x[i.clamp(max=1), :, i]",
    "a new dimension": "x[:, None, i]",
}
_TURNED = {
    "sum": "y.sum(1)",
    "sum, kept": "y.sum(1, keepdim=True)",
    "sum of integers": "y.long().sum(1)",
    "mean": "y.mean((1,))",
    "prod": "y.prod(1)",
    "amax": "y.amax(1)",
    "amin": "y.amin(1)",
    "any": "(y > 0).any(1)",
    "all": "(y > 0).all(1)",
    "count_nonzero": "torch.count_nonzero(y, 1)",
    "var": "y.var(1)",
    "std": "y.std(1)",
    "norm": "y.norm(dim=1)",
    "norm 3": "y.norm(3, dim=1)",
    "median": "y.median(1)[0]",
    "median, where": "y.median(1)[1]",
    "masked_fill": "y.masked_fill(y > 2, 0.0)",
    "masked_fill with a tensor": "y.masked_fill(y > 2, torch.tensor(0.0))",
    "logsigmoid": "F.logsigmoid(y)",
    "one_hot": "F.one_hot(y.long() % 3, 3)",
    "cdist": "torch.cdist(y, y)",
    "cosine_similarity": "F.cosine_similarity(y, y)",
    "trapezoid": "torch.trapezoid(y, dim=1)",
    "max_pool2d": "F.max_pool2d(y, 2)",
    "avg_pool2d": "F.avg_pool2d(y, 2)",
    "interpolate": "F.interpolate(y, scale_factor=2)",
    "conv2d": "F.conv2d(y, torch.ones(2, 3, 1, 1))",
    "batch_norm": "F.batch_norm(y, None, None, training=True)",
    "batch_norm, evaluated": "F.batch_norm(y, torch.zeros(3), torch.ones(3))",
}


@program(rules="T-11", each=list(_PICKED))
def what_indices_pick_lies_in_c_order(torch, see, case):
    x = torch.arange(24.0).view(2, 3, 4).requires_grad_()
    names = {"x": x, "i": torch.tensor([2, 0])}
    picked = eval(_PICKED[case], names)
    see("strides", picked.stride())
    see("in a row", picked.view(-1))
    see("gradient", torch.autograd.grad(picked.view(-1).pow(2).sum(), x)[0])


@program(rules="T-11", each=list(_TURNED))
def the_result_of_a_turned_tensor_lies_in_c_order(torch, see, case):
    """Its two last dimensions, which are swapped, or all of them in reverse."""
    for order in ((0, 1, 3, 2), (3, 2, 1, 0), (2, 3, 0, 1)):
        sizes = [(2, 3, 4, 5)[d] for d in order]
        y = torch.arange(120.0).view(sizes).permute([order.index(d) for d in range(4)])
        result = eval(_TURNED[case], {"y": y, "torch": torch, "F": torch.nn.functional})
        see(f"strides, {order}", result.stride())
        see(f"in a row, {order}", result.view(-1))


@program(rules="X-11")
def images_keep_their_channels_innermost(torch, see):
    y = torch.arange(120.0).view(2, 4, 5, 3).permute(0, 3, 1, 2)
    functional = torch.nn.functional
    see("batch_norm", functional.batch_norm(y, None, None, training=True).stride())
    see("evaluated", functional.batch_norm(y, torch.zeros(3), torch.ones(3)).stride())
    see("pool", functional.max_pool2d(y, 2).stride())
    see("conv", functional.conv2d(y, torch.ones(2, 3, 1, 1)).stride())
    see("interpolated", functional.interpolate(y, scale_factor=2).stride())
