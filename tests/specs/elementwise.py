"""Functions that work element by element."""

from __future__ import annotations

import math

import numpy as np

import vizgrad as vg

from .row import Row, Sample, one, some, two, wave


def _by_element(function):
    return np.vectorize(function, otypes=[float])


UNARY = [
    Row("neg", vg.neg, one(), np.negative),
    Row("abs", vg.abs, one(), np.abs),
    Row("sign", vg.sign, one(), np.sign),
    Row("square", vg.square, one(), np.square),
    Row("exp", vg.exp, one(), np.exp),
    Row("exp2", vg.exp2, one(), np.exp2),
    Row("expm1", vg.expm1, one(), np.expm1),
    Row("log", vg.log, one(0.2, 3), np.log),
    Row("log2", vg.log2, one(0.2, 3), np.log2),
    Row("log10", vg.log10, one(0.2, 3), np.log10),
    Row("log1p", vg.log1p, one(-0.5, 3), np.log1p),
    Row("sqrt", vg.sqrt, one(0.2, 3), np.sqrt),
    Row("rsqrt", vg.rsqrt, one(0.2, 3), lambda x: 1 / np.sqrt(x)),
    Row("reciprocal", vg.reciprocal, one(0.2, 3), lambda x: 1 / x),
    Row("sin", vg.sin, one(), np.sin),
    Row("cos", vg.cos, one(), np.cos),
    Row("tan", vg.tan, one(-1, 1), np.tan),
    Row("asin", vg.asin, one(-0.9, 0.9), np.arcsin),
    Row("acos", vg.acos, one(-0.9, 0.9), np.arccos),
    Row("atan", vg.atan, one(), np.arctan),
    Row("sinh", vg.sinh, one(), np.sinh),
    Row("cosh", vg.cosh, one(), np.cosh),
    Row("tanh", vg.tanh, one(), np.tanh),
    Row("asinh", vg.asinh, one(), np.arcsinh),
    Row("acosh", vg.acosh, one(1.2, 3), np.arccosh),
    Row("atanh", vg.atanh, one(-0.9, 0.9), np.arctanh),
    Row("sigmoid", vg.sigmoid, one(), lambda x: 1 / (1 + np.exp(-x))),
    Row("relu", vg.relu, one(), lambda x: np.maximum(x, 0)),
    Row("floor", vg.floor, one(), np.floor),
    Row("ceil", vg.ceil, one(), np.ceil),
    Row("round", vg.round, one(), np.round),
    Row(
        "round to a place",
        lambda x: vg.round(x, decimals=1),
        one(),
        lambda x: np.round(x, 1),
        smooth=False,
    ),
    Row("trunc", vg.trunc, one(), np.trunc),
    Row("frac", vg.frac, one(), lambda x: x - np.trunc(x)),
    Row("frexp", lambda x: vg.frexp(x).mantissa, one(0.2, 3), lambda x: np.frexp(x)[0]),
    Row("erf", vg.erf, one(), _by_element(math.erf)),
    Row("erfc", vg.erfc, one(), _by_element(math.erfc)),
    Row("erfinv", vg.erfinv, one(-0.9, 0.9)),
    Row("mvlgamma", lambda x: vg.mvlgamma(x, 2), one(0.8, 4)),
    Row("lgamma", vg.lgamma, one(0.3, 4), _by_element(math.lgamma)),
    Row("digamma", vg.digamma, one(0.3, 4)),
    Row("polygamma", lambda x: vg.polygamma(1, x), one(0.5, 4)),
    Row("sinc", vg.sinc, one(), np.sinc),
    Row("logit", vg.logit, one(0.1, 0.9), lambda x: np.log(x / (1 - x))),
    Row("logit with eps", lambda x: vg.logit(x, 0.2), one(0.05, 0.95)),
    Row("deg2rad", vg.deg2rad, one(), np.deg2rad),
    Row("rad2deg", vg.rad2deg, one(), np.rad2deg),
    Row("nan_to_num", vg.nan_to_num, one(), np.nan_to_num),
    Row("clone", vg.clone, one(), np.copy),
]

