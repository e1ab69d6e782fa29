"""Convolutions, pools, padding, resizing, normalization."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.fuzz.draw import Draw
from tests.fuzz.values import Given

Made = tuple[list[Any], dict[str, Any]]


def tuple_or_number(d: Draw, many: int, low: int, high: int) -> Any:
    if d.strange(0.15):
        return d.pick((0, -1, (1,) * (many + 1), 1.5, (2,)))
    if d.chance(0.6):
        return d.whole(low, high)
    found = tuple(d.whole(low, high) for _ in range(many))
    return list(found) if d.chance(0.2) else found


def some(d: Draw, words: dict[str, Any], p: float = 0.5) -> dict[str, Any]:
    """Some of the settings."""
    return {k: v for k, v in words.items() if d.chance(p)}


def image(d: Draw, spatial: int, channels: int, low: int = 3, high: int = 6) -> tuple[int, ...]:
    high = high if spatial < 3 else min(high, 4)
    shape = tuple(d.whole(low, max(low, high)) for _ in range(spatial))
    batch = d.pick(((), (1,), (2,), (2,), (2,), (0,)))
    if d.strange(0.15):
        batch = (2, 2)
    return (*batch, channels, *shape)


def conv(spatial: int, transposed: bool = False) -> Callable[[Draw], Made]:
    def make(d: Draw) -> Made:
        groups = d.pick((1, 1, 1, 2))
        inner, outer = groups * d.whole(1, 2), groups * d.whole(1, 2)
        dtype = d.dtype("inexact" if d.odd else "double") if d.chance(0.9) else d.dtype("wide")
        kernel = tuple(d.whole(1, 3) for _ in range(spatial))
        x = d.tensor(image(d, spatial, inner), dtype)
        shape = (inner, outer // groups) if transposed else (outer, inner // groups)
        w = d.tensor((*shape, *kernel), d.dtype() if d.strange(0.2) else dtype)
        args: list[Any] = [x, w]
        if d.chance(0.6):
            args.append(None if d.chance(0.2) else d.tensor((outer + d.strange(0.1),), dtype))
        words: dict[str, Any] = some(
            d,
            {
                "stride": tuple_or_number(d, spatial, 1, 3),
                "padding": tuple_or_number(d, spatial, 0, 2),
                "dilation": tuple_or_number(d, spatial, 1, 2),
            },
        )
        if transposed and d.chance(0.4):
            words["output_padding"] = tuple_or_number(d, spatial, 0, 1)
        if not transposed and d.chance(0.2):
            words["padding"] = d.pick(("same", "valid"))
        if groups != 1 or d.chance(0.2):
            words["groups"] = groups + d.strange(0.1)
        return args, words

    return make


def pool(kind: str, spatial: int) -> Callable[[Draw], Made]:
    def make(d: Draw) -> Made:
        x = d.tensor(image(d, spatial, d.whole(1, 2)), d.dtype("double"))
        words: dict[str, Any] = {"kernel_size": tuple_or_number(d, spatial, 1, 3)}
        more: dict[str, Any] = {
            "stride": tuple_or_number(d, spatial, 1, 3),
            "ceil_mode": d.chance(0.5),
        }
        if kind != "lp":
            more["padding"] = tuple_or_number(d, spatial, 0, 1)
        if kind == "max":
            more |= {"dilation": tuple_or_number(d, spatial, 1, 2), "return_indices": d.chance(0.5)}
        if kind == "avg":
            more["count_include_pad"] = d.chance(0.5)
            if spatial > 1:
                more["divisor_override"] = d.pick((None, 1, 3, -2))
        if kind == "lp":
            words = {"norm_type": d.pick((1, 2, 2.0, 3.0)), **words}
        return [x], words | some(d, more, 0.4)

    return make


def adaptive(kind: str, spatial: int) -> Callable[[Draw], Made]:
    def make(d: Draw) -> Made:
        x = d.tensor(image(d, spatial, d.whole(1, 2)), d.dtype("double"))
        size = tuple_or_number(d, spatial, 0 if d.chance(0.1) else 1, 4)
        if spatial > 1 and d.chance(0.2):
            size = (None, *(2 for _ in range(spatial - 1)))
        words: dict[str, Any] = {"output_size": size}
        if kind == "max" and d.chance(0.5):
            words["return_indices"] = d.chance(0.5)
        return [x], words

    return make


def unpool(spatial: int) -> Callable[[Draw], Made]:
    def make(d: Draw) -> Made:
        shape = image(d, spatial, d.whole(1, 2), 1, 3)
        if shape[0] == 0:
            shape = (1, *shape[1:])
        x = d.tensor(shape, d.dtype("double"))
        room = 1
        for n in shape[-spatial:]:
            room *= 2 * n
        indices = d.tensor(shape, "int64", 0, room - 1, grad=False)
        limits = [v % room for v in indices.values]
        return [x, Given(shape, "int64", tuple(limits)), 2], some(d, {"stride": 2, "padding": 0})

    return make


def pad(d: Draw) -> Made:
    mode = d.pick(("constant", "constant", "reflect", "replicate", "circular"))
    if mode == "constant":
        x = d.tensor(d.shape((1, 4)), d.dtype())
        many = d.whole(0, x.rank)
        sizes = [d.whole(-1, 2) for _ in range(2 * many + d.strange(0.2))]
        words = some(d, {"mode": mode, "value": d.pick((None, 0.0, 1.5, -2, True))})
        return [x, tuple(sizes) if d.chance(0.7) else sizes], words
    spatial = d.whole(1, 3)
    x = d.tensor(image(d, spatial, 1, 2, 4), d.dtype("wide"))
    sizes = [d.whole(-1, 3) for _ in range(2 * spatial)]
    return [x, tuple(sizes)], {"mode": mode}


def interpolate(d: Draw) -> Made:
    mode = d.pick(
        ("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area")
    )
    spatial = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}.get(mode, d.whole(1, 3))
    kind = "uint8" if d.chance(0.1) else d.dtype("double")
    x = d.tensor((d.whole(1, 2), d.whole(1, 2), *(d.whole(1, 7) for _ in range(spatial))), kind)
    words: dict[str, Any] = {"mode": mode}
    if d.chance(0.5):
        words["size"] = tuple_or_number(d, spatial, 1, 6)
    else:
        factors = (0.5, 2, 1.5, 2.0, 0.7, 3, 1, 0.3, 1.1, 1.2, 2.2, 2.4)
        words["scale_factor"] = (
            d.pick(factors)
            if d.chance(0.6)
            else tuple(float(d.pick(factors)) for _ in range(spatial))
        )
        if d.chance(0.3):
            words["recompute_scale_factor"] = d.chance(0.5)
    if "linear" in mode or "cubic" in mode:
        words |= some(d, {"align_corners": d.chance(0.5)})
        if spatial == 2 and d.chance(0.2):
            words["antialias"] = True
    return [x], words


def resized(mode: str) -> Callable[[Draw], Made]:
    def make(d: Draw) -> Made:
        spatial = 2 if mode == "bilinear" else d.whole(1, 3)
        x = d.tensor((1, 2, *(d.whole(1, 3) for _ in range(spatial))), d.dtype("double"))
        return [x], d.pick(({"size": (2,) * spatial}, {"scale_factor": 2}))

    return make


def folding(d: Draw) -> Made:
    x = d.tensor(image(d, 2, d.whole(1, 2)), d.dtype("wide"))
    words = {
        "dilation": tuple_or_number(d, 2, 1, 2),
        "padding": tuple_or_number(d, 2, 0, 1),
        "stride": tuple_or_number(d, 2, 1, 2),
    }
    return [x, tuple_or_number(d, 2, 1, 2)], some(d, words)


def unfolded(d: Draw) -> Made:
    height, width, kernel = d.whole(2, 4), d.whole(2, 4), d.pick((1, 2))
    stride, padding = d.pick((1, 2)), d.pick((0, 1))
    columns = 1
    for n in (height, width):
        columns *= (n + 2 * padding - kernel) // stride + 1
    batch = d.pick(((), (1,), (2,)))
    x = d.tensor(
        (*batch, d.whole(1, 2) * kernel * kernel, columns + d.strange(0.2)), d.dtype("wide")
    )
    return [x, (height, width), kernel], {"stride": stride, "padding": padding}


def batch_norm(d: Draw) -> Made:
    channels = d.whole(1, 3)
    shape = (d.pick((0, 1, 2, 3, 3)), channels, *d.shape((0, 2), most=6))
    dtype = d.dtype("double")
    x = d.tensor(shape, dtype)
    tracked = d.chance(0.7)
    mean = d.tensor((channels,), dtype, grad=False) if tracked else None
    var = d.tensor((channels,), dtype, 0.2, 2, grad=False) if tracked else None
    words: dict[str, Any] = {}
    if d.chance(0.6):
        words |= {"weight": d.tensor((channels,), dtype), "bias": d.tensor((channels,), dtype)}
    words["training"] = d.chance(0.6) or not tracked
    return [x, mean, var], words | some(d, {"momentum": d.pick((0.1, 0.5, 0.0)), "eps": 1e-3}, 0.4)


def instance_norm(d: Draw) -> Made:
    channels = d.whole(1, 2)
    dtype = d.dtype("double")
    spatial = tuple(d.size(2) for _ in range(d.whole(1, 2)))
    x = d.tensor((d.pick((1, 2, 0)), channels, *spatial), dtype)
    words: dict[str, Any] = {}
    if d.chance(0.4):
        words["running_mean"] = d.tensor((channels,), dtype, grad=False)
        words["running_var"] = d.tensor((channels,), dtype, 0.2, 2, grad=False)
        words["use_input_stats"] = d.chance(0.6)
    if d.chance(0.5):
        words |= {"weight": d.tensor((channels,), dtype), "bias": d.tensor((channels,), dtype)}
    return [x], words | some(d, {"eps": 0.01, "momentum": 0.3}, 0.3)


def layer_norm(rms: bool) -> Callable[[Draw], Made]:
    def make(d: Draw) -> Made:
        x = d.tensor(d.shape((1, 4)), d.dtype("double"))
        inner = x.shape[-d.whole(1, x.rank) :]
        if d.strange(0.3):
            inner = (*inner, 2)
        words: dict[str, Any] = some(
            d,
            {
                "weight": d.tensor(inner, x.dtype),
                "bias": d.tensor(inner, x.dtype),
                "eps": d.pick((1e-5, 0.1)),
            },
        )
        if rms:
            words.pop("bias", None)
        return [x, inner], words

    return make


def group_norm(d: Draw) -> Made:
    groups = d.whole(1, 2)
    channels = groups * d.whole(1, 2)
    x = d.tensor((d.pick((1, 2, 0)), channels, *d.shape((0, 2), most=6)), d.dtype("double"))
    words = {
        "weight": d.tensor((channels,), x.dtype),
        "bias": d.tensor((channels,), x.dtype),
        "eps": 0.01,
    }
    return [x, groups], some(d, words)


def local_norm(d: Draw) -> Made:
    x = d.tensor(
        (d.pick((1, 2)), d.whole(1, 4), *d.shape((1, 2), low=1, most=6)), d.dtype("double")
    )
    return [x, d.whole(1, 3)], some(d, {"alpha": 0.5, "beta": 0.75, "k": 2.0})


def near_places(d: Draw, shape: tuple[int, ...], dtype: str) -> Given:
    """Never infinite or NaN: there PyTorch reads and writes memory that is not its own."""
    special, d.special = d.special, False
    places = d.tensor(shape, dtype, -1.5, 1.5)
    d.special = special
    return places


def sampled(spatial: int) -> Callable[[Draw], Made]:
    def make(d: Draw) -> Made:
        many = d.whole(1, 2)
        x = d.tensor(
            (many, d.whole(1, 2), *(d.whole(1, 4) for _ in range(spatial))), d.dtype("double")
        )
        places = near_places(d, (many, *(d.whole(1, 3) for _ in range(spatial)), spatial), x.dtype)
        words = {
            "mode": d.pick(
                ("bilinear", "nearest", "bicubic") if spatial == 2 else ("bilinear", "nearest")
            ),
            "padding_mode": d.pick(("zeros", "border", "reflection")),
            "align_corners": d.chance(0.5),
        }
        return [x, places], some(d, words, 0.7)

    return make


def sampler(spatial: int) -> Callable[[Draw], Made]:
    def make(d: Draw) -> Made:
        operands, _ = sampled(spatial)(d)
        kinds = (0, 1, 2) if spatial == 2 else (0, 1)
        return [*operands, d.pick(kinds), d.pick((0, 1, 2)), d.chance(0.5)], {}

    return make


def affine(d: Draw) -> Made:
    spatial = d.pick((2, 2, 3))
    many = d.whole(1, 2)
    theta = d.tensor((many, spatial, spatial + 1), d.dtype("double"))
    size = [many, 1, *(d.whole(1, 4) for _ in range(spatial))]
    return [theta, size], some(d, {"align_corners": d.chance(0.5)})


def attention(d: Draw) -> Made:
    dtype = d.dtype("double")
    many, length, width, heads = d.whole(1, 2), d.whole(1, 3), 4, d.pick((1, 2))
    query = d.tensor((length, many, width), dtype)
    key = d.tensor((d.whole(1, 3), many, width), dtype)
    value = d.tensor(key.shape, dtype)
    three = d.tensor((3 * width, width), dtype)
    bias = d.tensor((3 * width,), dtype) if d.chance(0.6) else None
    out, out_bias = d.tensor((width, width), dtype), d.tensor((width,), dtype)
    more = [d.tensor((1, 1, width), dtype) if d.chance(0.2) else None] * 2
    dropped = 1.0 if d.chance(0.1) else 0.0
    args = [query, key, value, width, heads, three, bias, *more]
    args += [d.chance(0.2), dropped, out, out_bias]
    words = {"need_weights": d.chance(0.5), "average_attn_weights": d.chance(0.5)}
    mask_type = d.pick(("bool", dtype))
    if d.chance(0.3):
        sizes = d.pick(((length, key.shape[0]), (many * heads, length, key.shape[0])))
        words["attn_mask"] = d.tensor(sizes, mask_type)
    if d.chance(0.3):
        words["key_padding_mask"] = d.tensor((many, key.shape[0]), mask_type)
    if d.chance(0.1):
        words["static_k"] = d.tensor((many * heads, key.shape[0], width // heads), dtype)
    return args, some(d, words, 0.7)


def soft_choice(d: Draw) -> Made:
    x = d.tensor(d.shape((1, 3), low=1), d.dtype("double"))
    return [x], some(d, {"tau": 0.5, "hard": d.chance(0.5), "dim": -1})


def fractional(spatial: int) -> Callable[[Draw], Made]:
    def make(d: Draw) -> Made:
        shape = (d.whole(1, 2), d.whole(1, 2), *(d.whole(3, 5) for _ in range(spatial)))
        x = d.tensor(shape, d.dtype("double"))
        samples = d.tensor((*shape[:2], spatial), x.dtype, 0.05, 0.95, grad=False)
        words: dict[str, Any] = {"_random_samples": samples}
        if d.chance(0.5):
            words["output_size"] = 2
        else:
            words["output_ratio"] = d.pick((0.5, 0.6))
        return [x, d.pick((1, 2))], words | some(d, {"return_indices": True})

    return make


MAKERS: dict[str, Callable[[Draw], Made]] = {
    "F.pad": pad, "F.interpolate F.upsample": interpolate, "F.unfold": folding, "F.fold": unfolded,
    "F.upsample_nearest": resized("nearest"), "F.upsample_bilinear": resized("bilinear"),
    "F.batch_norm": batch_norm, "F.instance_norm": instance_norm, "F.group_norm group_norm": group_norm,
    "F.layer_norm layer_norm": layer_norm(False), "F.rms_norm rms_norm": layer_norm(True),
    "F.local_response_norm": local_norm, "F.grid_sample": sampled(2), "F.affine_grid": affine,
    "F.multi_head_attention_forward": attention, "~F.gumbel_softmax": soft_choice,
    "F.fractional_max_pool2d": fractional(2), "F.fractional_max_pool3d": fractional(3),
}  # fmt: skip
for _n in (1, 2, 3):
    MAKERS |= {
        f"F.conv{_n}d conv{_n}d": conv(_n),
        f"F.conv_transpose{_n}d conv_transpose{_n}d": conv(_n, transposed=True),
        f"F.max_pool{_n}d": pool("max", _n),
        f"F.avg_pool{_n}d": pool("avg", _n),
        f"F.lp_pool{_n}d": pool("lp", _n),
        f"F.adaptive_max_pool{_n}d": adaptive("max", _n),
        f"F.adaptive_avg_pool{_n}d": adaptive("avg", _n),
        f"F.max_unpool{_n}d": unpool(_n),
    }
MAKERS["F.grid_sample "] = sampled(3)
MAKERS |= {"grid_sampler grid_sampler_2d": sampler(2), "grid_sampler_3d": sampler(3)}


def _without_indices(make: Callable[[Draw], Made]) -> Callable[[Draw], Made]:
    def made(d: Draw) -> Made:
        args, words = make(d)
        words.pop("return_indices", None)
        return args, words

    return made


MAKERS |= {f"max_pool{_n}d": _without_indices(pool("max", _n)) for _n in (1, 2, 3)}
MAKERS["avg_pool1d"] = pool("avg", 1)
MAKERS["adaptive_avg_pool1d"] = adaptive("avg", 1)
MAKERS["adaptive_max_pool1d"] = _without_indices(adaptive("max", 1))
for _n in (1, 2, 3):
    MAKERS[f"F.max_pool{_n}d_with_indices"] = _without_indices(pool("max", _n))
    MAKERS[f"F.adaptive_max_pool{_n}d_with_indices"] = _without_indices(adaptive("max", _n))
for _n in (2, 3):
    MAKERS[f"F.fractional_max_pool{_n}d_with_indices"] = _without_indices(fractional(_n))
