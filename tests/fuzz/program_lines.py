"""What the statements of a random program are made of: `{x}` and `{y}` are tensors, `{n}` is a number, `{m}` a module."""

from __future__ import annotations

UNARY = (
    "{x}.tanh()", "{x}.exp()", "{x}.sin()", "{x}.sigmoid()", "-{x}", "{x}.abs()", "{x} * 2", "{x} ** 2", "{x} ** 3",
    "{x}.relu()", "{x}.clamp(-0.5, 1)", "{x}.sum()", "{x}.mean()", "{x}.sum(0)", "{x}.cumsum(0)", "{x}.cumprod(-1)",
    "{x}.prod()", "{x}.softmax(-1)", "{x}.log_softmax(0)", "{x}.amax()", "{x}.max(0).values", "{x}.min(-1)[0]",
    "{x}.sort(-1).values", "{x}.norm()", "{x}.var()", "{x}.std(0)", "{x}.logsumexp(-1)", "{x}.clone()", "{x}.flip(0)",
    "{x}.roll(1, 0)", "{x}.median()", "{x}.square()", "({x} * {x}).sqrt()", "({x}.abs() + 1).log()", "{x}.triu()",
    "torch.nn.functional.gelu({x})", "torch.nn.functional.pad({x}, (1, 1))", "{x}.cummax(0).values",
    "torch.nn.functional.leaky_relu({x})", "torch.nn.functional.softplus({x})", "{x}.to(torch.float32)",
    "torch.nn.functional.elu({x})", "{x}.repeat_interleave(2, 0)", "{x}.gather(0, torch.zeros_like({x}).long())",
    "{x}.index_select(0, torch.tensor([0, 0]))", "{x}[torch.tensor([0, -1])]", "{x}[{x} > 0]", "{x}.topk(1, 0).values",
    "{x}.masked_fill({x} > 0.5, 0.25)", "{x}.reciprocal()", "{x}.frac()", "{x}.diff()", "{x}.trace()", "{x}.cos()",
    "torch.where({x} > 0, {x}, {x} * 3)", "torch.nn.functional.normalize({x}, dim=0)", "{x}.erf()", "{x}.expm1()",
    "{x}.matrix_power(2)", "torch.linalg.inv({x} + 4 * torch.eye({x}.shape[-1], dtype={x}.dtype))",
    "torch.fft.rfft({x}).abs()", "torch.complex({x}, {x} * 2)", "{x}.real", "torch.view_as_real({x})",
    "torch.nn.functional.layer_norm({x}, {x}.shape[-1:])", "{x}.unfold(0, 2, 1)", "{x}.requires_grad_()",
)  # fmt: skip
BINARY = (
    "{x} + {y}", "{x} - {y}", "{x} * {y}", "{x} / ({y} * {y} + 1)", "{x} @ {y}", "{x} @ {y}.mT", "torch.maximum({x}, {y})",
    "torch.where({x} > {y}, {x}, {y})", "torch.cat([{x}, {y}])", "torch.stack([{x}, {y}])", "torch.lerp({x}, {y}, 0.3)",
    "torch.addcmul({x}, {x}, {y}, value=0.5)", "torch.atan2({x}, {y} * {y} + 1)", "torch.nn.functional.mse_loss({x}, {y})",
    "{x}.abs() ** {y}", "torch.einsum('...i,...i->...', {x}, {y})", "({x} - {y}).norm()", "torch.outer({x}, {y})",
    "torch.hypot({x}, {y})", "{x}.expand_as({y})", "torch.logaddexp({x}, {y})", "torch.fmod({x}, {y})",
    "torch.nn.functional.linear({x}, {y})", "{x}.view_as({y})", "torch.minimum({x}, {y})", "torch.addmm({x}, {x}, {y})",
    "torch.nn.functional.smooth_l1_loss({x}, {y})", "{x}.scatter(0, torch.zeros_like({y}).long(), {y})",
    "{x}.index_add(0, torch.tensor([0]), {y}[:1])", "{x}.masked_scatter({x} > 0, {y})",
)  # fmt: skip
VIEWS = (
    "{x}[0]",
    "{x}[-1]",
    "{x}[1:]",
    "{x}[..., -1]",
    "{x}[..., 1:]",
    "{x}[::2]",
    "{x}.t()",
    "{x}.mT",
    "{x}.view(-1)",
    "{x}.reshape(-1)",
    "{x}.transpose(0, -1)",
    "{x}.expand(2, *{x}.shape)",
    "{x}.unsqueeze(0)",
    "{x}.squeeze()",
    "{x}.diagonal()",
    "{x}.unbind(0)[0]",
    "{x}.chunk(2)[0]",
    "{x}.split(1)[-1]",
    "{x}.narrow(0, 0, 1)",
    "{x}.select(-1, 0)",
    "{x}.detach()",
    "{x}.view({x}.shape)",
    "{x}.flatten()",
    "{x}[None]",
    "{x}[...]",
    "{x}.permute(-1, *range({x}.dim() - 1))",
    "{x}.data",
    "{x}.contiguous()",
    "{x}.as_strided((2,), (1,))",
    "{x}.swapaxes(0, -1)",
    "{x}.movedim(0, -1)",
    "{x}.ravel()",
    "{x}.unflatten(-1, (1, -1))",
    "{x}.imag",
    "{x}.broadcast_to({x}.shape)",
    "{x}[:, :1]",
    "{x}.narrow(-1, 1, 1)",
    "{x}.as_strided((2, 1), (1, 1), 1)",
    "{x}.tensor_split(2)[1]",
    "{x}.unbind(-1)[-1]",
    "{x}.T",
    "{x}.view(1, *{x}.shape)",
    "{x}[0, ..., 1:]",
    "torch.view_as_complex({x}[..., :2])",
    "{x}.view_as({x})",
)
#: Several results that share one memory: each is bound to a name.
SEVERAL = (
    "{x}.chunk(2)",
    "{x}.chunk(2, -1)",
    "{x}.split(1)[:2]",
    "{x}.split(1, -1)[-2:]",
    "{x}.unbind(0)[:2]",
    "{x}.unbind(-1)[:2]",
    "{x}.tensor_split(2)",
    "{x}.split([1, {x}.shape[0] - 1])",
    "{x}.hsplit([1])",
    "torch.broadcast_tensors({x}, {y})",
    "{x}.max(-1)",
    "{x}.sort(0)",
    "torch.var_mean({x}, 0)",
    "torch.linalg.slogdet({x})",
    "torch.aminmax({x}, dim=0)",
    "{x}[..., 0], {x}[..., 1:]",
    "Pair.apply({x})",
    "Views.apply({x})",
    "Marked.apply({x})",
)
#: Functions that people write; `FUNCTIONS` defines them.
CUSTOM = (
    "Cube.apply({x})", "Exp.apply({x})", "Same.apply({x})", "Part.apply({x})", "Double_.apply({x})", "Once.apply({x})",
    "Product.apply({x}, {y})", "Double_.apply({x} * 1)", "Pair.apply({x})[0]", "Views.apply({x})[1]", "Double_.apply({x}[0])",
)  # fmt: skip
WRITES = (
    "{x}.mul_(2)", "{x}.add_(1)", "{x}.zero_()", "{x}.fill_(0.5)", "{x}.tanh_()", "{x}.exp_()", "{x}.relu_()", "{x}.neg_()",
    "{x}.clamp_(-0.5, 0.5)", "{x}.sigmoid_()", "{x}[0] = 0.25", "{x}[..., 0] = 1.5", "{x}[1:] *= 2", "{x}[{x} > 0] = 0",
    "{x} += 1", "{x} *= {x}", "{x}.masked_fill_({x} > 0, 0.5)", "{x}.pow_(2)", "{x}.sqrt_()", "{x}.t_()", "{x}.unsqueeze_(0)",
    "{x}.squeeze_()", "{x}.detach_()", "{x}.cumsum_(0)", "{x}.triu_()", "{x}.transpose_(0, -1)", "{x}.data.mul_(2)",
    "{x}[torch.tensor([0, 0])] = 0.125", "{x}.index_fill_(0, torch.tensor([0]), 2.0)", "{x}.requires_grad_()",
    "{x}.set_({x}.detach().clone())", "{x}.requires_grad_(False)", "{x}.data = {x}.data * 2", "{x}.fill_diagonal_(1)",
    "{x}[0].mul_(2)", "{x}[1:][..., 0].add_(1)", "{x}.view(-1)[:2].zero_()", "{x}.t()[0].exp_()", "{x}.detach().add_(1)",
    "{x}.chunk(2)[0].mul_(3)", "{x}.unbind(0)[0].mul_(2)", "{x}.diagonal().fill_(2)", "{x}[..., :1].copy_({x}[..., -1:])",
    "{x}.swapaxes_(0, -1)", "{x}.erf_()", "{x}.reciprocal_()", "{x}.cumprod_(-1)", "{x}.index_put_((torch.tensor([0]),), torch.tensor(2.0, dtype={x}.dtype))",
    "torch.nn.functional.relu({x}, inplace=True)", "torch.nn.init.ones_({x})", "{x}.real.mul_(2)", "{x}.round_()", "{x}.leaky_relu_(0.1)",
    "torch.nn.functional.leaky_relu({x}, 0.1, inplace=True)", "torch.nn.functional.elu({x}, inplace=True)",
)  # fmt: skip
WRITES_TWO = (
    "{x}.add_({y})", "{x}.mul_({y})", "{x}.copy_({y})", "{x} += {y}", "{x} -= {y}", "{x}[...] = {y}", "{x}[0] = {y}",
    "{x}.sub_({y}, alpha=2)", "{x}.div_({y}.exp())", "{x}[1:] = {y}", "{x}.lerp_({y}, 0.5)", "{x}.addcmul_({y}, {y})",
    "{x}.index_add_(0, torch.tensor([0]), {y})", "{x}.index_copy_(0, torch.tensor([0]), {y})", "{x}.data.copy_({y})",
    "{x}[{x} > 0] = {y}", "{x}.masked_scatter_({x} > 0, {y})", "{x}.atan2_({y} * {y} + 1)", "{x}.index_put_((torch.tensor([0]),), {y}, accumulate=True)",
    "torch.mul({x}, {y}, out={x})", "{x}.clamp_(min={y})", "{x}.masked_fill_({x} > {y}, 0.5)", "{x}.scatter_(0, torch.zeros_like({y}).long(), {y})",
    "{x}.hypot_({y})", "{x}.pow_({y})", "{x}[..., 0] += {y}", "{x}[:, :1] = {y}", "{x}.grad = {y}", "{x}.baddbmm_({y}, {y})", "{x}.addmm_({y}, {y})", "{x}.where({x} > 0, {y}, out={x})",
)  # fmt: skip
HOOKS = (
    "{x}.register_hook(lambda g: g * 2)", "{x}.register_hook(lambda g: seen.append(g.sum().item()))", "{x}.retain_grad()",
    "{x}.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.sum().item()))",
    "{x}.grad_fn.register_hook(lambda gi, go: seen.append([None if g is None else g.sum().item() for g in gi]))",
    "{x}.grad_fn.register_prehook(lambda go: tuple(None if g is None else g * 3 for g in go))",
    "{x}.register_hook(lambda g: (g * {x}.detach()).sum().expand_as(g))",
    "{x}.register_post_accumulate_grad_hook(lambda p: setattr(p, 'grad', None))",
    "{x}.register_hook(lambda g: None)", "{x}.register_hook(lambda g: g.mul_(2))", "{x}.register_hook(lambda g: g[:1])",
    "torch.autograd.graph.register_multi_grad_hook(({x}, {y}), lambda gs: seen.append([None if g is None else g.sum().item() for g in gs]))",
    "torch.autograd.graph.register_multi_grad_hook(({x}, {y}), lambda g: seen.append(g.sum().item()), mode='any')",
    "{x}.register_hook(lambda g: g + torch.autograd.grad(({y} ** 2).sum(), {y}, retain_graph=True)[0].sum().detach())",
    "{x}.register_hook(lambda g: seen.append((g.requires_grad, g.grad_fn is None)))", "{x}.register_hook(lambda g: g.detach())",
    "{x}.register_hook(lambda g: {x}.data.add_(1) is None or None)", "{x}.retain_grad()",
)  # fmt: skip
RUNS = (
    "{x}.sum().backward()", "({x} * {x}).sum().backward()", "{x}.backward(torch.ones_like({x}))", "{x}.sum().backward(retain_graph=True)",
    "({x} * {x}).sum().backward(create_graph=True)", "{x}.backward()",
    "{x}.sum().backward(retain_graph=True); {x}.sum().backward()", "{x}.backward(torch.ones_like({x}), retain_graph=True)",
    "torch.autograd.backward([{x}.sum(), {y}.sum()])", "torch.autograd.backward([{x}, {y}], [torch.ones_like({x}), torch.ones_like({y})], retain_graph=True)",
    "torch.autograd.grad(({x} ** 3).sum(), {y}, create_graph=True)[0].sum().backward()",
    "({x} ** 2).sum().backward(create_graph=True); {y}.grad.sum().backward()", "{x}.grad.sum().backward()",
    "({x} * 2).sum().backward(inputs=[{y}]) if {y}.is_leaf else None",  # of a result the two differ: E-27 [D]
)  # fmt: skip
GRADS = (
    "torch.autograd.grad({x}.sum(), {y})[0]", "torch.autograd.grad({x}.sum(), {y}, create_graph=True, allow_unused=True)[0]",
    "torch.autograd.grad({x}, {y}, torch.ones_like({x}), retain_graph=True)[0]",
    "torch.autograd.grad(({x} * {x}).sum(), {y}, create_graph=True)[0]",
    "torch.autograd.grad(({x} * {x}).sum(), [{y}, {x}], create_graph=True)[1]", "{x}.grad",
    "torch.autograd.grad({x}.sum(), {y}, allow_unused=True, materialize_grads=True, retain_graph=True)[0]",
    "torch.autograd.grad(torch.autograd.grad(({x} ** 3).sum(), {y}, create_graph=True)[0].sum(), {y})[0]",
    "torch.autograd.grad({x}, {y}, torch.ones_like({x}), create_graph=True, retain_graph=False)[0]",
    "torch.autograd.grad([{x}.sum(), ({y} * {y}).sum()], [{y}], retain_graph=True)[0]", "{x}.grad.clone()",
    "torch.autograd.grad(({x} * {y}.detach()).sum(), {x}, create_graph=True)[0]",
)  # fmt: skip
#: Modules for an input of this last size, `{n}`.
MODULES = (
    "torch.nn.Linear({n}, 2)", "torch.nn.LayerNorm({n})", "torch.nn.BatchNorm1d({n})", "torch.nn.BatchNorm1d({n})", "torch.nn.PReLU()", "torch.nn.Dropout(0.0)",
    "torch.nn.Sequential(torch.nn.Linear({n}, 3), torch.nn.Tanh(), torch.nn.BatchNorm1d(3))", "torch.nn.Softmax(-1)",
    "torch.nn.Bilinear({n}, {n}, 2)", "torch.nn.GRUCell({n}, 2)", "torch.nn.LSTM({n}, 2)", "torch.nn.RNN({n}, 2, batch_first=True)",
    "torch.nn.BatchNorm1d({n}, track_running_stats=False)", "torch.nn.Conv1d({n}, 2, 1)", "torch.nn.RMSNorm({n})",
    "torch.nn.utils.weight_norm(torch.nn.Linear({n}, 2))", "torch.nn.BatchNorm1d({n}, momentum=None)",
    "torch.nn.InstanceNorm1d({n}, affine=True)", "torch.nn.MultiheadAttention({n}, 1)", "torch.nn.GroupNorm(1, {n})",
    "torch.nn.Sequential(torch.nn.BatchNorm1d({n}), torch.nn.ReLU(inplace=True))", "torch.nn.LeakyReLU(0.1, inplace=True)",
    "torch.nn.Sequential(torch.nn.Linear({n}, {n}), torch.nn.ReLU(inplace=True), torch.nn.Linear({n}, 1))", "torch.nn.BatchNorm1d({n}, affine=False)",
    "torch.nn.InstanceNorm1d({n}, track_running_stats=True)", "torch.nn.Identity()", "torch.nn.Flatten(0)", "torch.nn.LSTMCell({n}, 2)",
)  # fmt: skip
#: Weights that both sides have: they are drawn by neither.
SET = "[p.data.copy_(torch.linspace(-1, 1, p.numel(), dtype=p.dtype).reshape(p.shape)) for p in {m}.parameters()]"
WITH_MODULE = (
    "{m}.eval()", "{m}.train()", "{m}.zero_grad()", "{m}.zero_grad(set_to_none=False)",
    "torch.optim.SGD({m}.parameters(), lr=0.1, momentum=0.9).step()", "torch.optim.Adam({m}.parameters(), lr=0.1).step()",
    "{m}.register_forward_hook(lambda m, i, o: o * 2 if isinstance(o, torch.Tensor) else None)",
    "{m}.register_full_backward_hook(lambda m, gi, go: seen.append([None if g is None else g.sum().item() for g in gi]))",
    "{m}.register_full_backward_pre_hook(lambda m, go: tuple(None if g is None else g * 2 for g in go))",
    "{m}.register_full_backward_hook(lambda m, gi, go: tuple(None if g is None else g * 2 for g in gi))",
    "{m}.requires_grad_(False)", "{m}.requires_grad_()", "torch.nn.utils.clip_grad_norm_({m}.parameters(), 0.5)",
    "{m}.load_state_dict({m}.state_dict())", "{m}.register_forward_pre_hook(lambda m, i: tuple(t * 2 for t in i))",
    "with torch.no_grad(): [p.mul_(0.5) for p in {m}.parameters()]", "[p.data.add_(1) for p in {m}.parameters()]",
    "with torch.no_grad(): [b.add_(1) for b in {m}.buffers()]", "{m}.running_mean.add_({x}.mean().detach())",
    "{m}.weight = torch.nn.Parameter({m}.weight.detach() * 2)", "{m}.register_buffer('kept', {x}.detach())",
    "torch.nn.utils.clip_grad_value_({m}.parameters(), 0.1)", "torch.nn.utils.vector_to_parameters(torch.nn.utils.parameters_to_vector({m}.parameters()).detach() * 2, {m}.parameters())",
    "[p.register_hook(lambda g: g * 2) for p in {m}.parameters()]", "{m}.reset_running_stats()",
)  # fmt: skip
#: Tensors of a module.
OF_MODULE = (
    "next({m}.parameters())",
    "next({m}.buffers())",
    "{m}.weight",
    "{m}.bias",
    "{m}.weight.grad",
    "list({m}.parameters())[-1]",
)
#: Optimizers of parameters `{p}`.
OPTIMIZERS = (
    "torch.optim.SGD({p}, lr=0.1)", "torch.optim.SGD({p}, lr=0.1, momentum=0.9)", "torch.optim.Adam({p}, lr=0.1)",
    "torch.optim.SGD({p}, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1)", "torch.optim.AdamW({p}, lr=0.1, amsgrad=True)",
    "torch.optim.RMSprop({p}, lr=0.1, momentum=0.5, centered=True)", "torch.optim.Adagrad({p}, lr=0.1)", "torch.optim.Adamax({p}, lr=0.1)",
)  # fmt: skip
WITH_OPTIMIZER = (
    "{o}.step()", "{o}.step()", "{o}.zero_grad()", "{o}.zero_grad(set_to_none=False)", "{o}.param_groups[0].update(lr=0.01)",
    "{o}.load_state_dict({o}.state_dict())", "{o}.zero_grad(); ({x} * {x}).sum().backward(); {o}.step()",
    "{o}.zero_grad(); ({x} * {x}).sum().backward(); {o}.step()", "({x} * {x}).sum().backward(retain_graph=True); {o}.step(); {x}.sum().backward()",
    "{o}.zero_grad(); ({m}({i}) ** 2).sum().backward(); {o}.step()", "{o}.zero_grad(); ({m}({i}) ** 2).sum().backward(); {o}.step()",
    "({m}({i}).tanh() * {x}.detach()).mean().backward(); {o}.step()", "{m}.eval(); ({m}({i}) ** 2).mean().backward(); {o}.step(); {m}.train()",
    "{o}.step(lambda: ({x} * {x}).sum())", "torch.optim.lr_scheduler.StepLR({o}, 1, 0.5).step()",
)  # fmt: skip
AROUND = ("with torch.no_grad(): ", "with torch.enable_grad(): ", "with torch.inference_mode(): ",
          "with torch.set_grad_enabled(False): ", "with torch.autograd.detect_anomaly(check_nan=False): ",
          "with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t): ",
          "with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().numpy().copy(), torch.from_numpy): ", "with torch.no_grad(): ")  # fmt: skip

#: What `CUSTOM` calls.
FUNCTIONS = """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x * x * g


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Part(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x[:1]

    @staticmethod
    def backward(ctx, g):
        return (g * 2).expand(ctx.shape)


class Double_(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        gx = g * y if ctx.needs_input_grad[0] else None
        return gx, g * x if ctx.needs_input_grad[1] else None


class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x + 1

    @staticmethod
    def backward(ctx, g, h):
        if g is None or h is None:
            return h if g is None else 2 * g
        return 2 * g + h


class Views(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x), x * 3

    @staticmethod
    def backward(ctx, g, h):
        return g * 2 + h


class Marked(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        whole = x.round()
        ctx.mark_non_differentiable(whole)
        return x * 2, whole

    @staticmethod
    def backward(ctx, g, h):
        return g * 2 + h
"""
