"""Optimizers and learning rate schedules, as torch.optim."""

from importlib import import_module as _import_module

from vizgrad.optim import lr_scheduler as lr_scheduler
from vizgrad.optim.adafactor import Adafactor as Adafactor
from vizgrad.optim.adagrad import Adadelta as Adadelta
from vizgrad.optim.adagrad import Adagrad as Adagrad
from vizgrad.optim.adam import Adam as Adam
from vizgrad.optim.adam import Adamax as Adamax
from vizgrad.optim.adam import AdamW as AdamW
from vizgrad.optim.adam import NAdam as NAdam
from vizgrad.optim.adam import RAdam as RAdam
from vizgrad.optim.adam import SparseAdam as SparseAdam
from vizgrad.optim.lbfgs import LBFGS as LBFGS
from vizgrad.optim.muon import Muon as Muon
from vizgrad.optim.optimizer import Optimizer as Optimizer
from vizgrad.optim.rmsprop import RMSprop as RMSprop
from vizgrad.optim.rprop import ASGD as ASGD
from vizgrad.optim.rprop import Rprop as Rprop
from vizgrad.optim.sgd import SGD as SGD


def __getattr__(name: str) -> object:
    if name == "swa_utils":  # loaded when it is asked for: it needs modules
        return _import_module("vizgrad.optim.swa_utils")
    raise AttributeError(f"module 'vizgrad.optim' has no attribute {name!r}")
