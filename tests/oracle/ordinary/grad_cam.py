"""Hooks keep an activation and its gradient; a heat map from both; guided ReLU."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    net = nn.Sequential(
        nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(4, 3),
    )  # fmt: skip
    fill(net, 1)
    kept = {}
    handle = net[2].register_forward_hook(lambda m, i, o: kept.__setitem__("activation", o))
    other = net[2].register_full_backward_hook(lambda m, i, o: kept.__setitem__("gradient", o[0]))
    x = numbers(torch, 1, 1, 8, 8, seed=2).requires_grad_()
    x.register_hook(lambda g: kept.__setitem__("image", g))
    score = net(x)
    score[0, score.argmax()].backward()
    weights = kept["gradient"].mean(dim=(2, 3), keepdim=True)
    cam = F.relu((weights * kept["activation"]).sum(1, keepdim=True))
    cam = F.interpolate(cam, size=(8, 8), mode="bilinear", align_corners=False)
    cam = (cam - cam.min()) / (cam.max() - cam.min() + 1e-8)
    handle.remove()
    other.remove()
    kept.pop("activation")
    net(x.detach())
    return {"cam": cam, "image": kept["image"], "left": sorted(kept)}
