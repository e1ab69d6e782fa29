"""Curve fitting by LBFGS with a closure."""


def main(torch):
    x = torch.linspace(-1, 1, 25)
    y = 2 * x**3 - x + 0.5
    w = torch.zeros(4, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [w], lr=1, max_iter=10, history_size=5, line_search_fn="strong_wolfe"
    )
    powers = torch.stack([x**k for k in range(4)], 1)
    calls = []

    def closure():
        optimizer.zero_grad()
        loss = ((powers @ w - y) ** 2).mean()
        loss.backward()
        calls.append(loss.item())
        return loss

    first = optimizer.step(closure)
    for _ in range(2):
        optimizer.step(closure)
    return {"first": first.item(), "few calls": len(calls) < 60, "w": w}
