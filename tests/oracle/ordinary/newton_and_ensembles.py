# Newton's method with a Hessian, influence by Hessian-vector products, an ensemble as one stack of weights.
import importlib

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    functional = torch.autograd.functional
    func = importlib.import_module(torch.__name__ + ".func")

    # logistic regression by Newton steps
    x = numbers(torch, 20, 3, seed=1)
    y = (x @ torch.tensor([1.0, -2.0, 0.5]) + 0.3 * numbers(torch, 20, seed=2) > 0).float()

    def loss(w):
        return F.binary_cross_entropy_with_logits(x @ w, y) + 0.05 * (w**2).sum()

    w, history = torch.zeros(3), []
    for _ in range(5):
        g = functional.jacobian(loss, w)
        h = functional.hessian(loss, w)
        w = w - torch.linalg.solve(h, g)
        history.append(loss(w).item())

    # conjugate gradients on Hessian-vector products alone
    target = numbers(torch, 3, seed=4)
    s, r = torch.zeros(3), target.clone()
    p = r.clone()
    for _ in range(3):
        hp = functional.vhp(loss, w, p)[1]
        a = (r @ r) / (p @ hp)
        s, new = s + a * p, r - a * hp
        p = new + (new @ new) / (r @ r) * p
        r = new

    # three models, one stack of weights, trained with functional_call
    models = [nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)) for _ in range(3)]
    for seed, model in enumerate(models):
        fill(model, 10 + seed)
    params, buffers = func.stack_module_state(models)
    opt = torch.optim.SGD(list(params.values()), lr=0.1)
    losses = []
    for _ in range(3):
        outs = [
            func.functional_call(models[0], {k: v[i] for k, v in params.items()}, (x,))
            for i in range(3)
        ]
        total = sum(F.binary_cross_entropy_with_logits(o[:, 0], y) for o in outs)
        opt.zero_grad()
        total.backward()
        opt.step()
        losses.append(total.item())
    return {
        "history": history,
        "loose solution": w,
        "loose influence": s,
        "residual is small": bool(r.abs().max() < 1e-3),
        "losses": losses,
        "stacked": {k: v.detach() for k, v in params.items()},
        "untouched": [p.detach() for p in models[0].parameters()],
    }
