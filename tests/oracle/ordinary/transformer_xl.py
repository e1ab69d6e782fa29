"""Relative attention with a shift, memory of earlier segments without history, adaptive softmax by hand."""

from tests.oracle.ordinary.given import dropout, numbers, redraw


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class PositionalEmbedding(nn.Module):
        def __init__(self, demb):
            super(PositionalEmbedding, self).__init__()
            self.demb = demb
            inv_freq = 1 / (10000 ** (torch.arange(0.0, demb, 2.0) / demb))
            self.register_buffer("inv_freq", inv_freq)

        def forward(self, pos_seq, bsz=None):
            sinusoid_inp = torch.ger(pos_seq, self.inv_freq)
            pos_emb = torch.cat([sinusoid_inp.sin(), sinusoid_inp.cos()], dim=-1)
            if bsz is not None:
                return pos_emb[:, None, :].expand(-1, bsz, -1)
            return pos_emb[:, None, :]

    class PositionwiseFF(nn.Module):
        def __init__(self, d_model, d_inner):
            super(PositionwiseFF, self).__init__()
            self.CoreNet = nn.Sequential(
                nn.Linear(d_model, d_inner),
                nn.ReLU(inplace=True),
                dropout(torch, 0.1, 3),
                nn.Linear(d_inner, d_model),
            )
            self.layer_norm = nn.LayerNorm(d_model)

        def forward(self, inp):
            return self.layer_norm(inp + self.CoreNet(inp))

    class RelPartialLearnableMultiHeadAttn(nn.Module):
        def __init__(self, n_head, d_model, d_head):
            super().__init__()
            self.n_head, self.d_model, self.d_head = n_head, d_model, d_head
            self.qkv_net = nn.Linear(d_model, 3 * n_head * d_head, bias=False)
            self.r_net = nn.Linear(d_model, n_head * d_head, bias=False)
            self.o_net = nn.Linear(n_head * d_head, d_model, bias=False)
            self.dropatt = dropout(torch, 0.1, 4)
            self.layer_norm = nn.LayerNorm(d_model)
            self.scale = 1 / (d_head**0.5)

        def _rel_shift(self, x, zero_triu=False):
            zero_pad = torch.zeros((x.size(0), 1, *x.size()[2:]), device=x.device, dtype=x.dtype)
            x_padded = torch.cat([zero_pad, x], dim=1)
            x_padded = x_padded.view(x.size(1) + 1, x.size(0), *x.size()[2:])
            x = x_padded[1:].view_as(x)
            if zero_triu:
                ones = torch.ones((x.size(0), x.size(1)))
                x = x * torch.tril(ones, x.size(1) - x.size(0))[:, :, None, None]
            return x

        def forward(self, w, r, r_w_bias, r_r_bias, attn_mask=None, mems=None):
            qlen, rlen, bsz = w.size(0), r.size(0), w.size(1)
            cat = torch.cat([mems, w], 0) if mems is not None else w
            w_heads = self.qkv_net(cat)
            r_head_k = self.r_net(r)
            w_head_q, w_head_k, w_head_v = torch.chunk(w_heads, 3, dim=-1)
            if mems is not None:
                w_head_q = w_head_q[-qlen:]
            klen = w_head_k.size(0)
            w_head_q = w_head_q.contiguous().view(qlen, bsz, self.n_head, self.d_head)
            w_head_k = w_head_k.contiguous().view(klen, bsz, self.n_head, self.d_head)
            w_head_v = w_head_v.contiguous().view(klen, bsz, self.n_head, self.d_head)
            r_head_k = r_head_k.view(rlen, self.n_head, self.d_head)
            rw_head_q = w_head_q + r_w_bias
            AC = torch.einsum("ibnd,jbnd->ijbn", (rw_head_q, w_head_k))
            rr_head_q = w_head_q + r_r_bias
            BD = torch.einsum("ibnd,jnd->ijbn", (rr_head_q, r_head_k))
            BD = self._rel_shift(BD)
            attn_score = AC + BD
            attn_score.mul_(self.scale)
            if attn_mask is not None and attn_mask.any().item():
                if attn_mask.dim() == 2:
                    attn_score = (
                        attn_score.float()
                        .masked_fill(attn_mask[None, :, :, None], -float("inf"))
                        .type_as(attn_score)
                    )
                elif attn_mask.dim() == 3:
                    attn_score = (
                        attn_score.float()
                        .masked_fill(attn_mask[:, :, :, None], -float("inf"))
                        .type_as(attn_score)
                    )
            attn_prob = F.softmax(attn_score, dim=1)
            attn_prob = self.dropatt(attn_prob)
            attn_vec = torch.einsum("ijbn,jbnd->ibnd", (attn_prob, w_head_v))
            attn_vec = attn_vec.contiguous().view(
                attn_vec.size(0), attn_vec.size(1), self.n_head * self.d_head
            )
            return self.layer_norm(w + self.o_net(attn_vec))

    class MemTransformerLM(nn.Module):
        def __init__(self, n_token, n_layer, n_head, d_model, d_head, d_inner, mem_len, clamp_len):
            super().__init__()
            self.n_layer, self.mem_len, self.clamp_len, self.d_model = (
                n_layer,
                mem_len,
                clamp_len,
                d_model,
            )
            self.word_emb = nn.Embedding(n_token, d_model)
            self.pos_emb = PositionalEmbedding(d_model)
            self.r_w_bias = nn.Parameter(torch.Tensor(n_head, d_head).fill_(0))
            self.r_r_bias = nn.Parameter(torch.Tensor(n_head, d_head).fill_(0))
            self.layers = nn.ModuleList()
            for i in range(n_layer):
                attn = RelPartialLearnableMultiHeadAttn(n_head, d_model, d_head)
                self.layers.append(
                    nn.ModuleDict({"attn": attn, "ff": PositionwiseFF(d_model, d_inner)})
                )
            self.out_layer = nn.Linear(d_model, n_token)
            self.out_layer.weight = self.word_emb.weight

        def init_mems(self):
            param = next(self.parameters())
            return [
                torch.empty(0, dtype=param.dtype, device=param.device)
                for _ in range(self.n_layer + 1)
            ]

        def _update_mems(self, hids, mems, qlen, mlen):
            with torch.no_grad():
                new_mems = []
                end_idx = mlen + max(0, qlen)
                beg_idx = max(0, end_idx - self.mem_len)
                for i in range(len(hids)):
                    cat = torch.cat([mems[i], hids[i]], dim=0)
                    new_mems.append(cat[beg_idx:end_idx].detach())
            return new_mems

        def forward(self, data, target, *mems):
            if not mems:
                mems = self.init_mems()
            qlen, bsz = data.size()
            word_emb = self.word_emb(data)
            word_emb.mul_(self.d_model**0.5)
            mlen = mems[0].size(0)
            klen = mlen + qlen
            dec_attn_mask = torch.triu(word_emb.new_ones(qlen, klen), diagonal=1 + mlen).bool()[
                :, :, None
            ]
            pos_seq = torch.arange(klen - 1, -1, -1.0, device=word_emb.device, dtype=word_emb.dtype)
            if self.clamp_len > 0:
                pos_seq.clamp_(max=self.clamp_len)
            pos_emb = self.pos_emb(pos_seq)
            core_out, hids = word_emb, [word_emb]
            for i, layer in enumerate(self.layers):
                m = None if mlen == 0 else mems[i]
                core_out = layer["attn"](
                    core_out, pos_emb, self.r_w_bias, self.r_r_bias, dec_attn_mask, m
                )
                core_out = layer["ff"](core_out)
                hids.append(core_out)
            new_mems = self._update_mems(hids, mems, qlen, mlen)
            logit = self.out_layer(core_out[-target.size(0) :])
            loss = (
                -F.log_softmax(logit.view(-1, logit.size(-1)), dim=-1)
                .gather(1, target.reshape(-1, 1))
                .squeeze(1)
            )
            return [loss.view(target.size(0), -1)] + new_mems

    def init_weight(m):
        classname = m.__class__.__name__
        if classname.find("Linear") != -1:
            if hasattr(m, "weight") and m.weight is not None:
                nn.init.normal_(m.weight, 0.0, 0.02)
            if hasattr(m, "bias") and m.bias is not None:
                nn.init.constant_(m.bias, 0.0)
        elif classname.find("LayerNorm") != -1:
            nn.init.normal_(m.weight, 1.0, 0.02)

    model = MemTransformerLM(11, 2, 2, 8, 4, 12, mem_len=5, clamp_len=6)
    model.apply(init_weight)
    redraw(model, 3)
    text = torch.tensor([(i * i + 3 * i) % 11 for i in range(52)])
    text = text.narrow(0, 0, 50).view(2, -1).t().contiguous()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, eps=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 5, eta_min=1e-4)
    mems, losses = tuple(), []
    for batch in range(5):
        data, target = text[batch * 4 : batch * 4 + 4], text[batch * 4 + 1 : batch * 4 + 5]
        model.zero_grad()
        ret = model(data, target, *mems)
        loss, mems = ret[0], ret[1:]
        loss = loss.float().mean().type_as(loss)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        scheduler.step()
        losses.append(loss.float().item())
    shifted = model.layers[0]["attn"]._rel_shift(numbers(torch, 3, 5, 1, 2, seed=9), zero_triu=True)
    return {"losses": losses, "mems": mems, "shifted": shifted, "state": model.state_dict()}
