"""Selective checkpoints: results that are kept after all."""

from functools import partial
from importlib import import_module

from tests.oracle.programs.checkpoint_parts import checkpoint_of, leaf
from tests.oracle.registry import program

_AGAIN = "what was used up is computed again"


def _contexts(torch, policy, **settings):
    made = import_module(f"{torch.__name__}.utils.checkpoint").create_selective_checkpoint_contexts
    return partial(made, policy, **settings)


def _matrix(torch):
    return torch.tensor([[0.5, 1.0], [2.0, -1.0]], dtype=torch.float64, requires_grad=True)


def _layers(x, w):
    return ((x @ w).sin() @ w).relu().sum()


@program(rules="H-9", each=["list", "bool", "policy", "offload", "nothing"])
def gradients_whatever_is_kept(torch, see, kind):
    mm = torch.ops.aten.mm.default
    policies = import_module(f"{torch.__name__}.utils.checkpoint").CheckpointPolicy
    policy = {
        "list": [mm, torch.ops.aten.sin.default],
        "bool": lambda ctx, op, *args, **kwargs: op == mm,
        "policy": lambda ctx, op, *args, **kwargs: (
            policies.MUST_SAVE if op == mm else policies.PREFER_RECOMPUTE
        ),
        "offload": lambda ctx, op, *args, **kwargs: policies.PREFER_SAVE,
        "nothing": lambda ctx, op, *args, **kwargs: policies.MUST_RECOMPUTE,
    }[kind]
    x, w = _matrix(torch), _matrix(torch)
    y = checkpoint_of(torch)(
        _layers, x, w, use_reentrant=False, context_fn=_contexts(torch, policy)
    )
    y.backward()
    see("gradients", (x.grad, w.grad))


@program(rules="H-9")
def the_policy_is_asked_in_forward_alone(torch, see):
    mm = torch.ops.aten.mm.default
    asked = []

    def policy(ctx, op, *args, **kwargs):
        if op == mm:
            asked.append((ctx.is_recompute, [tuple(a.shape) for a in args], ctx.op_output.detach()))
        return True

    x, w = _matrix(torch), _matrix(torch)
    y = checkpoint_of(torch)(
        _layers, x, w, use_reentrant=False, context_fn=_contexts(torch, policy)
    )
    see("forward", list(asked))
    y.backward()
    see("backward", len(asked), expect=2)


@program(rules="H-9")
def nested_calls_with_policies(torch, see):
    mm = torch.ops.aten.mm.default
    x, w = _matrix(torch), _matrix(torch)

    def fn(a):
        inner = checkpoint_of(torch)(_layers, a @ w, w, use_reentrant=False)
        return inner * a

    y = checkpoint_of(torch)(fn, x, use_reentrant=False, context_fn=_contexts(torch, [mm])).sum()
    y.backward()
    see("gradients", (x.grad, w.grad))


@program(rules="H-9")
def a_second_backward(torch, see):
    mm = torch.ops.aten.mm.default
    x, w = _matrix(torch), _matrix(torch)
    y = checkpoint_of(torch)(_layers, x, w, use_reentrant=False, context_fn=_contexts(torch, [mm]))
    first = torch.autograd.grad(y, x, retain_graph=True)[0]
    see("first", first)

    def outcome():
        return bool((torch.autograd.grad(y, x)[0] == first).all())

    see.differs("second", see.outcome(outcome), torch=RuntimeError, vizgrad=True, because=_AGAIN)


@program(rules="H-9")
def a_kept_result_that_is_written(torch, see):
    mm = torch.ops.aten.mm.default

    def fn(a, w):
        y = a @ w
        y.mul_(2)
        return y.sin().sum()

    x, w = _matrix(torch), _matrix(torch)
    right = torch.autograd.grad(fn(x, w), x)[0]
    y = checkpoint_of(torch)(fn, x, w, use_reentrant=False, context_fn=_contexts(torch, [mm]))

    def outcome():
        return bool((torch.autograd.grad(y, x)[0] == right).all())

    see.differs(
        "gradient",
        see.outcome(outcome),
        torch=RuntimeError,
        vizgrad=True,
        because="kept results are copies",
    )


@program(rules="H-9")
def wrong_policies(torch, see):
    see.raises("a number", _contexts(torch, 3), phrase="must be either a function or a list of ops")
    see.raises("a name", _contexts(torch, ["mm"]), phrase="Expected op in `op_list`")
    see("nothing to keep", len(_contexts(torch, [])()), expect=2)


@program(rules="H-9")
def the_kinds_of_policy(torch, see):
    module = import_module(f"{torch.__name__}.utils.checkpoint")
    see("names", [(p.name, p.value) for p in module.CheckpointPolicy])
    made = module.SelectiveCheckpointContext(is_recompute=True)
    see("context", (made.is_recompute, made.op_output))
    see.raises("positional", lambda: module.SelectiveCheckpointContext(True))


@program(rules="H-9")
def random_numbers_beside_kept_results(torch, see):
    mm = torch.ops.aten.mm.default
    torch.manual_seed(1)
    x = leaf(torch, *[1.0] * 64)
    w = torch.eye(8, dtype=torch.float64)

    def fn(t):
        mask = torch.nn.functional.dropout(t, 0.5)
        return (mask.reshape(8, 8) @ w * t.reshape(8, 8)).sum()

    y = checkpoint_of(torch)(fn, x, use_reentrant=False, context_fn=_contexts(torch, [mm]))
    y.backward()
    see("the mask of the forward", bool(x.grad.sum() == 2 * y), expect=True)
