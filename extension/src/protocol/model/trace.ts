// Made by `make types` from vizgrad/debugger/model/trace.py: do not edit.
/** A stretch of work that was recorded, whole: what is kept in a file. */
import { array, integer, nullable, optional, record, string } from '../check';
import type { Reader } from '../check';
import { readPlace } from './place';
import type { Place } from './place';
import { readGraph, readStart, readStepRecord } from './nodes';
import type { Graph, Start, StepRecord } from './nodes';
import { readEdit } from './run';
import type { Edit } from './run';

/** Version of the JSON form of everything in this module; a reader refuses a larger one. */
export const MODEL_VERSION = 3;

/**
 * Bytes that the file of a trace has, at most, if nothing else is said; beyond some 10,000 nodes
 * those of the graph and the norms alone may be more.
 */
export const SMALL_FILE = 2000000;

/** One line of the log: forward op recorded, node run, hook called, write, save released... */
export interface Event {
  readonly index: number;
  readonly kind: string;
  readonly text: string;
  readonly node: number | null;
  readonly place: Place | null;
}

/**
 * A recorded stretch of work: the graph it made or walked, its steps and its events.
 *
 * A stepped backward has `start`, too: each of its states is that with records folded in. `edits`
 * are the user's changes of it (`Session.set_grad` and others), in order.
 */
export interface Trace {
  readonly graph: Graph;
  readonly records: readonly StepRecord[];
  readonly events: readonly Event[];
  readonly title: string;
  readonly version: number;
  readonly start: Start | null;
  readonly edits: readonly Edit[];
}

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
  start: optional(nullable(readStart), null),
  edits: optional(array(readEdit), [])
});
