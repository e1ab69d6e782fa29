"""Schedules as buffers, time embedded by sines, residual blocks with attention, EMA, sampling step by step."""

import copy
import math
from functools import partial

from tests.oracle.ordinary.given import dropout, numbers, redraw


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    def exists(x):
        return x is not None

    class SinusoidalPosEmb(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.dim = dim

        def forward(self, x):
            device = x.device
            half_dim = self.dim // 2
            emb = math.log(10000) / (half_dim - 1)
            emb = torch.exp(torch.arange(half_dim, device=device) * -emb)
            emb = x[:, None] * emb[None, :]
            return torch.cat((emb.sin(), emb.cos()), dim=-1)

    class WeightStandardizedConv2d(nn.Conv2d):
        def forward(self, x):
            eps = 1e-5 if x.dtype == torch.float32 else 1e-3
            mean = self.weight.mean(dim=(1, 2, 3), keepdim=True)
            var = torch.var(self.weight, dim=(1, 2, 3), keepdim=True, unbiased=False)
            normalized_weight = (self.weight - mean) * (var + eps).rsqrt()
            return F.conv2d(
                x,
                normalized_weight,
                self.bias,
                self.stride,
                self.padding,
                self.dilation,
                self.groups,
            )

    class Block(nn.Module):
        def __init__(self, dim, dim_out, groups=2):
            super().__init__()
            self.proj = WeightStandardizedConv2d(dim, dim_out, 3, padding=1)
            self.norm, self.act, self.drop = (
                nn.GroupNorm(groups, dim_out),
                nn.SiLU(),
                dropout(torch, 0.1, dim),
            )

        def forward(self, x, scale_shift=None):
            x = self.norm(self.proj(x))
            if exists(scale_shift):
                scale, shift = scale_shift
                x = x * (scale + 1) + shift
            return self.drop(self.act(x))

    class ResnetBlock(nn.Module):
        def __init__(self, dim, dim_out, *, time_emb_dim=None):
            super().__init__()
            self.mlp = (
                nn.Sequential(nn.SiLU(), nn.Linear(time_emb_dim, dim_out * 2))
                if exists(time_emb_dim)
                else None
            )
            self.block1, self.block2 = Block(dim, dim_out), Block(dim_out, dim_out)
            self.res_conv = nn.Conv2d(dim, dim_out, 1) if dim != dim_out else nn.Identity()

        def forward(self, x, time_emb=None):
            scale_shift = None
            if exists(self.mlp) and exists(time_emb):
                time_emb = self.mlp(time_emb)
                scale_shift = time_emb[..., None, None].chunk(2, dim=1)
            h = self.block1(x, scale_shift=scale_shift)
            h = self.block2(h)
            return h + self.res_conv(x)

    class RMSNorm(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.g = nn.Parameter(torch.ones(1, dim, 1, 1))

        def forward(self, x):
            return F.normalize(x, dim=1) * self.g * (x.shape[1] ** 0.5)

    class LinearAttention(nn.Module):
        def __init__(self, dim, heads=2, dim_head=3):
            super().__init__()
            self.scale, self.heads = dim_head**-0.5, heads
            hidden_dim = dim_head * heads
            self.norm = RMSNorm(dim)
            self.to_qkv = nn.Conv2d(dim, hidden_dim * 3, 1, bias=False)
            self.to_out = nn.Sequential(nn.Conv2d(hidden_dim, dim, 1), RMSNorm(dim))

        def forward(self, x):
            b, c, h, w = x.shape
            qkv = self.to_qkv(self.norm(x)).chunk(3, dim=1)
            q, k, v = map(lambda t: t.reshape(b, self.heads, -1, h * w), qkv)
            q = q.softmax(dim=-2)
            k = k.softmax(dim=-1)
            q = q * self.scale
            context = torch.einsum("b h d n, b h e n -> b h d e", k, v)
            out = torch.einsum("b h d e, b h d n -> b h e n", context, q)
            return self.to_out(out.reshape(b, -1, h, w)) + x

    class Attention(LinearAttention):
        def forward(self, x):
            b, c, h, w = x.shape
            q, k, v = (
                t.view(b, self.heads, -1, h * w) for t in self.to_qkv(self.norm(x)).chunk(3, dim=1)
            )
            sim = torch.einsum("bhdi,bhdj->bhij", q * self.scale, k)
            sim = sim - sim.amax(dim=-1, keepdim=True).detach()
            attn = sim.softmax(dim=-1)
            out = torch.einsum("bhij,bhdj->bhid", attn, v)
            return self.to_out(out.permute(0, 1, 3, 2).reshape(b, -1, h, w)) + x

    class Unet(nn.Module):
        def __init__(self, dim=4, channels=1):
            super().__init__()
            time_dim = dim * 2
            self.init_conv = nn.Conv2d(channels, dim, 7, padding=3)
            self.time_mlp = nn.Sequential(
                SinusoidalPosEmb(dim),
                nn.Linear(dim, time_dim),
                nn.GELU(),
                nn.Linear(time_dim, time_dim),
            )
            block = partial(ResnetBlock, time_emb_dim=time_dim)
            self.downs, self.ups = nn.ModuleList([]), nn.ModuleList([])
            self.downs.append(
                nn.ModuleList(
                    [
                        block(dim, dim),
                        LinearAttention(dim),
                        nn.Conv2d(dim, 6, 4, stride=2, padding=1),
                    ]
                )
            )
            self.mid_block1, self.mid_attn, self.mid_block2 = block(6, 6), Attention(6), block(6, 6)
            upsample = nn.Sequential(
                nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2d(6, 6, 3, padding=1)
            )
            self.ups.append(nn.ModuleList([upsample, block(6 + dim, dim), LinearAttention(dim)]))
            self.final_res_block, self.final_conv = block(dim * 2, dim), nn.Conv2d(dim, channels, 1)

        def forward(self, x, time):
            x = self.init_conv(x)
            r = x.clone()
            t = self.time_mlp(time)
            h = []
            for block, attn, downsample in self.downs:
                x = attn(block(x, t))
                h.append(x)
                x = downsample(x)
            x = self.mid_block2(self.mid_attn(self.mid_block1(x, t)), t)
            for upsample, block, attn in self.ups:
                x = torch.cat((upsample(x), h.pop()), dim=1)
                x = attn(block(x, t))
            x = torch.cat((x, r), dim=1)
            return self.final_conv(self.final_res_block(x, t))

    def cosine_beta_schedule(timesteps, s=0.008):
        steps = timesteps + 1
        t = torch.linspace(0, timesteps, steps, dtype=torch.float64) / timesteps
        alphas_cumprod = torch.cos((t + s) / (1 + s) * math.pi * 0.5) ** 2
        alphas_cumprod = alphas_cumprod / alphas_cumprod[0]
        betas = 1 - (alphas_cumprod[1:] / alphas_cumprod[:-1])
        return torch.clip(betas, 0, 0.999)

    def extract(a, t, x_shape):
        b, *_ = t.shape
        out = a.gather(-1, t)
        return out.reshape(b, *((1,) * (len(x_shape) - 1)))

    class GaussianDiffusion(nn.Module):
        def __init__(self, model, timesteps=8):
            super().__init__()
            self.model, self.num_timesteps = model, timesteps
            betas = cosine_beta_schedule(timesteps)
            alphas = 1.0 - betas
            alphas_cumprod = torch.cumprod(alphas, dim=0)
            alphas_cumprod_prev = F.pad(alphas_cumprod[:-1], (1, 0), value=1.0)
            register_buffer = lambda name, val: self.register_buffer(name, val.to(torch.float32))
            register_buffer("betas", betas)
            register_buffer("sqrt_alphas_cumprod", torch.sqrt(alphas_cumprod))
            register_buffer("sqrt_one_minus_alphas_cumprod", torch.sqrt(1.0 - alphas_cumprod))
            register_buffer("sqrt_recip_alphas_cumprod", torch.sqrt(1.0 / alphas_cumprod))
            register_buffer("sqrt_recipm1_alphas_cumprod", torch.sqrt(1.0 / alphas_cumprod - 1))
            posterior_variance = betas * (1.0 - alphas_cumprod_prev) / (1.0 - alphas_cumprod)
            register_buffer(
                "posterior_log_variance_clipped", torch.log(posterior_variance.clamp(min=1e-20))
            )
            register_buffer(
                "posterior_mean_coef1",
                betas * torch.sqrt(alphas_cumprod_prev) / (1.0 - alphas_cumprod),
            )
            register_buffer(
                "posterior_mean_coef2",
                (1.0 - alphas_cumprod_prev) * torch.sqrt(alphas) / (1.0 - alphas_cumprod),
            )
            snr = alphas_cumprod / (1 - alphas_cumprod)
            maybe_clipped_snr = snr.clone()
            maybe_clipped_snr.clamp_(max=5)
            register_buffer("loss_weight", maybe_clipped_snr / snr)

        def q_sample(self, x_start, t, noise):
            return (
                extract(self.sqrt_alphas_cumprod, t, x_start.shape) * x_start
                + extract(self.sqrt_one_minus_alphas_cumprod, t, x_start.shape) * noise
            )

        def forward(self, img, t, noise):
            x = self.q_sample(img * 2 - 1, t, noise)
            loss = F.mse_loss(self.model(x, t), noise, reduction="none")
            loss = loss.flatten(1).mean(dim=1)
            loss = loss * extract(self.loss_weight, t, loss.shape)
            return loss.mean()

        @torch.no_grad()
        def p_sample_loop(self, shape):
            img = numbers(torch, *shape, seed=70)
            for i in reversed(range(0, self.num_timesteps)):
                t = torch.full((shape[0],), i, device=self.betas.device, dtype=torch.long)
                x_start = extract(self.sqrt_recip_alphas_cumprod, t, img.shape) * img - extract(
                    self.sqrt_recipm1_alphas_cumprod, t, img.shape
                ) * self.model(img, t)
                x_start.clamp_(-1.0, 1.0)
                mean = (
                    extract(self.posterior_mean_coef1, t, img.shape) * x_start
                    + extract(self.posterior_mean_coef2, t, img.shape) * img
                )
                noise = (
                    torch.randn_like(img).copy_(numbers(torch, *shape, seed=80 + i))
                    if i > 0
                    else 0.0
                )
                img = (
                    mean
                    + (0.5 * extract(self.posterior_log_variance_clipped, t, img.shape)).exp()
                    * noise
                )
            return (img + 1) * 0.5

    diffusion = GaussianDiffusion(Unet())
    redraw(diffusion, 5)
    ema_model = copy.deepcopy(diffusion)
    ema_model.requires_grad_(False)
    ema_model.eval()
    optimizer = torch.optim.Adam(diffusion.parameters(), lr=5e-3, betas=(0.9, 0.99), eps=1e-4)
    losses = []
    for step in range(5):
        total_loss = 0.0
        for part in range(2):
            data = torch.sigmoid(numbers(torch, 3, 1, 8, 8, seed=2 * step + part))
            t = torch.tensor([(5 * step + 3 * part + i) % 8 for i in range(3)]).long()
            loss = diffusion(data, t, numbers(torch, 3, 1, 8, 8, seed=50 + 2 * step + part))
            loss = loss / 2
            total_loss += loss.item()
            loss.backward()
        nn.utils.clip_grad_norm_(diffusion.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        decay = min(0.9, (1 + step) / (10 + step))
        with torch.no_grad():
            for ma, current in zip(ema_model.parameters(), diffusion.parameters()):
                ma.data = ma.data * decay + (1 - decay) * current.data
        losses.append(total_loss)
    sampled = ema_model.p_sample_loop((2, 1, 8, 8))
    return {
        "losses": losses,
        "loose state": diffusion.state_dict(),
        "loose ema": ema_model.state_dict(),
        "loose sampled": sampled,
    }
