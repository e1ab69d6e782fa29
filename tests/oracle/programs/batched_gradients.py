"""`grad(..., is_grads_batched=True)`: a batch of vector-Jacobian products (E-34)."""

from tests.oracle.registry import program

EYE = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def grads_of(torch, outputs, inputs, given, **options):
    return torch.autograd.grad(outputs, inputs, given, is_grads_batched=True, **options)


@program(rules="E-34")
def a_batch_of_unit_vectors_gives_the_jacobian(torch, see):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (jacobian,) = grads_of(torch, x**2, x, torch.tensor(EYE))
    see("jacobian", jacobian, expect=[[2, 0, 0], [0, 4, 0], [0, 0, 6]])


@program(rules="E-34")
def two_outputs_and_two_inputs_have_one_batch(torch, see):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    w = torch.tensor(2.0, requires_grad=True)
    y = x * w
    found = grads_of(
        torch, (y, y.sum()), (x, w), (torch.tensor(EYE), torch.tensor([1.0, 2.0, 3.0]))
    )
    for name, value in zip("xw", found, strict=True):
        see(name, value)


@program(rules="E-34 E-23")
def with_create_graph_the_result_can_be_differentiated(torch, see):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    given = torch.tensor(EYE, requires_grad=True)
    (jacobian,) = grads_of(torch, x**3, x, given, create_graph=True)
    see("requires grad", jacobian.requires_grad, expect=True)
    see("second", torch.autograd.grad((jacobian**2).sum(), (x, given)))


@program(rules="E-34 E-41")
def the_graph_is_freed_once_for_the_whole_batch(torch, see):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    see("kept", grads_of(torch, y, x, torch.tensor(EYE), retain_graph=True)[0])
    see("last", grads_of(torch, y, x, torch.tensor(EYE))[0])
    see.raises("freed", lambda: grads_of(torch, y, x, torch.tensor(EYE)), phrase="second time")


@program(rules="E-34 E-31")
def unused_inputs_are_as_without_a_batch(torch, see):
    x = torch.ones(3, requires_grad=True)
    z = torch.ones(2, requires_grad=True)
    y = x * 2
    eye = torch.tensor(EYE)
    see.raises("unused", lambda: grads_of(torch, y, (x, z), eye), phrase="not have been used")
    y = x * 2
    see("allowed", grads_of(torch, y, (x, z), eye, allow_unused=True)[1] is None, expect=True)
    y = x * 2
    see("zeros", grads_of(torch, y, (x, z), eye, materialize_grads=True)[1], expect=[0, 0])


@program(rules="E-34")
def a_batch_for_an_edge(torch, see):
    x = torch.ones(3, requires_grad=True)
    edge = torch.autograd.graph.get_gradient_edge(x * 3)
    see("rows", grads_of(torch, edge, x, torch.tensor(EYE))[0])


@program(rules="E-34")
def rows_are_cast_to_the_type_of_the_output(torch, see):
    x = torch.ones(3, requires_grad=True)
    eye = torch.tensor(EYE)
    for dtype in (torch.float64, torch.int64):
        see(str(dtype).split(".")[1], grads_of(torch, x * 2, x, eye.to(dtype))[0])


@program(rules="E-34")
def what_is_no_batch_is_refused(torch, see):
    x = torch.ones(3, requires_grad=True)
    y = x * 2

    def refused(name, phrase, given, outputs=y):
        see.raises(
            name, lambda: grads_of(torch, outputs, x, given, retain_graph=True), phrase=phrase
        )

    one = "first dimension of each grad_output"
    refused("no batch", one, torch.ones(3))
    refused("wrong rows", one, torch.ones(2, 4))
    refused("no dimension", "", torch.tensor(1.0))
    refused("empty", "", torch.ones(0, 3))
    refused("missing", "implicitly created only for scalar outputs", None)
    refused("missing for a scalar", "in_dim=0", None, y.sum())
    refused(
        "two lengths", "same size in the mapped dimension", (torch.ones(3, 3), torch.ones(2)),
        (y, y.sum()),
    )  # fmt: skip
    refused("too few", "got 2 tensors and 1 gradients", (torch.ones(3, 3),), (y, y.sum()))


@program(rules="E-34")
def hooks_are_called_once_for_all_rows(torch, see):
    x = torch.ones(3, requires_grad=True)
    calls = []
    x.register_hook(lambda grad: calls.append(tuple(grad.shape)))
    grads_of(torch, x * 2, x, torch.tensor(EYE))
    see("calls", calls, expect=[(3,)])
