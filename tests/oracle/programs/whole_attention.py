"""Attention of four dimensions is one node: when, what it saves, and how its results and gradients lie."""

from tests.oracle.data import wave
from tests.oracle.registry import program

SAVED = ("query", "key", "value", "output", "logsumexp", "attn_mask", "is_causal", "scale")
ONE = "ScaledDotProductFlashAttentionForCpuBackward0"


def _operands(torch, dtype="float64", heads=(4, 4, 4), keys=5, widths=(3, 3, 3)):
    """Query, key and value of two examples. They lie as in a layer: (examples, places, heads, width)."""
    shapes = (
        (2, 4, heads[0], widths[0]),
        *((2, keys, h, w) for h, w in zip(heads[1:], widths[1:], strict=True)),
    )
    return [
        torch.tensor(wave(*shape, seed=seed), dtype=getattr(torch, dtype))
        .transpose(1, 2)
        .requires_grad_()
        for seed, shape in enumerate(shapes)
    ]


def _seen(torch, see, name, out, operands):
    """Values, strides and the gradients' values and strides."""
    grads = torch.autograd.grad(out.pow(2).sum(), operands)
    see(name, [out, *grads])
    see(f"strides, {name}", [list(each.stride()) for each in (out, *grads)])


SETTINGS = {
    "plain": lambda t: {},
    "causal": lambda t: {"is_causal": True},
    "scaled": lambda t: {"scale": 0.3},
    "a mask of numbers": lambda t: {"attn_mask": t.tensor(wave(4, 5), dtype=t.float64)},
    "a mask for all queries": lambda t: {"attn_mask": t.tensor(wave(1, 5), dtype=t.float64)},
    "a mask by example": lambda t: {"attn_mask": t.tensor(wave(2, 1, 4, 5), dtype=t.float64)},
    "a mask of bools": lambda t: {"attn_mask": t.tensor(wave(4, 5)) > 0},
    "a mask that closes a query": lambda t: {"attn_mask": t.tensor([[False] * 5, [True] * 5] * 2)},
    "a mask in float32": lambda t: {"attn_mask": t.tensor(wave(4, 5), dtype=t.float32)},
}


@program(rules="T-91", each=tuple(SETTINGS))
def attention_as_one_node(torch, see, name):
    operands = _operands(torch)
    out = torch.nn.functional.scaled_dot_product_attention(*operands, **SETTINGS[name](torch))
    see("node", out.grad_fn.name(), expect=ONE)
    _seen(torch, see, "all", out, operands)


@program(rules="T-91", each=("float16", "bfloat16", "float32"))
def attention_as_one_node_by_type(torch, see, dtype):
    """In float16 PyTorch rounds the weights before it multiplies them by the values."""
    operands = _operands(torch, dtype)
    out = torch.nn.functional.scaled_dot_product_attention(*operands)
    see("node", out.grad_fn.name(), expect=ONE)
    see("type of the logarithms", str(out.grad_fn._saved_logsumexp.dtype).rpartition(".")[2])
    grads = torch.autograd.grad(out.sum(), operands)
    for number, each in enumerate((out, *grads)):
        if dtype != "float16":
            see(f"result {number}", each)
        see(f"strides of {number}", list(each.stride()))


@program(rules="T-91", each=("two", "three"))
def heads_of_keys_that_several_queries_share(torch, see, many):
    heads = {"two": (6, 3, 3), "three": (6, 2, 2)}[many]
    operands = _operands(torch, heads=heads)
    out = torch.nn.functional.scaled_dot_product_attention(*operands, enable_gqa=True)
    see("node", out.grad_fn.name(), expect=ONE)
    see("edges", [edge[0].name().rpartition(":")[2] for edge in out.grad_fn.next_functions])
    _seen(torch, see, "all", out, operands)


def _name_of(torch, *operands, **settings):
    return torch.nn.functional.scaled_dot_product_attention(*operands, **settings).grad_fn.name()


