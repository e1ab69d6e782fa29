// Made by `make types` from vizgrad/debugger/jupyter/widget/protocol: do not edit.
/**
 * Every message between kernel and browser, each one a dataclass.
 *
 * Wire form: a JSON object `{"type": <class name in snake_case>, ...fields}`; see
 * `vizgrad.debugger.wire.wire` for how values are written (non-finite floats become the strings
 * "nan", "inf", "-inf"). The browser's types and readers are made from these files (`make types`).
 *
 * - A *request* goes from browser to kernel. It names what to do, never how: no request carries
 *   code.
 * - An *answer* answers one request and repeats its `request` number. Every request gets exactly
 *   one: of the class that `ANSWERS` says, or `Failed`.
 * - An *event* goes from kernel to all views that are attached, to the one that asked like to the
 *   others.
 *
 * Truth lives in the kernel. A session's changes are numbered by `revision`; each is told as an
 * `Updated`, whose records a view folds into what it has. A view that finds a number missing asks
 * for what came `Since`. The same messages travel over the widget's comm (bound to one session) and
 * over the side panel's comm (target `vizgrad`; attaches to any session).
 */
import type { Reader } from './check';
import type {
  AddBreakpoint,
  AddWatch,
  Attach,
  BeginBranch,
  ClearLog,
  Continue,
  Detach,
  DropBranch,
  EditWatch,
  EnableBreakpoint,
  Find,
  FinishBranch,
  FollowLines,
  GetDifferences,
  GetLineNodes,
  GetLog,
  GetMemory,
  GetNames,
  GetNodeLine,
  GetPart,
  GetPicture,
  GetSource,
  GetStorages,
  GetValue,
  GetVisits,
  GetWatches,
  GetWriter,
  Inspect,
  IsKept,
  LinesSeen,
  ListSessions,
  Look,
  Pause,
  RemoveBreakpoint,
  RemoveWatch,
  Restart,
  RunTo,
  RunToLeaf,
  RunToLine,
  Seek,
  SetBreakpoint,
  SetGrad,
  SetLeaf,
  SetLineBreakpoint,
  SetNonfinite,
  SetSaved,
  Since,
  Stage,
  Step,
  StepBack,
  StepIn,
  StepOut,
  Stop,
  SwitchBranch,
  UndoChange
} from './requests';
import {
  readArrayPart,
  readBehind,
  readDifferences,
  readDone,
  readFailed,
  readFound,
  readLineNodes,
  readLines,
  readLogLines,
  readMemory,
  readNames,
  readNodeLine,
  readPicture,
  readSessions,
  readShown,
  readSource,
  readStorages,
  readUpdates,
  readValueRead,
  readVisits,
  readWatches,
  readWritten
} from './answers';
import type {
  ArrayPart,
  Behind,
  Differences,
  Done,
  Failed,
  Found,
  LineNodes,
  Lines,
  LogLines,
  Memory,
  Names,
  NodeLine,
  Picture,
  Sessions,
  Shown,
  Source,
  Storages,
  Updates,
  ValueRead,
  Visits,
  Watches,
  Written
} from './answers';
import { readHeapRead } from './heap';
import type { GetHeap, HeapRead } from './heap';
import { readInspection } from './inspection';
import type { Inspection } from './inspection';
import { readAtRevision, readLinesMoved, readRollCall, readUpdated, readWorking } from './events';
import type { AtRevision, LinesMoved, RollCall, Updated, Working } from './events';
import { readLane, readOpened } from './lanes';
import type { GetLane, Lane, Opened, OpenSecond } from './lanes';
import { readRanks, readRanksAt } from './ranks';
import type { GetRanks, MoveTogether, Ranks, RanksAt } from './ranks';
import { readTraceSaved } from './saving';
import type { SaveTrace, TraceSaved } from './saving';
import { readWhy } from './why';
import type { GetWhy, Why } from './why';

export const PROTOCOL_VERSION = 3;

export const COMM_TARGET = 'vizgrad';

/** What the browser may ask. */
export type Request =
  | ListSessions
  | Attach
  | Detach
  | IsKept
  | Look
  | Since
  | Find
  | GetNames
  | GetVisits
  | GetMemory
  | GetStorages
  | GetPicture
  | SaveTrace
  | FollowLines
  | LinesSeen
  | GetLineNodes
  | GetNodeLine
  | GetSource
  | Step
  | StepBack
  | Stage
  | StepIn
  | StepOut
  | RunToLeaf
  | RunToLine
  | Continue
  | RunTo
  | Seek
  | Restart
  | Stop
  | SetBreakpoint
  | SetLineBreakpoint
  | AddBreakpoint
  | EnableBreakpoint
  | RemoveBreakpoint
  | ClearLog
  | SetGrad
  | UndoChange
  | SetSaved
  | SetLeaf
  | BeginBranch
  | SwitchBranch
  | FinishBranch
  | DropBranch
  | GetDifferences
  | GetLane
  | OpenSecond
  | SetNonfinite
  | AddWatch
  | EditWatch
  | RemoveWatch
  | GetWatches
  | GetValue
  | GetLog
  | GetWriter
  | Pause
  | Inspect
  | GetPart
  | GetWhy
  | GetHeap
  | GetRanks
  | MoveTogether;

