"""Index tensors, lists and masks of `x[i]` and `x[i] = v` are saved values (spec 07 A: X-7)."""

import gc
import weakref

import numpy as np

from tests.oracle.registry import program

#: name -> (the index, of a tensor of shape (3, 4); is anything saved when it is written through?)
_INDICES = {
    "index": lambda t: t.tensor([0, 2]),
    "int32": lambda t: t.tensor([0, 2], dtype=t.int32),
    "list": lambda t: [0, 2],
    "list of bools": lambda t: [True, False, True],
    "mask of rows": lambda t: t.tensor([True, False, True]),
    "mask of columns": lambda t: (slice(None), t.tensor([True, False, True, True])),
    "mask of all": lambda t: t.arange(12).reshape(3, 4) > 4,
    "array": lambda t: np.array([0, 1]),
    "array of bools": lambda t: np.array([True, False, True]),
    "range": lambda t: range(2),
    "two": lambda t: (t.tensor([0, 2]), t.tensor([1, 0])),
    "two lists": lambda t: ([0, 1], [1, 2]),
    "None before": lambda t: (None, t.tensor([0, 2])),
    "None after": lambda t: (t.tensor([0, 2]), None),
    "mixed": lambda t: (t.tensor([0, 2]), None, slice(1, 3)),
    "ellipsis": lambda t: (..., t.tensor([0, 2])),
    "slice and index": lambda t: (slice(1), t.tensor([0, 2])),
    "number and index": lambda t: (1, t.tensor([0, 2])),
    "index and number": lambda t: (t.tensor([0, 2]), 1),
    "mask and slice": lambda t: (t.tensor([True, False, True]), slice(2)),
    "nothing": lambda t: t.tensor([], dtype=t.int64),
    "repeated": lambda t: t.tensor([1, 1, -1]),
    "several dims": lambda t: t.tensor([[0, 1], [2, 0]]),
}

_BASIC = {
    "number": lambda t: 1,
    "slice": lambda t: slice(1, None),
    "None": lambda t: None,
    "ellipsis": lambda t: ...,
    "several": lambda t: (1, slice(None), None),
    "0-dim tensor": lambda t: t.tensor(1),
}


def _x(torch):
    return torch.arange(12.0).reshape(3, 4).requires_grad_()


def _read(torch, make):
    x = _x(torch)
    return x, x[make(torch)]


def _write_number(torch, make):
    x = _x(torch)
    y = x * 1
    y[make(torch)] = 5.0
    return x, y


def _write_tensor(torch, make):
    x = _x(torch)
    y = x * 1
    y[make(torch)] = torch.ones(1, requires_grad=True) * 3
    return x, y


_WAYS = {"read": _read, "write a number": _write_number, "write a tensor": _write_tensor}


@program(rules="X-7", each=_INDICES.items())
def hooks_see_what_a_tensor_is_indexed_with(torch, see, case):
    for way, use in _WAYS.items():
        packed, unpacked = [], []

        def pack(t, packed=packed):
            packed.append(t)
            return t

        def unpack(t, unpacked=unpacked):
            unpacked.append(t)
            return t

        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            x, y = use(torch, case[1])
        see(f"{way}: packed", packed)
        y.sum().backward()
        see(f"{way}: unpacked", unpacked)
        see(f"{way}: gradient", x.grad)


@program(rules="X-7", each=_INDICES.items())
def what_a_tensor_was_indexed_with_is_freed_after_backward(torch, see, case):
    for way, use in _WAYS.items():
        _, y = use(torch, case[1])
        total = y.sum()
        total.backward(retain_graph=True)
        total.backward()
        see.raises(
            f"{way}: again", total.backward, phrase="backward through the graph a second time"
        )


@program(rules="X-7", each=_BASIC.items())
def basic_indexing_saves_nothing(torch, see, case):
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(packed.append, lambda t: t):
        x = torch.arange(12.0).reshape(3, 4).requires_grad_()
        y = x[case[1](torch)]
        z = x * 1
    before = len(packed)
    with torch.autograd.graph.saved_tensors_hooks(packed.append, lambda t: t):
        z[case[1](torch)] = 2.0
    see("packed", (before, len(packed)))
    total = y.sum() + 0
    total.backward()
    total.backward()
    see("twice", x.grad)


