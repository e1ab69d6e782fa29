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
import {
  array,
  boolean,
  float,
  integer,
  nullable,
  optional,
  pair,
  record,
  string,
  word
} from './check';
import type { Reader } from './check';
import { readDrawing, readStanding } from './drawing';
import type { Drawing, Folding, Standing } from './drawing';
import type {
  ArrayName,
  Mathematics,
  Name,
  Node,
  Part,
  Storage,
  TensorSummary,
  Update,
  Visit
} from './model';
import {
  readArrayName,
  readMathematics,
  readName,
  readNode,
  readPart,
  readStorage,
  readTensorSummary,
  readUpdate,
  readVisit
} from './readModel';

export const PROTOCOL_VERSION = 3;

export const COMM_TARGET = 'vizgrad';

/** `title` is what it debugs, `cell` the cell that opened it (`In [7]`; empty: none). */
export interface SessionInfo {
  readonly session: string;
  readonly title: string;
  readonly cell: string;
  readonly status: string;
  readonly position: number;
  readonly total: number;
}

/**
 * One line of the log: the node that was run, and the norm of the gradient that arrived (None:
 * undefined).
 */
export interface VisitLine {
  readonly index: number;
  readonly node: number;
  readonly norm: number | null;
}

/** A node and the bytes of its saved values. */
export interface Holder {
  readonly node: number;
  readonly bytes: number;
}

/**
 * What a notebook knows of a view, beside the picture of it: which session it was and how far.
 *
 * `title` names it with its cell. `view` is the id of the widget that shows it too; empty: none
 * does.
 */
export interface SavedView {
  readonly session: string;
  readonly title: string;
  readonly status: string;
  readonly position: number;
  readonly total: number;
  readonly view: string;
}

/** Which sessions exist? Answered by `Sessions`. */
export interface ListSessions {
  readonly type: 'list_sessions';
  readonly request: number;
}

/**
 * Send me the events of `session` (None: the newest), and what is to be seen of it.
 *
 * `view`: the widget in whose place this shows it (`SavedView.view`).
 */
export interface Attach {
  readonly type: 'attach';
  readonly request: number;
  readonly session: string | null;
  readonly folding: Folding;
  readonly view: string;
}

/** I show no session any more: one that nobody holds may go. */
export interface Detach {
  readonly type: 'detach';
  readonly request: number;
}

/** What is to be seen of it, so folded? The drawing `digest` is there already. */
export interface Look {
  readonly type: 'look';
  readonly request: number;
  readonly session: string;
  readonly folding: Folding;
  readonly digest: string;
}

/** What was told after `revision`? */
export interface Since {
  readonly type: 'since';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
}

/**
 * Nodes whose name, variable, scope or source place has `query` in it (`*` stands for anything).
 */
export interface Find {
  readonly type: 'find';
  readonly request: number;
  readonly session: string;
  readonly query: string;
}

/** What are these nodes called? */
export interface GetNames {
  readonly type: 'get_names';
  readonly request: number;
  readonly session: string;
  readonly nodes: readonly number[];
}

/** Which nodes were run at positions `first` ... `first + count - 1`? */
export interface GetVisits {
  readonly type: 'get_visits';
  readonly request: number;
  readonly session: string;
  readonly first: number;
  readonly count: number;
}

/** What do saved values hold, now and step by step? */
export interface GetMemory {
  readonly type: 'get_memory';
  readonly request: number;
  readonly session: string;
}

/** The timelines of all storages of the graph, at most `most`. */
export interface GetStorages {
  readonly type: 'get_storages';
  readonly request: number;
  readonly session: string;
  readonly most: number;
}

