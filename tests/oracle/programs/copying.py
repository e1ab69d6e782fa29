"""copy.copy, copy.deepcopy and pickle of tensors, parameters, modules and optimizers."""

import copy
import pickle
import warnings

from tests.oracle.registry import program

WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
}


def told(torch, see, name, x):
    see(f"{name}: values", x)
    see(f"{name}: flags", (x.requires_grad, x.is_leaf, x.grad_fn is None))
    see(f"{name}: class", type(x).__name__)
    see(f"{name}: gradient", x.grad)
    see(f"{name}: note", getattr(x, "note", "none"))


def leaf(torch, kind):
    x = torch.tensor([1.0, 2.0])
    if kind == "parameter":
        x = torch.nn.Parameter(x)
    elif kind == "leaf":
        x.requires_grad_()
    x.note = ["mine"]
    if kind != "plain":
        x.grad = torch.ones(2)
    return x


@program(rules="E-97", each=WAYS)
def what_a_copy_keeps(torch, see, way):
    for kind in ("plain", "leaf", "parameter"):
        x = leaf(torch, kind)
        y = WAYS[way](x)
        told(torch, see, kind, y)
        see(f"{kind}: memory", y.data_ptr() == x.data_ptr())
        see(f"{kind}: shares the note", getattr(y, "note", None) is x.note)


@program(rules="E-97", each=WAYS)
def copies_of_a_result(torch, see, way):
    y = torch.ones(2, requires_grad=True) * 2
    if way == "deepcopy":
        see.raises("refused", lambda: copy.deepcopy(y), phrase="graph leaves")
        see("without history", copy.deepcopy(y.detach()))
    else:
        told(torch, see, "copy", WAYS[way](y))


@program(rules="E-97")
def a_retained_gradient_does_not_make_a_result_a_leaf(torch, see):
    y = torch.ones(2, requires_grad=True) * 2
    y.retain_grad()
    y.sum().backward()
    see.raises("refused", lambda: copy.deepcopy(y), phrase="deepcopy protocol")
    see.raises("in a list", lambda: copy.deepcopy([y]), phrase="deepcopy protocol")


@program(rules="E-97", each=WAYS)
def hooks_stay_behind(torch, see, way):
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda grad: grad * 10)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = WAYS[way](x)
    see(
        "warned",
        [
            str(w.message).endswith("will not be serialized")
            or "will not be serialized" in str(w.message)
            for w in caught
        ],
    )
    (y * 1).sum().backward()
    see("gradient", y.grad)


@program(rules="E-97")
def memory_shared_in_what_is_copied(torch, see):
    x = torch.arange(6.0)
    a, b, c = copy.deepcopy((x, x[2:4], x))
    a[2] = 99
    see("view follows", b)
    see("one object stays one", a is c)
    see("the original does not", x)
    see.layout("view", b)
    p = torch.nn.Parameter(torch.arange(4.0))
    q, r = copy.deepcopy([p, p])
    see("parameters", (q is r, q is p))


@program(rules="T-50 E-97", each=["deepcopy", "pickle"])
def modules(torch, see, way):
    nn = torch.nn
    shared = nn.Linear(2, 2)
    model = nn.Sequential(shared, nn.BatchNorm1d(2), nn.ModuleDict({"again": shared}))
    model.eval()
    shared.weight.requires_grad_(False)
    shared.bias.grad = torch.ones(2)
    with torch.no_grad():
        for p in model.parameters():
            p.fill_(0.5)
    twin = WAYS[way](model)
    see("state", twin.state_dict())
    see("modes", [m.training for m in twin.modules()])
    see("flags", [p.requires_grad for p in twin.parameters()])
    see("gradients", [p.grad for p in twin.parameters()])
    see("still shared", twin[0] is twin[2]["again"])
    see("not with the original", twin[0].weight is model[0].weight)
    see("printed", repr(twin))
    see("works", twin[1](twin[0](torch.ones(3, 2))))


@program(rules="T-50")
def hooks_of_a_module_are_copied(torch, see):
    calls = []
    layer = torch.nn.Linear(1, 1)
    handle = layer.register_forward_hook(lambda *args: calls.append("hook"))
    twin = copy.deepcopy(layer)
    handle.remove()
    layer(torch.ones(1, 1))
    see("the original's is gone", list(calls))
    twin(torch.ones(1, 1))
    see("the copy's is not", list(calls))


@program(rules="T-50")
def a_state_may_lack_the_tables_of_later_versions(torch, see):
    layer = torch.nn.Linear(1, 1)
    state = dict(layer.__dict__)
    for table in (
        "_forward_pre_hooks",
        "_state_dict_hooks",
        "_load_state_dict_pre_hooks",
        "_non_persistent_buffers_set",
    ):
        state.pop(table, None)
    old = torch.nn.Linear.__new__(torch.nn.Linear)
    old.__setstate__(state)
    see("works", tuple(old(torch.ones(1, 1)).shape))
    see("saves", sorted(old.state_dict()))


@program(rules="T-60", each=["deepcopy", "pickle"])
def optimizers(torch, see, way):
    p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    optimizer = torch.optim.SGD([p], lr=0.1, momentum=0.9)
    p.grad = torch.ones(2)
    optimizer.step()
    twin = WAYS[way](optimizer)
    (q,) = twin.param_groups[0]["params"]
    see("parameter", (q is p, q, next(iter(twin.state)) is q))
    see("state", twin.state_dict()["state"])
    see("options", (twin.param_groups[0]["lr"], twin.defaults["momentum"]))
    q.grad = torch.ones(2)
    twin.step()
    see("steps", (q, p))
    both, other = copy.deepcopy((p, optimizer))
    see("together", other.param_groups[0]["params"][0] is both)
    see("pickled parts", sorted(optimizer.__getstate__()))


@program(rules="T-63", each=["deepcopy", "pickle"])
def schedules(torch, see, way):
    p = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([p], lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    other, twin = WAYS[way]((optimizer, schedule))
    see("together", twin.optimizer is other)
    for _ in range(3):
        other.step()
        twin.step()
    see("rates", (twin.get_last_lr(), schedule.get_last_lr()))


@program(rules="E-97 T-7")
def arrays_that_were_pickled_are_arrays(torch, see):
    import numpy as np

    array = pickle.loads(pickle.dumps(np.ones((2, 2), np.float32)))
    x = torch.from_numpy(array)
    see("type", x.dtype is torch.float32)
    see("product", x @ torch.ones(2, 2))
    x[0, 0] = 5
    see("memory", array.tolist())
    see("as_tensor", torch.as_tensor(array) + torch.ones(2, 2))
