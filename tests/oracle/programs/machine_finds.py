"""What random sequences of steps found (`test_machine.py`), in one line each."""

from tests.oracle.registry import program


@program(rules="E-51 E-31")
def hooks_of_a_root_that_leads_to_no_input_are_called(torch, see):
    x, other = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    y = x * 2
    seen = []
    x.register_hook(lambda grad: seen.append("leaf"))
    y.register_hook(lambda grad: seen.append("result"))
    y.grad_fn.register_prehook(lambda grads: seen.append("before the node"))
    for root in (x, y):
        torch.autograd.grad(root, other, torch.ones(3), allow_unused=True)
    see("hooks", seen, expect=["leaf", "result"])
    torch.autograd.grad((x, y), other, (torch.ones(3), torch.ones(3)), allow_unused=True)
    see("of several roots", seen)


@program(rules="V-10 V-2")
def copying_a_tensor_to_itself_is_a_write(torch, see):
    x = torch.ones(3, requires_grad=True)
    see.raises("leaf", lambda: x.copy_(x), phrase="a leaf Variable that requires grad")
    y = x * 1
    y.copy_(y)
    see("version", y._version, expect=1)


@program(rules="E-66 E-74")
def post_accumulate_hooks_are_called_whatever_became_of_the_gradient(torch, see):
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return None

    for name, off in (("dropped", True), ("undefined", False)):
        x = torch.ones(2, requires_grad=True)
        seen = []
        x.register_hook(lambda grad, seen=seen: seen.append("hook"))
        x.register_post_accumulate_grad_hook(lambda x, seen=seen: seen.append("after"))
        y = x.exp() if off else Nothing.apply(x)
        if off:
            x.requires_grad_(False)
        y.sum().backward()
        see(name, seen, expect=["hook", "after"])
        see(f"{name}: gradient", x.grad, expect=None)


@program(rules="V-31 V-60")
def a_saved_output_of_a_write_to_part_of_a_base_is_differentiated_twice(torch, see):
    for name in ("exp_", "tanh_", "sigmoid_"):
        b = torch.tensor([1.5, 2.0], dtype=torch.float64, requires_grad=True)
        base = torch.cat([b, b])
        getattr(base[::2], name)()
        (first,) = torch.autograd.grad(base.sum(), b, create_graph=True)
        see(f"{name}: first", first)
        see(f"{name}: second", torch.autograd.grad(first.sum(), b)[0])


@program(rules="M-20 M-24")
def data_and_detach_of_an_inference_tensor_may_be_written(torch, see):
    with torch.inference_mode():
        x = torch.ones(3)
        part = torch.ones(2, 2)[:, 0] * 3
    for name, other in (("data", x.data), ("detach", x.detach())):
        see(f"{name}: version", other._version, expect=0)
        see(f"{name}: written", other.mul_(2))
        see(f"{name}: is one", other.is_inference(), expect=True)
        see.raises(
            f"{name}: requires", lambda other=other: other.requires_grad_(), phrase="InferenceMode"
        )
    see("strided", part.as_strided((2,), (1,)))


@program(rules="T-24")
def a_number_that_the_type_does_not_have_is_refused(torch, see):
    cases = {torch.uint8: (300, -3, -256, -0.5), torch.int32: (10**10, float("nan"), 1e30, 1j),
             torch.float32: (1e300, float("inf"), 1j, 2 + 0j)}  # fmt: skip
    for dtype, numbers in cases.items():
        kind = str(dtype).split(".")[-1]
        for number in numbers:
            for name, write in (
                ("fill_", lambda x, v: x.fill_(v)),
                ("full", lambda x, v: torch.full((2,), v, dtype=x.dtype)),
                ("masked_fill", lambda x, v: x.masked_fill(x == 0, v)),
                ("index", lambda x, v: x.__setitem__(0, v)),
                ("pad", lambda x, v: torch.constant_pad_nd(x, [1, 0], v)),
            ):
                x = torch.zeros(2, dtype=dtype)
                try:
                    made = write(x, number)
                except RuntimeError as error:
                    see(f"{name} {kind} {number}", "without overflow" in str(error), expect=True)
                else:
                    see(f"{name} {kind} {number}", x if made is None else made)