@program(rules="X-7", each=_WAYS.items())
def what_a_tensor_was_indexed_with_is_checked_for_writes(torch, see, case):
    for name, index, change in (
        ("index", torch.tensor([0, 2]), lambda i: i.add_(0)),
        ("mask", torch.tensor([True, False, True]), lambda m: m.logical_not_()),
        ("mask of all", torch.arange(12).reshape(3, 4) > 4, lambda m: m.fill_(True)),
        ("int32", torch.tensor([0, 2], dtype=torch.int32), lambda i: i.zero_()),
    ):
        for second in (False, True):
            if second and name == "mask of all":
                continue
            key = (index, torch.tensor([1])) if second else index
            _, y = case[1](torch, lambda t, key=key: key)
            change(index)
            see.raises(
                f"{name} {second}", y.sum().backward, phrase="modified by an inplace operation"
            )


@program(rules="X-7", each=_WAYS.items())
def a_list_was_copied(torch, see, case):
    index = [0, 2]
    x, y = case[1](torch, lambda t: index)
    index[0] = 1
    y.sum().backward()
    see("gradient", x.grad)


@program(rules="X-7")
def a_backward_lets_go_of_the_index(torch, see):
    for way, use in _WAYS.items():
        held = []

        def make(t, held=held):
            index = t.tensor([0, 2])
            held.append(weakref.ref(index))
            return index

        _, y = use(torch, make)
        total = y.sum()
        see(f"{way}: before", held[0]() is not None, expect=True)
        total.backward()
        gc.collect()
        see(f"{way}: after", held[0]() is not None, expect=False)


@program(rules="X-7", each=("index_put", "index_put_"))
def index_put_saves_its_indices(torch, see, name):
    for accumulate in (False, True):
        for needs in ((True, True), (True, False), (False, True)):
            packed = []
            x = (torch.arange(12.0).reshape(3, 4).requires_grad_(needs[0])) * 1
            values = torch.ones(2, 4, requires_grad=needs[1])
            indices = (torch.tensor([0, 2]),)
            with torch.autograd.graph.saved_tensors_hooks(
                lambda t, packed=packed: (packed.append(t), t)[1], lambda t: t
            ):
                y = getattr(x, name)(indices, values, accumulate=accumulate)
            case = f"{accumulate} {needs}"
            see(f"{case}: packed", packed)
            total = y.sum()
            total.backward()
            see(f"{case}: gradient", values.grad)
            see.raises(f"{case}: again", total.backward, phrase="a second time")
    with_none = torch.zeros(3, 4, requires_grad=True)
    put = with_none.index_put((torch.tensor([0, 1]), torch.tensor([1, 1])), torch.ones(2))
    see("saved", put.grad_fn._saved_indices)


@program(rules="X-7")
def a_node_shows_its_indices(torch, see):
    i, m = torch.tensor([0, 2]), torch.tensor([True, False, True, True])
    x = _x(torch)
    y = x[i]
    see("one", y.grad_fn._saved_indices)
    see("itself", y.grad_fn._saved_indices[0] is i, expect=True)
    see("after None", x[:, i].grad_fn._saved_indices)
    see("mask", x[:, m].grad_fn._saved_indices)
    see("two", x[i, i].grad_fn._saved_indices)
    y.sum().backward()
    see.raises("freed", lambda: y.grad_fn._saved_indices, phrase="a second time")


@program(rules="X-7")
def hooks_can_be_put_on_saved_indices(torch, see):
    x = _x(torch)
    y = x[torch.tensor([0, 2]), torch.tensor([1, 1])]
    seen = []
    raw = y.grad_fn._raw_saved_indices
    raw[1].register_hooks(
        lambda t: (seen.append("pack"), t)[1], lambda t: (seen.append("unpack"), t)[1]
    )
    y.sum().backward()
    see("seen", seen)
    see("gradient", x.grad)


