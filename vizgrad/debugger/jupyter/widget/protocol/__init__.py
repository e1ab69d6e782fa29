"""Every message between kernel and browser, each one a dataclass.

Wire form: a JSON object ``{"type": <class name in snake_case>, ...fields}``; see `vizgrad.debugger.wire.wire`
for how values are written (non-finite floats become the strings "nan", "inf", "-inf"). The browser's types
and readers are made from these files (`make types`).

- A *request* goes from browser to kernel. It names what to do, never how: no request carries code.
- An *answer* answers one request and repeats its `request` number. Every request gets exactly one: of the
  class that `ANSWERS` says, or `Failed`.
- An *event* goes from kernel to all views that are attached, to the one that asked like to the others.

Truth lives in the kernel. A session's changes are numbered by `revision`; each is told as an `Updated`, whose
records a view folds into what it has. A view that finds a number missing asks for what came `Since`. The same
messages travel over the widget's comm (bound to one session) and over the side panel's comm (target
``vizgrad``; attaches to any session).
"""

from __future__ import annotations

from vizgrad.debugger.jupyter.widget.protocol.answers import ArrayPart as ArrayPart
from vizgrad.debugger.jupyter.widget.protocol.answers import Behind as Behind
from vizgrad.debugger.jupyter.widget.protocol.answers import Differences as Differences
from vizgrad.debugger.jupyter.widget.protocol.answers import Done as Done
from vizgrad.debugger.jupyter.widget.protocol.answers import Failed as Failed
from vizgrad.debugger.jupyter.widget.protocol.answers import Found as Found
from vizgrad.debugger.jupyter.widget.protocol.answers import Holder as Holder
from vizgrad.debugger.jupyter.widget.protocol.answers import LineNodes as LineNodes
from vizgrad.debugger.jupyter.widget.protocol.answers import Lines as Lines
from vizgrad.debugger.jupyter.widget.protocol.answers import LogLines as LogLines
from vizgrad.debugger.jupyter.widget.protocol.answers import Memory as Memory
from vizgrad.debugger.jupyter.widget.protocol.answers import Names as Names
from vizgrad.debugger.jupyter.widget.protocol.answers import NodeLine as NodeLine
from vizgrad.debugger.jupyter.widget.protocol.answers import Picture as Picture
from vizgrad.debugger.jupyter.widget.protocol.answers import SavedView as SavedView
from vizgrad.debugger.jupyter.widget.protocol.answers import SessionInfo as SessionInfo
from vizgrad.debugger.jupyter.widget.protocol.answers import Sessions as Sessions
from vizgrad.debugger.jupyter.widget.protocol.answers import Shown as Shown
from vizgrad.debugger.jupyter.widget.protocol.answers import Source as Source
from vizgrad.debugger.jupyter.widget.protocol.answers import Storages as Storages
from vizgrad.debugger.jupyter.widget.protocol.answers import Updates as Updates
from vizgrad.debugger.jupyter.widget.protocol.answers import ValueRead as ValueRead
from vizgrad.debugger.jupyter.widget.protocol.answers import VisitLine as VisitLine
from vizgrad.debugger.jupyter.widget.protocol.answers import Visits as Visits
from vizgrad.debugger.jupyter.widget.protocol.answers import Watches as Watches
from vizgrad.debugger.jupyter.widget.protocol.answers import Written as Written
from vizgrad.debugger.jupyter.widget.protocol.channel import COMM_TARGET as COMM_TARGET
from vizgrad.debugger.jupyter.widget.protocol.channel import PROTOCOL_VERSION as PROTOCOL_VERSION
from vizgrad.debugger.jupyter.widget.protocol.events import AtRevision as AtRevision
from vizgrad.debugger.jupyter.widget.protocol.events import LinesMoved as LinesMoved
from vizgrad.debugger.jupyter.widget.protocol.events import RollCall as RollCall
from vizgrad.debugger.jupyter.widget.protocol.events import Updated as Updated
from vizgrad.debugger.jupyter.widget.protocol.events import Working as Working
from vizgrad.debugger.jupyter.widget.protocol.heap import GetHeap as GetHeap
from vizgrad.debugger.jupyter.widget.protocol.heap import HeapRead as HeapRead
from vizgrad.debugger.jupyter.widget.protocol.inspection import Inspection as Inspection
from vizgrad.debugger.jupyter.widget.protocol.inspection import LeafFacts as LeafFacts
from vizgrad.debugger.jupyter.widget.protocol.inspection import LeafUse as LeafUse
from vizgrad.debugger.jupyter.widget.protocol.lanes import GetLane as GetLane
from vizgrad.debugger.jupyter.widget.protocol.lanes import Lane as Lane
from vizgrad.debugger.jupyter.widget.protocol.lanes import Opened as Opened
from vizgrad.debugger.jupyter.widget.protocol.lanes import OpenSecond as OpenSecond
from vizgrad.debugger.jupyter.widget.protocol.ranks import GetRanks as GetRanks
from vizgrad.debugger.jupyter.widget.protocol.ranks import MoveTogether as MoveTogether
from vizgrad.debugger.jupyter.widget.protocol.ranks import RankAt as RankAt
from vizgrad.debugger.jupyter.widget.protocol.ranks import RankCall as RankCall
from vizgrad.debugger.jupyter.widget.protocol.ranks import RankLetter as RankLetter
from vizgrad.debugger.jupyter.widget.protocol.ranks import RankMember as RankMember
from vizgrad.debugger.jupyter.widget.protocol.ranks import RankRow as RankRow
from vizgrad.debugger.jupyter.widget.protocol.ranks import Ranks as Ranks
from vizgrad.debugger.jupyter.widget.protocol.ranks import RanksAt as RanksAt
from vizgrad.debugger.jupyter.widget.protocol.ranks import RankState as RankState
from vizgrad.debugger.jupyter.widget.protocol.requests import AddBreakpoint as AddBreakpoint
from vizgrad.debugger.jupyter.widget.protocol.requests import AddWatch as AddWatch
from vizgrad.debugger.jupyter.widget.protocol.requests import Attach as Attach
from vizgrad.debugger.jupyter.widget.protocol.requests import BeginBranch as BeginBranch
from vizgrad.debugger.jupyter.widget.protocol.requests import ClearLog as ClearLog
from vizgrad.debugger.jupyter.widget.protocol.requests import Continue as Continue
from vizgrad.debugger.jupyter.widget.protocol.requests import Detach as Detach
from vizgrad.debugger.jupyter.widget.protocol.requests import DropBranch as DropBranch
from vizgrad.debugger.jupyter.widget.protocol.requests import EditWatch as EditWatch
from vizgrad.debugger.jupyter.widget.protocol.requests import EnableBreakpoint as EnableBreakpoint
from vizgrad.debugger.jupyter.widget.protocol.requests import Find as Find
from vizgrad.debugger.jupyter.widget.protocol.requests import FinishBranch as FinishBranch
from vizgrad.debugger.jupyter.widget.protocol.requests import FollowLines as FollowLines
from vizgrad.debugger.jupyter.widget.protocol.requests import GetDifferences as GetDifferences
from vizgrad.debugger.jupyter.widget.protocol.requests import GetLineNodes as GetLineNodes
from vizgrad.debugger.jupyter.widget.protocol.requests import GetLog as GetLog
from vizgrad.debugger.jupyter.widget.protocol.requests import GetMemory as GetMemory
from vizgrad.debugger.jupyter.widget.protocol.requests import GetNames as GetNames
from vizgrad.debugger.jupyter.widget.protocol.requests import GetNodeLine as GetNodeLine
from vizgrad.debugger.jupyter.widget.protocol.requests import GetPart as GetPart
from vizgrad.debugger.jupyter.widget.protocol.requests import GetPicture as GetPicture
from vizgrad.debugger.jupyter.widget.protocol.requests import GetSource as GetSource
from vizgrad.debugger.jupyter.widget.protocol.requests import GetStorages as GetStorages
from vizgrad.debugger.jupyter.widget.protocol.requests import GetValue as GetValue
from vizgrad.debugger.jupyter.widget.protocol.requests import GetVisits as GetVisits
from vizgrad.debugger.jupyter.widget.protocol.requests import GetWatches as GetWatches
from vizgrad.debugger.jupyter.widget.protocol.requests import GetWriter as GetWriter
from vizgrad.debugger.jupyter.widget.protocol.requests import Inspect as Inspect
from vizgrad.debugger.jupyter.widget.protocol.requests import IsKept as IsKept
from vizgrad.debugger.jupyter.widget.protocol.requests import LinesSeen as LinesSeen
from vizgrad.debugger.jupyter.widget.protocol.requests import ListSessions as ListSessions
from vizgrad.debugger.jupyter.widget.protocol.requests import Look as Look
from vizgrad.debugger.jupyter.widget.protocol.requests import Pause as Pause
from vizgrad.debugger.jupyter.widget.protocol.requests import RemoveBreakpoint as RemoveBreakpoint
from vizgrad.debugger.jupyter.widget.protocol.requests import RemoveWatch as RemoveWatch
from vizgrad.debugger.jupyter.widget.protocol.requests import Restart as Restart
from vizgrad.debugger.jupyter.widget.protocol.requests import RunTo as RunTo
from vizgrad.debugger.jupyter.widget.protocol.requests import RunToLeaf as RunToLeaf
from vizgrad.debugger.jupyter.widget.protocol.requests import RunToLine as RunToLine
from vizgrad.debugger.jupyter.widget.protocol.requests import Seek as Seek
from vizgrad.debugger.jupyter.widget.protocol.requests import SetBreakpoint as SetBreakpoint
from vizgrad.debugger.jupyter.widget.protocol.requests import SetGrad as SetGrad
from vizgrad.debugger.jupyter.widget.protocol.requests import SetLeaf as SetLeaf
from vizgrad.debugger.jupyter.widget.protocol.requests import SetLineBreakpoint as SetLineBreakpoint
from vizgrad.debugger.jupyter.widget.protocol.requests import SetNonfinite as SetNonfinite
from vizgrad.debugger.jupyter.widget.protocol.requests import SetSaved as SetSaved
from vizgrad.debugger.jupyter.widget.protocol.requests import Since as Since
from vizgrad.debugger.jupyter.widget.protocol.requests import Stage as Stage
from vizgrad.debugger.jupyter.widget.protocol.requests import Step as Step
from vizgrad.debugger.jupyter.widget.protocol.requests import StepBack as StepBack
from vizgrad.debugger.jupyter.widget.protocol.requests import StepIn as StepIn
from vizgrad.debugger.jupyter.widget.protocol.requests import StepOut as StepOut
from vizgrad.debugger.jupyter.widget.protocol.requests import Stop as Stop
from vizgrad.debugger.jupyter.widget.protocol.requests import SwitchBranch as SwitchBranch
from vizgrad.debugger.jupyter.widget.protocol.requests import UndoChange as UndoChange
from vizgrad.debugger.jupyter.widget.protocol.saving import SaveTrace as SaveTrace
from vizgrad.debugger.jupyter.widget.protocol.saving import TraceSaved as TraceSaved
from vizgrad.debugger.jupyter.widget.protocol.why import GetWhy as GetWhy
from vizgrad.debugger.jupyter.widget.protocol.why import Why as Why
from vizgrad.debugger.jupyter.widget.protocol.why import WhyLine as WhyLine
from vizgrad.debugger.jupyter.widget.protocol.why import WhyLink as WhyLink

