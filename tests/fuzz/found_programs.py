"""Programs in which vizgrad once did something else than PyTorch, made small: name -> statements.

They are compared as random ones are, seen after each line and seen only after the last.
"""

from __future__ import annotations

_X = "x0 = torch.tensor([[0.5, -1.2, 2.0], [1.1, 0.3, -0.7]], dtype=torch.float64).requires_grad_()"
_PLAIN = "x0 = torch.tensor([[0.5, -1.2, 2.0], [1.1, 0.3, -0.7]], dtype=torch.float64)"
_LEAF = "x0 = torch.tensor([0.5, -1.2, 2.0], dtype=torch.float64).requires_grad_()"
_NUMBER = "x0 = torch.tensor(1.458, dtype=torch.float64).requires_grad_()"
_COMPLEX = "x0 = torch.tensor([[1 + 2j, 0.5j, -1 + 0j]], dtype=torch.complex128)"
_OPTIMIZERS = {
    "SGD": "momentum=0.9", "Adam": "amsgrad=True", "AdamW": "lr=0.1", "NAdam": "lr=0.1", "RAdam": "lr=0.1",
    "Adamax": "lr=0.1", "RMSprop": "momentum=0.5, centered=True", "Adagrad": "lr=0.1", "Adadelta": "rho=0.8",
    "Rprop": "lr=0.1", "ASGD": "lr=0.1", "LBFGS": "lr=0.1",
    "the derivative of what is rounded is 0, whatever arrives": (
        _X, "x1 = torch.fmod(x0, x0 + 1)", "x2 = torch.autograd.grad(x1.sum(), x0, create_graph=True)[0]",
        "(x2 * x2).sum().backward(create_graph=True)", "x3 = torch.div(x0 * 1, x0 + 1, rounding_mode='floor')",
        "(x3 * torch.tensor(inf)).sum().backward()",
    ),
}  # fmt: skip
_STEP = "o1.step(lambda: o1.zero_grad() or [(l := ((x0 - 1) * x0).sum()), l.backward()][0])"
_COMPLEX_LEAF = (
    "x0 = torch.tensor([[1 + 2j, 0.5j, -1 + 0.3j]], dtype=torch.complex128).t().requires_grad_()"
)
_COMPLEX_STEP = "o1.step(lambda: o1.zero_grad() or [(l := ((x0 - 1).abs() ** 2 + x0.imag ** 2).sum()), l.backward()][0])"