@program(rules="X-7")
def the_gradient_of_indexing_saves_the_indices_too(torch, see):
    x = _x(torch)
    y = x[torch.tensor([0, 2])]
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(t), t)[1], lambda t: t):
        g = torch.autograd.grad(y, x, torch.ones(2, 4, requires_grad=True), create_graph=True)[0]
    see("packed", packed)
    see("requires grad", g.requires_grad)
    again = torch.autograd.grad((x[[0, 0]] ** 3).sum(), x, create_graph=True)[0]
    see("second", torch.autograd.grad(again.sum(), x)[0])


@program(rules="X-7")
def what_is_made_of_hooks_works_on_indices(torch, see):
    i = torch.tensor([0, 2])
    x = _x(torch)
    with torch.autograd.graph.save_on_cpu():
        y = x[i]
    y.sum().backward()
    see("save_on_cpu", x.grad)
    x = _x(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = x[i]
    i.add_(-1).clamp_(min=0)
    y.sum().backward()
    see("cloned", x.grad)
    x = _x(torch)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = x[i]
        i.fill_(1)
        y.sum().backward()
    see("mutated", x.grad)


@program(rules="X-7")
def inference_tensors_cannot_be_saved_as_indices(torch, see):
    with torch.inference_mode():
        i = torch.tensor([0, 2])
    x = _x(torch)
    see.raises("read", lambda: x[i], phrase="Inference tensors cannot be saved for backward")
    y = x * 1
    see.raises(
        "write",
        lambda: y.__setitem__(i, 0.0),
        phrase="Inference tensors cannot be saved for backward",
    )


@program(rules="X-17")
def a_list_of_lists_warns_once_and_names_the_line(torch, see):
    import warnings

    x = torch.arange(12).reshape(3, 4)
    on_torch = torch.__name__ == "torch"

    def places(use):
        before = torch.is_warn_always_enabled()
        torch.set_warn_always(on_torch)  # there every line has one warning in common
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for _ in range(3):
                    use()
        finally:
            torch.set_warn_always(before)
        found = [w for w in caught if w.category is UserWarning]
        if on_torch:
            return "one" if found else "none"
        if any(w.filename != __file__ or f":{w.lineno}:" not in str(w.message) for w in found):
            return "elsewhere"
        return {0: "none", 1: "one"}.get(len(found), "many")

    see("lists", places(lambda: x[[[0, 1], [1, 2]]]), expect="one")
    see("one list", places(lambda: x[[[0, 1]]]), expect="one")
    see("tuples", places(lambda: x[[(0, 1), (1, 2)]]), expect="one")
    see("tensors", places(lambda: x[[torch.tensor(0), torch.tensor(1)]]), expect="one")
    see("written", places(lambda: x.clone().__setitem__([[0, 1], [1, 2]], 0)), expect="one")
    see("numbers", places(lambda: x[[0, 1]]), expect="none")
    see("bools", places(lambda: x[[True, False, True]]), expect="none")
    see("a tuple of lists", places(lambda: x[([0, 1], [1, 2])]), expect="none")
    see("within a tuple", places(lambda: x[:, [[0, 1], [1, 2]]]), expect="none")
    see("many lists", places(lambda: x[[[0]] * 33]), expect="none")
    see("a tensor", places(lambda: x[torch.tensor([[0, 1], [1, 2]])]), expect="none")


@program(rules="X-17")
def what_a_list_of_lists_means(torch, see):
    import warnings

    x = torch.arange(12).reshape(3, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = x[[[0, 1], [1, 2]]]
        see.differs(
            "value",
            found.shape,
            torch=[2],
            vizgrad=[2, 2, 4],
            because="T-24: a list of lists is one index tensor, as in numpy",
        )
    see("as a tensor", x[torch.tensor([[0, 1], [1, 2]])])
    see("as a tuple", x[([0, 1], [1, 2])])