#: The answer to each request, if it is not `Failed`.
ANSWERS: dict[type, tuple[type, ...]] = {
    ListSessions: (Sessions,),
    Attach: (Shown,),
    Detach: (Sessions,),
    IsKept: (Done,),
    Look: (Shown,),
    Since: (Updates, Behind),
    Find: (Found,),
    GetNames: (Names,),
    GetVisits: (Visits,),
    GetMemory: (Memory,),
    GetStorages: (Storages,),
    GetPicture: (Picture,),
    SaveTrace: (TraceSaved,),
    FollowLines: (Lines,),
    LinesSeen: (Done,),
    GetLineNodes: (LineNodes,),
    GetNodeLine: (NodeLine,),
    GetSource: (Source,),
    Step: (Done,),
    StepBack: (Done,),
    Stage: (Done,),
    StepIn: (Done,),
    StepOut: (Done,),
    RunToLeaf: (Done,),
    RunToLine: (Done,),
    Continue: (Done,),
    RunTo: (Done,),
    Seek: (Done,),
    Restart: (Done,),
    Stop: (Done,),
    SetBreakpoint: (Done,),
    SetLineBreakpoint: (Done,),
    AddBreakpoint: (Done,),
    EnableBreakpoint: (Done,),
    RemoveBreakpoint: (Done,),
    ClearLog: (Done,),
    SetGrad: (Done,),
    UndoChange: (Done,),
    SetSaved: (Done,),
    SetLeaf: (Done,),
    BeginBranch: (Done,),
    SwitchBranch: (Done,),
    FinishBranch: (Done,),
    DropBranch: (Done,),
    GetDifferences: (Differences,),
    GetLane: (Lane,),
    OpenSecond: (Opened,),
    SetNonfinite: (Done,),
    AddWatch: (Done,),
    EditWatch: (Done,),
    RemoveWatch: (Done,),
    GetWatches: (Watches,),
    GetValue: (ValueRead,),
    GetLog: (LogLines,),
    GetWriter: (Written,),
    Pause: (Done,),
    Inspect: (Inspection,),
    GetPart: (ArrayPart,),
    GetWhy: (Why,),
    GetHeap: (HeapRead,),
    GetRanks: (RanksAt,),
    MoveTogether: (Done,),
}
EVENTS: tuple[type, ...] = (Sessions, Updated, AtRevision, Working, LinesMoved, RollCall, Ranks)
