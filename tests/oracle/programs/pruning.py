"""nn.utils.prune: masks on parameters."""

import importlib

from tests.oracle.data import wave
from tests.oracle.registry import program


def module_of(torch):
    return importlib.import_module(
        f"{torch.__name__}.nn.utils.prune"
    )  # which PyTorch imports when asked


def layer(torch, rows=3, columns=4):
    made = torch.nn.Linear(columns, rows)
    with torch.no_grad():
        made.weight.copy_(torch.tensor(wave(rows, columns)))
        made.bias.copy_(torch.tensor(wave(rows)))
    return made


def state(see, name, module):
    see(f"{name}: parameters", sorted(key for key, _ in module.named_parameters()))
    see(f"{name}: buffers", [key for key, _ in module.named_buffers()])
    see(f"{name}: weight", module.weight.detach())


@program(rules="T-50")
def one_after_the_other(torch, see):
    prune = module_of(torch)
    module = layer(torch)
    see("returned", prune.l1_unstructured(module, "weight", amount=3) is module, expect=True)
    state(see, "three", module)
    prune.ln_structured(module, "weight", amount=0.5, n=2, dim=1)
    state(see, "two columns", module)
    see("mask", module.weight_mask)
    prune.l1_unstructured(
        module, "bias", amount=0.34, importance_scores=torch.tensor([3.0, 1.0, 2.0])
    )
    see("bias", module.bias.detach())
    hooks = list(module._forward_pre_hooks.values())
    see("hooks", [type(hook).__name__ for hook in hooks])
    see("methods", [type(method).__name__ for method in hooks[0]])
    module(torch.tensor(wave(2, 4))).sum().backward()
    see("gradient", module.weight_orig.grad)
    see("pruned", prune.is_pruned(torch.nn.Sequential(module)), expect=True)
    prune.remove(module, "weight")
    state(see, "removed", module)
    see("still the bias", prune.is_pruned(module), expect=True)
    see.raises(
        "twice",
        lambda: prune.remove(module, "weight"),
        phrase="has to be pruned before pruning can",
    )
    module.bias_orig.data.fill_(5)
    module(torch.zeros(1, 4))
    see("written by a forward", module.bias.detach())


@program(rules="T-50")
def all_together(torch, see):
    prune = module_of(torch)
    a, b = layer(torch), layer(torch, 2, 3)
    prune.global_unstructured(((a, "weight"), (b, "weight")), prune.L1Unstructured, amount=0.4)
    see("a", a.weight.detach())
    see("b", b.weight.detach())
    prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=2)
    see("a again", a.weight_mask)
    see("b again", b.weight_mask)
    prune.custom_from_mask(b, "bias", torch.tensor([1, 0]))
    see("own mask", b.bias.detach())
    see("its type", str(b.bias_mask.dtype).split(".")[-1])
    prune.identity(a, "bias")
    see("identity", a.bias_mask)


@program(rules="T-50")
def at_random(torch, see):
    prune = module_of(torch)
    for dim in (0, 1, -1):
        module = prune.random_structured(layer(torch), "weight", 1, dim)
        zeros = (module.weight_mask == 0).all(1 - dim % 2)
        see(f"channels of {dim}", int(zeros.sum()), expect=1)
    module = prune.random_unstructured(layer(torch), "weight", 0.5)
    see("elements", int(module.weight_mask.sum()), expect=6)
    prune.random_unstructured(module, "weight", 0.5)
    see("of those left", int(module.weight_mask.sum()), expect=3)


@program(rules="T-50")
def a_method_of_ones_own(torch, see):
    prune = module_of(torch)

    class EveryOther(prune.BasePruningMethod):
        PRUNING_TYPE = "unstructured"

        def compute_mask(self, t, default_mask):
            mask = default_mask.clone()
            mask.view(-1)[::2] = 0
            return mask

    module = layer(torch)
    EveryOther.apply(module, "weight")
    see("once", module.weight_mask)
    EveryOther.apply(module, "weight")
    see("twice", module.weight_mask)
    see("of a tensor", EveryOther().prune(torch.tensor(wave(2, 3))))
    see("state", list(module.state_dict()))
    other = layer(torch)
    EveryOther.apply(other, "weight")
    other.load_state_dict(module.state_dict())
    other(torch.zeros(1, 4))
    see("loaded", other.weight.detach())


@program(rules="T-50")
def what_pruning_refuses(torch, see):
    prune = module_of(torch)
    module = layer(torch)
    l1 = prune.l1_unstructured
    see.raises("text", lambda: l1(module, "weight", "a"), phrase="Invalid type for amount")
    see.raises(
        "negative", lambda: l1(module, "weight", -1), phrase="should either be a float in the range"
    )
    see.raises(
        "too large",
        lambda: l1(module, "weight", 1.5),
        phrase="should either be a float in the range",
    )
    see.raises(
        "too many", lambda: l1(module, "weight", 99), phrase="should be smaller than the number of"
    )
    structured = prune.random_structured
    see.raises(
        "a vector",
        lambda: structured(module, "bias", 1, 0),
        phrase="can only be applied to multidim",
    )
    see.raises(
        "no dim",
        lambda: structured(module, "weight", 1, 5),
        phrase="Invalid index 5 for tensor of size",
    )
    see.raises("no parameter", lambda: l1(module, "nothing", 1), phrase="nothing")
    scores, whole = torch.ones(2), prune.global_unstructured
    see.raises(
        "scores",
        lambda: l1(module, "weight", 1, importance_scores=scores),
        phrase="should have the same shape",
    )
    see.raises(
        "structured", lambda: whole([(module, "weight")], prune.RandomStructured, amount=1),
        phrase='Only "unstructured" PRUNING_TYPE supported',
    )  # fmt: skip
    container = prune.PruningContainer()
    see.raises(
        "no method", lambda: container.add_pruning_method(3), phrase="is not a BasePruningMethod"
    )
    state(see, "as it was", module)
