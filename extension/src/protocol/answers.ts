// Made by `make types` from vizgrad/debugger/jupyter/widget/protocol/answers.py: do not edit.
/** The kernel's answers. */
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
import { readArrayName, readPart } from './model/arrays';
import type { ArrayName, Part } from './model/arrays';
import { readStorage } from './model/memory';
import type { Storage } from './model/memory';
import { readName } from './model/nodes';
import type { Name } from './model/nodes';
import { readDifference, readLogged } from './model/run';
import type { Difference, Logged } from './model/run';
import {
  readCodeFile,
  readCodeLine,
  readLineMark,
  readLineNode,
  readLineRun,
  readLineStop
} from './model/lines';
import type { CodeFile, CodeLine, LineMark, LineNode, LineRun, LineStop } from './model/lines';
import { readWatched, readWriter } from './model/watches';
import type { Watched, Writer } from './model/watches';
import { readUpdate } from './model/update';
import type { Update } from './model/update';
import { readDrawing, readStanding } from './drawing';
import type { Drawing, Standing } from './drawing';

/** `title` is what it debugs, `cell` the cell that opened it (`In [7]`; empty: none). */
export interface SessionInfo {
  readonly session: string;
  readonly title: string;
  readonly cell: string;
  readonly status: string;
  readonly position: number;
  readonly total: number;
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
 * The visible state of a session. `drawing` is None if the view has it (`Look.digest`).
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

/** The updates that a view missed, in order; the last of them is the latest. */
export interface Updates {
  readonly type: 'updates';
  readonly request: number;
  readonly session: string;
  readonly updates: readonly Update[];
}

/** The updates after the requested revision are not kept any more: `Look` again. */
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

/**
 * One line of the log: the node that was run, and the norm of the gradient that arrived (None:
 * undefined).
 */
export interface VisitLine {
  readonly index: number;
  readonly node: number;
  readonly norm: number | null;
}

/** Visits that were done at some time, those that are undone now too. */
export interface Visits {
  readonly type: 'visits';
  readonly request: number;
  readonly session: string;
  readonly visits: readonly VisitLine[];
  readonly names: readonly Name[];
}

/** A node and the bytes of its saved values. */
export interface Holder {
  readonly node: number;
  readonly bytes: number;
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

/**
 * The data of a view in a notebook, beside its picture: which session it was and how far.
 *
 * `title` names it with its cell. `view` is the id of the widget that shows it too; empty: none
 * does. `still` is the cell that moved the session on: the picture stays as it is. Empty: none has.
 */
export interface SavedView {
  readonly session: string;
  readonly title: string;
  readonly status: string;
  readonly position: number;
  readonly total: number;
  readonly view: string;
  readonly still: string;
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

/**
 * The lines of the program that recorded the graph of a session, and how they are doing: `runs` are
 * those of which something was run. `number` is that of what was told last (`LinesMoved`).
 * `session` is empty where none is open: all else is empty then, too.
 *
 * `left_out` are lines that were too many to be told.
 */
export interface Lines {
  readonly type: 'lines';
  readonly request: number;
  readonly session: string;
  readonly number: number;
  readonly files: readonly CodeFile[];
  readonly lines: readonly CodeLine[];
  readonly runs: readonly LineRun[];
  readonly stops: readonly LineStop[];
  readonly mark: LineMark | null;
  readonly left_out: number;
}

/** The nodes of a line, the latest turn first as in the run; `total` is how many there are. */
export interface LineNodes {
  readonly type: 'line_nodes';
  readonly request: number;
  readonly session: string;
  readonly line: number;
  readonly total: number;
  readonly nodes: readonly LineNode[];
}

/**
 * Where a node was recorded, as a mark of kind "selected"; its `line` is None where that is not
 * known.
 */
export interface NodeLine {
  readonly type: 'node_line';
  readonly request: number;
  readonly session: string;
  readonly mark: LineMark;
}

/**
 * The text of a file; `changed`: what was compiled is not there now. `gone` says why there is none.
 */
export interface Source {
  readonly type: 'source';
  readonly request: number;
  readonly session: string;
  readonly file: string;
  readonly text: string;
  readonly changed: boolean;
  readonly gone: string;
}

/**
 * The first of `total`, those that differ most, of nodes that one of the branches has run since
 * they parted; `first`, `text` and `unfinished` as `Comparison` has them.
 */
export interface Differences {
  readonly type: 'differences';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly total: number;
  readonly differences: readonly Difference[];
  readonly first: number | null;
  readonly text: string;
  readonly unfinished: string;
}

/** The request was carried out; every view received its changes as an `Updated`. */
export interface Done {
  readonly type: 'done';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
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

/** The watch list, with the values at `revision`. */
export interface Watches {
  readonly type: 'watches';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly watched: readonly Watched[];
}

/** The value of an expression at `revision`. */
export interface ValueRead {
  readonly type: 'value_read';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly value: Watched;
}

/** The latest messages of breakpoints that log, in order; `total` since they were cleared. */
export interface LogLines {
  readonly type: 'log_lines';
  readonly request: number;
  readonly session: string;
  readonly total: number;
  readonly lines: readonly Logged[];
  readonly names: readonly Name[];
}

/** Who wrote the array `of` last. */
export interface Written {
  readonly type: 'written';
  readonly request: number;
  readonly session: string;
  readonly of: ArrayName;
  readonly writer: Writer;
}

export const readSessionInfo: Reader<SessionInfo> = record<SessionInfo>({
  session: string,
  title: string,
  cell: string,
  status: string,
  position: integer,
  total: integer
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

export const readVisitLine: Reader<VisitLine> = record<VisitLine>({
  index: integer,
  node: integer,
  norm: nullable(float)
});

export const readVisits: Reader<Visits> = record<Visits>({
  type: word('visits'),
  request: integer,
  session: string,
  visits: array(readVisitLine),
  names: array(readName)
});

export const readHolder: Reader<Holder> = record<Holder>({
  node: integer,
  bytes: integer
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

export const readSavedView: Reader<SavedView> = record<SavedView>({
  session: string,
  title: string,
  status: string,
  position: integer,
  total: integer,
  view: optional(string, ''),
  still: optional(string, '')
});

export const readPicture: Reader<Picture> = record<Picture>({
  type: word('picture'),
  request: integer,
  session: string,
  saved: readSavedView,
  svg: string,
  text: string
});

export const readLines: Reader<Lines> = record<Lines>({
  type: word('lines'),
  request: integer,
  session: string,
  number: integer,
  files: optional(array(readCodeFile), []),
  lines: optional(array(readCodeLine), []),
  runs: optional(array(readLineRun), []),
  stops: optional(array(readLineStop), []),
  mark: optional(nullable(readLineMark), null),
  left_out: optional(integer, 0)
});

export const readLineNodes: Reader<LineNodes> = record<LineNodes>({
  type: word('line_nodes'),
  request: integer,
  session: string,
  line: integer,
  total: integer,
  nodes: array(readLineNode)
});

export const readNodeLine: Reader<NodeLine> = record<NodeLine>({
  type: word('node_line'),
  request: integer,
  session: string,
  mark: readLineMark
});

export const readSource: Reader<Source> = record<Source>({
  type: word('source'),
  request: integer,
  session: string,
  file: string,
  text: string,
  changed: optional(boolean, false),
  gone: optional(string, '')
});

export const readDifferences: Reader<Differences> = record<Differences>({
  type: word('differences'),
  request: integer,
  session: string,
  revision: integer,
  total: integer,
  differences: array(readDifference),
  first: optional(nullable(integer), null),
  text: optional(string, ''),
  unfinished: optional(string, '')
});

export const readDone: Reader<Done> = record<Done>({
  type: word('done'),
  request: integer,
  session: string,
  revision: integer
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

export const readWatches: Reader<Watches> = record<Watches>({
  type: word('watches'),
  request: integer,
  session: string,
  revision: integer,
  watched: array(readWatched)
});

export const readValueRead: Reader<ValueRead> = record<ValueRead>({
  type: word('value_read'),
  request: integer,
  session: string,
  revision: integer,
  value: readWatched
});

export const readLogLines: Reader<LogLines> = record<LogLines>({
  type: word('log_lines'),
  request: integer,
  session: string,
  total: integer,
  lines: array(readLogged),
  names: array(readName)
});

export const readWritten: Reader<Written> = record<Written>({
  type: word('written'),
  request: integer,
  session: string,
  of: readArrayName,
  writer: readWriter
});
