// Made by `make types` from vizgrad/debugger/jupyter/widget/protocol/events.py: do not edit.
/** The messages that the kernel sends without a request (beside `Sessions`). */
import { array, float, integer, nullable, optional, record, string, word } from './check';
import type { Reader } from './check';
import { readName } from './model/nodes';
import type { Name } from './model/nodes';
import { readLineMark, readLineRun, readLineStop } from './model/lines';
import type { LineMark, LineRun, LineStop } from './model/lines';
import { readUpdate } from './model/update';
import type { Update } from './model/update';

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

/**
 * Event, to views that follow lines: how they changed since what was told before (`number` rises by
 * one), and where the run stands. Whose lines they do not know, or who missed a number, asks anew
 * (`FollowLines`). `session` is empty where the session whose lines were told is closed. `stops`
 * are None where they are as they were.
 */
export interface LinesMoved {
  readonly type: 'lines_moved';
  readonly session: string;
  readonly number: number;
  readonly runs: readonly LineRun[];
  readonly stops: readonly LineStop[] | null;
  readonly mark: LineMark | null;
}

/**
 * Event: another view has come. Who is there says so, with any request: views go without a word.
 */
export interface RollCall {
  readonly type: 'roll_call';
}

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

export const readLinesMoved: Reader<LinesMoved> = record<LinesMoved>({
  type: word('lines_moved'),
  session: string,
  number: integer,
  runs: optional(array(readLineRun), []),
  stops: optional(nullable(array(readLineStop)), null),
  mark: optional(nullable(readLineMark), null)
});

export const readRollCall: Reader<RollCall> = record<RollCall>({
  type: word('roll_call')
});
