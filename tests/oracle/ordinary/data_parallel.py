"""A wrapper for several GPUs that finds none, and the 'module.' prefix in its state."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    fill(model, 1)
    parallel = nn.DataParallel(model)
    use_cuda = torch.cuda.is_available()
    torch.manual_seed(0)
    torch.cuda.manual_seed(0)
    torch.cuda.manual_seed_all(0)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    x = numbers(torch, 5, 3, seed=2)
    if use_cuda:
        parallel, x = parallel.cuda(), x.cuda(non_blocking=True)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1)
    for _ in range(3):
        loss = parallel(x).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    plain = {k.replace("module.", ""): v for k, v in parallel.state_dict().items()}
    model.load_state_dict(plain)
    return {"keys": list(parallel.state_dict()), "state": plain, "devices": torch.cuda.device_count(),
            "inner": parallel.module is model, "loss": loss.item()}  # fmt: skip