FOUND: dict[str, tuple[str, ...]] = {
    f"{name} of a number": (_NUMBER, f"o1 = torch.optim.{name}([x0], {words})", _STEP, _STEP)
    for name, words in _OPTIMIZERS.items()
}
FOUND |= {
    f"{name} of complex numbers": (
        _COMPLEX_LEAF,
        f"o1 = torch.optim.{name}([x0], {words})",
        _COMPLEX_STEP,
        "o1.load_state_dict(o1.state_dict())",
        _COMPLEX_STEP,
    )
    for name, words in _OPTIMIZERS.items()
}
FOUND |= {
    # operands whose gradient goes nowhere
    "a write recorded for an operand cut off": (
        _NUMBER, "with torch.no_grad(): x1 = x0[None]", _PLAIN.replace("x0", "x2"), "x2.clamp_(min=x1)",
        "x2.backward(torch.ones_like(x2), retain_graph=True)",
    ),
    "a write recorded for an operand cut off, into a view": (
        _NUMBER, "with torch.no_grad(): x1 = x0[None]", _PLAIN.replace("x0", "x2"), "x3 = x2[:, ::2]",
        "x3.hypot_(x1)", "x2.sum().backward()",
    ),
    # views that show other memory
    "data of a view": (_PLAIN, "x1 = x0[1]", "x1.data = x1.data * 2", "x2 = x0.as_strided((2,), (1,))", "x0.fill_(3)"),
    "data of a base": (_PLAIN, "x1 = x0[1:]", "x0.data = x0.data * 2", "x2 = x1.as_strided((2,), (1,))", "x1.mul_(2)"),
    "data of a view in a graph": (
        _X, "x1 = x0 * 2", "x2 = x1[1:]", "x2.data = x2.data * 2", "x1.mul_(x0)", "x2.sum().backward()",
    ),
    "data that is a part": (_PLAIN, "x1 = x0 * 2", "x1.data = x0.data[1:]", "x2 = x1.as_strided((2,), (1,), 0)"),
    "set_ of a view": (
        _PLAIN, "x1 = x0[1:]", "x1.set_(x1.detach().clone())", "x2 = x0.as_strided((2,), (1,), 1)", "x0.add_(1)",
    ),
    # views that may not be brought up to date are asked for what does not need it
    "requires_grad_ of a view made in no_grad": (
        _LEAF, "with torch.no_grad(): x1 = x0.view(-1); x0 += 1", "x1.requires_grad_()", "x1.retain_grad()", "x1.output_nr",
    ),
    "grad of one of several views": (
        _X, "x1, x2 = x0.unbind(0)", "with torch.no_grad(): x1.zero_()", "x3 = x2.grad", "x2.requires_grad_()",
        "x2.requires_grad_(False)", "x2.output_nr",
    ),
    # assignment
    "a row is assigned its own number": (_LEAF.removesuffix(".requires_grad_()"), "x0[...] = x0[-1]", "x0[1:] = x0[0]"),
    "a tensor of one element is assigned itself": (
        "x0 = torch.tensor([1.5], dtype=torch.float64)", "x0[...] = x0.squeeze()", "x0[0] = x0",
    ),
    "a row is assigned itself without its dimension": (_PLAIN, "x1 = x0[:1]", "x1[...] = x1.squeeze()", "x0[:1] = x0[0]"),
    "a tensor is assigned its rows": (_PLAIN, "x0[...] = x0[1]", "x0[:] = x0[:1]", "x0[...] = x0.squeeze()"),
    "one number of another type where a mask holds": (
        _X, "x1 = x0 * 2", "x2 = torch.tensor([3.0], requires_grad=True)", "x1[x1 > 0] = x2",
        "x1.index_put_((x1 < 0,), x2 * 2)", "x1[..., torch.tensor([True, False, True])] = x2", "x1.sum().backward()",
    ),
    "several numbers of another type where a mask holds": (_PLAIN, "x0[x0 > 0] = torch.ones(4)"),
    "one number where a mask of bytes holds": (
        _PLAIN, "x1 = (x0 > 0).to(torch.uint8)", "x0[x1] = 2", "x0[x1] = torch.ones(1, dtype=torch.float64)",
        "x0[x1] = torch.ones(4, dtype=torch.float64)", "x0[:, x1[0]] = 5",
    ),
    "views of a detached inference tensor": (
        "with torch.inference_mode(): x0 = torch.ones(2, 3)", "x1 = x0.detach()", "x2 = x1.t()", "x1.mul_(2)", "x2._version",
        "x3 = x1.detach()[0]", "x3._version",
    ),
    # what is saved
    "an operand that is overwritten, packed before": (
        _X, "x1 = x0 * 2",
        "with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t): x1.mul_(x1); x1.div_(x1.t().t())",
        "x1.sum().backward()",
    ),
    "activations in place keep their result": (
        _X, "x1 = torch.nn.functional.leaky_relu(x0 * 1, 0.1, inplace=True)", "x2 = torch.nn.functional.elu(x0 * 1, inplace=True)",
        "x3 = torch.nn.functional.celu(x0 * 1, 2.0, inplace=True)", "x4 = torch.nn.functional.selu(x0 * 1, inplace=True)",
        "x5 = torch.autograd.grad((x1 * x2 * x3 * x4).sum(), x0, create_graph=True)[0]", "x5.sum().backward()",
        "x6 = torch.nn.functional.elu(x0 * 1, inplace=True)", "x7 = x6 * 2", "x6.add_(1)", "x7.sum().backward()",
        "x8 = torch.nn.functional.leaky_relu(x0 * 1, 0.1, inplace=True)", "x8.data.add_(3)", "x8.sum().backward()",
    ),
    "the condition of where is saved": (
        _X, "x1 = x0 > 0", "x2 = torch.where(x1, x0, x0 * 2)", "x3 = torch.where(x1, x0, 2)", "x2.sum().backward()",
        "x2.sum().backward()", "x1.zero_()", "x3.sum().backward()",
        "with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append(str(t.dtype)[-4:]) or t, lambda t: t): x4 = torch.where(x0 > 1, x0, x0.float())",
        "x4.sum().backward()",
    ),
    "backward twice over of what was written to a view": (
        _X, "x1 = x0.exp()", "x2 = x1[0]", "x2.reciprocal_()", "x1.t()[1:].tanh_()",
        "x3 = torch.autograd.grad((x1 ** 3).sum(), x0, create_graph=True)[0]", "torch.autograd.backward([x3.sum(), (x3 * x3).sum()])",
        "x4 = torch.einsum('...i,...i->...', x0, x0)", "x4.sqrt_()",
        "x5 = torch.autograd.grad((x4 * x4 * x4).sum(), x0, create_graph=True)[0]", "x5.sum().backward()",
    ),
    "parts that meet through .data": (
        "x0 = torch.tensor([[0.5, 1.5, 2.5]], dtype=torch.float64).requires_grad_()", "x1 = x0[None]", "x1.data.copy_(x0)", "x0.data.mul_(x0.view(-1))",
        "x0.data.add_(x0.detach())",
    ),
    "an imaginary part where a mask holds": (_PLAIN, "x0[x0 > 0] = torch.tensor(1 + 2j)", "x0[x0 > 0] = torch.tensor([3 + 0j])"),
    "where parts of inference tensors begin": (
        "with torch.inference_mode(): x0 = torch.arange(6.0); x1 = x0.as_strided((2, 1), (1, 1), 1); x2 = x1.as_strided((2,), (1,))",
        "x3 = x1.as_strided((2,), (2,), 0)", "seen.append((x1.storage_offset(), x2.storage_offset(), x3.storage_offset()))",
    ),
    "slices of nothing have any index": (
        "x0 = torch.ones(0, 0)", "x0.index_fill_(0, torch.tensor([0]), 2.0)",
        "x1 = torch.ones(0, 0, 2).index_copy(0, torch.tensor([0]), torch.ones(1, 0, 2))",
        "torch.ones(0, 3).index_fill_(0, torch.tensor([0]), 2.0)",
    ),
    "nothing is assigned itself": ("x0 = torch.ones(1, 0)", "x0[x0 > 0] = x0", "x0.index_copy_(0, torch.tensor([0]), x0)"),
    "operands that were not given, and packed": (
        _X, "with torch.autograd.graph.save_on_cpu(): x1 = torch.nn.functional.layer_norm(x0, (3,))",
        ("with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 1, lambda t: t): "
        "x2 = torch.nn.functional.batch_norm(x0, None, None, training=True); x3 = torch.nn.functional.group_norm(x0, 1); "
        "x4 = torch.nn.functional.conv1d(x0, x1[:, :, None]); x5 = torch.nn.functional.instance_norm(x0[None])"),
        "(x1 * x2 + x3).sum().backward()", "(x4.sum() * x5).sum().backward()",
    ),
    "a hook of several tensors of which one is cut off": (
        _LEAF, "with torch.no_grad(): x1 = x0.view(-1)",
        "torch.autograd.graph.register_multi_grad_hook((x1, x0), lambda gs: seen.append(len(gs)))",
    ),
    "what instance and group norm keep of a part": (
        "x0 = torch.arange(12.0).reshape(2, 6)[:, ::2].requires_grad_()", "x1 = x0 * 1", "x2 = x1[:, ::2]",
        "x3 = torch.nn.functional.group_norm(x1.t(), 1)", "x4 = torch.nn.functional.instance_norm(x1.t()[None])",
        "x1.mul_(2)", "(x3.sum() + x4).sum().backward()",
    ),
    # memory
    "from a part of a part on": (
        "x0 = torch.arange(12.0)[::2][None]", "x1 = x0.diagonal()", "x2 = x1.as_strided((2, 1), (1, 1), 1)",
        "x3 = x0[:, 1:].diagonal().as_strided((2,), (2,))", "x3.zero_()",
    ),
    # hooks
    "the first gradient of tensors of which one requires none": (
        _X, "x1 = x0.detach()", "x2 = x0 * 2",
        "torch.autograd.graph.register_multi_grad_hook((x1, x2), lambda g: seen.append(g.sum().item()), mode='any')",
        "x2.sum().backward()",
    ),
    # layouts that decide what is a view
    "joined turned tensors lie in order": (
        _X, "x1 = x0.t() * 2", "x2 = torch.stack([x1, x1])", "x3 = x2.reshape(-1)", "x2.mul_(2)", "x4 = torch.cat([x1, x1])",
        "x5 = x4.view(-1)", "x6 = x1.roll(1, 0)", "x7 = x6.view(-1)", "x7.add_(1)",
    ),
    "what follows rows lies in order, whatever the operand": (
        "x0 = torch.arange(24.0).reshape(2, 3, 4).transpose(1, 2).requires_grad_()", "x1 = x0.softmax(-1).view(-1)",
        "x2 = x0.log_softmax(1).view(-1)", "x3 = x0.gather(1, torch.zeros_like(x0).long()).view(-1)",
        "x4 = x0.logsumexp(0).view(-1)", "x5 = x0.tril().view(-1)", "x6 = x0.flip(0).transpose(1, 2).view(-1)",
    ),
    # refusals
    "statistics of other channels": (
        "m0 = torch.nn.InstanceNorm1d(3, track_running_stats=True)", "x1 = m0(torch.ones(2, 3))", "x2 = m0(torch.ones(2, 2, 3))",
        "m3 = torch.nn.InstanceNorm1d(3, affine=True)", "x3 = m3(torch.ones(2, 2, 3))",
    ),
    "instance norm of another type": (
        "m0 = torch.nn.InstanceNorm1d(3, affine=True).double()", "x1 = m0(torch.ones(2, 3, 4))",
    ),
    "running statistics of another type": (
        "m0 = torch.nn.BatchNorm1d(3, affine=False).double()", "x1 = m0(torch.ones(2, 3))", "x2 = m0.float()(torch.ones(2, 3).double())",
        "m0.eval()", "x3 = m0(torch.ones(2, 3).double())", "x4 = m0(torch.ones(2, 3))",
    ),
    "no parameters to join": ("torch.nn.utils.parameters_to_vector([])",),
    "a real transform of one complex number": (_COMPLEX, "x1 = torch.fft.rfft(x0[0, 0])", "x2 = torch.fft.ihfft(x0[0, 0])"),
    "a hook of a layer none of whose inputs requires grad gives None for each": (
        "x0 = torch.arange(6.0).reshape(2, 3)", "m1 = torch.nn.BatchNorm1d(3)",
        "m1.register_full_backward_hook(lambda m, gi, go: tuple(None if g is None else g * 2 for g in gi))",
        "m1(x0).sum().backward()", "m1.register_full_backward_hook(lambda m, gi, go: (x0,))", "m1(x0).sum().backward()",
    ),
    "a hook writes to the gradient of a mean": (
        _X, "h1 = x0.register_hook(lambda g: g.mul_(2))", "x0.mean().backward()", "x0.mean(0, True).sum().backward()", "x0.mean(1).sum().backward()",
    ),
    "the derivative of what is rounded is 0, whatever arrives": (
        _X, "x1 = torch.fmod(x0, x0 + 1)", "x2 = torch.autograd.grad(x1.sum(), x0, create_graph=True)[0]",
        "(x2 * x2).sum().backward(create_graph=True)", "x3 = torch.div(x0 * 1, x0 + 1, rounding_mode='floor')",
        "(x3 * torch.tensor(inf)).sum().backward()",
    ),
    "a write to a part is run backwards once, whatever it has kept": (
        _X, "x1 = x0 * 1", "x1[0].add_(1)", "x2 = x1.sum()", "x2.backward()", "x2.backward()",
    ),
    "a part made without grad requires it beside another type": (
        _X, "with torch.no_grad(): x1 = x0[:1]", "x2 = torch.where(x1 > 0, x1, torch.ones(1, dtype=torch.float32))",
    ),
    "a result is reshaped where nothing is recorded, and run backward": (
        _LEAF, "x1 = x0 * 2", "x1[x1 > 0] = x0[x0 > 0]", "with torch.no_grad(): x1.unsqueeze_(0)",
        "x1.backward(torch.ones_like(x1))",
    ),
}  # fmt: skip
