/** Readers for the classes of `model.ts`, defaults included. */
import { array, boolean, float, integer, natural, nullable, oneOf, optional, pair } from './check';
import { record, string } from './check';
import type { Reader } from './check';
import * as m from './model';

const shape = array(natural);
const text = optional(string, '');

const place: Reader<m.Place> = record<m.Place>({
  file: string,
  line: integer,
  function: text,
  cell: optional(nullable(string), null),
  text
});

export const readTensorSummary: Reader<m.TensorSummary> = record<m.TensorSummary>({
  shape,
  dtype: string,
  device: string,
  bytes: natural,
  norm: optional(nullable(float), null),
  min: optional(nullable(float), null),
  max: optional(nullable(float), null),
  mean: optional(nullable(float), null),
  zeros: optional(natural, 0),
  nans: optional(natural, 0),
  infs: optional(natural, 0),
  histogram: optional(array(natural), []),
  heat: optional(array(array(nullable(float))), []),
  values: optional(nullable(array(float)), null),
  layout: optional(string, 'strided'),
  nnz: optional(nullable(natural), null)
});
const summary = nullable(readTensorSummary);

const write: Reader<m.Write> = record<m.Write>({
  version: natural,
  clock: integer,
  op: string,
  place: nullable(place),
  alias: text
});

const saved: Reader<m.Saved> = record<m.Saved>({
  name: string,
  state: oneOf(m.SAVED_STATES),
  shape: optional(shape, []),
  dtype: text,
  bytes: optional(natural, 0),
  storage: optional(nullable(integer), null),
  version_saved: optional(nullable(natural), 0),
  version_now: optional(natural, 0),
  culprit: optional(nullable(write), null),
  value: text
});

const edge: Reader<m.Edge> = record<m.Edge>({
  node: nullable(natural),
  input_nr: optional(natural, 0),
  name: text
});

export const readNode: Reader<m.Node> = record<m.Node>({
  id: natural,
  name: string,
  kind: oneOf(m.NODE_KINDS),
  sequence_nr: integer,
  topological_nr: integer,
  edges: array(edge),
  outputs: array(record<m.OutputMeta>({ shape, dtype: string, device: string })),
  saved: optional(array(saved), []),
  formulas: optional(array(record<m.Formula>({ input: string, source: string, math: text })), []),
  scope: optional(array(string), []),
  place: optional(nullable(place), null),
  label: text,
  hooks: optional(array(string), [])
});

export const readStorage: Reader<m.Storage> = record<m.Storage>({
  id: integer,
  label: string,
  shape,
  dtype: string,
  bytes: natural,
  version: natural,
  writes: optional(array(write), []),
  writes_dropped: optional(natural, 0),
  saves: optional(
    array(
      record<m.SaveMark>({
        node: natural,
        name: string,
        version: nullable(natural),
        clock: integer,
        state: oneOf(m.SAVED_STATES)
      })
    ),
    []
  )
});

export const readGraph: Reader<m.Graph> = record<m.Graph>({
  nodes: array(readNode),
  roots: array(pair(natural, natural)),
  storages: optional(array(readStorage), []),
  title: text,
  truncated: optional(natural, 0)
});

export const readVisit: Reader<m.Visit> = record<m.Visit>({
  index: natural,
  node: natural,
  incoming: array(summary),
  routed: array(record<m.Routed>({ edge, computed: summary, routed: summary, note: text })),
  stages: optional(
    array(
      record<m.StageRecord>({
        stage: oneOf(m.STAGES),
        detail: text,
        before: optional(summary, null),
        after: optional(summary, null)
      })
    ),
    []
  ),
  accumulate: optional(
    nullable(
      record<m.AccumulateRecord>({
        decision: oneOf(m.ACCUMULATIONS),
        reason: string,
        before: summary,
        after: summary
      })
    ),
    null
  ),
  released_bytes: optional(natural, 0),
  seconds: optional(float, 0),
  error: text
});

const modes: Reader<m.Modes> = record<m.Modes>({
  grad: optional(boolean, true),
  inference: optional(boolean, false),
  anomaly: optional(boolean, false),
  forward_level: optional(integer, -1),
  multithreading: optional(boolean, true)
});

export const readRun: Reader<m.Run> = record<m.Run>({
  status: oneOf(m.RUN_STATUSES),
  position: natural,
  recorded: natural,
  total: natural,
  current: nullable(natural),
  nodes: array(
    record<m.NodeRun>({
      state: oneOf(m.NODE_STATES),
      delivered: optional(natural, 0),
      needed: optional(natural, 0),
      order: optional(nullable(natural), null),
      reason: text,
      grad_norm: optional(nullable(float), null)
    })
  ),
  ready: optional(array(record<m.Ready>({ node: natural, priority: float })), []),
  buffers: optional(
    array(record<m.Buffer>({ node: natural, input_nr: natural, value: summary })),
    []
  ),
  edges: optional(
    array(record<m.EdgeRun>({ node: natural, edge: natural, norm: nullable(float) })),
    []
  ),
  saved: optional(
    array(
      record<m.SavedRun>({
        node: natural,
        name: string,
        state: oneOf(m.SAVED_STATES),
        version_now: natural,
        culprit: optional(nullable(write), null)
      })
    ),
    []
  ),
  breakpoints: optional(array(natural), []),
  earliest: optional(natural, 0),
  error: text,
  modes: optional(modes, modes({}))
});
