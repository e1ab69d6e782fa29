"""Attention: what masks do, what takes the place of keys and values, and what is refused."""

from math import inf

from tests.oracle.data import wave
from tests.oracle.registry import program

WIDTH, HEADS = 4, 2


def _made(torch, *shape, seed=0):
    return torch.tensor(wave(*shape, seed=seed), dtype=torch.float64, requires_grad=True)


def _attend(torch, batched=True, queries=3, keys=3, many=2, **settings):
    """`multi_head_attention_forward` of tensors that are always the same."""
    middle = (many,) if batched else ()
    inputs = [_made(torch, n, *middle, WIDTH, seed=n) for n in (queries, keys, keys)]
    three, bias = _made(torch, 3 * WIDTH, WIDTH), _made(torch, 3 * WIDTH, seed=4)
    out, out_bias = _made(torch, WIDTH, WIDTH, seed=5), _made(torch, WIDTH, seed=6)
    bias_k, bias_v = settings.pop("bias_k", None), settings.pop("bias_v", None)
    zero, p = settings.pop("add_zero_attn", False), settings.pop("dropout_p", 0.0)
    found, weights = torch.nn.functional.multi_head_attention_forward(
        *inputs, WIDTH, HEADS, three, bias, bias_k, bias_v, zero, p, out, out_bias, **settings
    )
    found.sum().backward()
    return [found, weights, three.grad, *(x.grad for x in inputs)]


def _full(torch):
    return torch.full((3, 3), -inf, dtype=torch.float64)


def _padded(torch):
    return torch.tensor([[True, False, False], [False, True, True]])


MASKS = {
    "numbers": lambda t: {"attn_mask": _made(t, 3, 3, seed=8)},
    "numbers by head": lambda t: {"attn_mask": _made(t, 4, 3, 3, seed=8)},
    "bools": lambda t: {"attn_mask": _padded(t)[[0, 1, 0]]},
    "padding": lambda t: {"key_padding_mask": _padded(t)},
    "both": lambda t: {"attn_mask": _made(t, 3, 3, seed=8), "key_padding_mask": _padded(t)},
    "all closed": lambda t: {"attn_mask": _full(t)},
    "all closed, without weights": lambda t: {"attn_mask": _full(t), "need_weights": False},
    "padding closes all, without weights": lambda t: {
        "key_padding_mask": _padded(t).logical_or(_padded(t)[:, [1, 2, 0]]), "need_weights": False
    },
    "called causal, without weights": lambda t: {
        "attn_mask": _made(t, 3, 3, seed=8), "is_causal": True, "need_weights": False
    },
    "called causal": lambda t: {"attn_mask": _made(t, 3, 3, seed=8), "is_causal": True},
}  # fmt: skip


@program(rules="T-53 T-95", each=tuple(MASKS))
def masks_of_several_heads(torch, see, name):
    see("all", _attend(torch, **MASKS[name](torch)))


EXTRA = {
    "zeros": lambda t: {"add_zero_attn": True},
    "a key more": lambda t: {"bias_k": _made(t, 1, 1, 4), "bias_v": _made(t, 1, 1, 4, seed=1)},
    "a key more and zeros": lambda t: {
        "bias_k": _made(t, 1, 1, 4), "bias_v": _made(t, 1, 1, 4, seed=1), "add_zero_attn": True,
        "attn_mask": _made(t, 3, 3, seed=8), "key_padding_mask": _padded(t),
    },
    "static keys": lambda t: {"static_k": _made(t, 4, 3, 2)},
    "both static, and zeros": lambda t: {
        "static_k": _made(t, 4, 5, 2), "static_v": _made(t, 4, 5, 2, seed=1), "add_zero_attn": True
    },
    "all is dropped": lambda t: {"dropout_p": 1.0},
    "nothing is dropped": lambda t: {"dropout_p": 1.0, "training": False},
    "weights by head": lambda t: {"average_attn_weights": False},
    "one sequence": lambda t: {"batched": False, "many": 1},
    "one sequence, mask by head": lambda t: {
        "batched": False, "many": 1, "attn_mask": _made(t, 2, 3, 3, seed=8)
    },
}  # fmt: skip


@program(rules="T-53 T-95", each=tuple(EXTRA))
def keys_and_values_besides(torch, see, name):
    see("all", _attend(torch, **EXTRA[name](torch)))


REFUSED = {
    "a mask for one query": lambda t: {"attn_mask": _made(t, 1, 3)},
    "a mask for other heads": lambda t: {"attn_mask": _made(t, 2, 3, 3)},
    "a mask of four dims": lambda t: {"attn_mask": _made(t, 1, 2, 3, 3)},
    "a mask of ints": lambda t: {"attn_mask": t.ones(3, 3, dtype=t.int64)},
    "padding for other keys": lambda t: {"key_padding_mask": _padded(t)[:, :2]},
    "padding of one sequence": lambda t: {"key_padding_mask": _padded(t)[0]},
    "causal without a mask": lambda t: {"is_causal": True},
    "half a bias": lambda t: {"bias_k": _made(t, 1, 1, 4)},
    "the other half": lambda t: {"bias_v": _made(t, 1, 1, 4)},
    "a bias of static keys": lambda t: {
        "bias_k": _made(t, 1, 1, 4), "bias_v": _made(t, 1, 1, 4), "static_k": _made(t, 4, 3, 2)
    },
    "static keys of other heads": lambda t: {"static_k": _made(t, 3, 3, 2)},
    "static values of another width": lambda t: {"static_v": _made(t, 4, 3, 3)},
}  # fmt: skip


@program(rules="T-53 T-95", each=tuple(REFUSED))
def refused_of_several_heads(torch, see, name):
    see.raises("error", lambda: _attend(torch, **REFUSED[name](torch)))


SCALED = {
    "nothing to look at": lambda t: t.tensor([[False, False], [True, False]]),
    "-inf everywhere": lambda t: t.tensor([[-inf, -inf], [0.5, -inf]], dtype=t.float64),
    "numbers": lambda t: t.tensor([[0.5, -1.0], [2.0, 0.0]], dtype=t.float64),
}


@program(rules="T-53 T-95", each=tuple(SCALED))
def masks_of_scaled_products(torch, see, name):
    leaves = [_made(torch, 2, 2, 3, seed=k) for k in range(3)]
    out = torch.nn.functional.scaled_dot_product_attention(*leaves, SCALED[name](torch))
    see("output", out)
    grads = torch.autograd.grad((out * out).sum(), leaves, create_graph=True)
    see("gradients", grads)
    see("seconds", torch.autograd.grad(sum((g * g).sum() for g in grads), leaves))


@program(rules="T-53 T-95")
def a_mask_does_not_hide_what_is_not_finite(torch, see):
    query = torch.ones(1, 1, dtype=torch.float64)
    keys = torch.tensor([[1.0], [inf]], dtype=torch.float64)
    values = torch.tensor([[1.0], [2.0]], dtype=torch.float64)
    attend = torch.nn.functional.scaled_dot_product_attention
    see("causal", attend(query, keys, values, is_causal=True))
    see("masked", attend(query, keys, values, torch.tensor([[True, False]])))
