"""Methods of a tensor alone: conversions, writing, memory."""

from __future__ import annotations

from typing import Any

from tests.fuzz.draw import Draw
from tests.fuzz.kinds import SoFar, first
from tests.fuzz.signatures.creation import data, listed
from tests.fuzz.values import Code


def kind_of_tensor(d: Draw, so_far: SoFar) -> Any:
    return d.pick(
        (
            Code("torch.DoubleTensor"),
            "torch.FloatTensor" if d.odd else Code("torch.LongTensor"),
            Code("torch.float32"),
        )
    )


TABLE = """
T.bool T.byte T.char T.double T.float T.half T.bfloat16 T.int T.long T.short T.cdouble T.cfloat T.cpu : input=t()
T.to : input=t() _0=dtype() *copy=flag? *non_blocking=flag??
T.to : input=t() _0=pick('cpu') _1=dtype()? *copy=flag?
T.to : input=t() other=same('any') *copy=flag?
T.type : input=t() dtype=kind_of_tensor?
T.type_as : input=t() other=same('any')
T.item T.numpy : input=t(rank=(0,1))
T.copy_ : input=t() src=meets()
T.copy_ : input=t() src=same('any') non_blocking=flag?
T.fill_ : input=t() value=number()
T.fill_ : input=t() value=shaped((),'any')
T.zero_ zero : input=t()
T.fill_diagonal_ : input=t(rank=(2,3)) fill_value=number() wrap=flag?
T.new : input=t('float',rank=(0,1)) _0=listed?
T.new : input=t('float') _0=pick(0)
~T.resize_ : input=t() _=sizes((0,3))
T.set_ : input=t() source=same()
~resize_as_ : input=t() other=same()
T.is_set_to : input=t() tensor=same()
T.requires_grad_ : input=t() requires_grad=flag?
T.apply_ : input=t('float') callable=code('abs','lambda(v):v+1')
T.map_ : input=t('float') tensor=same() callable=code('max')
T.is_pinned : input=t()
T.retain_grad : input=t()
"""
TABLE = TABLE.replace("'lambda(v):v+1'", "'bool'")
__all__ = ["TABLE", "data", "first", "listed"]
