"""How long operations take: see the README."""

from vizgrad.autograd.profiler.record_function import record_function as record_function
from vizgrad.profiler.profile import profile as profile
from vizgrad.profiler.profile import supported_activities as supported_activities
from vizgrad.profiler.profile import tensorboard_trace_handler as tensorboard_trace_handler
from vizgrad.profiler.schedule import ProfilerAction as ProfilerAction
from vizgrad.profiler.schedule import ProfilerActivity as ProfilerActivity
from vizgrad.profiler.schedule import schedule as schedule
