"""What a debugger can know about a backward pass, as frozen data.

Everything a person sees is drawn from these classes and from nothing else: an engine fills them
(`protocols.py`), `vizgrad.rendering` turns them into text and SVG, `vizgrad.widgets` sends their JSON form
to the browser, whose own types are made from these files. They hold numbers and strings only, never a tensor
or a node, so that keeping one keeps nothing else alive.

The unit of truth about a run is the `StepRecord`: what one step did, said once by the engine that did it.
A `Run`, the whole state between two steps, is `Start` with the records before it folded in (`fold.py`).

Every string in here (tensor names, scopes, reprs, source lines) is *data* written by strangers: a
renderer escapes it, and never parses it.

Sizes are in bytes, times in seconds, clocks are ticks of a counter of the engine's (vizgrad's is
`vizgrad.tensor.clock`: nodes take a tick when recorded, in-place writes when they write).
"""

from vizgrad.arrays.matrix_blocks import Blocks as Blocks
from vizgrad.errors import Place as Place
from vizgrad.inspection.model.arrays import ArrayKind as ArrayKind
from vizgrad.inspection.model.arrays import ArrayName as ArrayName
from vizgrad.inspection.model.arrays import Part as Part
from vizgrad.inspection.model.arrays import Tangent as Tangent
from vizgrad.inspection.model.arrays import TensorSummary as TensorSummary
from vizgrad.inspection.model.branches import Branch as Branch
from vizgrad.inspection.model.branches import Difference as Difference
from vizgrad.inspection.model.branches import Edit as Edit
from vizgrad.inspection.model.breakpoints import Breakpoint as Breakpoint
from vizgrad.inspection.model.breakpoints import BreakpointKind as BreakpointKind
from vizgrad.inspection.model.code import BoundValue as BoundValue
from vizgrad.inspection.model.code import CodeStep as CodeStep
from vizgrad.inspection.model.code import Made as Made
from vizgrad.inspection.model.code import MadeKind as MadeKind
from vizgrad.inspection.model.graph import Graph as Graph
from vizgrad.inspection.model.graph import Group as Group
from vizgrad.inspection.model.graph import GroupKind as GroupKind
from vizgrad.inspection.model.heap import Heap as Heap
from vizgrad.inspection.model.heap import HeapAlias as HeapAlias
from vizgrad.inspection.model.heap import HeapCycle as HeapCycle
from vizgrad.inspection.model.heap import HeapHolder as HeapHolder
from vizgrad.inspection.model.heap import HeapKeeper as HeapKeeper
from vizgrad.inspection.model.heap import HeapRelation as HeapRelation
from vizgrad.inspection.model.heap import HeapShare as HeapShare
from vizgrad.inspection.model.heap import HeapStorage as HeapStorage
from vizgrad.inspection.model.heap import HeapUse as HeapUse
from vizgrad.inspection.model.heap import HeldBy as HeldBy
from vizgrad.inspection.model.lines import CodeFile as CodeFile
from vizgrad.inspection.model.lines import CodeLine as CodeLine
from vizgrad.inspection.model.lines import LineInside as LineInside
from vizgrad.inspection.model.lines import LineMark as LineMark
from vizgrad.inspection.model.lines import LineNode as LineNode
from vizgrad.inspection.model.lines import LineRun as LineRun
from vizgrad.inspection.model.lines import LineStop as LineStop
from vizgrad.inspection.model.lines import MarkKind as MarkKind
from vizgrad.inspection.model.memory import Saved as Saved
from vizgrad.inspection.model.memory import SavedRun as SavedRun
from vizgrad.inspection.model.memory import SavedState as SavedState
from vizgrad.inspection.model.memory import SaveMark as SaveMark
from vizgrad.inspection.model.memory import Storage as Storage
from vizgrad.inspection.model.memory import StorageChange as StorageChange
from vizgrad.inspection.model.memory import Write as Write
from vizgrad.inspection.model.nodes import Batch as Batch
from vizgrad.inspection.model.nodes import Edge as Edge
from vizgrad.inspection.model.nodes import Formula as Formula
from vizgrad.inspection.model.nodes import Mathematics as Mathematics
from vizgrad.inspection.model.nodes import Name as Name
from vizgrad.inspection.model.nodes import Node as Node
from vizgrad.inspection.model.nodes import NodeKind as NodeKind
from vizgrad.inspection.model.nodes import OutputMeta as OutputMeta
from vizgrad.inspection.model.records import STAGES as STAGES
from vizgrad.inspection.model.records import AccumulateRecord as AccumulateRecord
from vizgrad.inspection.model.records import Accumulation as Accumulation
from vizgrad.inspection.model.records import Arrival as Arrival
from vizgrad.inspection.model.records import Buffer as Buffer
from vizgrad.inspection.model.records import NodeState as NodeState
from vizgrad.inspection.model.records import Ready as Ready
from vizgrad.inspection.model.records import Routed as Routed
from vizgrad.inspection.model.records import StageRecord as StageRecord
from vizgrad.inspection.model.records import Start as Start
from vizgrad.inspection.model.records import StepRecord as StepRecord
from vizgrad.inspection.model.records import Visit as Visit
from vizgrad.inspection.model.run import EdgeRun as EdgeRun
from vizgrad.inspection.model.run import Modes as Modes
from vizgrad.inspection.model.run import NodeRun as NodeRun
from vizgrad.inspection.model.run import Run as Run
from vizgrad.inspection.model.run import RunStatus as RunStatus
from vizgrad.inspection.model.stops import Birth as Birth
from vizgrad.inspection.model.stops import Operand as Operand
from vizgrad.inspection.model.stops import StopKind as StopKind
from vizgrad.inspection.model.stops import Stopped as Stopped
from vizgrad.inspection.model.trace import ARRAYS_FILED as ARRAYS_FILED
from vizgrad.inspection.model.trace import MODEL_VERSION as MODEL_VERSION
from vizgrad.inspection.model.trace import Event as Event
from vizgrad.inspection.model.trace import Trace as Trace
from vizgrad.inspection.model.within import Within as Within
