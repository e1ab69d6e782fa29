"""The faults of a custom Function, found by running it on examples. See README.md."""

from vizgrad.debugger.check.checks import card as card
from vizgrad.debugger.check.checks import told_of as told_of
