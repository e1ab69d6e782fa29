"""`Variable(...)`, `Tensor(...)`, `FloatTensor(...)`, `t.new(...)`: as old code makes tensors (spec 07 A)."""

import numpy as np

from tests.oracle.registry import program

TYPED = [
    "FloatTensor", "DoubleTensor", "HalfTensor", "LongTensor", "IntTensor", "ShortTensor", "CharTensor",
    "ByteTensor", "BoolTensor",
]  # fmt: skip


@program(rules="X-1")
def a_variable_is_a_new_leaf_on_the_same_memory(torch, see):
    Variable = torch.autograd.Variable
    x = torch.ones(3, requires_grad=True)
    for name, source in (("leaf", x), ("result", x * 2), ("view", x.detach()[1:])):
        made = Variable(source)
        see(f"{name}: same object", made is source, expect=False)
        see(f"{name}: same memory", made.data_ptr() == source.data_ptr(), expect=True)
        see(f"{name}: requires grad", made.requires_grad, expect=False)
        see(f"{name}: history", made.grad_fn, expect=None)
        see(f"{name}: is a view", made._is_view(), expect=False)
        see(f"{name}: source requires grad", source.requires_grad)
    made = Variable(x * 2, requires_grad=True)
    made.sum().backward()
    see("gradient", made.grad)
    see("beyond", x.grad, expect=None)
    see("positional", Variable(torch.ones(2), True).requires_grad, expect=True)


@program(rules="X-1")
def a_variable_shares_the_version_of_its_data(torch, see):
    x = torch.ones(3)
    made = torch.autograd.Variable(x, requires_grad=True)
    y = made * made
    x.add_(1)
    see("value", made)
    see("versions", (x._version, made._version), expect=[1, 1])
    see.raises("stale", lambda: y.sum().backward(), phrase="modified by an inplace operation")


@program(rules="X-1")
def a_variable_has_neither_gradient_nor_hooks_of_its_data(torch, see):
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.ones(2)
    called = []
    x.register_hook(called.append)
    made = torch.autograd.Variable(x, requires_grad=True)
    see("grad", made.grad, expect=None)
    made.sum().backward()
    see("called", len(called), expect=0)


@program(rules="X-1")
def what_a_variable_is_not_made_of(torch, see):
    Variable = torch.autograd.Variable
    for number, data in enumerate(([1.0], 3, "a", (1, 2))):
        see.raises(f"no tensor {number}", lambda data=data: Variable(data), phrase="tensor")
    see.raises(
        "integers", lambda: Variable(torch.tensor([1]), requires_grad=True),
        phrase="can require gradients",
    )  # fmt: skip
    see("integers without grad", Variable(torch.tensor([1])))
    see.raises("keyword", lambda: Variable(torch.ones(1), foo=1))
    see.warns("volatile", lambda: Variable(torch.ones(1), volatile=True), phrase="volatile")
    see.silent("not volatile", lambda: Variable(torch.ones(1), volatile=False))
    see("empty", Variable())
    see("empty that requires grad", Variable(requires_grad=True).requires_grad, expect=True)


@program(rules="X-1")
def every_tensor_is_a_variable(torch, see):
    Variable = torch.autograd.Variable
    for made in (torch.ones(1), torch.tensor([1]), torch.nn.Parameter(torch.ones(1)), Variable()):
        see(f"{len(see.seen)}", isinstance(made, Variable), expect=True)
    see("a number", isinstance(1, Variable), expect=False)
    see("type", type(Variable(torch.nn.Parameter(torch.ones(1)))) is torch.Tensor, expect=True)
    see("module's name", torch.autograd.variable.Variable is Variable, expect=True)


@program(rules="X-1")
def variables_and_modes(torch, see):
    Variable = torch.autograd.Variable
    with torch.no_grad():
        see("in no_grad", Variable(torch.ones(1), requires_grad=True).requires_grad, expect=True)
    with torch.inference_mode():
        inside = Variable(torch.ones(1))
    see("made in inference mode", inside.is_inference(), expect=True)
    see.raises(
        "outside", lambda: Variable(inside, requires_grad=True), phrase="inference tensor"
    )  # fmt: skip


def _cases(torch, see, make, dtype):
    see("no argument", make())
    see("sizes", make(2, 3).shape)
    see("dtype of sizes", make(2, 3).dtype)
    see("one size", make(4).shape)
    see("no elements", make(0).shape)
    see("Size", make(torch.Size([2, 3])).shape)
    see("numpy sizes", make(np.int64(2), 3).shape)
    see("tensors as sizes", make(torch.tensor(2), torch.tensor(3)).shape)
    see("list", make([1, 0, 2]))
    see("tuple", make((1, 2)))
    see("nested", make([[1, 2], [3, 4]]))
    see("no numbers", make([]))
    see("range", make(range(3)))
    see("bools", make([True, False]))
    see("array", make(np.arange(3)))
    see("array of floats", make(np.arange(3.0)))
    see("tensors in a list", make([torch.tensor(1), torch.tensor([2])]))
    see("on a device", make([1, 2], device="cpu"))
    see.raises("a float", lambda: make(2.5), phrase="data must be a sequence")
    see.raises("None", lambda: make(None), phrase="data must be a sequence")
    see.raises("text", lambda: make("abc"), phrase="invalid data type 'str'")
    see.raises("two lists", lambda: make([1], [2]))
    see.raises("negative", lambda: make(-1), phrase="negative dimension -1")
    see.raises("ragged", lambda: make([[1], [2, 3]]), phrase="expected sequence of length 1")
    see.raises("long tensors", lambda: make([torch.ones(2)]))
    see.raises("dtype=", lambda: make([1], dtype=torch.float32))
    see.raises("requires_grad=", lambda: make([1.0], requires_grad=True))
    see.raises("device", lambda: make(2, device="cuda"), phrase="expects device type: cpu")


