"""Vision-transformer patches by view, permute, unfold, einsum; pixel shuffle."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    x = numbers(torch, 2, 3, 8, 8, seed=1).requires_grad_()
    b, c, h, w = x.shape
    patches = (
        x.reshape(b, c, h // 4, 4, w // 4, 4).permute(0, 2, 4, 3, 5, 1).flatten(3).flatten(1, 2)
    )
    other = x.unfold(2, 4, 4).unfold(3, 4, 4).permute(0, 2, 3, 4, 5, 1).reshape(b, 4, -1)
    same = bool(torch.equal(patches, other))
    project = nn.Linear(48, 8)
    fill(project, 1)
    token = nn.Parameter(torch.zeros(1, 1, 8))
    z = torch.cat([token.expand(b, -1, -1), project(patches)], dim=1)
    q, k, v = z.chunk(2, -1)[0], z.chunk(2, -1)[1], z.view(b, -1, 2, 4).transpose(1, 2)
    att = torch.einsum("bid,bjd->bij", q, k).softmax(-1)
    out = torch.einsum("bij,bhjd->bihd", att, v).flatten(2)
    image = F.pixel_shuffle(out[:, 1:].transpose(1, 2).reshape(b, 8, 2, 2), 2)
    loss = image.square().mean() + out[:, 0].norm()
    loss.backward()
    return {
        "same": same,
        "loss": loss.item(),
        "x": x.grad,
        "w": project.weight.grad,
        "token": token.grad,
    }
