"""Making tensors: inferred dtypes, factories, flags of what is made."""

import numpy as np

from tests.oracle.registry import program


@program(rules="T-7")
def tensor_infers_its_dtype_from_the_values(torch, see):
    see("int", torch.tensor(1), expect=1)
    see("float", torch.tensor(1.0))
    see("bool", torch.tensor(True))
    see("mixed int and float", torch.tensor([1, 2.5]))
    see("mixed bool and int", torch.tensor([True, 2]))
    see("nested", torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    see("empty", torch.tensor([]))
    see("numpy scalar inside", torch.tensor(np.float64(2.5)))
    see("numpy array", torch.tensor(np.arange(3, dtype=np.int32)))


@program(rules="T-7")
def factories_infer_their_dtype_from_numbers(torch, see):
    see("arange of an int", torch.arange(3), expect=[0, 1, 2])
    see("arange of a float", torch.arange(3.0))
    see("arange with start, end, step", torch.arange(1, 2, 0.25))
    see("arange down", torch.arange(5, 0, -2))
    see("full of an int", torch.full((2,), 1))
    see("full of a bool", torch.full((2,), True))
    see("full of a float", torch.full((2, 1), 0.5))
    see("zeros", torch.zeros(2, 3))
    see("ones of a shape tuple", torch.ones((2, 3), dtype=torch.int64))
    see("eye", torch.eye(2, 3))
    see("linspace", torch.linspace(0, 1, 5), expect=[0, 0.25, 0.5, 0.75, 1])


@program(rules="T-30")
def likes_copy_shape_and_dtype_of_their_model(torch, see):
    model = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64, requires_grad=True)
    see("zeros_like", torch.zeros_like(model))
    see("ones_like with dtype", torch.ones_like(model, dtype=torch.int64))
    see("full_like", torch.full_like(model, 7))
    see("zeros_like requiring grad", torch.zeros_like(model, requires_grad=True))
    see("new_zeros", model.new_zeros(3))
    see("new_tensor", model.new_tensor([1, 2]))
    see("new_full", model.new_full((2,), 3))
    see("new_ones", model.new_ones((1, 2)))


@program(rules="T-7 T-30")
def arrays_keep_their_dtype_and_share_memory(torch, see):
    array = np.array([1.0, 2.0, 3.0])
    shared, copied = torch.from_numpy(array), torch.tensor(array)
    array[0] = 10
    see("from_numpy shares", shared, expect=[10, 2, 3])
    see("tensor copies", copied, expect=[1, 2, 3])
    see("as_tensor shares", torch.as_tensor(array)[0].item(), expect=10.0)
    shared[1] = 20
    see("written back", array, expect=[10, 20, 3])
    t = torch.tensor([1.0])
    see("as_tensor of a tensor is the tensor", torch.as_tensor(t) is t, expect=True)


@program(rules="T-13 T-32")
def conversions_return_self_when_nothing_changes(torch, see):
    x = torch.tensor([1.5, -2.5])
    see("to the same dtype", x.to(torch.float32) is x, expect=True)
    see("float of a float32", x.float() is x, expect=True)
    see("cpu", x.cpu() is x, expect=True)
    see("contiguous", x.contiguous() is x, expect=True)
    see("clone never", x.clone() is x, expect=False)
    see("double", x.double())
    see("int truncates", x.int(), expect=[1, -2])
    see("long", x.long())
    see("bool", x.bool(), expect=[True, True])
    see("half", x.half())
    see("type_as", x.type_as(torch.tensor(1)))


@program(rules="T-25 T-32")
def scalars_come_out_by_item(torch, see):
    see("float", torch.tensor([2.5]).item(), expect=2.5)
    see("int", torch.tensor(3).item(), expect=3)
    see("bool", torch.tensor([[True]]).item(), expect=True)
    see("tolist", torch.tensor([[1, 2], [3, 4]]).tolist(), expect=[[1, 2], [3, 4]])
    see("tolist of a scalar", torch.tensor(1.5).tolist(), expect=1.5)
    see("float()", float(torch.tensor(2.5)), expect=2.5)
    see("int()", int(torch.tensor(2.5)), expect=2)
    see("bool()", bool(torch.tensor([0.0])), expect=False)
    see.raises("item of two", torch.tensor([1, 2]).item)
    see.raises("bool of two", lambda: bool(torch.tensor([1, 2])), phrase="ambiguous")
    see.raises("len of 0-dim", lambda: len(torch.tensor(1)), phrase="0-d")
    see.raises("iter of 0-dim", lambda: list(torch.tensor(1)), phrase="0-d")


@program(rules="T-1 M-44")
def the_default_dtype_can_be_changed(torch, see):
    see("default", torch.get_default_dtype(), expect="float32")
    try:
        torch.set_default_dtype(torch.float64)
        see("literal", torch.tensor(1.0))
        see("factory", torch.ones(2).dtype, expect="float64")
        see("int division", (torch.tensor(1) / 2).dtype, expect="float64")
        see("int by a number", (torch.tensor([1]) * 1.5).dtype, expect="float64")
        see.raises("an int dtype", lambda: torch.set_default_dtype(torch.int64), phrase="floating")
    finally:
        torch.set_default_dtype(torch.float32)


@program(rules="E-1 E-9")
def only_floats_may_require_grad(torch, see):
    see("a leaf", torch.ones(2, requires_grad=True))
    see("an int is a leaf too", torch.ones(2, dtype=torch.int64).is_leaf, expect=True)
    see.raises(
        "int",
        lambda: torch.ones(2, dtype=torch.int64, requires_grad=True),
        phrase="can require gradients",
    )
    see.raises(
        "int later", lambda: torch.tensor([1]).requires_grad_(), phrase="can require gradients"
    )
    see.raises(
        "bool", lambda: torch.tensor([True]).requires_grad_(), phrase="can require gradients"
    )


@program(rules="T-31")
def attributes_describe_the_tensor(torch, see):
    x = torch.zeros(2, 3, 4, dtype=torch.float64)
    see("shape", x.shape, expect=(2, 3, 4))
    see("size", (x.size(), x.size(-1)))
    see("dim and ndim", (x.dim(), x.ndim))
    see("numel", x.numel(), expect=24)
    see("dtype", x.dtype, expect="float64")
    see("device", x.device, expect="cpu")
    see("is_floating_point", x.is_floating_point())
    see("element_size", x.element_size(), expect=8)
    see("len", len(x), expect=2)
    see("output_nr", x.output_nr, expect=0)
    see.layout("strides", x)
    see.layout("transposed", x.transpose(0, 2))
    see.layout("sliced", x[1:, ::2])


@program(rules="T-13")
def transposing_attributes(torch, see):
    x = torch.arange(6.0).reshape(2, 3)
    see("T", x.T)
    see("mT", torch.arange(12.0).reshape(2, 2, 3).mT)
    see.layout("T is a view", x.T)
    see("T of T shares memory", x.T.T._base is x.T._base)
