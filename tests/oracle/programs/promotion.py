"""Result dtypes: categories, priorities, and the operations that refuse to promote."""

from tests.oracle.registry import program

_DTYPES = ("bool", "uint8", "int32", "int64", "float16", "float32", "float64")


@program(rules="T-2", each=_DTYPES)
def two_tensors_promote_inside_the_highest_category(torch, see, one):
    a = torch.ones(2, dtype=getattr(torch, one))
    for other in _DTYPES:
        b = torch.ones(2, dtype=getattr(torch, other))
        see(f"* {other}", (a * b).dtype)
        see(f"result_type {other}", torch.result_type(a, b))


@program(rules="T-3", each=_DTYPES)
def a_0_dim_tensor_counts_only_by_its_category(torch, see, one):
    a = torch.ones(2, dtype=getattr(torch, one))
    for other in _DTYPES:
        see(f"* 0-dim {other}", (a * torch.tensor(1, dtype=getattr(torch, other))).dtype)
        see(f"0-dim {other} +", (torch.tensor(1, dtype=getattr(torch, other)) + a).dtype)


@program(rules="T-3", each=_DTYPES)
def a_python_number_counts_only_by_its_category(torch, see, one):
    a = torch.ones(2, dtype=getattr(torch, one))
    for number in (True, 2, 2.5):
        see(f"* {number!r}", (a * number).dtype)
        see(f"{number!r} +", (number + a).dtype)
        see(f"0-dim * {number!r}", (a[0] * number).dtype)


@program(rules="T-3")
def verified_examples_of_priority(torch, see):
    see(
        "f32 * 0-dim f64",
        (torch.ones(2) * torch.tensor(2.0, dtype=torch.float64)).dtype,
        expect="float32",
    )
    see("int * 1.5", (torch.ones(2, dtype=torch.int64) * 1.5).dtype, expect="float32")
    see(
        "int * 0-dim f64",
        (torch.ones(2, dtype=torch.int64) * torch.tensor(2.0, dtype=torch.float64)).dtype,
        expect="float64",
    )
    see("half * 1.5", (torch.ones(2, dtype=torch.float16) * 1.5).dtype, expect="float16")
    see("bool + 1", torch.tensor([True]) + 1, expect=[2])
    see("bool + bool", torch.tensor([True, False]) + torch.tensor([True, True]))


@program(rules="T-2 T-30")
def the_gradient_has_the_dtype_of_the_leaf(torch, see):
    single = torch.tensor([1.0, 2.0], requires_grad=True)
    double = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
    product = single * double
    see("product", product)
    product.sum().backward()
    see("gradient of the float32", single.grad, expect=[3, 4])
    see("gradient of the float64", double.grad, expect=[1, 2])


@program(rules="T-4")
def float_functions_of_ints_give_the_default_float(torch, see):
    ints = torch.tensor([1, 4])
    for name in ("exp", "sqrt", "sin", "log", "sigmoid", "tanh", "reciprocal"):
        see(name, getattr(torch, name)(ints))
    see("true division", ints / torch.tensor([2, 3]))
    see("bool division", (torch.tensor([True]) / torch.tensor([True])).dtype, expect="float32")
    for name in ("abs", "neg", "square", "sign", "floor"):
        see(name, getattr(torch, name)(ints))


@program(rules="T-4")
def sums_of_ints_widen_and_means_refuse(torch, see):
    ints = torch.tensor([1, 2, 3], dtype=torch.int32)
    see("sum", ints.sum())
    see("sum of bools", torch.tensor([True, True]).sum(), expect=2)
    see("prod", ints.prod())
    see("cumsum", ints.cumsum(0), expect=[1, 3, 6])
    see("max keeps", ints.max())
    see("sum with dtype", ints.sum(dtype=torch.float64))
    see("mean with dtype", ints.mean(dtype=torch.float32), expect=2)
    see.raises("mean", ints.mean, phrase="dtype")
    see("comparison", ints < 2, expect=[True, False, False])


@program(rules="T-5")
def division_and_remainder_of_signs(torch, see):
    a = torch.tensor([7, -7, 7, -7])
    b = torch.tensor([2, 2, -2, -2])
    see("//", a // b, expect=[3, -4, -4, 3])
    see("%", a % b, expect=[1, 1, -1, -1])
    see("fmod", torch.fmod(a, b), expect=[1, -1, 1, -1])
    see("trunc mode", torch.div(a, b, rounding_mode="trunc"), expect=[3, -3, -3, 3])
    see("floor mode", torch.div(a, b, rounding_mode="floor"))
    see("floats //", a.double() // 2.0)
    see("floats %", a.double() % -2.5)
    see("float by zero", torch.tensor([1.0, -1.0, 0.0]) / 0)
    see.raises("int // 0", lambda: a // 0)
    see.raises("int % 0", lambda: a % 0)
    see.raises("int ** negative int", lambda: a**-1, phrase="negative integer powers")


@program(rules="T-5")
def bools_have_no_minus(torch, see):
    t = torch.tensor([True, False])
    see.raises("unary", lambda: -t)
    see.raises("binary", lambda: t - t)
    see("& | ^ ~", (t & True, t | t, t ^ t, ~t))


@program(rules="T-6")
def matrix_products_do_not_promote(torch, see):
    single, double = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64)
    see.raises("mm", lambda: torch.mm(single, double), phrase="dtype")
    see.raises("@", lambda: single @ double, phrase="dtype")
    see.raises("linear", lambda: torch.nn.functional.linear(single, double), phrase="dtype")


@program(rules="T-6")
def cat_stack_and_where_promote(torch, see):
    single, double, ints = torch.ones(2), torch.zeros(2, dtype=torch.float64), torch.tensor([5, 6])
    see("cat", torch.cat([single, double]))
    see("cat with ints", torch.cat([single, ints]))
    see("stack", torch.stack([single, double]))
    see("where", torch.where(torch.tensor([True, False]), single, double))
    see("where with a number", torch.where(torch.tensor([True, False]), ints, 2.5))


@program(rules="T-8")
def uint8_wraps(torch, see):
    t = torch.tensor([1, 200], dtype=torch.uint8)
    see("product", t * 300)
    see("sum", t + t, expect=[2, 144])
    see("minus", -t, expect=[255, 56])


@program(rules="V-6")
def an_in_place_result_must_fit_its_tensor(torch, see):
    ints, single = torch.tensor([1, 2]), torch.ones(2)
    see("float32 takes float64", single.add_(torch.ones(2, dtype=torch.float64)))
    see("int takes int", ints.mul_(3))
    see.raises("int takes no float", lambda: ints.add_(1.5), phrase="can't be cast")
    see.raises("broadcast result", lambda: single.add_(torch.ones(3, 2)), phrase="shape")