@program(rules="X-1", each=TYPED)
def typed_constructors_take_sizes_data_and_tensors(torch, see, name):
    make = getattr(torch, name)
    _cases(torch, see, make, make.dtype)
    same = torch.ones(2, dtype=make.dtype)
    see("another object", make(same) is same, expect=False)
    see("same memory", make(same).data_ptr() == same.data_ptr(), expect=True)
    other = torch.ones(2, dtype=torch.uint8 if name != "ByteTensor" else torch.int64)
    see.raises("another type", lambda: make(other))
    see("isinstance", (isinstance(same, make), isinstance(other, make), isinstance(1, make)))
    see("type name", same.type().endswith("." + name), expect=True)
    see("type()", other.type(make).dtype)


@program(rules="X-1", each=["float32", "float64"])
def calling_the_tensor_class_makes_the_default_type(torch, see, dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, dtype))
    try:
        _cases(torch, see, torch.Tensor, dtype)
        see("type of a tensor is kept", torch.Tensor(torch.tensor([1, 2])))
        see("a 0-dim tensor", torch.Tensor(torch.tensor(1.5)))
    finally:
        torch.set_default_dtype(before)


@program(rules="X-1", each=["float32", "float64", "int64", "bool", "float16", "uint8"])
def new_makes_tensors_of_the_same_type(torch, see, dtype):
    like = torch.ones(2, 3).to(getattr(torch, dtype))
    _cases(torch, see, like.new, dtype)
    see("like itself", like.new(like.size()).shape)
    own = torch.ones(2, dtype=like.dtype)
    see("another object", like.new(own) is own, expect=False)
    see("same memory", like.new(own).data_ptr() == own.data_ptr(), expect=True)
    other = torch.ones(2, dtype=torch.uint8 if dtype != "uint8" else torch.int64)
    see.raises("another type", lambda: like.new(other))


@program(rules="X-1")
def new_of_what_requires_grad_does_not(torch, see):
    w = torch.nn.Parameter(torch.ones(2))
    see("flag", w.new(3).requires_grad, expect=False)
    see("class", type(w.new(3)) is torch.Tensor, expect=True)
    see("complex", torch.ones(2, dtype=torch.complex64).new([1j, 2]))


@program(rules="X-1", each=["Tensor", "FloatTensor", "new"])
def a_tensor_made_of_a_tensor_is_its_alias(torch, see, how):
    x = torch.ones(3, requires_grad=True)
    make = x.new if how == "new" else getattr(torch, how)
    made = make(x)
    see("another object", made is x, expect=False)
    see("requires grad", made.requires_grad, expect=True)
    see.graph("history", made)
    made.sum().backward()
    see("gradient", x.grad)
    plain = torch.ones(3)
    other = plain.new(plain) if how == "new" else make(plain)
    other.add_(1)
    see("written", plain)
    see("versions", (plain._version, other._version), expect=[1, 1])


@program(rules="X-1", each=["Tensor", "FloatTensor", "new"])
def an_array_of_the_right_type_is_shared(torch, see, how):
    make = torch.ones(1).new if how == "new" else getattr(torch, how)
    array = np.zeros(2, dtype=np.float32)
    made = make(array)
    array[0] = 9
    see("shared", made)
    other = np.zeros(2)
    converted = make(other)
    other[0] = 9
    see("converted", converted)


@program(rules="X-1")
def parameters_and_subclasses_of_old_tensors(torch, see):
    w = torch.nn.Parameter(torch.Tensor(2, 3))
    see("shape", w.shape)
    see("leaf", (w.requires_grad, w.is_leaf))
    see(
        "initialised", torch.nn.init.constant_(torch.nn.Parameter(torch.FloatTensor(2)), 3).detach()
    )

    class Own(torch.Tensor):
        pass

    made = Own([1, 2])
    see("class", type(made) is Own, expect=True)
    see("value", torch.Tensor(made))
    see("of a tensor", type(Own(torch.ones(2))) is Own, expect=True)


@program(rules="X-1")
def type_takes_these_classes(torch, see):
    x = torch.ones(2, dtype=torch.float64)
    see("Tensor", x.type(torch.Tensor).dtype)
    see("LongTensor", x.type(torch.LongTensor))
    see("type_as", x.type_as(torch.FloatTensor([1])).dtype)
    see("storage", torch.FloatTensor(torch.ones(3).untyped_storage()))
    try:
        torch.set_default_tensor_type(torch.DoubleTensor)
        see("default", torch.Tensor(1).dtype)
        see.raises(
            "integers", lambda: torch.set_default_tensor_type(torch.LongTensor),
            phrase="only floating-point types",
        )  # fmt: skip
    finally:
        torch.set_default_dtype(torch.float32)