/** What is a notebook to show that is read without a kernel? */
export interface GetPicture {
  readonly type: 'get_picture';
  readonly request: number;
  readonly session: string;
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

/** Continue is to stop where a NaN or an infinity is born, or not. */
export interface SetNonfinite {
  readonly type: 'set_nonfinite';
  readonly request: number;
  readonly session: string;
  readonly enabled: boolean;
}

/**
 * Stop between two nodes, and within one that runs Python of a person's and takes long. Answered at
 * once, before what was asked earlier.
 */
export interface Pause {
  readonly type: 'pause';
  readonly request: number;
  readonly session: string;
}

/** All about one node. */
export interface Inspect {
  readonly type: 'inspect';
  readonly request: number;
  readonly session: string;
  readonly node: number;
}

/**
 * A part of an array: `at` these indices of its leading dimensions (see `Part`), and of the matrix
 * that this is these rows and columns (first, and behind the last; None: all).
 */
export interface GetPart {
  readonly type: 'get_part';
  readonly request: number;
  readonly session: string;
  readonly of: ArrayName;
  readonly at: readonly (number | null)[];
  readonly rows: readonly [number, number] | null;
  readonly columns: readonly [number, number] | null;
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
 * What is to be seen of a session. `drawing` is None if the view has it (`Look.digest`).
 *
 * `nodes` is how many the graph has, of which `leaves` are leaves, and `truncated` how many more
 * were left out.
 */
export interface Shown {
  readonly type: 'shown';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly title: string;
  readonly cell: string;
  readonly nodes: number;
  readonly leaves: number;
  readonly truncated: number;
  readonly drawing: Drawing | null;
  readonly standing: Standing;
}

/** What a view missed, in order; the last of them is the latest. */
export interface Updates {
  readonly type: 'updates';
  readonly request: number;
  readonly session: string;
  readonly updates: readonly Update[];
}

/** What was told after the revision asked for is not kept any more: `Look` again. */
export interface Behind {
  readonly type: 'behind';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
}

/**
 * The first of the `total` nodes that were found, in the order of the run as far as the graph
 * tells.
 */
export interface Found {
  readonly type: 'found';
  readonly request: number;
  readonly session: string;
  readonly total: number;
  readonly names: readonly Name[];
}

export interface Names {
  readonly type: 'names';
  readonly request: number;
  readonly session: string;
  readonly names: readonly Name[];
}

/** Visits that were done at some time, those that are undone now too. */
export interface Visits {
  readonly type: 'visits';
  readonly request: number;
  readonly session: string;
  readonly visits: readonly VisitLine[];
  readonly names: readonly Name[];
}

/**
 * Bytes that saved values hold: a storage counts once, however many nodes saved it.
 *
 * `curve` has pairs (steps done, bytes held then), as far as the run has been; of a long run some
 * are left out, never the peak. `holders` are the nodes that hold most now, `others` how many more
 * hold something, and `others_bytes` what those hold alone.
 */
export interface Memory {
  readonly type: 'memory';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly held: number;
  readonly peak: number;
  readonly curve: readonly (readonly [number, number])[];
  readonly holders: readonly Holder[];
  readonly others: number;
  readonly others_bytes: number;
  readonly names: readonly Name[];
}

export interface Storages {
  readonly type: 'storages';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly total: number;
  readonly storages: readonly Storage[];
}

/** `svg` and `text` are empty where the graph is too large for a new picture. */
export interface Picture {
  readonly type: 'picture';
  readonly request: number;
  readonly session: string;
  readonly saved: SavedView;
  readonly svg: string;
  readonly text: string;
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
 * `storages` are those of its saved values, `groups` the groups around it, outermost first.
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
  readonly storages: readonly Storage[];
  readonly groups: readonly number[];
  readonly names: readonly Name[];
  /** Of those of the node's formulas that can be written so. */
  readonly maths: readonly Mathematics[];
}

/** The `part` of an array; None where it cannot be had: `gone` says why, then. */
export interface ArrayPart {
  readonly type: 'array_part';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly of: ArrayName;
  readonly part: Part | null;
  readonly gone: string;
}

/**
 * The request could not be done, or only in part (which was told as an `Updated`). `message` says
 * what happened and what to do; `closed`, that the session is closed, or not one of this kernel.
 */
export interface Failed {
  readonly type: 'failed';
  readonly request: number;
  readonly message: string;
  readonly session: string | null;
  readonly closed: boolean;
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

/**
 * Event: what the session is busy with, told several times a second when that takes long, and when
 * it is over (`what` is empty).
 *
 * - "running": `done` of `total` steps are done, and `node` has been running for `seconds`.
 * - "reading": the graph is read, to be shown.
 */
export interface Working {
  readonly type: 'working';
  readonly session: string;
  readonly what: string;
  readonly done: number;
  readonly total: number;
  readonly node: Name | null;
  readonly seconds: number;
}

/** What the browser may ask. */
export type Request =
  | ListSessions
  | Attach
  | Detach
  | Look
  | Since
  | Find
  | GetNames
  | GetVisits
  | GetMemory
  | GetStorages
  | GetPicture
  | Step
  | StepBack
  | Continue
  | RunTo
  | Seek
  | Restart
  | Stop
  | SetBreakpoint
  | SetNonfinite
  | Pause
  | Inspect
  | GetPart;

/** What the kernel may say: answers and events. */
export type Message =
  | Sessions
  | Shown
  | Updates
  | Behind
  | Found
  | Names
  | Visits
  | Memory
  | Storages
  | Picture
  | Done
  | Inspection
  | ArrayPart
  | Failed
  | Updated
  | AtRevision
  | Working;

/** What each request is answered with, if not with `Failed`. */
export const ANSWERS = {
  list_sessions: ['sessions'],
  attach: ['shown'],
  detach: ['sessions'],
  look: ['shown'],
  since: ['updates', 'behind'],
  find: ['found'],
  get_names: ['names'],
  get_visits: ['visits'],
  get_memory: ['memory'],
  get_storages: ['storages'],
  get_picture: ['picture'],
  step: ['done'],
  step_back: ['done'],
  continue: ['done'],
  run_to: ['done'],
  seek: ['done'],
  restart: ['done'],
  stop: ['done'],
  set_breakpoint: ['done'],
  set_nonfinite: ['done'],
  pause: ['done'],
  inspect: ['inspection'],
  get_part: ['array_part']
} as const satisfies Record<Request['type'], readonly Message['type'][]>;

/** What is told unasked. */
export const EVENTS = ['sessions', 'updated', 'at_revision', 'working'] as const;

export const readSessionInfo: Reader<SessionInfo> = record<SessionInfo>({
  session: string,
  title: string,
  cell: string,
  status: string,
  position: integer,
  total: integer
});

export const readVisitLine: Reader<VisitLine> = record<VisitLine>({
  index: integer,
  node: integer,
  norm: nullable(float)
});

export const readHolder: Reader<Holder> = record<Holder>({
  node: integer,
  bytes: integer
});

export const readSavedView: Reader<SavedView> = record<SavedView>({
  session: string,
  title: string,
  status: string,
  position: integer,
  total: integer,
  view: optional(string, '')
});

export const readSessions: Reader<Sessions> = record<Sessions>({
  type: word('sessions'),
  request: integer,
  sessions: array(readSessionInfo),
  vizgrad_version: string,
  protocol_version: optional(integer, 3)
});

export const readShown: Reader<Shown> = record<Shown>({
  type: word('shown'),
  request: integer,
  session: string,
  revision: integer,
  title: string,
  cell: string,
  nodes: integer,
  leaves: integer,
  truncated: integer,
  drawing: nullable(readDrawing),
  standing: readStanding
});

export const readUpdates: Reader<Updates> = record<Updates>({
  type: word('updates'),
  request: integer,
  session: string,
  updates: array(readUpdate)
});

export const readBehind: Reader<Behind> = record<Behind>({
  type: word('behind'),
  request: integer,
  session: string,
  revision: integer
});

export const readFound: Reader<Found> = record<Found>({
  type: word('found'),
  request: integer,
  session: string,
  total: integer,
  names: array(readName)
});

export const readNames: Reader<Names> = record<Names>({
  type: word('names'),
  request: integer,
  session: string,
  names: array(readName)
});

export const readVisits: Reader<Visits> = record<Visits>({
  type: word('visits'),
  request: integer,
  session: string,
  visits: array(readVisitLine),
  names: array(readName)
});

export const readMemory: Reader<Memory> = record<Memory>({
  type: word('memory'),
  request: integer,
  session: string,
  revision: integer,
  held: integer,
  peak: integer,
  curve: array(pair(integer, integer)),
  holders: array(readHolder),
  others: integer,
  others_bytes: integer,
  names: array(readName)
});

export const readStorages: Reader<Storages> = record<Storages>({
  type: word('storages'),
  request: integer,
  session: string,
  revision: integer,
  total: integer,
  storages: array(readStorage)
});

export const readPicture: Reader<Picture> = record<Picture>({
  type: word('picture'),
  request: integer,
  session: string,
  saved: readSavedView,
  svg: string,
  text: string
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
  grad: optional(nullable(readTensorSummary), null),
  storages: optional(array(readStorage), []),
  groups: optional(array(integer), []),
  names: optional(array(readName), []),
  maths: optional(array(readMathematics), [])
});

export const readArrayPart: Reader<ArrayPart> = record<ArrayPart>({
  type: word('array_part'),
  request: integer,
  session: string,
  revision: integer,
  of: readArrayName,
  part: nullable(readPart),
  gone: optional(string, '')
});

export const readFailed: Reader<Failed> = record<Failed>({
  type: word('failed'),
  request: integer,
  message: string,
  session: optional(nullable(string), null),
  closed: optional(boolean, false)
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

export const readWorking: Reader<Working> = record<Working>({
  type: word('working'),
  session: string,
  what: string,
  done: optional(integer, 0),
  total: optional(integer, 0),
  node: optional(nullable(readName), null),
  seconds: optional(float, 0)
});

export const MESSAGE_READERS: { [T in Message['type']]: Reader<Extract<Message, { type: T }>> } = {
  sessions: readSessions,
  shown: readShown,
  updates: readUpdates,
  behind: readBehind,
  found: readFound,
  names: readNames,
  visits: readVisits,
  memory: readMemory,
  storages: readStorages,
  picture: readPicture,
  done: readDone,
  inspection: readInspection,
  array_part: readArrayPart,
  failed: readFailed,
  updated: readUpdated,
  at_revision: readAtRevision,
  working: readWorking
};
