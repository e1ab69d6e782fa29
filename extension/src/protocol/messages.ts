// Made by `make types` from vizgrad/widgets/protocol.py: do not edit.
/**
 * Every message between kernel and browser, each one a dataclass.
 *
 * Wire form: a JSON object `{"type": <class name in snake_case>, ...fields}`; see
 * `vizgrad.inspection.wire` for how values are written (non-finite floats become the strings "nan",
 * "inf", "-inf"). The browser's types and readers are made from this file (`make types`).
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
import { array, integer, nullable, optional, record, string, word } from './check';
import type { Reader } from './check';
import type { Graph, Node, Run, Start, Storage, TensorSummary, Update, Visit } from './model';
import {
  readGraph,
  readNode,
  readRun,
  readStart,
  readStorage,
  readTensorSummary,
  readUpdate,
  readVisit
} from './readModel';

export const PROTOCOL_VERSION = 2;

export const COMM_TARGET = 'vizgrad';

export interface SessionInfo {
  readonly session: string;
  readonly title: string;
  readonly status: string;
  readonly position: number;
  readonly total: number;
}

/** Which sessions exist? Answered by `Sessions`. */
export interface ListSessions {
  readonly type: 'list_sessions';
  readonly request: number;
}

/** Send me the events of `session` (None: the newest). */
export interface Attach {
  readonly type: 'attach';
  readonly request: number;
  readonly session: string | null;
}

/** I show no session any more: one that nobody holds may go. */
export interface Detach {
  readonly type: 'detach';
  readonly request: number;
}

/** Everything, from nothing. */
export interface GetSnapshot {
  readonly type: 'get_snapshot';
  readonly request: number;
  readonly session: string;
}

/**
 * The state of the run: the view has the graph, but not the records that lead to where the run is.
 */
export interface GetState {
  readonly type: 'get_state';
  readonly request: number;
  readonly session: string;
}

/** What was told after `revision`? Answered by `Snapshot` if that is too long ago. */
export interface Since {
  readonly type: 'since';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
}

/** Run `count` more nodes. */
export interface Step {
  readonly type: 'step';
  readonly request: number;
  readonly session: string;
  readonly count: number;
}

export interface StepBack {
  readonly type: 'step_back';
  readonly request: number;
  readonly session: string;
  readonly count: number;
}

/** Run to the next breakpoint, or to the end. */
export interface Continue {
  readonly type: 'continue';
  readonly request: number;
  readonly session: string;
}

/** Run (or step back) until `node` is the next to be run. */
export interface RunTo {
  readonly type: 'run_to';
  readonly request: number;
  readonly session: string;
  readonly node: number;
}

/** Go to `position` (the scrubber), forwards or backwards. */
export interface Seek {
  readonly type: 'seek';
  readonly request: number;
  readonly session: string;
  readonly position: number;
}

export interface Restart {
  readonly type: 'restart';
  readonly request: number;
  readonly session: string;
}

/** Close the session: abandon the rest of the backward and release what it holds. */
export interface Stop {
  readonly type: 'stop';
  readonly request: number;
  readonly session: string;
}

export interface SetBreakpoint {
  readonly type: 'set_breakpoint';
  readonly request: number;
  readonly session: string;
  readonly node: number;
  readonly enabled: boolean;
}

/** All about one node. */
export interface Inspect {
  readonly type: 'inspect';
  readonly request: number;
  readonly session: string;
  readonly node: number;
}

/** Which sessions are open; also an event when one opens or closes (request 0). */
export interface Sessions {
  readonly type: 'sessions';
  readonly request: number;
  readonly sessions: readonly SessionInfo[];
  readonly vizgrad_version: string;
  readonly protocol_version: number;
}

/**
 * Everything needed to draw the session from nothing: `run` is `start` with the records until its
 * position folded in, and with what is live (versions, modes, breakpoints).
 */
export interface Snapshot {
  readonly type: 'snapshot';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly graph: Graph;
  readonly start: Start;
  readonly run: Run;
}

/** The run as it is, and the storages that changed since the graph was read. */
export interface State {
  readonly type: 'state';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly run: Run;
  readonly storages: readonly Storage[];
}

/** What a view missed, in order; the last of them is the latest. */
export interface Updates {
  readonly type: 'updates';
  readonly request: number;
  readonly session: string;
  readonly updates: readonly Update[];
}

/** The request was carried out; what it changed was told to everybody as an `Updated`. */
export interface Done {
  readonly type: 'done';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
}