BINARY = [
    Row("add", vg.add, two(), np.add),
    Row("add scaled", lambda a, b: vg.add(a, b, alpha=2.5), two(), lambda a, b: a + 2.5 * b),
    Row("sub", vg.sub, two(), np.subtract),
    Row("sub scaled", lambda a, b: vg.sub(a, b, alpha=2.5), two(), lambda a, b: a - 2.5 * b),
    Row("rsub", vg.rsub, two(), lambda a, b: b - a),
    Row("rsub by a number", lambda a: 1.5 - a, one(), lambda a: 1.5 - a),
    Row("mul", vg.mul, two(), np.multiply),
    Row("mul by a number", lambda a: 2.5 * a, one(), lambda a: 2.5 * a),
    Row("div", vg.div, two(0.3, 2), np.divide),
    Row("div by a number", lambda a: a / 2.5, one(), lambda a: a / 2.5),
    Row("div of a number", lambda a: 2.5 / a, one(0.3, 2), lambda a: 2.5 / a),
    Row(
        "div rounded",
        lambda a, b: vg.div(a, b, rounding_mode="floor"),
        two(0.3, 2),
        np.floor_divide,
        smooth=False,
    ),
    Row("remainder", vg.remainder, two(0.3, 4, 0.4, 2), np.remainder, twice=False),
    Row("remainder by a number", lambda a: a % 1.7, one(), lambda a: a % 1.7),
    Row("fmod", vg.fmod, two(0.3, 4, 0.4, 2), np.fmod, twice=False),
    Row("fmod by a number", lambda a: vg.fmod(a, 1.7), one(), lambda a: np.fmod(a, 1.7)),
    Row("pow", vg.pow, two(0.3, 2), np.power),
    Row("pow by 3", lambda a: a**3, one(), lambda a: a**3),
    Row("pow by 2", lambda a: a**2, one(), lambda a: a**2),
    Row("pow by 1", lambda a: a**1, one(), lambda a: a**1),
    Row("pow by 0", lambda a: a**0, one(), lambda a: a**0),
    Row("pow by a fraction", lambda a: a**-0.7, one(0.3, 2), lambda a: a**-0.7),
    Row("pow of a number", lambda a: 1.7**a, one(), lambda a: 1.7**a),
    Row("maximum", vg.maximum, two(), np.maximum),
    Row("minimum", vg.minimum, two(), np.minimum),
    Row("fmax", vg.fmax, two(), np.fmax),
    Row("fmin", vg.fmin, two(), np.fmin),
    Row("atan2", vg.atan2, two(0.3, 2), np.arctan2),
    Row("hypot", vg.hypot, two(0.3, 2), np.hypot),
    Row("ldexp", vg.ldexp, two(), lambda x, y: x * 2.0**y),
    Row("logaddexp", vg.logaddexp, two(), np.logaddexp),
    Row("logaddexp2", vg.logaddexp2, two(), np.logaddexp2),
    Row("xlogy", vg.xlogy, two(0.3, 2), lambda a, b: a * np.log(b)),
    Row("copysign", vg.copysign, two(), np.copysign),
    Row("nextafter", vg.nextafter, two(), np.nextafter),
    Row("where", lambda a, b: vg.where(vg.tensor([True, False, True]), a, b), two()),
    Row("lerp", lambda a, b: vg.lerp(a, b, 0.3), two(), lambda a, b: a + 0.3 * (b - a)),
]

_THREE = some(
    same=[(2, 3), (2, 3), (2, 3)], broadcast=[(2, 1), (3,), ()], empty=[(0, 2), (2,), (1, 2)]
)
_BOUNDS = (
    Sample(
        "apart",
        (wave(2, 3), wave(2, 3, low=-0.9, high=-0.1, seed=1), wave(3, low=0.1, high=0.9, seed=2)),
    ),
    Sample("crossed", (wave(4), np.full(4, 0.7), np.full(4, -0.3))),
)

OTHER = [
    Row("lerp by a tensor", vg.lerp, _THREE, lambda a, b, w: a + w * (b - a)),
    Row(
        "addcmul",
        lambda a, b, c: vg.addcmul(a, b, c, value=0.5),
        _THREE,
        lambda a, b, c: a + 0.5 * b * c,
    ),
    Row(
        "addcdiv",
        lambda a, b, c: vg.addcdiv(a, b, c, value=0.5),
        (Sample("same", (wave(3), wave(3, seed=1), wave(3, low=0.4, high=2))),),
        lambda a, b, c: a + 0.5 * b / c,
    ),
    Row("clamp", lambda a: vg.clamp(a, -0.7, 0.9), one(), lambda a: np.clip(a, -0.7, 0.9)),
    Row("clamp below", lambda a: vg.clamp(a, min=-0.7), one(), lambda a: np.maximum(a, -0.7)),
    Row("clamp_min", lambda a: vg.clamp_min(a, -0.7), one(), lambda a: np.maximum(a, -0.7)),
    Row("clamp_max", lambda a: vg.clamp_max(a, 0.7), one(), lambda a: np.minimum(a, 0.7)),
    Row(
        "clamp by tensors",
        vg.clamp,
        _BOUNDS,
        lambda a, low, high: np.minimum(np.maximum(a, low), high),
    ),
    Row("clamp_min by a tensor", vg.clamp_min, two(), np.maximum),
    Row("clamp_max by a tensor", vg.clamp_max, two(), np.minimum),
    Row(
        "masked_fill",
        lambda a: vg.masked_fill(a, vg.tensor([True, False, True]), 7.0),
        some(plain=(2, 3)),
    ),
    Row(
        "masked_fill by a tensor",
        lambda a, v: vg.masked_fill(a, vg.tensor([True, False]), v),
        some(plain=[(3, 2), ()]),
    ),
    Row("to another type and back", lambda a: a.to(vg.float64), one(), np.copy),
]

ROWS = [*UNARY, *BINARY, *OTHER]
