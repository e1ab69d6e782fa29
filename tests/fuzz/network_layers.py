"""Layers that a random network is made of: constructors and the lines that apply them, by the number of dimensions."""

from __future__ import annotations

from tests.fuzz.draw import Draw

#: Functions of each element. (PyTorch's constants are of single precision: they are chosen to be exact in it, and a
#: sixth, the slope of Hardsigmoid and Hardswish, is left out. So is RReLU: PyTorch's second derivative of it, in a checkpoint,
#: reads noise that nobody wrote, and is another one in each run.)
ACTIVATIONS = ("ReLU({i})", "ReLU({i})", "ReLU6({i})", "LeakyReLU(0.125, {i})", "ELU(0.75, {i})", "SELU({i})", "CELU(2.0, {i})", "GELU()",
               "GELU('tanh')", "SiLU({i})", "Mish({i})", "Hardtanh(-1.5, 1.25, {i})", "Softplus(2.0)", "Tanh()",
               "Sigmoid()", "Softsign()", "Tanhshrink()", "Softshrink(0.25)", "Hardshrink(0.25)", "Threshold(0.125, 0.5, {i})", "LogSigmoid()",
               "Dropout(0.0, {i})", "Identity()", "PReLU()", "GLU(1)", "Softmax(1)", "LogSoftmax(1)", "Softmin(1)")  # fmt: skip

#: Lines without a module, of any number of dimensions.
FREE = ("x = F.relu(x, inplace=True)", "x = F.leaky_relu_(x, 0.25)", "x = x.mul_(0.9)", "x += 0.1", "x = x.clamp(-2, 2)", "x = torch.tanh_(x)",
        "x = x.flip(1)", "x = x[:, ::2]", "x = x * fixed(x)", "x = x.detach() * 0.5 + x", "x.register_hook(lambda g: g * 0.5)", "x = x / x.abs().mean()",
        "a, b = x.chunk(2, 1); x = a * torch.sigmoid(b)", "x = torch.cat([x, x.roll(1, 0)], 1)", "x = x.masked_fill(fixed(x) > 1.2, 0.3)",
        "x = torch.where(x > 0, x, x.exp() - 1)", "x = x.transpose(1, -1).contiguous()", "x = x.transpose(1, -1)", "x = F.normalize(x, dim=1)",
        "x = x - x.mean(1, keepdim=True)", "x = x.unbind(1)[0].unsqueeze(1) + x", "x = x.clone(); x[:, 0] = 0.5", "x = x.clone(); x[:, :1].mul_(x[:, 1:2] * 2)",
        "x = torch.stack([x, x * 2]).sum(0)", "x.retain_grad()", "x = F.dropout(x, 0.0, True)", "x = x.square().cumsum(1)", "x = x.softmax(-1)",
        "x = torch.lerp(x, x.flip(0), 0.3)", "x = (x, x.sin())[1]", "x = x.float().to(x.dtype)")  # fmt: skip

#: How a module is applied.
WAYS = ("x = {m}(x)",) * 12 + (
    "x = x + {m}(x)", "x = x + {m}(x)", "h = {m}(x); h += x; x = h", "x = torch.add(x, {m}(x), alpha=0.5)", "x = torch.cat([x, {m}(x)], 1)",
    "x = torch.cat([x, {m}(x)], 1)", "x = x * torch.sigmoid({m}(x))", "x = {m}({m}(x))", "x = checkpoint({m}, x, use_reentrant=False)",
    "x = checkpoint({m}, x, use_reentrant=True)", "x = checkpoint({m}, x, use_reentrant=False)", "x = {m}(x) + {m}(x.flip(0))",
    "x = checkpoint(lambda t: {m}(t) * t.mean(), x, use_reentrant=False)", "x = {m}(x.clone())",
)  # fmt: skip
SEQUENCES = ("x = {m}(x)[0]",)


