"""Frozen layers, one rate for the head and another for the body, a layer thawed later."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn
    body, head = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 6)), nn.Linear(6, 2)
    fill(body, 1)
    fill(head, 2)
    for p in body.parameters():
        p.requires_grad = False
    optimizer = torch.optim.SGD([{"params": head.parameters(), "lr": 0.1}], lr=0.01, momentum=0.9)
    losses = []
    for i in range(6):
        if i == 3:
            for p in body[2].parameters():
                p.requires_grad = True
            optimizer.add_param_group({"params": body[2].parameters(), "weight_decay": 0.1})
        loss = nn.functional.cross_entropy(
            head(body(numbers(torch, 5, 4, seed=i))), torch.tensor([0, 1, 0, 1, 1])
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    for group in optimizer.param_groups:
        group["lr"] *= 0.5
    return {
        "losses": losses, "body": body.state_dict(), "head": head.state_dict(),
        "rates": [g["lr"] for g in optimizer.param_groups], "frozen": body[0].weight.grad is None,
    }  # fmt: skip
