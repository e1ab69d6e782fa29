# Distributions and what transforms them.
import vizgrad as vg

vg.distributions.Bernoulli(vg.tensor(0.25)).log_prob(vg.tensor(1.0))
vg.distributions.Beta(vg.tensor(2.0), vg.tensor(3.0)).log_prob(vg.tensor(0.5))
vg.distributions.Binomial(4, vg.tensor(0.5)).log_prob(vg.tensor(2.0))
vg.distributions.Categorical(vg.tensor([0.25, 0.75])).log_prob(vg.tensor(1))
vg.distributions.Cauchy(vg.tensor(0.0), vg.tensor(1.0)).log_prob(vg.tensor(0.5))
vg.distributions.Chi2(vg.tensor(2.0)).log_prob(vg.tensor(1.0))
vg.distributions.ContinuousBernoulli(vg.tensor(0.25)).log_prob(vg.tensor(0.5))
vg.distributions.Dirichlet(vg.tensor([2.0, 3.0])).log_prob(vg.tensor([0.5, 0.5]))
vg.distributions.Exponential(vg.tensor(2.0)).log_prob(vg.tensor(1.0))
vg.distributions.FisherSnedecor(vg.tensor(2.0), vg.tensor(3.0)).log_prob(vg.tensor(1.0))
vg.distributions.Gamma(vg.tensor(2.0), vg.tensor(1.0)).log_prob(vg.tensor(1.0))
vg.distributions.GeneralizedPareto(vg.tensor(0.0), vg.tensor(1.0), vg.tensor(0.5)).log_prob(
    vg.tensor(1.0)
)
vg.distributions.Geometric(vg.tensor(0.25)).log_prob(vg.tensor(2.0))
vg.distributions.Gumbel(vg.tensor(0.0), vg.tensor(1.0)).log_prob(vg.tensor(0.5))
vg.distributions.HalfCauchy(vg.tensor(1.0)).log_prob(vg.tensor(0.5))
vg.distributions.HalfNormal(vg.tensor(1.0)).log_prob(vg.tensor(0.5))
vg.distributions.InverseGamma(vg.tensor(2.0), vg.tensor(1.0)).log_prob(vg.tensor(1.0))
vg.distributions.Kumaraswamy(vg.tensor(2.0), vg.tensor(3.0)).log_prob(vg.tensor(0.5))
vg.distributions.Laplace(vg.tensor(0.0), vg.tensor(1.0)).log_prob(vg.tensor(0.5))
vg.distributions.LKJCholesky(2, vg.tensor(1.0)).log_prob(vg.eye(2))
vg.distributions.LogisticNormal(vg.zeros(1), vg.ones(1)).log_prob(vg.tensor([0.5, 0.5]))
vg.distributions.LogNormal(vg.tensor(0.0), vg.tensor(1.0)).log_prob(vg.tensor(1.0))
vg.distributions.LowRankMultivariateNormal(vg.zeros(2), vg.ones(2, 1), vg.ones(2)).log_prob(
    vg.zeros(2)
)
vg.distributions.Multinomial(3, vg.tensor([0.5, 0.5])).log_prob(vg.tensor([1.0, 2.0]))
vg.distributions.MultivariateNormal(vg.zeros(2), vg.eye(2)).log_prob(vg.zeros(2))
vg.distributions.NegativeBinomial(3, vg.tensor(0.5)).log_prob(vg.tensor(1.0))
vg.distributions.Normal(vg.tensor(0.0), vg.tensor(1.0)).log_prob(vg.tensor(0.5))
vg.distributions.OneHotCategorical(vg.tensor([0.25, 0.75])).log_prob(vg.tensor([0.0, 1.0]))
vg.distributions.OneHotCategoricalStraightThrough(vg.tensor([0.25, 0.75])).log_prob(
    vg.tensor([0.0, 1.0])
)
vg.distributions.Pareto(vg.tensor(1.0), vg.tensor(2.0)).log_prob(vg.tensor(3.0))
vg.distributions.Poisson(vg.tensor(2.0)).log_prob(vg.tensor(1.0))
vg.distributions.RelaxedBernoulli(vg.tensor(0.5), vg.tensor(0.25)).log_prob(vg.tensor(0.5))
vg.distributions.RelaxedOneHotCategorical(vg.tensor(0.5), vg.tensor([0.25, 0.75])).log_prob(
    vg.tensor([0.5, 0.5])
)
vg.distributions.StudentT(vg.tensor(3.0)).log_prob(vg.tensor(0.5))
vg.distributions.Uniform(vg.tensor(0.0), vg.tensor(4.0)).log_prob(vg.tensor(1.0))
vg.distributions.VonMises(vg.tensor(0.0), vg.tensor(1.0)).log_prob(vg.tensor(0.5))
vg.distributions.Weibull(vg.tensor(1.0), vg.tensor(2.0)).log_prob(vg.tensor(0.5))
vg.distributions.Wishart(vg.tensor(3.0), vg.eye(2)).log_prob(vg.eye(2))
vg.distributions.AbsTransform()(vg.tensor([-1.0, 2.0]))
vg.distributions.AffineTransform(1.0, 2.0)(vg.tensor([1.0, 3.0]))
vg.distributions.CorrCholeskyTransform()(vg.tensor([0.5]))
vg.distributions.ExpTransform()(vg.tensor([0.0, 1.0]))
vg.distributions.LowerCholeskyTransform()(vg.zeros(2, 2))
vg.distributions.PositiveDefiniteTransform()(vg.zeros(2, 2))
vg.distributions.PowerTransform(vg.tensor(2.0))(vg.tensor([3.0]))
vg.distributions.ReshapeTransform((4,), (2, 2))(vg.tensor([1.0, 2.0, 3.0, 4.0]))
vg.distributions.SigmoidTransform()(vg.tensor([0.0, 1.0]))
vg.distributions.SoftmaxTransform()(vg.tensor([0.0, 1.0]))
vg.distributions.SoftplusTransform()(vg.tensor([0.0, 1.0]))
vg.distributions.StickBreakingTransform()(vg.tensor([0.0]))
vg.distributions.TanhTransform()(vg.tensor([0.0, 1.0]))

