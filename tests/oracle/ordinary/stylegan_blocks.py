"""Equalised rates, modulated convolutions by groups, noise, blurs, R1 and path-length penalties, EMA."""

import copy
import math

from tests.oracle.ordinary.given import numbers, redraw


def main(torch):
    nn, F, autograd = torch.nn, torch.nn.functional, torch.autograd

    def make_kernel(k):
        k = torch.tensor(k, dtype=torch.float32)
        if k.ndim == 1:
            k = k[None, :] * k[:, None]
        k /= k.sum()
        return k

    def upfirdn2d(input, kernel, up=1, down=1, pad=(0, 0)):
        (pad0, pad1), (_, channel, in_h, in_w) = pad, input.shape
        input = input.reshape(-1, in_h, in_w, 1)
        _, in_h, in_w, minor = input.shape
        kernel_h, kernel_w = kernel.shape
        out = input.view(-1, in_h, 1, in_w, 1, minor)
        out = F.pad(out, [0, 0, 0, up - 1, 0, 0, 0, up - 1])
        out = out.view(-1, in_h * up, in_w * up, minor)
        out = F.pad(out, [0, 0, max(pad0, 0), max(pad1, 0), max(pad0, 0), max(pad1, 0)])
        out = out[
            :,
            max(-pad0, 0) : out.shape[1] - max(-pad1, 0),
            max(-pad0, 0) : out.shape[2] - max(-pad1, 0),
            :,
        ]
        out = out.permute(0, 3, 1, 2)
        out = out.reshape([-1, 1, in_h * up + pad0 + pad1, in_w * up + pad0 + pad1])
        w = torch.flip(kernel, [0, 1]).view(1, 1, kernel_h, kernel_w)
        out = F.conv2d(out, w)
        out = out.reshape(
            -1,
            minor,
            in_h * up + pad0 + pad1 - kernel_h + 1,
            in_w * up + pad0 + pad1 - kernel_w + 1,
        )
        out = out.permute(0, 2, 3, 1)
        out = out[:, ::down, ::down, :]
        out_h = (in_h * up + pad0 + pad1 - kernel_h + down) // down
        out_w = (in_w * up + pad0 + pad1 - kernel_w + down) // down
        return out.view(-1, channel, out_h, out_w)

    class PixelNorm(nn.Module):
        def forward(self, input):
            return input * torch.rsqrt(torch.mean(input**2, dim=1, keepdim=True) + 1e-8)

    class Blur(nn.Module):
        def __init__(self, kernel, pad, upsample_factor=1):
            super().__init__()
            kernel = make_kernel(kernel)
            if upsample_factor > 1:
                kernel = kernel * (upsample_factor**2)
            self.register_buffer("kernel", kernel)
            self.pad = pad

        def forward(self, input):
            return upfirdn2d(input, self.kernel, pad=self.pad)

    class Upsample(nn.Module):
        def __init__(self, kernel, factor=2):
            super().__init__()
            self.factor = factor
            self.register_buffer("kernel", make_kernel(kernel) * (factor**2))
            p = self.kernel.shape[0] - factor
            self.pad = ((p + 1) // 2 + factor - 1, p // 2)

        def forward(self, input):
            return upfirdn2d(input, self.kernel, up=self.factor, down=1, pad=self.pad)

    class FusedLeakyReLU(nn.Module):
        def __init__(self, channel, negative_slope=0.2, scale=2**0.5):
            super().__init__()
            self.bias = nn.Parameter(torch.zeros(channel))
            self.negative_slope, self.scale = negative_slope, scale

        def forward(self, input):
            rest_dim = [1] * (input.ndim - self.bias.ndim - 1)
            bias = self.bias.view(1, self.bias.shape[0], *rest_dim)
            return F.leaky_relu(input + bias, negative_slope=self.negative_slope) * self.scale

    class EqualLinear(nn.Module):
        def __init__(self, in_dim, out_dim, bias_init=0, lr_mul=1, activation=None):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(out_dim, in_dim).div_(lr_mul))
            self.bias = nn.Parameter(torch.zeros(out_dim).fill_(bias_init))
            self.scale, self.lr_mul = (1 / math.sqrt(in_dim)) * lr_mul, lr_mul
            self.activation = activation

        def forward(self, input):
            out = F.linear(input, self.weight * self.scale, bias=self.bias * self.lr_mul)
            return F.leaky_relu(out, 0.2) * 2**0.5 if self.activation else out

    class EqualConv2d(nn.Module):
        def __init__(self, i, o, kernel_size, stride=1, padding=0, bias=True):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(o, i, kernel_size, kernel_size))
            self.scale = 1 / math.sqrt(i * kernel_size**2)
            self.stride, self.padding = stride, padding
            self.bias = nn.Parameter(torch.zeros(o)) if bias else None

        def forward(self, input):
            return F.conv2d(
                input,
                self.weight * self.scale,
                bias=self.bias,
                stride=self.stride,
                padding=self.padding,
            )

    class ModulatedConv2d(nn.Module):
        def __init__(self, i, o, kernel_size, style_dim, demodulate=True, upsample=False):
            super().__init__()
            self.i, self.o, self.kernel_size = i, o, kernel_size
            self.upsample, self.demodulate, self.eps = upsample, demodulate, 1e-8
            if upsample:
                p = (4 - 2) - (kernel_size - 1)
                self.blur = Blur(
                    [1, 3, 3, 1], pad=((p + 1) // 2 + 1, p // 2 + 1), upsample_factor=2
                )
            self.scale = 1 / math.sqrt(i * kernel_size**2)
            self.padding = kernel_size // 2
            self.weight = nn.Parameter(torch.randn(1, o, i, kernel_size, kernel_size))
            self.modulation = EqualLinear(style_dim, i, bias_init=1)

        def forward(self, input, style):
            batch, in_channel, height, width = input.shape
            style = self.modulation(style).view(batch, 1, in_channel, 1, 1)
            weight = self.scale * self.weight * style
            if self.demodulate:
                demod = torch.rsqrt(weight.pow(2).sum([2, 3, 4]) + self.eps)
                weight = weight * demod.view(batch, self.o, 1, 1, 1)
            weight = weight.view(batch * self.o, in_channel, self.kernel_size, self.kernel_size)
            if self.upsample:
                input = input.view(1, batch * in_channel, height, width)
                weight = weight.view(batch, self.o, in_channel, self.kernel_size, self.kernel_size)
                weight = weight.transpose(1, 2).reshape(
                    batch * in_channel, self.o, self.kernel_size, self.kernel_size
                )
                out = F.conv_transpose2d(input, weight, padding=0, stride=2, groups=batch)
                _, _, height, width = out.shape
                out = out.view(batch, self.o, height, width)
                return self.blur(out)
            input = input.view(1, batch * in_channel, height, width)
            out = F.conv2d(input, weight, padding=self.padding, groups=batch)
            _, _, height, width = out.shape
            return out.view(batch, self.o, height, width)

    class NoiseInjection(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(1))

        def forward(self, image, noise=None):
            if noise is None:
                batch, _, height, width = image.shape
                noise = image.new_empty(batch, 1, height, width).normal_()
                noise.copy_(numbers(torch, batch, 1, height, width, seed=height))
            return image + self.weight * noise

    class StyledConv(nn.Module):
        def __init__(self, i, o, style_dim, upsample=False):
            super().__init__()
            self.conv = ModulatedConv2d(i, o, 3, style_dim, upsample=upsample)
            self.noise, self.activate = NoiseInjection(), FusedLeakyReLU(o)

        def forward(self, input, style, noise=None):
            return self.activate(self.noise(self.conv(input, style), noise=noise))

    class ToRGB(nn.Module):
        def __init__(self, i, style_dim, upsample=True):
            super().__init__()
            if upsample:
                self.upsample = Upsample([1, 3, 3, 1])
            self.conv = ModulatedConv2d(i, 2, 1, style_dim, demodulate=False)
            self.bias = nn.Parameter(torch.zeros(1, 2, 1, 1))

        def forward(self, input, style, skip=None):
            out = self.conv(input, style) + self.bias
            if skip is not None:
                out = out + self.upsample(skip)
            return out

    class Generator(nn.Module):
        def __init__(self, d=4):
            super().__init__()
            self.style = nn.Sequential(
                PixelNorm(), *[EqualLinear(d, d, lr_mul=0.5, activation="lrelu") for _ in range(2)]
            )
            self.input = nn.Parameter(torch.randn(1, 4, 4, 4))
            self.conv1, self.to_rgb1 = StyledConv(4, 4, d), ToRGB(4, d, upsample=False)
            self.convs = nn.ModuleList([StyledConv(4, 3, d, upsample=True), StyledConv(3, 3, d)])
            self.to_rgbs = nn.ModuleList([ToRGB(3, d)])
            self.noises = nn.Module()
            self.noises.register_buffer("noise_0", torch.zeros(1, 1, 4, 4))

        def forward(self, z, return_latents=False, truncation=1, truncation_latent=None):
            w = self.style(z)
            if truncation < 1:
                w = truncation_latent + truncation * (w - truncation_latent)
            latent = w.unsqueeze(1).repeat(1, 4, 1)
            out = self.input.repeat(latent.shape[0], 1, 1, 1)
            out = self.conv1(out, latent[:, 0], noise=self.noises.noise_0)
            skip = self.to_rgb1(out, latent[:, 1])
            i = 1
            for conv1, conv2, to_rgb in zip(self.convs[::2], self.convs[1::2], self.to_rgbs):
                out = conv1(out, latent[:, i])
                out = conv2(out, latent[:, i + 1])
                skip = to_rgb(out, latent[:, i + 2], skip)
                i += 2
            return (skip, latent) if return_latents else (skip, None)

    class Discriminator(nn.Module):
        def __init__(self):
            super().__init__()
            self.convs = nn.Sequential(EqualConv2d(2, 4, 1), FusedLeakyReLU(4))
            self.conv1, self.act = EqualConv2d(4, 4, 3, padding=1, bias=False), FusedLeakyReLU(4)
            self.down = nn.Sequential(
                Blur([1, 3, 3, 1], pad=(2, 2)), EqualConv2d(4, 5, 3, stride=2), FusedLeakyReLU(5)
            )
            self.skip = nn.Sequential(
                Blur([1, 3, 3, 1], pad=(1, 1)), EqualConv2d(4, 5, 1, stride=2, bias=False)
            )
            self.final_conv = nn.Sequential(EqualConv2d(6, 4, 3, padding=1), FusedLeakyReLU(4))
            self.final_linear = nn.Sequential(
                EqualLinear(64, 5, activation="fused"), EqualLinear(5, 1)
            )

        def forward(self, input):
            x = self.convs(input)
            out = (self.down(self.act(self.conv1(x))) + self.skip(x)) / math.sqrt(2)
            batch, channel, height, width = out.shape
            group = min(batch, 2)
            stddev = out.view(group, -1, 1, channel // 1, height, width)
            stddev = torch.sqrt(stddev.var(0, unbiased=False) + 1e-8)
            stddev = stddev.mean([2, 3, 4], keepdims=True).squeeze(2)
            stddev = stddev.repeat(group, 1, height, width)
            out = self.final_conv(torch.cat([out, stddev], 1))
            return self.final_linear(out.view(batch, -1))

    def requires_grad(model, flag=True):
        for p in model.parameters():
            p.requires_grad = flag

    def d_r1_loss(real_pred, real_img):
        (grad_real,) = autograd.grad(outputs=real_pred.sum(), inputs=real_img, create_graph=True)
        return grad_real.pow(2).reshape(grad_real.shape[0], -1).sum(1).mean()

    def g_path_regularize(fake_img, latents, mean_path_length, noise, decay=0.01):
        noise = noise / math.sqrt(fake_img.shape[2] * fake_img.shape[3])
        (grad,) = autograd.grad(outputs=(fake_img * noise).sum(), inputs=latents, create_graph=True)
        path_lengths = torch.sqrt(grad.pow(2).sum(2).mean(1))
        path_mean = mean_path_length + decay * (path_lengths.mean() - mean_path_length)
        path_penalty = (path_lengths - path_mean).pow(2).mean()
        return path_penalty, path_mean.detach(), path_lengths

    generator, discriminator = Generator(), Discriminator()
    redraw(generator, 1)
    redraw(discriminator, 2)
    g_ema = copy.deepcopy(generator)
    g_ema.eval()
    g_optim = torch.optim.Adam(generator.parameters(), lr=0.01, betas=(0.0, 0.99), eps=1e-4)
    d_optim = torch.optim.Adam(discriminator.parameters(), lr=0.01, betas=(0.0, 0.99), eps=1e-4)
    mean_path_length, log = 0, []
    for i in range(5):
        real_img = numbers(torch, 4, 2, 8, 8, seed=i)
        requires_grad(generator, False)
        requires_grad(discriminator, True)
        fake_img, _ = generator(numbers(torch, 4, 4, seed=20 + i))
        real_pred, fake_pred = discriminator(real_img), discriminator(fake_img)
        d_loss = F.softplus(-real_pred).mean() + F.softplus(fake_pred).mean()
        discriminator.zero_grad()
        d_loss.backward()
        d_optim.step()
        r1_loss = torch.tensor(0.0)
        if i % 2 == 0:
            real_img.requires_grad = True
            real_pred = discriminator(real_img)
            r1_loss = d_r1_loss(real_pred, real_img)
            discriminator.zero_grad()
            (10 / 2 * r1_loss * 2 + 0 * real_pred[0]).backward()
            d_optim.step()
        requires_grad(generator, True)
        requires_grad(discriminator, False)
        fake_img, _ = generator(numbers(torch, 4, 4, seed=40 + i))
        g_loss = F.softplus(-discriminator(fake_img)).mean()
        generator.zero_grad()
        g_loss.backward()
        g_optim.step()
        path_loss = torch.tensor(0.0)
        if i % 2 == 1:
            fake_img, latents = generator(numbers(torch, 2, 4, seed=60 + i), return_latents=True)
            noise = torch.randn_like(fake_img).copy_(numbers(torch, *fake_img.shape, seed=80 + i))
            path_loss, mean_path_length, path_lengths = g_path_regularize(
                fake_img, latents, mean_path_length, noise
            )
            generator.zero_grad()
            weighted_path_loss = 2 * 2 * path_loss
            weighted_path_loss += 0 * fake_img[0, 0, 0, 0]
            weighted_path_loss.backward()
            g_optim.step()
        par1, par2 = dict(g_ema.named_parameters()), dict(generator.named_parameters())
        for k in par1.keys():
            par1[k].data.mul_(0.9).add_(par2[k].data, alpha=1 - 0.9)
        log.append([d_loss.item(), r1_loss.item(), g_loss.item(), path_loss.item()])
    with torch.no_grad():
        mean_latent = g_ema.style(numbers(torch, 8, 4, seed=99)).mean(0, keepdim=True)
        sample, _ = g_ema(
            numbers(torch, 2, 4, seed=98), truncation=0.7, truncation_latent=mean_latent
        )
    return {
        "loose": [log, mean_path_length, sample],
        "loose states": [generator.state_dict(), discriminator.state_dict(), g_ema.state_dict()],
    }
