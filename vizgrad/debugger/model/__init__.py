"""The facts of a backward pass for a debugger, as frozen data.

Everything a person sees is drawn from these classes and from nothing else: an engine fills them
(`protocols.py`), `vizgrad.debugger.drawing` turns them into text and SVG,
`vizgrad.debugger.jupyter.widget` sends their JSON form to the browser, whose own types are made from
these files. They hold numbers and strings only, never a tensor or a node, so that keeping one keeps
nothing else alive.

The unit of truth about a run is the `StepRecord`: what one step did, said once by the engine that did it.
A `Run`, the whole state between two steps, is `Start` with the records before it folded in (`fold.py`).

Every string in here (tensor names, scopes, reprs, source lines) is *data* written by strangers: a
renderer escapes it, and never parses it.

Sizes are in bytes, times in seconds, clocks are ticks of a counter of the engine's (vizgrad's is
`vizgrad.core.tensor.storage`: nodes take a tick when recorded, in-place writes when they write).
"""

from vizgrad.core.arrays.matrix_blocks import Blocks as Blocks
from vizgrad.core.errors import Place as Place
from vizgrad.debugger.model.arrays import ArrayKind as ArrayKind
from vizgrad.debugger.model.arrays import ArrayName as ArrayName
from vizgrad.debugger.model.arrays import Part as Part
from vizgrad.debugger.model.arrays import Tangent as Tangent
from vizgrad.debugger.model.arrays import TensorSummary as TensorSummary
from vizgrad.debugger.model.collectives import CalledCollective as CalledCollective
from vizgrad.debugger.model.collectives import Collective as Collective
from vizgrad.debugger.model.lines import CodeFile as CodeFile
from vizgrad.debugger.model.lines import CodeLine as CodeLine
from vizgrad.debugger.model.lines import LineInside as LineInside
from vizgrad.debugger.model.lines import LineMark as LineMark
from vizgrad.debugger.model.lines import LineNode as LineNode
from vizgrad.debugger.model.lines import LineRun as LineRun
from vizgrad.debugger.model.lines import LineStop as LineStop
from vizgrad.debugger.model.lines import MarkKind as MarkKind
from vizgrad.debugger.model.memory import Heap as Heap
from vizgrad.debugger.model.memory import HeapAlias as HeapAlias
from vizgrad.debugger.model.memory import HeapCycle as HeapCycle
from vizgrad.debugger.model.memory import HeapHolder as HeapHolder
from vizgrad.debugger.model.memory import HeapKeeper as HeapKeeper
from vizgrad.debugger.model.memory import HeapRelation as HeapRelation
from vizgrad.debugger.model.memory import HeapShare as HeapShare
from vizgrad.debugger.model.memory import HeapStorage as HeapStorage
from vizgrad.debugger.model.memory import HeapUse as HeapUse
from vizgrad.debugger.model.memory import HeldBy as HeldBy
from vizgrad.debugger.model.memory import Saved as Saved
from vizgrad.debugger.model.memory import SavedRun as SavedRun
from vizgrad.debugger.model.memory import SavedState as SavedState
from vizgrad.debugger.model.memory import SaveMark as SaveMark
from vizgrad.debugger.model.memory import Storage as Storage
from vizgrad.debugger.model.memory import StorageChange as StorageChange
from vizgrad.debugger.model.memory import Write as Write
from vizgrad.debugger.model.nodes import STAGES as STAGES
from vizgrad.debugger.model.nodes import AccumulateRecord as AccumulateRecord
from vizgrad.debugger.model.nodes import Accumulation as Accumulation
from vizgrad.debugger.model.nodes import Arrival as Arrival
from vizgrad.debugger.model.nodes import Batch as Batch
from vizgrad.debugger.model.nodes import BoundValue as BoundValue
from vizgrad.debugger.model.nodes import Buffer as Buffer
from vizgrad.debugger.model.nodes import CodeStep as CodeStep
from vizgrad.debugger.model.nodes import Edge as Edge
from vizgrad.debugger.model.nodes import Formula as Formula
from vizgrad.debugger.model.nodes import Graph as Graph
from vizgrad.debugger.model.nodes import Group as Group
from vizgrad.debugger.model.nodes import GroupKind as GroupKind
from vizgrad.debugger.model.nodes import Made as Made
from vizgrad.debugger.model.nodes import MadeKind as MadeKind
from vizgrad.debugger.model.nodes import Mathematics as Mathematics
from vizgrad.debugger.model.nodes import Name as Name
from vizgrad.debugger.model.nodes import Node as Node
from vizgrad.debugger.model.nodes import NodeKind as NodeKind
from vizgrad.debugger.model.nodes import NodeState as NodeState
from vizgrad.debugger.model.nodes import OutputMeta as OutputMeta
from vizgrad.debugger.model.nodes import Ready as Ready
from vizgrad.debugger.model.nodes import Routed as Routed
from vizgrad.debugger.model.nodes import StageRecord as StageRecord
from vizgrad.debugger.model.nodes import Start as Start
from vizgrad.debugger.model.nodes import StepRecord as StepRecord
from vizgrad.debugger.model.nodes import Visit as Visit
from vizgrad.debugger.model.nodes import Within as Within
from vizgrad.debugger.model.run import Birth as Birth
from vizgrad.debugger.model.run import Branch as Branch
from vizgrad.debugger.model.run import Breakpoint as Breakpoint
from vizgrad.debugger.model.run import BreakpointKind as BreakpointKind
from vizgrad.debugger.model.run import Difference as Difference
from vizgrad.debugger.model.run import EdgeRun as EdgeRun
from vizgrad.debugger.model.run import Edit as Edit
from vizgrad.debugger.model.run import Logged as Logged
from vizgrad.debugger.model.run import Modes as Modes
from vizgrad.debugger.model.run import NodeRun as NodeRun
from vizgrad.debugger.model.run import Operand as Operand
from vizgrad.debugger.model.run import Run as Run
from vizgrad.debugger.model.run import RunStatus as RunStatus
from vizgrad.debugger.model.run import StopKind as StopKind
from vizgrad.debugger.model.run import Stopped as Stopped
from vizgrad.debugger.model.trace import MODEL_VERSION as MODEL_VERSION
from vizgrad.debugger.model.trace import SMALL_FILE as SMALL_FILE
from vizgrad.debugger.model.trace import Event as Event
from vizgrad.debugger.model.trace import Trace as Trace
from vizgrad.debugger.model.training import Course as Course
from vizgrad.debugger.model.training import CourseMark as CourseMark
from vizgrad.debugger.model.training import LayerCourse as LayerCourse
from vizgrad.debugger.model.training import OptimizerCourse as OptimizerCourse
from vizgrad.debugger.model.watches import Watched as Watched
from vizgrad.debugger.model.watches import Writer as Writer