@program(rules="V-7 V-8")
def what_is_read_and_written_at_once(torch, see):
    x, whole = torch.tensor(2.0), torch.ones(3)
    see.raises(
        "an operand is not resized", lambda: torch.mul(x, whole, out=x), phrase="broadcast shape"
    )
    one = torch.tensor([3.0])
    one[one > 0] = one
    see("one element where a mask holds", one)
    whole[whole > 0] = whole[:1]
    see("its own element", whole)


@program(rules="V-12")
def set_of_a_result_has_no_derivative(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.set_(torch.zeros(3))
    see("shows", y.detach())
    see("requires grad", (y.requires_grad, y.is_leaf, y._version), expect=(True, False, 1))
    see.raises(
        "backward", lambda: y.sum().backward(), phrase="derivative for set_ is not implemented"
    )


@program(rules="T-74")
def the_first_derivative_of_a_first_power_requires_grad(torch, see):
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad((x**1).sum(), x, create_graph=True)
    see("requires grad", first.requires_grad, expect=True)
    see("second", torch.autograd.grad(first.sum(), x)[0])
    least = torch.tensor([-1, -2, -(2**63), 0, 3])
    for base in (0, 1, -1, 2):
        see(f"{base} to negative integers", torch.pow(base, least))


@program(rules="T-70")
def rectifiers_keep_the_sign_of_zero(torch, see):
    x = torch.tensor([-0.0, 0.0, -1.0, 2.0])
    f = torch.nn.functional
    for size in (4, 4096):
        wide = x.repeat(size // 4)
        for name, y in (
            ("leaky_relu", f.leaky_relu(wide)), ("prelu", f.prelu(wide, torch.tensor([-1.0]))),
            ("elu", f.elu(wide)), ("celu", f.celu(wide)),
        ):  # fmt: skip
            see(f"{name} {size}", torch.signbit(y)[:4])


@program(rules="X-16")
def lobpcg_iterates_as_its_method_says(torch, see):
    rows = [[2.5, 0.1, 0.2, 0.3, 0.1, 0.0], [0.1, 5, 0.2, -0.1, 0.2, 0.1], [0.2, 0.2, 7.5, 0.1, 0.1, 0.3],
            [0.3, -0.1, 0.1, 10, 0.2, 0.2], [0.1, 0.2, 0.1, 0.2, 12.5, 0.1],
            [0.0, 0.1, 0.3, 0.2, 0.1, 15]]  # fmt: skip
    A = torch.tensor(rows, dtype=torch.float64)
    B = torch.eye(6, dtype=torch.float64) * 2 + 0.1
    start = torch.arange(1.0, 13.0, dtype=torch.float64).sin().reshape(6, 2)
    for niter, method in ((1, "basic"), (2, "basic"), (-1, "ortho")):
        for weight in (None, B) if niter != 2 else (None,):
            values, vectors = torch.lobpcg(
                A, B=weight, X=start, niter=niter, method=method, largest=False
            )
            see(f"{niter} {weight is None}: values", values)
            see(f"{niter} {weight is None}: vectors", vectors.abs())
    seen = []
    torch.lobpcg(A, X=start, tracker=lambda state: seen.append(state.X.shape))
    see("tracker", len(seen) > 1, expect=True)
    A.requires_grad_()
    values, vectors = torch.lobpcg(A, X=start)
    (first,) = torch.autograd.grad(values.sum() + vectors.square()[:3].sum(), A, create_graph=True)
    see("first", first)
    see("second", torch.autograd.grad(first[0].sum(), A)[0])
    see("node", values.grad_fn.name(), expect="LOBPCGAutogradFunctionBackward")
    see("sparse", torch.lobpcg(A.detach().to_sparse(), X=start)[0])