/**
 * `visit` is the node's visit once executed (at the current position), else None. `buffers` holds
 * what has arrived so far, one entry per output slot; `grad` is the leaf's `.grad` now, for a leaf.
 */
export interface Inspection {
  readonly type: 'inspection';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly node: Node;
  readonly visit: Visit | null;
  readonly buffers: readonly (TensorSummary | null)[];
  readonly grad: TensorSummary | null;
}

/**
 * The request could not be done, or only in part (which was told as an `Updated`). `message` says
 * what happened and what to do.
 */
export interface Failed {
  readonly type: 'failed';
  readonly request: number;
  readonly message: string;
  readonly session: string | null;
}

/**
 * Event: the session changed. With status "closed" it is the last: what is shown stays, to be read.
 */
export interface Updated {
  readonly type: 'updated';
  readonly session: string;
  readonly update: Update;
}

/** Event: the number of the latest update. Sent when an event may have been lost on the way. */
export interface AtRevision {
  readonly type: 'at_revision';
  readonly session: string;
  readonly revision: number;
}

/** What the browser may ask. */
export type Request =
  | ListSessions
  | Attach
  | Detach
  | GetSnapshot
  | GetState
  | Since
  | Step
  | StepBack
  | Continue
  | RunTo
  | Seek
  | Restart
  | Stop
  | SetBreakpoint
  | Inspect;

/** What the kernel may say: answers and events. */
export type Message =
  Sessions | Snapshot | State | Updates | Done | Inspection | Failed | Updated | AtRevision;

/** What each request is answered with, if not with `Failed`. */
export const ANSWERS = {
  list_sessions: ['sessions'],
  attach: ['snapshot'],
  detach: ['sessions'],
  get_snapshot: ['snapshot'],
  get_state: ['state'],
  since: ['updates', 'snapshot'],
  step: ['done'],
  step_back: ['done'],
  continue: ['done'],
  run_to: ['done'],
  seek: ['done'],
  restart: ['done'],
  stop: ['done'],
  set_breakpoint: ['done'],
  inspect: ['inspection']
} as const satisfies Record<Request['type'], readonly Message['type'][]>;

/** What is told unasked. */
export const EVENTS = ['sessions', 'updated', 'at_revision'] as const;

export const readSessionInfo: Reader<SessionInfo> = record<SessionInfo>({
  session: string,
  title: string,
  status: string,
  position: integer,
  total: integer
});

export const readSessions: Reader<Sessions> = record<Sessions>({
  type: word('sessions'),
  request: integer,
  sessions: array(readSessionInfo),
  vizgrad_version: string,
  protocol_version: optional(integer, 2)
});

export const readSnapshot: Reader<Snapshot> = record<Snapshot>({
  type: word('snapshot'),
  request: integer,
  session: string,
  revision: integer,
  graph: readGraph,
  start: readStart,
  run: readRun
});

export const readState: Reader<State> = record<State>({
  type: word('state'),
  request: integer,
  session: string,
  revision: integer,
  run: readRun,
  storages: array(readStorage)
});

export const readUpdates: Reader<Updates> = record<Updates>({
  type: word('updates'),
  request: integer,
  session: string,
  updates: array(readUpdate)
});

export const readDone: Reader<Done> = record<Done>({
  type: word('done'),
  request: integer,
  session: string,
  revision: integer
});

export const readInspection: Reader<Inspection> = record<Inspection>({
  type: word('inspection'),
  request: integer,
  session: string,
  revision: integer,
  node: readNode,
  visit: nullable(readVisit),
  buffers: array(nullable(readTensorSummary)),
  grad: optional(nullable(readTensorSummary), null)
});

export const readFailed: Reader<Failed> = record<Failed>({
  type: word('failed'),
  request: integer,
  message: string,
  session: optional(nullable(string), null)
});

export const readUpdated: Reader<Updated> = record<Updated>({
  type: word('updated'),
  session: string,
  update: readUpdate
});

export const readAtRevision: Reader<AtRevision> = record<AtRevision>({
  type: word('at_revision'),
  session: string,
  revision: integer
});

export const MESSAGE_READERS: { [T in Message['type']]: Reader<Extract<Message, { type: T }>> } = {
  sessions: readSessions,
  snapshot: readSnapshot,
  state: readState,
  updates: readUpdates,
  done: readDone,
  inspection: readInspection,
  failed: readFailed,
  updated: readUpdated,
  at_revision: readAtRevision
};