@program(rules="T-91")
def what_makes_attention_several_nodes(torch, see):
    operands = q, k, v = _operands(torch)
    mask = torch.zeros(4, 5, dtype=torch.float64)
    see("one", _name_of(torch, *operands), expect=ONE)
    see("one of which a part is wanted", _name_of(torch, q, k.detach(), v.detach()), expect=ONE)
    for name, given, settings in (
        ("dropout", operands, {"dropout_p": 0.5}),
        ("three dimensions", [each[0] for each in operands], {}),
        ("a mask that wants a gradient", operands, {"attn_mask": mask.clone().requires_grad_()}),
        ("a mask of three dimensions", operands, {"attn_mask": mask[None]}),
        ("values of another width", _operands(torch, widths=(3, 3, 2)), {}),
        ("elements that do not lie side by side", (q, k.mT.contiguous().mT, v), {}),
        ("keys for all examples", (q, k[:1], v[:1]), {}),
    ):
        see(name, _name_of(torch, *given, **settings), expect="UnsafeViewBackward0")
    kernels = torch.nn.attention
    with kernels.sdpa_kernel(kernels.SDPBackend.MATH):
        see("MATH", _name_of(torch, *operands), expect="UnsafeViewBackward0")
    with kernels.sdpa_kernel(kernels.SDPBackend.FLASH_ATTENTION):
        see("FLASH", _name_of(torch, *operands), expect=ONE)
        attend = torch.nn.functional.scaled_dot_product_attention
        see.raises(
            "dropout, FLASH", lambda: attend(*operands, dropout_p=0.5), phrase="No available kernel"
        )
    see("again", _name_of(torch, *operands), expect=ONE)


@program(rules="T-91 V-20")
def attention_saves_its_operands_and_results(torch, see):
    operands = _operands(torch)
    mask = torch.tensor(wave(4, 5)) > -0.2
    attend = torch.nn.functional.scaled_dot_product_attention
    node = attend(*operands, mask, scale=0.5).grad_fn
    for name in SAVED:
        see(name, getattr(node, f"_saved_{name}"))
    see(
        "history",
        [node._saved_output.requires_grad, node._saved_logsumexp.requires_grad],
        expect=[True, False],
    )
    see("no mask", attend(*operands).grad_fn._saved_attn_mask, expect=None)
    out = attend(*operands)
    with torch.no_grad():
        operands[1].mul_(2)
    see.raises("a write to the keys", out.sum().backward, phrase="modified by an inplace operation")
    out = attend(*operands)
    out.add_(1)
    see.raises(
        "a write to the result", out.sum().backward, phrase="modified by an inplace operation"
    )


@program(rules="T-91 T-53", each=("inf", "-inf", "nan"))
def what_is_not_finite_in_one_node(torch, see, number):
    """But NaN in a query, of which PyTorch makes zeros without a word."""
    operands = _operands(torch)
    for place, which in enumerate(("query", "key", "value")):
        if number == "nan" and which == "query":
            continue
        given = [each.detach().clone() for each in operands]
        given[place][0, 1, 2, 0] = float(number)
        for each in given:
            each.requires_grad_()
        out = torch.nn.functional.scaled_dot_product_attention(*given)
        see(f"in the {which}", [out, *torch.autograd.grad(out.sum(), given)])


@program(rules="T-91")
def one_node_in_layers(torch, see):
    """A layer of several heads that is not asked for weights."""
    x = torch.tensor(wave(2, 5, 6), dtype=torch.float64).requires_grad_()
    for first in (True, False):
        layer = torch.nn.MultiheadAttention(6, 3, batch_first=first, dtype=torch.float64)
        with torch.no_grad():
            for seed, weight in enumerate(layer.parameters()):
                weight.copy_(torch.tensor(wave(*weight.shape, seed=seed)))
        mask = torch.nn.Transformer.generate_square_subsequent_mask(5 if first else 2).double()
        for name, settings in (
            ("plain", {}),
            ("masked", {"attn_mask": mask}),
            ("called causal", {"attn_mask": mask, "is_causal": True}),
        ):
            out, weights = layer(x, x, x, need_weights=False, **settings)
            see(f"weights, {name}, {first}", weights, expect=None)
            see(
                f"{name}, {first}",
                [out, *torch.autograd.grad(out.pow(2).sum(), [x, *layer.parameters()])],
            )
            see(f"strides, {name}, {first}", list(out.stride()))
