import vizgrad as vg

# activations
vg.nn.CELU()(vg.tensor([-1.0, 2.0]))
vg.nn.ELU()(vg.tensor([-1.0, 2.0]))
vg.nn.GELU()(vg.tensor([-1.0, 2.0]))
vg.nn.GLU()(vg.tensor([1.0, 2.0, 0.0, 0.0]))
vg.nn.Hardshrink()(vg.tensor([-1.0, 0.2]))
vg.nn.Hardsigmoid()(vg.tensor([-1.0, 4.0]))
vg.nn.Hardswish()(vg.tensor([-1.0, 4.0]))
vg.nn.Hardtanh()(vg.tensor([-3.0, 0.5]))
vg.nn.LeakyReLU(0.1)(vg.tensor([-1.0, 2.0]))
vg.nn.LogSigmoid()(vg.tensor([-1.0, 2.0]))
vg.nn.LogSoftmax(dim=0)(vg.tensor([1.0, 2.0]))
vg.nn.Mish()(vg.tensor([-1.0, 2.0]))
vg.nn.PReLU()(vg.tensor([-1.0, 2.0]))
vg.nn.RReLU().eval()(vg.tensor([-1.0, 2.0]))
vg.nn.ReLU()(vg.tensor([-1.0, 2.0]))
vg.nn.ReLU6()(vg.tensor([-1.0, 8.0]))
vg.nn.SELU()(vg.tensor([-1.0, 2.0]))
vg.nn.SiLU()(vg.tensor([-1.0, 2.0]))
vg.nn.Sigmoid()(vg.tensor([-1.0, 2.0]))
vg.nn.Softmax(dim=0)(vg.tensor([1.0, 2.0]))
vg.nn.Softmax2d()(vg.ones(2, 1, 1))
vg.nn.Softmin(dim=0)(vg.tensor([1.0, 2.0]))
vg.nn.Softplus()(vg.tensor([-1.0, 2.0]))
vg.nn.Softshrink()(vg.tensor([-1.0, 0.2]))
vg.nn.Softsign()(vg.tensor([-1.0, 2.0]))
vg.nn.Tanh()(vg.tensor([-1.0, 2.0]))
vg.nn.Tanhshrink()(vg.tensor([-1.0, 2.0]))
vg.nn.Threshold(0.5, 9.0)(vg.tensor([0.2, 2.0]))

# layers with weights
vg.nn.Linear(2, 3)(vg.tensor([[1.0, 2.0]])).shape
vg.nn.Bilinear(2, 3, 4)(vg.ones(1, 2), vg.ones(1, 3)).shape
vg.nn.Identity()(vg.tensor([1.0, 2.0]))
vg.nn.Conv1d(2, 4, kernel_size=3)(vg.ones(1, 2, 8)).shape
vg.nn.Conv2d(3, 8, kernel_size=3, padding=1)(vg.ones(1, 3, 8, 8)).shape
vg.nn.Conv3d(1, 2, kernel_size=2)(vg.ones(1, 1, 3, 3, 3)).shape
vg.nn.ConvTranspose1d(2, 4, kernel_size=3)(vg.ones(1, 2, 8)).shape
vg.nn.ConvTranspose2d(3, 8, kernel_size=2, stride=2)(vg.ones(1, 3, 4, 4)).shape
vg.nn.ConvTranspose3d(1, 2, kernel_size=2)(vg.ones(1, 1, 3, 3, 3)).shape
vg.nn.Embedding(10, 4)(vg.tensor([1, 2, 1])).shape
vg.nn.EmbeddingBag(10, 4)(vg.tensor([[1, 2, 1], [0, 0, 3]])).shape
vg.nn.Unfold(2)(vg.ones(1, 1, 3, 3)).shape
vg.nn.Fold((3, 3), 2)(vg.ones(1, 4, 4))
vg.nn.Flatten()(vg.ones(2, 3, 4)).shape
vg.nn.Unflatten(1, (2, 3))(vg.ones(4, 6)).shape

