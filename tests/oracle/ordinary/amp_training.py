"""A training loop with autocast and GradScaler, as written for a GPU that is not there."""

import warnings

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    warnings.simplefilter("ignore")
    nn = torch.nn
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 3)).to(device)
    fill(model, 7)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
    scaler = torch.cuda.amp.GradScaler(enabled=torch.cuda.is_available())
    x, y = numbers(torch, 12, 6, seed=1).to(device), (torch.arange(12) % 3).to(device)
    losses = []
    for _ in range(6):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device_type=device.type, dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return {
        "coarse losses": losses,
        "coarse state": model.state_dict(),
        "scale": scaler.get_scale(),
    }
