"""Validation loss, patience, the best weights kept by deepcopy and put back."""

import copy

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(3, 20), nn.ReLU(), nn.Dropout(0.0), nn.Linear(20, 1))
    fill(model, 1)
    x, y = numbers(torch, 8, 3, seed=1), numbers(torch, 8, 1, seed=2)
    vx, vy = numbers(torch, 8, 3, seed=3), numbers(torch, 8, 1, seed=4)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    best, best_state, wait, history = float("inf"), None, 0, []
    for epoch in range(30):
        model.train()
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            loss = nn.functional.mse_loss(model(vx), vy).item()
        history.append(loss)
        if loss < best - 1e-6:
            best, best_state, wait = loss, copy.deepcopy(model.state_dict()), 0
        else:
            wait += 1
            if wait >= 4:
                break
    model.load_state_dict(best_state)
    return {"epochs": len(history), "history": history, "state": model.state_dict()}