# layers whose sizes come from their first input
vg.nn.LazyLinear(3)(vg.ones(1, 5)).shape
vg.nn.LazyConv1d(4, kernel_size=3)(vg.ones(1, 2, 8)).shape
vg.nn.LazyConv2d(8, kernel_size=3)(vg.ones(1, 3, 8, 8)).shape
vg.nn.LazyConv3d(2, kernel_size=2)(vg.ones(1, 1, 3, 3, 3)).shape
vg.nn.LazyConvTranspose1d(4, kernel_size=3)(vg.ones(1, 2, 8)).shape
vg.nn.LazyConvTranspose2d(8, kernel_size=2)(vg.ones(1, 3, 4, 4)).shape
vg.nn.LazyConvTranspose3d(2, kernel_size=2)(vg.ones(1, 1, 3, 3, 3)).shape
vg.nn.LazyBatchNorm1d()(vg.tensor([[1.0], [3.0]]))
vg.nn.LazyBatchNorm2d()(vg.ones(2, 3, 1, 1)).shape
vg.nn.LazyBatchNorm3d()(vg.ones(2, 3, 1, 1, 1)).shape
vg.nn.LazyInstanceNorm1d()(vg.tensor([[[1.0, 3.0]]]))
vg.nn.LazyInstanceNorm2d()(vg.ones(2, 3, 2, 2)).shape
vg.nn.LazyInstanceNorm3d()(vg.ones(2, 3, 2, 2, 2)).shape

# norms
vg.nn.BatchNorm1d(1)(vg.tensor([[1.0], [3.0]]))
vg.nn.BatchNorm2d(3)(vg.ones(2, 3, 2, 2)).shape
vg.nn.BatchNorm3d(3)(vg.ones(2, 3, 2, 2, 2)).shape
vg.nn.SyncBatchNorm(1)(vg.tensor([[1.0], [3.0]]))
vg.nn.InstanceNorm1d(1)(vg.tensor([[[1.0, 3.0]]]))
vg.nn.InstanceNorm2d(3)(vg.ones(2, 3, 2, 2)).shape
vg.nn.InstanceNorm3d(3)(vg.ones(2, 3, 2, 2, 2)).shape
vg.nn.GroupNorm(1, 2)(vg.tensor([[1.0, 3.0]]))
vg.nn.LayerNorm(2)(vg.tensor([[1.0, 3.0]]))
vg.nn.LocalResponseNorm(2)(vg.tensor([[[1.0], [2.0]]]))
vg.nn.RMSNorm(2)(vg.tensor([[3.0, 4.0]]))