half = vg.distributions.AffineTransform(0.0, 0.5)
exp = vg.distributions.ExpTransform()

vg.distributions.ComposeTransform([half, exp])(vg.tensor([2.0]))
half = vg.distributions.AffineTransform(0.0, 0.5)
exp = vg.distributions.ExpTransform()

vg.distributions.CatTransform([half, exp])(vg.tensor([2.0, 0.0]))

half = vg.distributions.AffineTransform(0.0, 0.5)
exp = vg.distributions.ExpTransform()

vg.distributions.StackTransform([half, exp])(vg.tensor([2.0, 0.0]))

exp = vg.distributions.ExpTransform()

vg.distributions.IndependentTransform(exp, 1).log_abs_det_jacobian(vg.ones(2), vg.ones(2).exp())

normal = vg.distributions.Normal(0.0, 1.0)

vg.distributions.CumulativeDistributionTransform(normal)(vg.tensor([0.0]))

constraint = vg.distributions.constraints.positive

vg.distributions.biject_to(constraint)(vg.tensor([0.0]))

constraint = vg.distributions.constraints.unit_interval

vg.distributions.transform_to(constraint)(vg.tensor([0.0]))

normal = vg.distributions.Normal(vg.zeros(2), vg.ones(2))

vg.distributions.Independent(normal, 1).log_prob(vg.zeros(2))

weights = vg.distributions.Categorical(vg.tensor([0.5, 0.5]))
parts = vg.distributions.Normal(vg.tensor([-1.0, 1.0]), vg.tensor([1.0, 1.0]))

vg.distributions.MixtureSameFamily(weights, parts).log_prob(vg.tensor(0.0))

normal = vg.distributions.Normal(0.0, 1.0)
exp = vg.distributions.ExpTransform()

vg.distributions.TransformedDistribution(normal, exp).log_prob(vg.tensor(1.0))

p = vg.distributions.Normal(0.0, 1.0)
q = vg.distributions.Normal(1.0, 1.0)

vg.distributions.kl_divergence(p, q)