/** What the kernel may say: answers and events. */
export type Message =
  | Sessions
  | Shown
  | Done
  | Updates
  | Behind
  | Found
  | Names
  | Visits
  | Memory
  | Storages
  | Picture
  | TraceSaved
  | Lines
  | LineNodes
  | NodeLine
  | Source
  | Differences
  | Lane
  | Opened
  | Watches
  | ValueRead
  | LogLines
  | Written
  | Inspection
  | ArrayPart
  | Why
  | HeapRead
  | RanksAt
  | Failed
  | Updated
  | AtRevision
  | Working
  | LinesMoved
  | RollCall
  | Ranks;

/** The answer to each request, if it is not `Failed`. */
export const ANSWERS = {
  list_sessions: ['sessions'],
  attach: ['shown'],
  detach: ['sessions'],
  is_kept: ['done'],
  look: ['shown'],
  since: ['updates', 'behind'],
  find: ['found'],
  get_names: ['names'],
  get_visits: ['visits'],
  get_memory: ['memory'],
  get_storages: ['storages'],
  get_picture: ['picture'],
  save_trace: ['trace_saved'],
  follow_lines: ['lines'],
  lines_seen: ['done'],
  get_line_nodes: ['line_nodes'],
  get_node_line: ['node_line'],
  get_source: ['source'],
  step: ['done'],
  step_back: ['done'],
  stage: ['done'],
  step_in: ['done'],
  step_out: ['done'],
  run_to_leaf: ['done'],
  run_to_line: ['done'],
  continue: ['done'],
  run_to: ['done'],
  seek: ['done'],
  restart: ['done'],
  stop: ['done'],
  set_breakpoint: ['done'],
  set_line_breakpoint: ['done'],
  add_breakpoint: ['done'],
  enable_breakpoint: ['done'],
  remove_breakpoint: ['done'],
  clear_log: ['done'],
  set_grad: ['done'],
  undo_change: ['done'],
  set_saved: ['done'],
  set_leaf: ['done'],
  begin_branch: ['done'],
  switch_branch: ['done'],
  finish_branch: ['done'],
  drop_branch: ['done'],
  get_differences: ['differences'],
  get_lane: ['lane'],
  open_second: ['opened'],
  set_nonfinite: ['done'],
  add_watch: ['done'],
  edit_watch: ['done'],
  remove_watch: ['done'],
  get_watches: ['watches'],
  get_value: ['value_read'],
  get_log: ['log_lines'],
  get_writer: ['written'],
  pause: ['done'],
  inspect: ['inspection'],
  get_part: ['array_part'],
  get_why: ['why'],
  get_heap: ['heap_read'],
  get_ranks: ['ranks_at'],
  move_together: ['done']
} as const satisfies Record<Request['type'], readonly Message['type'][]>;

/** What is told unasked. */
export const EVENTS = [
  'sessions',
  'updated',
  'at_revision',
  'working',
  'lines_moved',
  'roll_call',
  'ranks'
] as const;

export const MESSAGE_READERS: { [T in Message['type']]: Reader<Extract<Message, { type: T }>> } = {
  sessions: readSessions,
  shown: readShown,
  done: readDone,
  updates: readUpdates,
  behind: readBehind,
  found: readFound,
  names: readNames,
  visits: readVisits,
  memory: readMemory,
  storages: readStorages,
  picture: readPicture,
  trace_saved: readTraceSaved,
  lines: readLines,
  line_nodes: readLineNodes,
  node_line: readNodeLine,
  source: readSource,
  differences: readDifferences,
  lane: readLane,
  opened: readOpened,
  watches: readWatches,
  value_read: readValueRead,
  log_lines: readLogLines,
  written: readWritten,
  inspection: readInspection,
  array_part: readArrayPart,
  why: readWhy,
  heap_read: readHeapRead,
  ranks_at: readRanksAt,
  failed: readFailed,
  updated: readUpdated,
  at_revision: readAtRevision,
  working: readWorking,
  lines_moved: readLinesMoved,
  roll_call: readRollCall,
  ranks: readRanks
};