# pools
vg.nn.AdaptiveAvgPool1d(2)(vg.tensor([[[1.0, 2.0, 3.0, 4.0]]]))
vg.nn.AdaptiveAvgPool2d(1)(vg.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
vg.nn.AdaptiveAvgPool3d(1)(vg.ones(1, 2, 2, 2))
vg.nn.AdaptiveMaxPool1d(2)(vg.tensor([[[1.0, 2.0, 3.0, 4.0]]]))
vg.nn.AdaptiveMaxPool2d(1)(vg.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
vg.nn.AdaptiveMaxPool3d(1)(vg.ones(1, 2, 2, 2))
vg.nn.AvgPool1d(2)(vg.tensor([[[1.0, 2.0, 3.0, 4.0]]]))
vg.nn.AvgPool2d(2)(vg.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
vg.nn.AvgPool3d(2)(vg.ones(1, 2, 2, 2))
vg.nn.FractionalMaxPool2d(2, output_size=1)(vg.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
vg.nn.FractionalMaxPool3d(2, output_size=1)(vg.ones(1, 3, 3, 3))
vg.nn.LPPool1d(2, 2)(vg.tensor([[[3.0, 4.0]]]))
vg.nn.LPPool2d(2, 2)(vg.tensor([[[1.0, 2.0], [2.0, 4.0]]]))
vg.nn.LPPool3d(2, 2)(vg.ones(1, 2, 2, 2))
vg.nn.MaxPool1d(2)(vg.tensor([[[1.0, 2.0, 3.0, 4.0]]]))
vg.nn.MaxPool2d(2)(vg.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
vg.nn.MaxPool3d(2)(vg.ones(1, 2, 2, 2))
vg.nn.MaxUnpool1d(2)(vg.tensor([[[4.0]]]), vg.tensor([[[1]]]))
vg.nn.MaxUnpool2d(2)(vg.tensor([[[4.0]]]), vg.tensor([[[3]]]))
vg.nn.MaxUnpool3d(2)(vg.tensor([[[[4.0]]]]), vg.tensor([[[[7]]]])).shape

# what is dropped in training
vg.nn.AlphaDropout(0.5).eval()(vg.tensor([1.0, 2.0]))
vg.nn.Dropout(0.5).eval()(vg.tensor([1.0, 2.0]))
vg.nn.Dropout1d(0.5)(vg.ones(1, 2, 3)).shape
vg.nn.Dropout2d(0.5)(vg.ones(1, 2, 3, 3)).shape
vg.nn.Dropout3d(0.5)(vg.ones(1, 2, 3, 3, 3)).shape
vg.nn.FeatureAlphaDropout(0.5).eval()(vg.ones(1, 2, 1))

# borders, images
vg.nn.CircularPad1d(1)(vg.tensor([[1.0, 2.0, 3.0]]))
vg.nn.CircularPad2d(1)(vg.ones(1, 2, 2)).shape
vg.nn.CircularPad3d(1)(vg.ones(1, 2, 2, 2)).shape
vg.nn.ConstantPad1d(1, 9.0)(vg.tensor([[1.0, 2.0]]))
vg.nn.ConstantPad2d(1, 9.0)(vg.ones(1, 1, 1))
vg.nn.ConstantPad3d(1, 9.0)(vg.ones(1, 2, 2, 2)).shape
vg.nn.ReflectionPad1d(1)(vg.tensor([[1.0, 2.0, 3.0]]))
vg.nn.ReflectionPad2d(1)(vg.ones(1, 2, 2)).shape
vg.nn.ReflectionPad3d(1)(vg.ones(1, 2, 2, 2)).shape
vg.nn.ReplicationPad1d(1)(vg.tensor([[1.0, 2.0, 3.0]]))
vg.nn.ReplicationPad2d(1)(vg.ones(1, 2, 2)).shape
vg.nn.ReplicationPad3d(1)(vg.ones(1, 2, 2, 2)).shape
vg.nn.ZeroPad1d(1)(vg.tensor([[1.0, 2.0, 3.0]]))
vg.nn.ZeroPad2d(1)(vg.ones(1, 1, 1))
vg.nn.ZeroPad3d(1)(vg.ones(1, 2, 2, 2)).shape
vg.nn.ChannelShuffle(2)(vg.arange(4.0).reshape(1, 4, 1)).flatten()
vg.nn.PixelShuffle(2)(vg.arange(4.0).reshape(1, 4, 1, 1))
vg.nn.PixelUnshuffle(2)(vg.arange(4.0).reshape(1, 1, 2, 2)).flatten()
vg.nn.Upsample(scale_factor=2)(vg.tensor([[[1.0, 2.0]]]))
vg.nn.UpsamplingBilinear2d(scale_factor=2)(vg.ones(1, 1, 2, 2)).shape
vg.nn.UpsamplingNearest2d(scale_factor=2)(vg.tensor([[[[1.0, 2.0]]]]))

# sequences
vg.nn.GRU(3, 5)(vg.ones(4, 1, 3))[0].shape
vg.nn.GRUCell(3, 5)(vg.ones(1, 3)).shape
vg.nn.LSTM(3, 5, batch_first=True)(vg.ones(1, 4, 3))[0].shape
vg.nn.LSTMCell(3, 5)(vg.ones(1, 3))[0].shape
vg.nn.RNN(3, 5)(vg.ones(4, 1, 3))[0].shape
vg.nn.RNNCell(3, 5)(vg.ones(1, 3)).shape
vg.nn.MultiheadAttention(4, num_heads=2)(vg.ones(3, 4), vg.ones(5, 4), vg.ones(5, 4))[0].shape
vg.nn.Transformer(4, 2, 1, 1, 8)(vg.ones(3, 1, 4), vg.ones(2, 1, 4)).shape
vg.nn.TransformerEncoderLayer(4, 2, 8)(vg.ones(3, 1, 4)).shape

layer = vg.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)

vg.nn.TransformerEncoder(layer, num_layers=2)(vg.ones(1, 3, 4)).shape
vg.nn.TransformerDecoderLayer(4, 2, 8)(vg.ones(3, 1, 4), vg.ones(5, 1, 4)).shape

layer = vg.nn.TransformerDecoderLayer(4, 2, 8)

vg.nn.TransformerDecoder(layer, num_layers=2)(vg.ones(3, 1, 4), vg.ones(5, 1, 4)).shape

# modules of modules, parameters


class Scaled(vg.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = vg.nn.Parameter(vg.ones(()))

    def forward(self, x):
        return self.scale * x


Scaled()(vg.tensor([2.0]))

vg.nn.Sequential(vg.nn.Linear(2, 4), vg.nn.ReLU(), vg.nn.Linear(4, 1))
vg.nn.ModuleDict({"first": vg.nn.Linear(2, 3)})
vg.nn.ModuleList([vg.nn.Linear(2, 3), vg.nn.ReLU()])
vg.nn.ParameterDict({"scale": vg.ones(2)})["scale"]
vg.nn.ParameterList([vg.ones(2)])[0]
vg.nn.Parameter(vg.tensor([1.0, 2.0]))
vg.nn.Buffer(vg.tensor([1.0, 2.0]))
vg.nn.UninitializedParameter().requires_grad
vg.nn.UninitializedBuffer().requires_grad
vg.nn.DataParallel(vg.nn.Identity())(vg.tensor([1.0]))

# losses
vg.nn.BCELoss()(vg.tensor([0.8, 0.4]), vg.tensor([1.0, 0.0]))
vg.nn.BCEWithLogitsLoss()(vg.tensor([2.0, -1.0]), vg.tensor([1.0, 0.0]))
vg.nn.CosineEmbeddingLoss()(vg.tensor([[1.0, 0.0]]), vg.tensor([[1.0, 1.0]]), vg.tensor([1]))
vg.nn.CosineSimilarity(dim=0)(vg.tensor([1.0, 0.0]), vg.tensor([1.0, 1.0]))
vg.nn.CrossEntropyLoss()(vg.tensor([[2.0, 0.0], [0.0, 1.0]]), vg.tensor([0, 1]))
vg.nn.CTCLoss()(vg.zeros(4, 1, 3).log_softmax(2), vg.tensor([[1, 2]]), (4,), (2,))
vg.nn.GaussianNLLLoss()(vg.tensor([1.0]), vg.tensor([3.0]), vg.tensor([4.0]))
vg.nn.HingeEmbeddingLoss()(vg.tensor([0.5, 0.2]), vg.tensor([1, -1]))
vg.nn.HuberLoss()(vg.tensor([0.5, 4.0]), vg.tensor([0.0, 0.0]))
vg.nn.KLDivLoss(reduction="sum")(vg.tensor([0.5, 0.5]).log(), vg.tensor([0.9, 0.1]))
vg.nn.L1Loss()(vg.tensor([1.0, 4.0]), vg.tensor([0.0, 0.0]))
vg.nn.MarginRankingLoss()(vg.tensor([1.0]), vg.tensor([2.0]), vg.tensor([1]))
vg.nn.MSELoss()(vg.tensor([1.0, 4.0]), vg.tensor([0.0, 0.0]))
vg.nn.MultiLabelMarginLoss()(vg.tensor([[0.1, 0.2, 0.4]]), vg.tensor([[2, -1, 0]]))
vg.nn.MultiLabelSoftMarginLoss()(vg.tensor([[1.0, -1.0]]), vg.tensor([[1.0, 0.0]]))
vg.nn.MultiMarginLoss()(vg.tensor([[0.1, 0.2, 0.4]]), vg.tensor([2]))
vg.nn.NLLLoss()(vg.tensor([[0.5, 0.5]]).log(), vg.tensor([1]))
vg.nn.PairwiseDistance()(vg.tensor([[3.0, 4.0]]), vg.tensor([[0.0, 0.0]]))
vg.nn.PoissonNLLLoss()(vg.tensor([1.0]), vg.tensor([2.0]))
vg.nn.SmoothL1Loss()(vg.tensor([0.5, 4.0]), vg.tensor([0.0, 0.0]))
vg.nn.SoftMarginLoss()(vg.tensor([2.0]), vg.tensor([1]))
vg.nn.TripletMarginLoss()(vg.zeros(1, 2), vg.ones(1, 2), vg.tensor([[1.0, 0.0]]))
vg.nn.TripletMarginWithDistanceLoss()(vg.zeros(1, 2), vg.ones(1, 2), vg.tensor([[1.0, 0.0]]))
vg.nn.AdaptiveLogSoftmaxWithLoss(4, 6, cutoffs=[2, 4])(
    vg.ones(3, 4), vg.tensor([0, 3, 5])
).output.shape