def layer(d: Draw, shape: tuple[int, ...]) -> tuple[str, str]:
    """(Constructor behind `torch.nn.`, or nothing; the line) of a layer that may fit a tensor of this shape."""
    rank, channels = len(shape), shape[1] if len(shape) > 1 else 1
    if d.chance(0.18):
        return "", d.pick(FREE)
    if d.chance(0.25):
        made = d.pick(ACTIVATIONS).format(i=f"inplace={d.chance(0.6)}")
        return made, d.pick(WAYS)
    if rank == 2 or (rank == 3 and d.chance(0.45)):
        return _of_features(d, shape)
    return _of_images(d, rank - 2, channels, shape) if rank > 2 else ("", "x = x[:, None]")


def _of_features(d: Draw, shape: tuple[int, ...]) -> tuple[str, str]:
    """The last dimension, of vectors or of sequences (N, L, E)."""
    n, out = shape[-1], d.whole(1, 6)
    if len(shape) == 2:
        options = [
            f"Linear({n}, {out}, bias={d.chance(0.8)})", f"Linear({n}, {out})", f"Linear({n}, {n})", f"BatchNorm1d({n}, momentum={d.pick((0.1, 0.4, None))})",
            f"LayerNorm({n}, elementwise_affine={d.chance(0.7)})", f"RMSNorm({n})", f"GroupNorm({d.pick((1, 2, n))}, {n})", f"Unflatten(1, ({n // 2}, 2))",
            f"LSTMCell({n}, {out})", f"GRUCell({n}, {out})", f"RNNCell({n}, {out})", f"PReLU({n})", f"Unflatten(1, (1, {n}))", "AlphaDropout(0.0)",
        ]  # fmt: skip
        made = d.pick(options)
        return made, SEQUENCES[0] if made.startswith("LSTMCell") else d.pick(WAYS)
    two = d.pick(("True", "False"))
    options = [
        f"LSTM({n}, {out}, num_layers={d.pick((1, 2))}, batch_first={d.chance(0.6)}, bidirectional={two})", f"GRU({n}, {out}, batch_first={two}, bidirectional={two})",
        f"RNN({n}, {out}, nonlinearity={d.pick(('relu', 'tanh'))!r}, batch_first=True)", f"LSTM({n}, {out + 1}, proj_size={out}, batch_first=True)",
        f"MultiheadAttention({n}, {d.pick((1, 2))}, batch_first={two}, bias={two}, add_bias_kv={d.chance(0.2)}, add_zero_attn={d.chance(0.2)})", f"LayerNorm({n})", f"Linear({n}, {out})", f"RMSNorm({n})",
        f"TransformerEncoderLayer({n}, {d.pick((1, 2))}, {out}, 0.0, batch_first={two}, norm_first={two}, activation={d.pick(('relu', 'gelu'))!r})",
        f"LayerNorm([{shape[1]}, {n}])", f"Linear({n}, {n})", "Flatten()", f"Bilinear({n}, {n}, {out})",
        f"TransformerDecoderLayer({n}, 1, {out}, 0.0, batch_first=True)",
    ]  # fmt: skip
    made = d.pick(options)
    if made.startswith(("LSTM", "GRU", "RNN")):
        return made, SEQUENCES[0]
    if made.startswith("Multi"):
        return made, d.pick(("x = {m}(x, x, x, need_weights=False)[0]", "x = {m}(x, x.flip(1), x)[0]", "x = x + {m}(x, x, x)[0]",
                             "a = {m}(x, x, x); x = a[0] + a[1].mean()"))  # fmt: skip
    if made.startswith(("Bilinear", "TransformerD")):
        return made, "x = {m}(x, x.flip(1))"
    return made, d.pick(WAYS)


