"""A model and its optimizer through pickle, deepcopy and save/load in memory."""

import copy
import io
import pickle

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(3, 5, bias=False), nn.PReLU(), nn.BatchNorm1d(5), nn.Linear(5, 1)
    )
    fill(model, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)

    def train(model, optimizer, count, start=0):
        losses = []
        for i in range(start, start + count):
            loss = model(numbers(torch, 6, 3, seed=i)).sub(1).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    first = train(model, optimizer, 3)
    file = io.BytesIO()
    torch.save({"epoch": 3, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    again = pickle.loads(pickle.dumps(model))
    twin = copy.deepcopy(model)
    rest = train(model, optimizer, 3, 3)
    file.seek(0)
    found = torch.load(file)
    resumed = nn.Sequential(
        nn.Linear(3, 5, bias=False), nn.PReLU(), nn.BatchNorm1d(5), nn.Linear(5, 1)
    )
    resumed.load_state_dict(found["model"])
    other = torch.optim.Adam(resumed.parameters())
    other.load_state_dict(found["optimizer"])
    return {
        "first": first, "rest": rest, "resumed": train(resumed, other, 3, found["epoch"]),
        "pickled": again.state_dict(), "copied": twin.eval()(numbers(torch, 2, 3, seed=50)),
    }  # fmt: skip
