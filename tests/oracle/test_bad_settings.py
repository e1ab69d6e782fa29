"""Dims, sizes, strides and settings that make no sense, one by one: PyTorch's exception class."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import vizgrad as vg
from tests.oracle.compare import same_error

torch = pytest.importorskip("torch")

#: Separated by `;;`. `x` is 2 x 3, `I` an image, `W` and `V` filters, `P` a parameter.
TENSORS = """
x.reshape(5) ;; x.reshape(-1,-1) ;; x.view(7) ;; x.view(-2) ;; x.expand(3,3) ;; x.expand(2) ;;
x.permute(0) ;; x.permute(0,0) ;; x.permute(0,5) ;; x.transpose(0,5) ;; x.flatten(1,0) ;;
x.narrow(0,1,5) ;; x.narrow(0,-9,1) ;; x.select(0,9) ;; x.select(5,0) ;; x.split(0) ;; x.split(-1) ;;
x.split([1,2]) ;; x.chunk(0) ;; x.chunk(-1) ;; x.repeat(2) ;; x.repeat(-1,2) ;; x.tile(-1) ;;
x.unfold(0,5,1) ;; x.unfold(0,1,0) ;; x.unfold(0,-1,1) ;; x.topk(9) ;; x.topk(-1) ;; x.kthvalue(0) ;;
x.kthvalue(9) ;; x.roll(1,5) ;; x.roll((1,2),0) ;; x.rot90(1,(0,0)) ;; x.diagonal(0,0,0) ;;
x.diagonal(0,5,1) ;; x[5] ;; x[0,0,0] ;; x['a'] ;; x[1.5] ;; x.item() ;; T.zeros(-1) ;; T.zeros(1.5) ;;
T.ones('a') ;; T.full((-1,),1) ;; T.arange(0,1,0) ;; T.arange(0,-1,1) ;; T.eye(-1) ;; T.linspace(0,1,-1)
;; T.randint(3,3,(2,)) ;; T.randperm(-1) ;; T.tensor([[1,2],[3]]) ;; T.tensor('a') ;; T.tensor([1,'a'])
;; T.cat([]) ;; T.stack([]) ;; T.cat([x,x],5) ;; T.stack([x,x],5) ;; T.cat(x) ;; T.cat([x,1]) ;;
T.one_hot(x) ;; x.tril(1.5) ;; x.to('nowhere') ;; x.to(5) ;; x.type('a') ;; x.clamp() ;; x.pow('a') ;;
x+'a' ;; x+None ;; 'a'*x ;; x@x ;; x@1 ;; x.mm(x) ;; x.dot(x) ;; T.einsum('ij,jk',x,x) ;;
T.einsum('i',x) ;; T.einsum('i1',x) ;; x.backward() ;; x.quantile(2.0) ;; x.quantile(0.5,5) ;;
x.cumsum() ;; x.movedim(0,5) ;; x.movedim((0,1),(0,)) ;; x.unflatten(0,(3,)) ;; x.unflatten(5,(1,)) ;;
x.repeat_interleave(-1) ;; x.index_select(0,x) ;; x.gather(0,x) ;; x.masked_fill(x,1) ;;
x.masked_select(x) ;; x.scatter(0,x,1) ;; x.take(x) ;; x.bincount() ;; x.histc(0) ;; x.histc(5,1,0) ;;
x.multinomial(0) ;; x.renorm(2,5,1) ;; x.var(correction='a') ;; x.sum(dtype='a') ;; x.softmax(0,'a') ;;
x.softmax() ;; x.as_strided((9,9),(9,9)) ;; x.as_strided((2,),(-1,)) ;; x.fill_diagonal_('a') ;;
x.resize_(-1) ;; x.element_size(1) ;; x.size(5) ;; x.stride(5) ;; x.stft(4) ;; T.fft.fft(x,-1) ;;
T.fft.fft(x,dim=5) ;; T.fft.fft(x,norm='a') ;; T.linalg.inv(x) ;; T.linalg.det(x) ;;
T.linalg.cholesky(x) ;; T.linalg.norm(x,'a') ;; T.linalg.matrix_power(x,2) ;; T.linalg.qr(x,'a') ;;
T.meshgrid(x,indexing='a') ;; T.broadcast_tensors(x,T.ones(5)) ;; T.where(x,x,x) ;; T.lerp(x,x,'a') ;;
T.block_diag('a') ;; T.tril_indices(-1,2) ;; T.vander(x) ;; T.cross(x,x,0) ;; T.kron(x,1) ;;
T.tensordot(x,x,5) ;; T.trapezoid(x,dim=5) ;; T.cdist(x,T.ones(2,4)) ;; T.chain_matmul(x,x) ;;
T.polygamma(-1,x) ;; T.special.multigammaln(x,0) ;; T.allclose(x,1) ;; T.equal(x,1)
"""
FUNCTIONAL = """
F.conv2d(I,W,stride=0) ;; F.conv_transpose2d(I,V,stride=0) ;; F.conv2d(I,W,stride=-1) ;;
F.conv_transpose2d(I,V,stride=-1) ;; F.conv2d(I,W,stride=(1,2,3)) ;;
F.conv_transpose2d(I,V,stride=(1,2,3)) ;; F.conv2d(I,W,stride='a') ;; F.conv_transpose2d(I,V,stride='a')
;; F.conv2d(I,W,padding=-1) ;; F.conv_transpose2d(I,V,padding=-1) ;; F.conv2d(I,W,padding='a') ;;
F.conv_transpose2d(I,V,padding='a') ;; F.conv2d(I,W,padding=(1,2,3)) ;;
F.conv_transpose2d(I,V,padding=(1,2,3)) ;; F.conv2d(I,W,dilation=0) ;;
F.conv_transpose2d(I,V,dilation=0) ;; F.conv2d(I,W,dilation=-1) ;; F.conv_transpose2d(I,V,dilation=-1)
;; F.conv2d(I,W,groups=0) ;; F.conv_transpose2d(I,V,groups=0) ;; F.conv2d(I,W,groups=3) ;;
F.conv_transpose2d(I,V,groups=3) ;; F.conv2d(I,W,groups=-1) ;; F.conv_transpose2d(I,V,groups=-1) ;;
F.conv2d(I,W,stride=1.5) ;; F.conv_transpose2d(I,V,stride=1.5) ;; F.conv2d(I,W,padding='same',stride=2)
;; F.max_pool2d(I,0) ;; F.max_pool2d(I,-1) ;; F.max_pool2d(I,9) ;; F.max_pool2d(I,(1,2,3)) ;;
F.max_pool2d(I,'a') ;; F.max_pool2d(I,1.5) ;; F.max_pool2d(I,2,0) ;; F.max_pool2d(I,2,-1) ;;
F.max_pool2d(I,2,1,2) ;; F.max_pool2d(I,2,1,-1) ;; F.max_pool2d(I,2,1,(1,1,1)) ;; F.avg_pool2d(I,0) ;;
F.avg_pool2d(I,-1) ;; F.avg_pool2d(I,9) ;; F.avg_pool2d(I,(1,2,3)) ;; F.avg_pool2d(I,'a') ;;
F.avg_pool2d(I,1.5) ;; F.avg_pool2d(I,2,0) ;; F.avg_pool2d(I,2,-1) ;; F.avg_pool2d(I,2,1,2) ;;
F.avg_pool2d(I,2,1,-1) ;; F.avg_pool2d(I,2,1,(1,1,1)) ;; F.avg_pool2d(I,2,divisor_override=0) ;;
F.adaptive_avg_pool2d(I,-1) ;; F.adaptive_avg_pool2d(I,(1,2,3)) ;; F.adaptive_avg_pool2d(I,'a') ;;
F.interpolate(I) ;; F.interpolate(I,size=2,scale_factor=2) ;; F.interpolate(I,size=0) ;;
F.interpolate(I,size=-1) ;; F.interpolate(I,scale_factor=0) ;; F.interpolate(I,size=2,mode='a') ;;
F.interpolate(I,size=2,mode='linear') ;; F.interpolate(I,size=(1,2,3)) ;; F.pad(I,(1,)) ;;
F.pad(I,(1,)*10) ;; F.pad(I,(9,9),'reflect') ;; F.pad(I,(1,1),'a') ;; F.pad(I,(-9,0)) ;;
F.layer_norm(I,(4,)) ;; F.layer_norm(I,()) ;; F.batch_norm(I,None,None) ;; F.group_norm(I,3) ;;
F.group_norm(I,0) ;; F.dropout(I,2) ;; F.dropout(I,-1) ;; F.dropout(I,'a') ;; F.softmax(I,9) ;; F.glu(I)
;; F.glu(I,9) ;; F.embedding(T.tensor([9]),x) ;; F.embedding(x,x) ;;
F.embedding(T.tensor([0]),x,padding_idx=9) ;; F.one_hot(T.tensor([3]),2) ;; F.one_hot(x) ;;
F.nll_loss(x,T.tensor([9,0])) ;; F.nll_loss(x,T.tensor([0])) ;; F.cross_entropy(x,T.tensor([9,0])) ;;
F.cross_entropy(x,T.tensor([0,1]),label_smoothing=2) ;; F.cross_entropy(x,T.tensor([0,1]),reduction='a')
;; F.mse_loss(x,x,reduction='a') ;; F.binary_cross_entropy(x,x*9) ;; F.binary_cross_entropy(x,T.ones(5))
;; F.huber_loss(x,x,delta=0) ;; F.smooth_l1_loss(x,x,beta=-1) ;; F.ctc_loss(x,x,x,x) ;; F.unfold(I,0) ;;
F.unfold(I,9) ;; F.fold(x,(2,2),9) ;; F.pixel_shuffle(I,0) ;; F.pixel_shuffle(I,9) ;;
F.pixel_unshuffle(I,9) ;; F.channel_shuffle(I,9) ;; F.normalize(x,dim=9) ;;
F.cosine_similarity(x,x,dim=9) ;; F.multi_margin_loss(x,T.tensor([0,1]),p=3) ;;
F.gelu(x,approximate='a') ;; F.hardtanh(x,1,0) ;; F.rrelu(x,1,0) ;; F.elu(x,'a') ;; F.threshold(x,'a',1)
;; F.linear(x,x) ;; F.linear(x,T.ones(4,2,dtype=T.float64)) ;; F.bilinear(x,x,x) ;;
F.scaled_dot_product_attention(I,I,I,dropout_p=2) ;; F.grid_sample(I,I) ;; F.affine_grid(x,(1,1,2)) ;;
F.local_response_norm(x,2) ;; F.max_unpool2d(I,I,2) ;; F.lp_pool2d(I,2,0) ;; F.gumbel_softmax(x,dim=9)
;; F.pairwise_distance(x,T.ones(3,4)) ;; F.pdist(I) ;; F.prelu(I,T.ones(3,dtype=T.float64))
"""
MODULES = """
N.Linear(-1,2) ;; N.Linear('a',2) ;; N.Conv2d(3,4,2,groups=2) ;; N.Conv2d(0,4,2) ;; N.Conv2d(3,4,0) ;;
N.Conv2d(3,4,2,padding='a') ;; N.Conv2d(3,4,2,padding_mode='a') ;;
N.Conv2d(3,4,2,stride=2,padding='same') ;; N.BatchNorm2d(2)(x) ;; N.BatchNorm2d(3)(I) ;;
N.BatchNorm1d(-1) ;; N.LayerNorm(4)(x) ;; N.GroupNorm(2,3) ;; N.Embedding(3,2,padding_idx=9) ;;
N.Embedding(-1,2) ;; N.LSTM(3,4,dropout=2) ;; N.LSTM(3,0) ;; N.LSTM(3,4,0) ;; N.LSTM(3,4)(x) ;;
N.LSTM(3,4)(T.ones(2,3,5)) ;; N.GRU(3,4)(T.ones(2)) ;; N.RNN(3,4,nonlinearity='a') ;;
N.RNNCell(3,4)(T.ones(2,5)) ;; N.LSTMCell(3,4)(T.ones(2,5)) ;; N.GRUCell(3,4)(T.ones(2,3,4)) ;;
N.MultiheadAttention(4,3) ;; N.MultiheadAttention(0,1) ;; N.MultiheadAttention(4,2)(x,x,x) ;;
N.TransformerEncoderLayer(4,2,activation='a') ;; N.Transformer(4,2)(T.ones(2,3,5),T.ones(2,3,4)) ;;
N.Dropout(2) ;; N.Softmax(9)(x) ;; N.MaxPool2d(2)(x[0]) ;; N.AvgPool2d(2)(x[0]) ;; N.Flatten(5)(x) ;;
N.Unflatten(1,(9,))(x) ;; N.Sequential(1) ;; N.ModuleList([1]) ;; N.ParameterList([1]) ;;
N.CrossEntropyLoss(reduction='a')(x,T.tensor([0,1])) ;; N.PReLU(3)(x[0]) ;; N.Threshold('a',1) ;;
N.Upsample(0)(I) ;; N.ZeroPad2d(-9)(I) ;; N.ReflectionPad2d(9)(I) ;; N.PixelShuffle(9)(I) ;;
N.InstanceNorm2d(3,affine=True)(I) ;; N.Bilinear(2,3,4)(x,x) ;; N.Hardtanh(1,0) ;;
N.AdaptiveAvgPool2d('a')(I) ;; N.init.xavier_uniform_(x[0]) ;; N.init.orthogonal_(x[0]) ;;
N.init.eye_(I) ;; N.init.dirac_(x) ;; N.init.sparse_(I,0.5) ;; N.init.calculate_gain('a') ;;
N.init.kaiming_uniform_(x,mode='a') ;; N.utils.clip_grad_norm_([x],1) ;; O.SGD([],lr=1) ;;
O.SGD([P],lr=-1) ;; O.SGD([P],lr=1,momentum=-1) ;; O.SGD([P],lr=1,nesterov=True) ;; O.Adam([P],lr=-1) ;;
O.Adam([P],betas=(2,0.9)) ;; O.Adam([P],eps=-1) ;; O.SGD(P,lr=1) ;; O.SGD(['a'],lr=1) ;;
O.SGD([P*2],lr=1) ;; O.SGD([P,P],lr=1) ;; O.RMSprop([P],alpha=-1) ;; O.AdamW([P],weight_decay=-1) ;;
O.lr_scheduler.StepLR('a',1) ;; O.lr_scheduler.ReduceLROnPlateau(O.SGD([P],lr=1),factor=2) ;;
O.lr_scheduler.ReduceLROnPlateau(O.SGD([P],lr=1),mode='a') ;;
O.lr_scheduler.CosineAnnealingLR(O.SGD([P],lr=1)) ;; O.lr_scheduler.MultiStepLR(O.SGD([P],lr=1)) ;;
O.lr_scheduler.OneCycleLR(O.SGD([P],lr=1),1) ;; O.lr_scheduler.LinearLR(O.SGD([P],lr=1),start_factor=2)
"""

#: Functions of `x` and a dimension, and wrong dimensions.
ALONG = "sum mean amin std var cumsum cumprod sort argsort mode softmax log_softmax unbind cummax any all"
DIMS = ("9", "-9", "1.5", "'a'")

#: Expression: why vizgrad differs.
LISTED = {
    "x['a']": "the text of the error says what an index may be",
    "F.group_norm(I,0)": "no division by zero",
    "F.bilinear(x,x,x)": "the rank is checked",
    "F.affine_grid(x,(1,1,2))": "the shapes are compared first",
    "F.scaled_dot_product_attention(I,I,I,dropout_p=2)": "dropout says it, with its class",
    "N.AvgPool2d(2)(x[0])": "the rank is checked",
    "N.AdaptiveAvgPool2d('a')(I)": "the sizes are compared first",
    "F.adaptive_avg_pool2d(I,'a')": "the sizes are compared first",
}


def expressions() -> list[str]:
    given = [e.strip() for text in (TENSORS, FUNCTIONAL, MODULES) for e in text.split(";;")]
    return [*given, *(f"T.{name}(x,{dim})" for name in ALONG.split() for dim in DIMS)]


def result(module: Any, expression: str) -> Any:
    import_module(f"{module.__name__}.optim.lr_scheduler")
    names = {
        "T": module, "F": module.nn.functional, "N": module.nn, "O": module.optim,
        "x": module.arange(6.0, dtype=module.float64).reshape(2, 3),
        "I": module.ones(1, 2, 5, 5, dtype=module.float64),
        "W": module.ones(3, 2, 2, 2, dtype=module.float64),
        "V": module.ones(2, 3, 2, 2, dtype=module.float64),
        "P": module.nn.Parameter(module.ones(2)),
    }  # fmt: skip
    try:
        return eval(expression.replace("\n", " "), names)
    except Exception as error:  # noqa: BLE001  whatever it is, it is compared
        return error


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", expressions())
def test_a_wrong_setting_is_refused_as_in_pytorch(expression: str) -> None:
    expected, found = result(torch, expression), result(vg, expression)
    if expression in LISTED:
        return
    raised = isinstance(expected, Exception), isinstance(found, Exception)
    assert raised[0] == raised[1], (expected, found)
    if all(raised):
        assert same_error(type(expected), type(found)), (expected, found)


def test_what_is_listed_is_there() -> None:
    assert LISTED.keys() <= {e.replace("\n", " ") for e in expressions()}
