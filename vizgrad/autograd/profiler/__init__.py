"""The times of operations, and blocks with a name: what `vizgrad.profiler` is built on."""

from vizgrad.autograd.profiler.averages import EventList as EventList
from vizgrad.autograd.profiler.averages import FunctionEventAvg as FunctionEventAvg
from vizgrad.autograd.profiler.events import FunctionEvent as FunctionEvent
from vizgrad.autograd.profiler.profile import profile as profile
from vizgrad.autograd.profiler.record_function import record_function as record_function
