"""Positional encoding, rays, volumes rendered with cumprod, fine samples by searchsorted, two networks at once."""

from tests.oracle.ordinary.given import numbers, redraw


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    img2mse = lambda x, y: torch.mean((x - y) ** 2)
    mse2psnr = lambda x: -10.0 * torch.log(x) / torch.log(torch.Tensor([10.0]))

    class Embedder:
        def __init__(self, multires, dims=3):
            self.embed_fns, self.out_dim = [lambda x: x], dims
            freq_bands = 2.0 ** torch.linspace(0.0, multires - 1, steps=multires)
            for freq in freq_bands:
                for p_fn in [torch.sin, torch.cos]:
                    self.embed_fns.append(lambda x, p_fn=p_fn, freq=freq: p_fn(x * freq))
                    self.out_dim += dims

        def embed(self, inputs):
            return torch.cat([fn(inputs) for fn in self.embed_fns], -1)

    class NeRF(nn.Module):
        def __init__(self, D=3, W=12, input_ch=3, input_ch_views=3, skips=[1]):
            super(NeRF, self).__init__()
            self.input_ch, self.input_ch_views, self.skips = input_ch, input_ch_views, skips
            self.pts_linears = nn.ModuleList(
                [nn.Linear(input_ch, W)]
                + [
                    nn.Linear(W, W) if i not in self.skips else nn.Linear(W + input_ch, W)
                    for i in range(D - 1)
                ]
            )
            self.views_linears = nn.ModuleList([nn.Linear(input_ch_views + W, W // 2)])
            self.feature_linear = nn.Linear(W, W)
            self.alpha_linear = nn.Linear(W, 1)
            self.rgb_linear = nn.Linear(W // 2, 3)

        def forward(self, x):
            input_pts, input_views = torch.split(x, [self.input_ch, self.input_ch_views], dim=-1)
            h = input_pts
            for i, l in enumerate(self.pts_linears):
                h = self.pts_linears[i](h)
                h = F.relu(h)
                if i in self.skips:
                    h = torch.cat([input_pts, h], -1)
            alpha = self.alpha_linear(h)
            feature = self.feature_linear(h)
            h = torch.cat([feature, input_views], -1)
            for i, l in enumerate(self.views_linears):
                h = F.relu(l(h))
            return torch.cat([self.rgb_linear(h), alpha], -1)

    def get_rays(H, W, K, c2w):
        i, j = torch.meshgrid(
            torch.linspace(0, W - 1, W), torch.linspace(0, H - 1, H), indexing="ij"
        )
        i, j = i.t(), j.t()
        dirs = torch.stack(
            [(i - K[0][2]) / K[0][0], -(j - K[1][2]) / K[1][1], -torch.ones_like(i)], -1
        )
        rays_d = torch.sum(dirs[..., None, :] * c2w[:3, :3], -1)
        rays_o = c2w[:3, -1].expand(rays_d.shape)
        return rays_o, rays_d

    def sample_pdf(bins, weights, N_samples, u=None):
        weights = weights + 1e-5
        pdf = weights / torch.sum(weights, -1, keepdim=True)
        cdf = torch.cumsum(pdf, -1)
        cdf = torch.cat([torch.zeros_like(cdf[..., :1]), cdf], -1)
        if u is None:
            u = torch.linspace(0.0, 1.0, steps=N_samples)
            u = u.expand(list(cdf.shape[:-1]) + [N_samples])
        u = u.contiguous()
        inds = torch.searchsorted(cdf, u, right=True)
        below = torch.max(torch.zeros_like(inds - 1), inds - 1)
        above = torch.min((cdf.shape[-1] - 1) * torch.ones_like(inds), inds)
        inds_g = torch.stack([below, above], -1)
        matched_shape = [inds_g.shape[0], inds_g.shape[1], cdf.shape[-1]]
        cdf_g = torch.gather(cdf.unsqueeze(1).expand(matched_shape), 2, inds_g)
        bins_g = torch.gather(bins.unsqueeze(1).expand(matched_shape), 2, inds_g)
        denom = cdf_g[..., 1] - cdf_g[..., 0]
        denom = torch.where(denom < 1e-5, torch.ones_like(denom), denom)
        t = (u - cdf_g[..., 0]) / denom
        return bins_g[..., 0] + t * (bins_g[..., 1] - bins_g[..., 0])

    def raw2outputs(raw, z_vals, rays_d, noise=0.0, white_bkgd=False):
        raw2alpha = lambda raw, dists, act_fn=F.relu: 1.0 - torch.exp(-act_fn(raw) * dists)
        dists = z_vals[..., 1:] - z_vals[..., :-1]
        dists = torch.cat([dists, torch.Tensor([1e10]).expand(dists[..., :1].shape)], -1)
        dists = dists * torch.norm(rays_d[..., None, :], dim=-1)
        rgb = torch.sigmoid(raw[..., :3])
        alpha = raw2alpha(raw[..., 3] + noise, dists)
        transmittance = torch.cumprod(
            torch.cat([torch.ones((alpha.shape[0], 1)), 1.0 - alpha + 1e-10], -1), -1
        )
        weights = alpha * transmittance[:, :-1]
        rgb_map = torch.sum(weights[..., None] * rgb, -2)
        depth_map = torch.sum(weights * z_vals, -1)
        acc_map = torch.sum(weights, -1)
        disp_map = 1.0 / torch.max(
            1e-10 * torch.ones_like(depth_map), depth_map / (acc_map + 1e-10)
        )
        if white_bkgd:
            rgb_map = rgb_map + (1.0 - acc_map[..., None])
        return rgb_map, disp_map, acc_map, weights

    def batchify(fn, chunk):
        return lambda inputs: torch.cat(
            [fn(inputs[i : i + chunk]) for i in range(0, inputs.shape[0], chunk)], 0
        )

    embed_pts, embed_views = Embedder(2), Embedder(1)

    def run_network(inputs, viewdirs, fn, netchunk=40):
        inputs_flat = torch.reshape(inputs, [-1, inputs.shape[-1]])
        embedded = embed_pts.embed(inputs_flat)
        input_dirs = viewdirs[:, None].expand(inputs.shape)
        input_dirs_flat = torch.reshape(input_dirs, [-1, input_dirs.shape[-1]])
        embedded = torch.cat([embedded, embed_views.embed(input_dirs_flat)], -1)
        outputs_flat = batchify(fn, netchunk)(embedded)
        return torch.reshape(outputs_flat, list(inputs.shape[:-1]) + [outputs_flat.shape[-1]])

    def render_rays(rays, coarse, fine, N_samples, N_importance, perturb, seed):
        N_rays = rays.shape[0]
        rays_o, rays_d, viewdirs = rays[:, 0:3], rays[:, 3:6], rays[:, -3:]
        bounds = torch.reshape(rays[..., 6:8], [-1, 1, 2])
        near, far = bounds[..., 0], bounds[..., 1]
        t_vals = torch.linspace(0.0, 1.0, steps=N_samples)
        z_vals = 1.0 / (1.0 / near * (1.0 - t_vals) + 1.0 / far * (t_vals))
        z_vals = z_vals.expand([N_rays, N_samples])
        u = None
        if perturb > 0.0:
            mids = 0.5 * (z_vals[..., 1:] + z_vals[..., :-1])
            upper = torch.cat([mids, z_vals[..., -1:]], -1)
            lower = torch.cat([z_vals[..., :1], mids], -1)
            t_rand = torch.sigmoid(numbers(torch, *z_vals.shape, seed=seed))
            z_vals = lower + (upper - lower) * t_rand
            u = torch.sigmoid(numbers(torch, N_rays, N_importance, seed=seed + 1))
        pts = rays_o[..., None, :] + rays_d[..., None, :] * z_vals[..., :, None]
        raw = run_network(pts, viewdirs, coarse)
        rgb0, disp0, acc0, weights = raw2outputs(raw, z_vals, rays_d, white_bkgd=True)
        z_vals_mid = 0.5 * (z_vals[..., 1:] + z_vals[..., :-1])
        z_samples = sample_pdf(z_vals_mid, weights[..., 1:-1], N_importance, u)
        z_samples = z_samples.detach()
        z_vals, _ = torch.sort(torch.cat([z_vals, z_samples], -1), -1)
        pts = rays_o[..., None, :] + rays_d[..., None, :] * z_vals[..., :, None]
        raw = run_network(pts, viewdirs, fine)
        rgb, disp, acc, weights = raw2outputs(raw, z_vals, rays_d, white_bkgd=True)
        return {
            "rgb": rgb,
            "disp": disp,
            "acc": acc,
            "rgb0": rgb0,
            "z_std": torch.std(z_samples, dim=-1, unbiased=False),
        }

    H = W = 5
    K = [[4.0, 0, 0.5 * W], [0, 4.0, 0.5 * H], [0, 0, 1]]
    c2w = torch.tensor([[0.8, 0.0, 0.6, 2.4], [0.0, 1.0, 0.0, 0.1], [-0.6, 0.0, 0.8, 3.2]])
    rays_o, rays_d = get_rays(H, W, K, c2w)
    viewdirs = rays_d / torch.norm(rays_d, dim=-1, keepdim=True)
    near, far = 2.0 * torch.ones_like(rays_d[..., :1]), 6.0 * torch.ones_like(rays_d[..., :1])
    rays = torch.cat([rays_o, rays_d, near, far, viewdirs], -1).view(-1, 11).float()
    target = torch.sigmoid(numbers(torch, H * W, 3, seed=9))
    coarse = NeRF(input_ch=embed_pts.out_dim, input_ch_views=embed_views.out_dim)
    fine = NeRF(input_ch=embed_pts.out_dim, input_ch_views=embed_views.out_dim)
    redraw(coarse, 1)
    redraw(fine, 2)
    grad_vars = list(coarse.parameters())
    grad_vars += list(fine.parameters())
    optimizer = torch.optim.Adam(params=grad_vars, lr=5e-3, betas=(0.9, 0.999), eps=1e-4)
    losses, psnrs = [], []
    for step in range(5):
        chosen = torch.tensor([(7 * i + step) % (H * W) for i in range(8)])
        out = render_rays(rays[chosen], coarse, fine, 6, 5, 1.0, 10 * step)
        optimizer.zero_grad()
        img_loss = img2mse(out["rgb"], target[chosen])
        loss = img_loss
        psnr = mse2psnr(img_loss)
        loss = loss + img2mse(out["rgb0"], target[chosen])
        loss.backward()
        optimizer.step()
        for param_group in optimizer.param_groups:
            param_group["lr"] = 5e-3 * (0.1 ** (step / 10))
        losses.append(loss.item())
        psnrs.append(psnr.item())
    with torch.no_grad():
        image = render_rays(rays, coarse, fine, 6, 5, 0.0, 0)
    return {
        "losses": losses,
        "psnrs": psnrs,
        "coarse": coarse.state_dict(),
        "fine": fine.state_dict(),
        "loose": image,
    }
