// Made by `make types` from vizgrad/inspection/model.py and publishing.py: do not edit.
import {
  array,
  boolean,
  float,
  integer,
  nullable,
  oneOf,
  optional,
  pair,
  record,
  string
} from './check';
import type { Reader } from './check';
import {
  ARRAY_KINDS,
  GROUP_KINDS,
  NODE_STATES,
  RUN_STATUSES,
  SAVED_STATES,
  STOP_KINDS
} from './model';
import type {
  AccumulateRecord,
  ArrayName,
  Arrival,
  Birth,
  Blocks,
  Buffer,
  Edge,
  EdgeRun,
  Event,
  Formula,
  Graph,
  Group,
  Mathematics,
  Modes,
  Name,
  Node,
  NodeRun,
  Operand,
  OutputMeta,
  Part,
  Place,
  Ready,
  Routed,
  Run,
  Saved,
  SavedRun,
  SaveMark,
  StageRecord,
  Start,
  StepRecord,
  Stopped,
  Storage,
  StorageChange,
  TensorSummary,
  Trace,
  Update,
  Visit,
  Write
} from './model';

export const readNodeState = oneOf(NODE_STATES);
export const readSavedState = oneOf(SAVED_STATES);
export const readRunStatus = oneOf(RUN_STATUSES);
export const readStopKind = oneOf(STOP_KINDS);
export const readGroupKind = oneOf(GROUP_KINDS);
export const readArrayKind = oneOf(ARRAY_KINDS);

export const readPlace: Reader<Place> = record<Place>({
  file: string,
  line: integer,
  function: optional(string, ''),
  cell: optional(nullable(string), null),
  text: optional(string, '')
});

export const readBlocks: Reader<Blocks> = record<Blocks>({
  rows: pair(integer, integer),
  columns: pair(integer, integer),
  size: pair(integer, integer),
  values: array(array(float)),
  phases: optional(array(array(float)), [])
});

export const readTensorSummary: Reader<TensorSummary> = record<TensorSummary>({
  shape: array(integer),
  dtype: string,
  device: string,
  bytes: integer,
  norm: optional(nullable(float), null),
  min: optional(nullable(float), null),
  max: optional(nullable(float), null),
  mean: optional(nullable(float), null),
  zeros: optional(integer, 0),
  nans: optional(integer, 0),
  infs: optional(integer, 0),
  histogram: optional(array(integer), []),
  heat: optional(nullable(readBlocks), null),
  values: optional(nullable(array(float)), null),
  phases: optional(nullable(array(float)), null),
  layout: optional(string, 'strided'),
  nnz: optional(nullable(integer), null)
});

export const readArrayName: Reader<ArrayName> = record<ArrayName>({
  node: integer,
  kind: readArrayKind,
  nr: optional(integer, 0),
  name: optional(string, '')
});

export const readPart: Reader<Part> = record<Part>({
  shape: array(integer),
  dtype: string,
  at: array(nullable(integer)),
  blocks: nullable(readBlocks),
  text: string,
  cut: optional(boolean, false)
});

export const readWrite: Reader<Write> = record<Write>({
  version: integer,
  clock: integer,
  op: string,
  place: nullable(readPlace),
  alias: optional(string, '')
});

export const readSaved: Reader<Saved> = record<Saved>({
  name: string,
  state: readSavedState,
  shape: optional(array(integer), []),
  dtype: optional(string, ''),
  bytes: optional(integer, 0),
  storage: optional(nullable(integer), null),
  version_saved: optional(nullable(integer), 0),
  version_now: optional(integer, 0),
  culprit: optional(nullable(readWrite), null),
  value: optional(string, '')
});

export const readEdge: Reader<Edge> = record<Edge>({
  node: nullable(integer),
  input_nr: optional(integer, 0),
  name: optional(string, '')
});

export const readFormula: Reader<Formula> = record<Formula>({
  input: string,
  source: string,
  math: optional(string, '')
});

