"""Buckets of relative positions, RMS norm, gated GELU, cross attention with cached keys, labels of -100, Adafactor by hand."""

import math

from tests.oracle.ordinary.given import dropout, redraw


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class T5LayerNorm(nn.Module):
        def __init__(self, hidden_size, eps=1e-6):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(hidden_size))
            self.variance_epsilon = eps

        def forward(self, hidden_states):
            variance = hidden_states.to(torch.float32).pow(2).mean(-1, keepdim=True)
            hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
            if self.weight.dtype in [torch.float16, torch.bfloat16]:
                hidden_states = hidden_states.to(self.weight.dtype)
            return self.weight * hidden_states

    def gelu_new(x):
        return (
            0.5
            * x
            * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))
        )

    class DenseGatedActDense(nn.Module):
        def __init__(self, d, ff):
            super().__init__()
            self.wi_0, self.wi_1 = nn.Linear(d, ff, bias=False), nn.Linear(d, ff, bias=False)
            self.wo, self.drop = nn.Linear(ff, d, bias=False), dropout(torch, 0.1, 2)

        def forward(self, x):
            return self.wo(self.drop(gelu_new(self.wi_0(x)) * self.wi_1(x)))

    class Attention(nn.Module):
        def __init__(self, d, heads, dk, is_decoder, has_bias):
            super().__init__()
            self.is_decoder, self.heads, self.dk, self.inner = is_decoder, heads, dk, heads * dk
            self.q, self.k, self.v = (nn.Linear(d, self.inner, bias=False) for _ in range(3))
            self.o = nn.Linear(self.inner, d, bias=False)
            self.has_relative_attention_bias = has_bias
            if has_bias:
                self.relative_attention_bias = nn.Embedding(8, heads)

        @staticmethod
        def _relative_position_bucket(
            relative_position, bidirectional=True, num_buckets=8, max_distance=10
        ):
            relative_buckets = 0
            if bidirectional:
                num_buckets //= 2
                relative_buckets += (relative_position > 0).to(torch.long) * num_buckets
                relative_position = torch.abs(relative_position)
            else:
                relative_position = -torch.min(
                    relative_position, torch.zeros_like(relative_position)
                )
            max_exact = num_buckets // 2
            is_small = relative_position < max_exact
            relative_if_large = max_exact + (
                torch.log(relative_position.float() / max_exact)
                / math.log(max_distance / max_exact)
                * (num_buckets - max_exact)
            ).to(torch.long)
            relative_if_large = torch.min(
                relative_if_large, torch.full_like(relative_if_large, num_buckets - 1)
            )
            relative_buckets += torch.where(is_small, relative_position, relative_if_large)
            return relative_buckets

        def compute_bias(self, query_length, key_length):
            context_position = torch.arange(query_length, dtype=torch.long)[:, None]
            memory_position = torch.arange(key_length, dtype=torch.long)[None, :]
            bucket = self._relative_position_bucket(
                memory_position - context_position, not self.is_decoder
            )
            values = self.relative_attention_bias(bucket)
            return values.permute([2, 0, 1]).unsqueeze(0)

        def forward(self, x, mask=None, kv=None, bias=None, past=None):
            b = x.shape[0]

            def shape(states):
                return states.view(b, -1, self.heads, self.dk).transpose(1, 2)

            source = x if kv is None else kv
            q, k, v = shape(self.q(x)), shape(self.k(source)), shape(self.v(source))
            if past is not None:
                k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
            scores = torch.matmul(q, k.transpose(3, 2))
            if bias is None:
                if self.has_relative_attention_bias:
                    bias = self.compute_bias(k.shape[2], k.shape[2])[:, :, -q.shape[2] :, :]
                else:
                    bias = torch.zeros(
                        (1, self.heads, q.shape[2], k.shape[2]),
                        device=scores.device,
                        dtype=scores.dtype,
                    )
                if mask is not None:
                    bias = bias + mask
            scores += bias
            weights = F.softmax(scores.float(), dim=-1).type_as(scores)
            out = torch.matmul(weights, v).transpose(1, 2).contiguous().view(b, -1, self.inner)
            return self.o(out), (k, v), bias

    class Block(nn.Module):
        def __init__(self, d, is_decoder, has_bias):
            super().__init__()
            self.layer = nn.ModuleList([Attention(d, 2, 4, is_decoder, has_bias)])
            if is_decoder:
                self.layer.append(Attention(d, 2, 4, is_decoder, False))
            self.layer.append(DenseGatedActDense(d, 10))
            self.norms = nn.ModuleList([T5LayerNorm(d) for _ in self.layer])

        def forward(
            self, x, mask, bias, memory=None, memory_mask=None, memory_bias=None, past=None
        ):
            y, present, bias = self.layer[0](self.norms[0](x), mask, bias=bias, past=past)
            x = x + y
            if memory is not None:
                y, _, memory_bias = self.layer[1](
                    self.norms[1](x), memory_mask, kv=memory, bias=memory_bias
                )
                x = x + y
            x = x + self.layer[-1](self.norms[-1](x))
            return x, bias, memory_bias, present

    class Stack(nn.Module):
        def __init__(self, d, embed, is_decoder):
            super().__init__()
            self.embed_tokens, self.is_decoder = embed, is_decoder
            self.block = nn.ModuleList([Block(d, is_decoder, bool(i == 0)) for i in range(2)])
            self.final_layer_norm = T5LayerNorm(d)

        def forward(self, ids, mask, memory=None, memory_mask=None, past=None):
            x = self.embed_tokens(ids)
            low = torch.finfo(x.dtype).min
            if self.is_decoder:
                seq = torch.arange(mask.shape[1])
                causal = (
                    seq[None, None, :].repeat(ids.shape[0], mask.shape[1], 1) <= seq[None, :, None]
                )
                extended = causal[:, None, :, :].to(mask.dtype) * mask[:, None, None, :]
                extended = extended[:, :, -ids.shape[1] :, :]
            else:
                extended = mask[:, None, None, :]
            extended = (1.0 - extended.to(dtype=x.dtype)) * low
            if memory_mask is not None:
                memory_mask = (1.0 - memory_mask[:, None, None, :].to(x.dtype)) * low
            bias = memory_bias = None
            presents = []
            for i, block in enumerate(self.block):
                x, bias, memory_bias, present = block(
                    x,
                    extended,
                    bias,
                    memory,
                    memory_mask,
                    memory_bias,
                    None if past is None else past[i],
                )
                presents.append(present)
            return self.final_layer_norm(x), presents

    class T5(nn.Module):
        def __init__(self, vocab=13, d=8):
            super().__init__()
            self.d = d
            self.shared = nn.Embedding(vocab, d)
            self.encoder, self.decoder = Stack(d, self.shared, False), Stack(d, self.shared, True)
            self.lm_head = nn.Linear(d, vocab, bias=False)
            self.lm_head.weight = self.shared.weight
            self.apply(self._init_weights)

        def _init_weights(self, module):
            factor = 1.0
            if isinstance(module, T5LayerNorm):
                module.weight.data.fill_(factor * 1.0)
            elif isinstance(module, Attention):
                module.q.weight.data.normal_(mean=0.0, std=factor * ((self.d * module.dk) ** -0.5))
                module.o.weight.data.normal_(mean=0.0, std=factor * (module.inner**-0.5))

        def _shift_right(self, labels):
            shifted = labels.new_zeros(labels.shape)
            shifted[..., 1:] = labels[..., :-1].clone()
            shifted[..., 0] = 0
            return shifted.masked_fill_(shifted == -100, 0)

        def forward(self, ids, mask, labels):
            memory, _ = self.encoder(ids, mask)
            inputs = self._shift_right(labels)
            out, _ = self.decoder(inputs, torch.ones_like(inputs), memory, mask)
            logits = self.lm_head(out * (self.d**-0.5))
            return nn.CrossEntropyLoss(ignore_index=-100)(
                logits.view(-1, logits.size(-1)), labels.view(-1)
            ), memory

    class Adafactor(torch.optim.Optimizer):
        def __init__(self, params, lr=None, eps=(1e-30, 1e-3), clip_threshold=1.0, decay_rate=-0.8):
            if lr is None or lr <= 0.0:
                raise ValueError("Invalid learning rate: {}".format(lr))
            super().__init__(
                params, dict(lr=lr, eps=eps, clip_threshold=clip_threshold, decay_rate=decay_rate)
            )

        @staticmethod
        def _rms(tensor):
            return tensor.norm(2) / (tensor.numel() ** 0.5)

        @staticmethod
        def _approx_sq_grad(row, col):
            r_factor = (row / row.mean(dim=-1, keepdim=True)).rsqrt_().unsqueeze(-1)
            c_factor = col.unsqueeze(-2).rsqrt()
            return torch.mul(r_factor, c_factor)

        @torch.no_grad()
        def step(self, closure=None):
            loss = None
            if closure is not None:
                loss = closure()
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    grad, state = p.grad, self.state[p]
                    factored = len(grad.shape) >= 2
                    if len(state) == 0:
                        state["step"] = 0
                        if factored:
                            state["exp_avg_sq_row"] = torch.zeros(grad.shape[:-1]).to(grad)
                            state["exp_avg_sq_col"] = torch.zeros(
                                grad.shape[:-2] + grad.shape[-1:]
                            ).to(grad)
                        else:
                            state["exp_avg_sq"] = torch.zeros_like(grad)
                        state["RMS"] = 0
                    state["step"] += 1
                    state["RMS"] = self._rms(p)
                    lr = max(group["eps"][1], state["RMS"].item()) * min(
                        group["lr"], 1 / state["step"] ** 0.5
                    )
                    beta2t = 1.0 - math.pow(state["step"], group["decay_rate"])
                    update = (grad**2) + group["eps"][0]
                    if factored:
                        row, col = state["exp_avg_sq_row"], state["exp_avg_sq_col"]
                        row.mul_(beta2t).add_(update.mean(dim=-1), alpha=(1.0 - beta2t))
                        col.mul_(beta2t).add_(update.mean(dim=-2), alpha=(1.0 - beta2t))
                        update = self._approx_sq_grad(row, col)
                        update.mul_(grad)
                    else:
                        exp_avg_sq = state["exp_avg_sq"]
                        exp_avg_sq.mul_(beta2t).add_(update, alpha=(1.0 - beta2t))
                        update = exp_avg_sq.rsqrt().mul_(grad)
                    update.div_((self._rms(update) / group["clip_threshold"]).clamp_(min=1.0))
                    update.mul_(lr)
                    p.add_(-update)
            return loss

    model = T5()
    redraw(model, 6)
    ids = torch.tensor([[(3 * i + j * j) % 12 + 1 for j in range(12)] for i in range(3)])
    mask = (torch.arange(12)[None] < torch.tensor([12, 9, 7])[:, None]).long()
    labels = ids.flip(1)[:, :6].contiguous()
    labels[1, 4:] = -100
    optimizer = Adafactor(model.parameters(), lr=0.05)
    losses = []
    for _ in range(5):
        loss, _ = model(ids, mask, labels)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        memory, _ = model.encoder(ids, mask)
        tokens, past = torch.zeros(3, 1, dtype=torch.long), None
        for _ in range(4):
            out, past = model.decoder(tokens[:, -1:], torch.ones_like(tokens), memory, mask, past)
            tokens = torch.cat(
                [tokens, model.lm_head(out * 8**-0.5)[:, -1].argmax(-1, keepdim=True)], 1
            )
    return {
        "losses": losses,
        "state": model.state_dict(),
        "tokens": tokens,
        "optimizer": optimizer.state_dict(),
    }
