"""Pieces of images joined: the channels lie innermost in the result if they do in every piece."""

from tests.oracle.registry import program

_PIECES = {
    "all innermost": [(2, 3, True), (2, 2, True)],
    "first in C order": [(2, 3, False), (2, 2, True)],
    "last in C order": [(2, 3, True), (2, 2, False)],
    "first of one channel": [(4, 1, False), (4, 5, True)],
    "last of one channel": [(4, 5, True), (4, 1, False)],
    "one channel, innermost": [(4, 1, True), (4, 5, True)],
}


def _piece(torch, count, channels, innermost, rank):
    sizes = (2, 3, 2)[: rank - 2]
    if not innermost:
        return torch.ones(count, channels, *sizes)
    return torch.ones(count, *sizes, channels).permute(0, rank - 1, *range(1, rank - 1))


@program(rules="X-11", each=[f"{name}, {rank}" for name in _PIECES for rank in (4, 5)])
def joined_pieces_lie_in_c_order_unless_all_have_their_channels_innermost(torch, see, case):
    name, _, rank = case.rpartition(", ")
    pieces = [_piece(torch, *each, int(rank)) for each in _PIECES[name]]
    joined = torch.cat(pieces, 1)
    see("strides", joined.stride())
    see("in C order", joined.is_contiguous())


@program(rules="X-11")
def a_relative_shift_views_scores_that_einsum_made(torch, see):
    """The score of Transformer-XL: queries by keys, batch and head last, a column of zeros before."""
    q = torch.arange(48.0).view(4, 2, 2, 3).requires_grad_()
    r = torch.arange(30.0).view(5, 2, 3)
    scores = torch.einsum("ibnd,jnd->ijbn", q, r)
    padded = torch.cat([torch.zeros(4, 1, 2, 2), scores], dim=1)
    shifted = padded.view(6, 4, 2, 2)[1:].view_as(scores)
    see("shifted", shifted)
    shifted[:, :3].sum().backward()
    see("gradient", q.grad)
