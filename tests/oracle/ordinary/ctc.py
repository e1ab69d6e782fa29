"""Labels without alignment: CTC loss over log-probabilities of unequal lengths."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn
    net = nn.Linear(5, 6)
    fill(net, 1)
    x = numbers(torch, 10, 3, 5, seed=2)
    targets = torch.tensor([1, 2, 3, 3, 4, 5, 1])
    lengths, sizes = torch.tensor([10, 8, 7]), torch.tensor([3, 2, 2])
    losses = []
    for _ in range(5):
        log_probs = net(x).log_softmax(2)
        loss = nn.CTCLoss(blank=0, reduction="mean", zero_infinity=True)(
            log_probs, targets, lengths, sizes
        )
        net.zero_grad()
        loss.backward()
        with torch.no_grad():
            for p in net.parameters():
                p -= 0.5 * p.grad
        losses.append(loss.item())
    return {"losses": losses, "state": net.state_dict()}