export const readMathematics: Reader<Mathematics> = record<Mathematics>({
  input: string,
  mathml: string,
  text: string,
  where: optional(string, '')
});

export const readOutputMeta: Reader<OutputMeta> = record<OutputMeta>({
  shape: array(integer),
  dtype: string,
  device: string
});

export const readNode: Reader<Node> = record<Node>({
  id: integer,
  name: string,
  kind: string,
  sequence_nr: integer,
  topological_nr: integer,
  edges: array(readEdge),
  outputs: array(readOutputMeta),
  saved: optional(array(readSaved), []),
  formulas: optional(array(readFormula), []),
  scope: optional(array(string), []),
  place: optional(nullable(readPlace), null),
  label: optional(string, ''),
  hooks: optional(array(string), [])
});

export const readName: Reader<Name> = record<Name>({
  node: integer,
  name: string,
  label: optional(string, ''),
  needed: optional(integer, 0)
});

export const readGroup: Reader<Group> = record<Group>({
  id: integer,
  parent: nullable(integer),
  kind: readGroupKind,
  title: string,
  first: integer,
  last: integer,
  place: optional(nullable(readPlace), null),
  cells: optional(integer, 0)
});

export const readSaveMark: Reader<SaveMark> = record<SaveMark>({
  node: integer,
  name: string,
  version: nullable(integer),
  clock: integer,
  state: readSavedState
});

export const readStorage: Reader<Storage> = record<Storage>({
  id: integer,
  label: string,
  shape: array(integer),
  dtype: string,
  bytes: integer,
  version: integer,
  writes: optional(array(readWrite), []),
  writes_dropped: optional(integer, 0),
  saves: optional(array(readSaveMark), []),
  saves_dropped: optional(integer, 0)
});

export const readGraph: Reader<Graph> = record<Graph>({
  nodes: array(readNode),
  roots: array(pair(integer, integer)),
  storages: optional(array(readStorage), []),
  title: optional(string, ''),
  truncated: optional(integer, 0),
  groups: optional(array(readGroup), [])
});

export const readStageRecord: Reader<StageRecord> = record<StageRecord>({
  stage: string,
  detail: optional(string, ''),
  before: optional(nullable(readTensorSummary), null),
  after: optional(nullable(readTensorSummary), null)
});

export const readRouted: Reader<Routed> = record<Routed>({
  edge: readEdge,
  computed: nullable(readTensorSummary),
  routed: nullable(readTensorSummary),
  note: optional(string, ''),
  index: optional(integer, 0)
});

export const readAccumulateRecord: Reader<AccumulateRecord> = record<AccumulateRecord>({
  decision: string,
  reason: string,
  before: nullable(readTensorSummary),
  after: nullable(readTensorSummary)
});

export const readVisit: Reader<Visit> = record<Visit>({
  index: integer,
  node: integer,
  incoming: array(nullable(readTensorSummary)),
  routed: array(readRouted),
  stages: optional(array(readStageRecord), []),
  accumulate: optional(nullable(readAccumulateRecord), null),
  released_bytes: optional(integer, 0),
  seconds: optional(float, 0),
  error: optional(string, '')
});

export const readReady: Reader<Ready> = record<Ready>({
  node: integer,
  priority: nullable(integer)
});

export const readBuffer: Reader<Buffer> = record<Buffer>({
  node: integer,
  input_nr: integer,
  value: nullable(readTensorSummary)
});

export const readArrival: Reader<Arrival> = record<Arrival>({
  node: integer,
  input_nr: integer,
  before: nullable(readTensorSummary),
  after: nullable(readTensorSummary)
});

export const readStepRecord: Reader<StepRecord> = record<StepRecord>({
  visit: readVisit,
  ready: readReady,
  state: optional(readNodeState, 'done'),
  arrived: optional(array(readArrival), []),
  readied: optional(array(readReady), []),
  released: optional(array(string), []),
  current: optional(nullable(integer), null)
});

