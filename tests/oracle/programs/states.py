"""state_dict and load_state_dict of modules and optimizers, and their hooks."""

import warnings
from collections import OrderedDict

from tests.oracle.registry import program


def layer(torch, fill=1.0):
    made = torch.nn.Linear(2, 1)
    with torch.no_grad():
        for p in made.parameters():
            p.fill_(fill)
    return made


def model(torch):
    made = torch.nn.Sequential(layer(torch), torch.nn.BatchNorm1d(1))
    made.register_buffer("scratch", torch.zeros(1), persistent=False)
    made.register_buffer("none", None)
    made.register_parameter("absent", None)
    return made


@program(rules="T-50")
def what_a_state_dict_is(torch, see):
    made = model(torch)
    state = made.state_dict()
    see("keys", list(state))
    see("class", isinstance(state, OrderedDict))
    see("versions", state._metadata)
    see("memory", state["0.weight"].data_ptr() == made[0].weight.data_ptr())
    see("detached", (state["0.weight"].requires_grad, type(state["0.weight"]).__name__))
    see("the tensors themselves", made.state_dict(keep_vars=True)["0.weight"] is made[0].weight)
    see("prefix", list(made.state_dict(prefix="a.")))
    own = OrderedDict(known=1)
    see("destination", (made[0].state_dict(destination=own, prefix="b.") is own, list(own)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        see("by position", list(made[0].state_dict(None, "c.", True)))
    see("warned", [w.category.__name__ for w in caught])


@program(rules="T-52")
def loading_reports_everything_at_once(torch, see):
    made = layer(torch)
    see("equal", repr(made.load_state_dict(made.state_dict())))
    see.raises("no dict", lambda: made.load_state_dict([1]), phrase="dict-like")
    wrong = {"weight": torch.ones(3, 2), "bad": torch.ones(1)}
    see.raises("sizes", lambda: made.load_state_dict(wrong), phrase="size mismatch for weight")
    see.raises(
        "missing",
        lambda: made.load_state_dict(wrong),
        phrase='Missing key(s) in state_dict: "bias"',
    )
    see.raises(
        "unexpected",
        lambda: made.load_state_dict(wrong),
        phrase='Unexpected key(s) in state_dict: "bad"',
    )
    see.raises(
        "not strict", lambda: made.load_state_dict(wrong, strict=False), phrase="size mismatch"
    )
    see.raises(
        "no tensor", lambda: made.load_state_dict({"weight": 1}, strict=False), phrase="received"
    )
    found = made.load_state_dict({"weight": torch.zeros(1, 2), "bad": 3}, strict=False)
    see("wrong keys", (found.missing_keys, found.unexpected_keys, repr(found)))
    see("as a pair", [list(keys) for keys in found])
    see("loaded", made.weight)


@program(rules="T-52")
def loading_copies_or_assigns(torch, see):
    made = layer(torch)
    weight, version = made.weight, made.weight._version
    state = {"weight": torch.full((1, 2), 3.0, dtype=torch.float64), "bias": torch.zeros(1)}
    made.load_state_dict(state)
    see("in place", (made.weight is weight, made.weight._version - version))
    see("cast", made.weight)
    made.bias.requires_grad_(False)
    made.load_state_dict(state, assign=True)
    see("assigned", (made.weight is weight, made.weight.data_ptr() == state["weight"].data_ptr()))
    see("type", made.weight)
    see("flags", (made.weight.requires_grad, made.bias.requires_grad))
    see("class", type(made.weight).__name__)
    given = torch.nn.Parameter(torch.ones(1), requires_grad=True)
    made.load_state_dict({**state, "bias": given}, assign=True)
    see("a parameter", (made.bias is given, made.bias.requires_grad))
    scalar = torch.nn.BatchNorm1d(1)
    counted = {**scalar.state_dict(), "num_batches_tracked": torch.tensor([7])}
    scalar.load_state_dict(counted)
    see("one element for none", scalar.num_batches_tracked)


@program(rules="T-52 T-55")
def batch_norm_of_before_it_counted(torch, see):
    norm = torch.nn.BatchNorm1d(1)
    old = {k: v for k, v in norm.state_dict().items() if k != "num_batches_tracked"}
    see("accepted", repr(norm.load_state_dict(old)))
    see("count", norm.num_batches_tracked)
    kept = OrderedDict(old)
    kept._metadata = {"": {"version": 2}}
    see.raises(
        "not of this version", lambda: norm.load_state_dict(kept), phrase="num_batches_tracked"
    )


@program(rules="T-50 T-52")
def extra_state(torch, see):
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.count = 0

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    made = torch.nn.Sequential(Counter(), layer(torch))
    made[0].count = 3
    state = made.state_dict()
    see("keys", list(state))
    see("value", state["0._extra_state"])
    other = torch.nn.Sequential(Counter(), layer(torch))
    other.load_state_dict(state)
    see("loaded", other[0].count)
    del state["0._extra_state"]
    see.raises("missing", lambda: other.load_state_dict(state), phrase="_extra_state")
    see.raises(
        "unexpected",
        lambda: layer(torch).load_state_dict({**layer(torch).state_dict(), "_extra_state": 1}),
        phrase="_extra_state",
    )


@program(rules="T-50 T-52")
def hooks_of_saving_and_loading(torch, see):
    log = []
    made = torch.nn.Sequential(layer(torch))
    inner = made[0]
    inner.register_state_dict_pre_hook(lambda m, prefix, keep: log.append(("pre", prefix, keep)))
    handle = inner.register_state_dict_post_hook(
        lambda m, state, prefix, meta: log.append(("post", sorted(state), prefix, meta))
    )
    made.state_dict(keep_vars=True)
    see("saving", list(log))
    handle.remove()
    log.clear()
    state = made.state_dict()

    def before(module, state, prefix, meta, strict, missing, unexpected, errors):
        log.append((type(module).__name__, prefix, meta, strict))
        state[prefix + "weight"] = state.pop(prefix + "old")

    inner.register_load_state_dict_pre_hook(before)
    inner._register_load_state_dict_pre_hook(lambda *args: log.append(len(args)))
    inner._register_load_state_dict_pre_hook(lambda *args: log.append(len(args)), with_module=True)
    made.register_load_state_dict_post_hook(lambda m, keys: log.append(sorted(keys.missing_keys)))
    state["0.old"] = state.pop("0.weight") * 5
    made.load_state_dict(state)
    see("loading", log[1:])
    see("renamed", inner.weight)


@program(rules="T-50 T-52")
def what_hooks_of_states_may_return(torch, see):
    made = layer(torch)
    made.register_state_dict_post_hook(lambda *args: {})
    see.raises("saving", made.state_dict, phrase="state_dict post-hook must return None")
    made = layer(torch)
    made._register_state_dict_hook(lambda m, state, prefix, meta: {"mine": 1})
    see("the older way", made.state_dict())
    made = layer(torch)
    made.register_load_state_dict_post_hook(lambda m, keys: keys)
    see.raises(
        "loading", lambda: made.load_state_dict(layer(torch).state_dict()), phrase="new values"
    )
    made = layer(torch)
    made.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
    see("forgiven", repr(made.load_state_dict({"weight": torch.zeros(1, 2)})))


@program(rules="T-50")
def replacing_a_module_by_path(torch, see):
    made = torch.nn.Sequential(layer(torch), torch.nn.Sequential(torch.nn.ReLU()))
    made.set_submodule("1.0", torch.nn.Tanh())
    made.set_submodule("1.new", torch.nn.ReLU())
    see("changed", repr(made))
    see.raises("no path", lambda: made.set_submodule("", torch.nn.ReLU()), phrase="target name")
    see.raises(
        "ends early", lambda: made.set_submodule("7.x", torch.nn.ReLU()), phrase="no attribute"
    )
    see.raises("no module", lambda: made.set_submodule("1.0", 3), phrase="not an nn.Module")
    see.raises(
        "strict",
        lambda: made.set_submodule("1.9", torch.nn.ReLU(), strict=True),
        phrase="no attribute",
    )


def trained(torch, kind, **options):
    p, q = (torch.nn.Parameter(torch.tensor([v, -v], dtype=torch.float64)) for v in (1.0, 2.0))
    made = getattr(torch.optim, kind)([{"params": [p], "lr": 0.5}, {"params": [q]}], **options)
    for _ in range(2):
        made.zero_grad()
        (p.square().sum() + q.square().sum()).backward()
        made.step()
    return made


@program(
    rules="T-60",
    each=[
        "SGD",
        "Adam",
        "AdamW",
        "RMSprop",
        "Adagrad",
        "Adadelta",
        "Adamax",
        "NAdam",
        "RAdam",
        "Rprop",
        "ASGD",
    ],
)
def the_state_of_an_optimizer(torch, see, kind):
    options = {"lr": 0.1, **({"momentum": 0.9} if kind == "SGD" else {})}
    made = trained(torch, kind, **options)
    state = made.state_dict()
    see("parts", sorted(state))
    see("numbers", [g["params"] for g in state["param_groups"]])
    see("options", [sorted(g) for g in state["param_groups"]])
    see(
        "values",
        [sorted((k, v) for k, v in g.items() if k != "params") for g in state["param_groups"]],
    )
    see("state", {n: dict(sorted(own.items())) for n, own in state["state"].items()})
    other = trained(torch, kind, **options)
    other.load_state_dict(state)
    loaded = other.state_dict()["state"]
    see("loaded", {n: dict(sorted(own.items())) for n, own in loaded.items()})
    see.raises(
        "other groups",
        lambda: getattr(torch.optim, kind)([torch.nn.Parameter(torch.ones(1))]).load_state_dict(
            state
        ),
        phrase="parameter groups",
    )


@program(rules="T-60")
def names_of_parameters_in_an_optimizer(torch, see):
    made = torch.optim.SGD(layer(torch).named_parameters(), lr=0.1)
    see("saved", made.state_dict()["param_groups"][0]["param_names"])
    other = torch.optim.SGD(layer(torch).parameters(), lr=0.2)
    other.load_state_dict(made.state_dict())
    see("loaded", (other.param_groups[0]["lr"], "param_names" in other.param_groups[0]))


@program(rules="T-60")
def hooks_of_an_optimizers_state(torch, see):
    log = []
    made = torch.optim.SGD(layer(torch).parameters(), lr=0.1)
    made.register_state_dict_pre_hook(lambda o: log.append("before saving"))
    made.register_state_dict_post_hook(lambda o, state: {**state, "more": 1})
    made.register_state_dict_post_hook(lambda o, state: log.append(sorted(state)))
    made.register_state_dict_post_hook(lambda o, state: log.append("first"), prepend=True)

    def older(optimizer, state):
        log.append("before loading")
        groups = [{**g, "lr": g["lr"] * 10} for g in state["param_groups"]]
        return {**state, "param_groups": groups}

    made.register_load_state_dict_pre_hook(older)
    made.register_load_state_dict_post_hook(lambda o: log.append(o.param_groups[0]["lr"]))
    made.load_state_dict(made.state_dict())
    see("log", log)


@program(rules="T-50 T-53")
def sequences_that_are_added_and_multiplied(torch, see):
    nn = torch.nn
    two = nn.Sequential(nn.ReLU(), nn.Tanh())
    see("sum", repr(two + nn.Sequential(nn.Linear(1, 1))))
    see("product", (repr(two * 2), repr(2 * two), (two * 2)[0] is (two * 2)[2]))
    same = two
    same += nn.Sequential(nn.ReLU())
    same *= 2
    see("in place", (same is two, len(two), two[0] is two[3]))
    more = [nn.ReLU()]
    see.raises("list", lambda: two + more, phrase="supports only objects of Sequential")
    see.raises("zero", lambda: two * 0, phrase="Non-positive multiplication factor")
    see.raises("text", lambda: two * "a", phrase="unsupported operand")


@program(rules="T-50 T-53")
def dicts_of_parameters(torch, see):
    nn = torch.nn
    made = nn.ParameterDict({"a": torch.ones(1), "b": nn.Parameter(torch.zeros(2)), "text": "x"})
    see("printed", repr(made).replace("torch.FloatTensor", "-").replace("vizgrad.float32", "-"))
    see("set", made.setdefault("c", torch.ones(1)))
    see("found", made.setdefault("a"))
    see("latest", made.popitem())
    see("copy", (list(made.copy()), made.copy()["a"] is made["a"]))
    see("from keys", list(made.fromkeys(["x", "y"], torch.ones(1))))
    see("union", list(made | {"z": torch.ones(1)}))
    made |= {"q": torch.ones(1)}
    see("backwards", list(reversed(made)))
    see("state", sorted(made.state_dict()))
    see.raises("nothing to pop", lambda: nn.ParameterDict().popitem())
