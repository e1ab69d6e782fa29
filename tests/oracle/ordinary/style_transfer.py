"""An image is optimised towards Gram matrices of another, through fixed convolutions."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    def gram(y):
        a, b, c, d = y.size()
        features = y.view(a * b, c * d)
        return torch.mm(features, features.t()).div(a * b * c * d)

    class StyleLoss(nn.Module):
        def __init__(self, target):
            super(StyleLoss, self).__init__()
            self.target = gram(target).detach()

        def forward(self, input):
            self.loss = F.mse_loss(gram(input), self.target)
            return input

    conv = [nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1)]
    model, style = nn.Sequential(), numbers(torch, 1, 3, 6, 6, seed=2)
    for i, layer in enumerate(conv):
        fill(layer, i)
        model.add_module("conv_{}".format(i), layer)
        model.add_module("style_{}".format(i), StyleLoss(model(style)))
        model.add_module("relu_{}".format(i), nn.ReLU(inplace=False))
    model.eval()
    model.requires_grad_(False)
    image = numbers(torch, 1, 3, 6, 6, seed=3).requires_grad_(True)
    optimizer, losses = torch.optim.Adam([image], lr=0.05), []
    for _ in range(5):
        with torch.no_grad():
            image.clamp_(-2, 2)
        optimizer.zero_grad()
        model(image)
        loss = sum(m.loss for m in model if isinstance(m, StyleLoss)) * 100
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses, "image": image}
