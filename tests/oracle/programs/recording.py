"""What an operation records: flags, edges, leaves, the `.grad` slot."""

import gc

from tests.oracle.registry import program


@program(rules="E-1 E-2")
def a_result_requires_grad_if_an_input_does(torch, see):
    a, b = torch.ones(2, requires_grad=True), torch.ones(2)
    see("with a", a * b)
    see("without", b * b)
    see("the leaf", (a.is_leaf, a.grad_fn, a.output_nr), expect=(True, None, 0))
    see("the result", ((a * b).is_leaf, (a * b).grad_fn), expect=(False, "MulBackward0"))
    see("ints are leaves", (torch.tensor([1]) + 1).is_leaf, expect=True)
    with torch.no_grad():
        see("with recording off", a * b)


@program(rules="E-4")
def edges_name_the_producer_and_its_slot(torch, see):
    a, b = torch.ones(2, requires_grad=True), torch.ones(2)
    see.graph(
        "an input without grad has an empty edge",
        a * b,
        expect="0 MulBackward0(1.0, None.0); 1 AccumulateGrad()",
    )
    see.graph("a number has one too", a * 2)
    see.graph("of the second slot", a.unbind()[1] + 1)
    parts = (a * 1).unbind()
    see.graph("both slots", parts[1] * parts[0])


@program(rules="E-5")
def operations_on_a_leaf_share_its_node(torch, see):
    x = torch.ones(2, requires_grad=True)
    y, z = x * 2, x.exp()
    node = y.grad_fn.next_functions[0][0]
    see("same node", node is z.grad_fn.next_functions[0][0], expect=True)
    see("its variable is the leaf", node.variable is x, expect=True)
    see.graph("both ways", y + z)
    see.graph("x * x", x * x, expect="0 MulBackward0(1.0, 1.0); 1 AccumulateGrad()")


@program(rules="E-5")
def a_leafs_node_dies_with_its_graphs(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    y = x * 2
    y.grad_fn.next_functions[0][0].register_prehook(lambda grads: log.append("node hook"))
    y.sum().backward()
    see("while the graph lives", log, expect=["node hook"])
    del y
    gc.collect()
    (x * 2).sum().backward()
    see("a later graph has a new node", log, expect=["node hook"])


@program(rules="E-6")
def later_nodes_have_larger_numbers(torch, see):
    x = torch.ones(2, requires_grad=True)
    a = x * 2
    b = x + 1
    c = a * b
    numbers = [t.grad_fn._sequence_nr() for t in (a, b, c)]
    see("rising", numbers == sorted(set(numbers)), expect=True)
    leaf = a.grad_fn.next_functions[0][0]
    see("a leaf's number is the largest there is", leaf._sequence_nr() == 2**64 - 1, expect=True)


@program(rules="E-8")
def saved_values_can_be_looked_at(torch, see):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    product = x * w
    see("a saved leaf is the leaf", product.grad_fn._saved_self is x, expect=True)
    see("the other operand", product.grad_fn._saved_other is w, expect=True)
    y = x.exp()
    see("a saved result", y.grad_fn._saved_result)
    see("knows its node", y.grad_fn._saved_result.grad_fn is y.grad_fn, expect=True)
    see("is a new object", y.grad_fn._saved_result is y, expect=False)
    y.sum().backward()
    see.raises(
        "after release",
        lambda: y.grad_fn._saved_result,
        phrase="after they have already been freed",
    )


@program(rules="E-9")
def flags_of_results_cannot_be_taken_back(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    see.raises(
        "False on a result",
        lambda: y.requires_grad_(False),
        phrase="only change requires_grad flags of leaf",
    )
    see("True on a result is nothing new", y.requires_grad_(True) is y, expect=True)

    def assign():
        y.requires_grad = False

    see.raises("by assignment", assign, phrase="detach")
    x.requires_grad = False
    see("False on the leaf", x * 2)
    see("the old result", y)


@program(rules="E-10")
def reading_grad_of_a_result_warns(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    see("value", see.warns("reading", lambda: y.grad, phrase="not a leaf tensor"), expect=None)
    y.retain_grad()
    see("after retain_grad", see.silent("reading again", lambda: y.grad), expect=None)
    y.sum().backward()
    see("retained", y.grad, expect=[1, 1])


@program(rules="E-10")
def retain_grad_on_leaves_and_constants(torch, see):
    x = torch.ones(2, requires_grad=True)
    x.retain_grad()
    see("on a leaf it does nothing", x.retains_grad, expect=False)
    y = x * 2
    see("before", y.retains_grad, expect=False)
    y.retain_grad()
    y.retain_grad()
    see("on a result", y.retains_grad, expect=True)
    see.raises("on a constant", torch.ones(2).retain_grad, phrase="requires_grad=False")


@program(rules="E-11")
def assigning_grad_checks_the_tensor(torch, see):
    x = torch.ones(2, requires_grad=True)

    def assign(value):
        def run():
            x.grad = value

        return run

    see.raises("a number", assign(1.0), phrase="assigned grad")
    see.raises("itself", assign(x), phrase="own grad")
    see.raises("another shape", assign(torch.ones(3)), phrase="size")
    see.raises("another dtype", assign(torch.ones(2, dtype=torch.float64)), phrase="type")
    good = torch.ones(2)
    x.grad = good
    see("the same object", x.grad is good, expect=True)
    x.grad = None
    see("None clears", x.grad, expect=None)
    x.grad = good
    del x.grad
    see("del clears", x.grad, expect=None)


@program(rules="E-96")
def a_graph_dies_with_its_last_tensor(torch, see):
    import weakref

    x = torch.ones(2, requires_grad=True)
    y = x * 2
    middle = weakref.ref(y)
    z = y.exp()
    node = z.grad_fn.next_functions[0][0]
    see("the node outlives its tensor", node)
    del y
    see("the tensor is gone", middle() is None, expect=True)
    see.graph("the graph is whole", z)


@program(rules="E-97")
def copying_tensors(torch, see):
    import copy

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 3).sum().backward()
    twin = copy.deepcopy(x)
    see("leaf", twin)
    see("its grad", twin.grad, expect=[3, 3])
    see("own memory", twin.grad is not x.grad, expect=True)
    see.raises("non-leaf", lambda: copy.deepcopy(x * 2), phrase="deepcopy")
    see.raises("numpy of a tensor requiring grad", x.numpy, phrase="detach")
    see("numpy of a detached one", x.detach().numpy())