export const readStart: Reader<Start> = record<Start>({
  total: integer,
  current: nullable(integer),
  ready: optional(array(readReady), []),
  buffers: optional(array(readBuffer), []),
  needed: optional(array(integer), []),
  skipped: optional(array(integer), [])
});

export const readSavedRun: Reader<SavedRun> = record<SavedRun>({
  node: integer,
  name: string,
  state: readSavedState,
  version_now: integer,
  culprit: optional(nullable(readWrite), null)
});

export const readStorageChange: Reader<StorageChange> = record<StorageChange>({
  storage: integer,
  version: integer,
  writes: optional(array(readWrite), []),
  writes_dropped: optional(integer, 0),
  saved: optional(array(readSavedRun), []),
  opened: optional(nullable(readStorage), null)
});

export const readNodeRun: Reader<NodeRun> = record<NodeRun>({
  state: readNodeState,
  delivered: optional(integer, 0),
  needed: optional(integer, 0),
  order: optional(nullable(integer), null),
  reason: optional(string, ''),
  grad_norm: optional(nullable(float), null)
});

export const readEdgeRun: Reader<EdgeRun> = record<EdgeRun>({
  node: integer,
  edge: integer,
  norm: nullable(float)
});

export const readOperand: Reader<Operand> = record<Operand>({
  name: string,
  value: float
});

export const readBirth: Reader<Birth> = record<Birth>({
  node: integer,
  nans: integer,
  infs: integer,
  size: integer,
  edge: optional(nullable(integer), null),
  index: optional(nullable(array(integer)), null),
  operands: optional(array(readOperand), []),
  forward: optional(boolean, false),
  hook: optional(string, '')
});

export const readStopped: Reader<Stopped> = record<Stopped>({
  kind: readStopKind,
  text: string,
  position: integer,
  node: optional(nullable(integer), null),
  place: optional(nullable(readPlace), null),
  birth: optional(nullable(readBirth), null)
});

export const readModes: Reader<Modes> = record<Modes>({
  grad: optional(boolean, true),
  inference: optional(boolean, false),
  anomaly: optional(boolean, false),
  forward_level: optional(integer, -1),
  multithreading: optional(boolean, true)
});

export const readRun: Reader<Run> = record<Run>({
  status: readRunStatus,
  position: integer,
  recorded: integer,
  total: integer,
  current: nullable(integer),
  nodes: array(readNodeRun),
  ready: optional(array(readReady), []),
  buffers: optional(array(readBuffer), []),
  edges: optional(array(readEdgeRun), []),
  saved: optional(array(readSavedRun), []),
  breakpoints: optional(array(integer), []),
  earliest: optional(integer, 0),
  error: optional(string, ''),
  modes: optional(readModes, readModes({})),
  stopped: optional(nullable(readStopped), null)
});

export const readEvent: Reader<Event> = record<Event>({
  index: integer,
  kind: string,
  text: string,
  node: optional(nullable(integer), null),
  place: optional(nullable(readPlace), null)
});

export const readTrace: Reader<Trace> = record<Trace>({
  graph: readGraph,
  records: array(readStepRecord),
  events: optional(array(readEvent), []),
  title: optional(string, ''),
  version: optional(integer, 3),
  start: optional(nullable(readStart), null)
});

export const readUpdate: Reader<Update> = record<Update>({
  revision: integer,
  status: readRunStatus,
  before: integer,
  position: integer,
  recorded: integer,
  total: integer,
  earliest: integer,
  jumped: optional(boolean, false),
  records: optional(array(readStepRecord), []),
  changes: optional(array(readStorageChange), []),
  breakpoints: optional(array(integer), []),
  error: optional(string, ''),
  modes: optional(readModes, readModes({})),
  stopped: optional(nullable(readStopped), null),
  nonfinite: optional(boolean, true),
  names: optional(array(readName), []),
  ending: optional(string, '')
});