def _of_images(d: Draw, dims: int, channels: int, shape: tuple[int, ...]) -> tuple[str, str]:
    """(N, C, *sizes) with one, two or three sizes."""
    k, stride, edge = d.pick((1, 2, 3)), d.pick((1, 1, 2)), d.pick((0, 1, 1))
    groups = d.pick((1, 1, 1, channels))
    out = groups * d.pick((1, 1, 2)) if groups > 1 else d.whole(1, 4)
    mode = d.pick(("zeros", "zeros", "reflect", "replicate", "circular"))
    edge_word = d.pick((f"padding={edge}", f"padding={edge}", "padding='same'"))
    gap, fill = d.pick((1, 1, 2)), d.whole(0, 2)
    sizes = tuple(d.whole(1, 4) for _ in range(dims))
    edges = tuple(d.pick((0, 1, 1, 2, -1)) for _ in range(2 * dims))
    inplace = d.chance(0.5)
    smooth = {1: "linear", 2: d.pick(("bilinear", "bicubic")), 3: "trilinear"}[dims]
    options = [
        f"Conv{dims}d({channels}, {out}, {k}, stride={stride}, padding={edge}, dilation={gap}, groups={groups}, bias={d.chance(0.7)})",
        f"Conv{dims}d({channels}, {out}, {k}, {edge_word}, padding_mode={mode!r})", f"Conv{dims}d({channels}, {channels}, 3, padding=1)",
        f"ConvTranspose{dims}d({channels}, {out}, {k}, stride={stride}, padding={min(edge, k - 1)}, output_padding={stride - 1}, groups={groups})",
        f"BatchNorm{dims}d({channels}, momentum={d.pick((0.1, 0.3, None))}, affine={d.chance(0.8)}, track_running_stats={d.chance(0.8)})",
        f"BatchNorm{dims}d({channels})", f"InstanceNorm{dims}d({channels}, affine={d.chance(0.5)}, track_running_stats={d.chance(0.3)})",
        f"GroupNorm({d.pick((1, 2, channels))}, {channels})", f"LayerNorm({list(shape[-d.whole(1, dims + 1):])})", "LocalResponseNorm(2)",
        f"MaxPool{dims}d({d.pick((2, 3))}, stride={d.pick((None, 1, 2))}, padding={edge}, ceil_mode={d.chance(0.3)})", f"MaxPool{dims}d(2)",
        f"AvgPool{dims}d({d.pick((2, 3))}, stride={d.pick((None, 1))}, padding={edge}, ceil_mode={d.chance(0.3)}, count_include_pad={d.chance(0.5)})",
        f"AdaptiveAvgPool{dims}d({sizes if dims > 1 else sizes[0]})", f"AdaptiveMaxPool{dims}d({sizes if dims > 1 else sizes[0]})",
        f"LPPool{dims}d({d.pick((1, 2, 3))}, 2)", f"Upsample(scale_factor={d.pick((2, 1.5, 1.2, 2.4) if dims == 2 else (2, 1.5))}, mode={d.pick(('nearest', smooth))!r})",
        f"Upsample(size={sizes if dims > 1 else sizes[0]}, mode={smooth!r}, align_corners={d.chance(0.5)})", f"ZeroPad{dims}d({edges})", f"ConstantPad{dims}d({edges}, {fill / 2})",
        f"ReflectionPad{dims}d({tuple(abs(e) for e in edges)})", f"ReplicationPad{dims}d({edges})", f"CircularPad{dims}d({tuple(abs(e) for e in edges)})",
        f"Dropout{dims}d(0.0, inplace={inplace})", "FeatureAlphaDropout(0.0)", f"PReLU({channels})", "Flatten()", "Flatten()",
    ]  # fmt: skip
    if dims == 2:
        options += ["PixelShuffle(2)", "PixelUnshuffle(2)", f"ChannelShuffle({d.pick((1, 2, channels))})", "Flatten(2)", "Softmax2d()",
                    f"Unfold({k}, padding={edge})"]  # fmt: skip
    if dims == 1:
        options += [f"Unflatten(2, ({shape[2] // 2}, 2))", f"Linear({shape[2]}, {out})"]
    return d.pick(options), d.pick(WAYS)
