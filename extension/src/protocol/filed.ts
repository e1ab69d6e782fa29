// Made by `make types` from vizgrad/debugger/jupyter/widget/trace_contents.py: do not edit.
/**
 * The content of a trace's file beside the trace itself: the arrays' meaning, and the drawings for
 * a browser.
 */
import { array, integer, nullable, optional, record, string } from './check';
import type { Reader } from './check';
import { readArrayName } from './model/arrays';
import type { ArrayName } from './model/arrays';
import { readMade, readMathematics, readStart, readStepRecord } from './model/nodes';
import type { Made, Mathematics, Start, StepRecord } from './model/nodes';
import { readBirth, readDifference, readStopped } from './model/run';
import type { Birth, Difference, Stopped } from './model/run';
import { readDrawing, readStanding } from './drawing';
import type { Drawing, Standing } from './drawing';

export const TRACE_FORMAT = 'vizgrad trace';

/** The version of the files; a reader refuses a larger one. */
export const TRACE_VERSION = 2;

/** Nodes and steps, together, of which a page has room for a trace; `load_trace` reads any. */
export const MOST_IN_PAGE = 300000;

/**
 * An array, of this shape and dtype, is all of these gradients: number `at` of those in `file`;
 * None: the file is this array.
 */
export interface Filed {
  readonly file: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly of: readonly ArrayName[];
  readonly at: number | null;
}

/** Which gradients are there, and where. */
export interface FiledArrays {
  readonly arrays: readonly Filed[];
}

/**
 * `left_out` gradients were known when the trace was saved, but had no room; `births` say where a
 * NaN or an infinity came up.
 */
export interface Manifest {
  readonly format: string;
  readonly version: number;
  readonly vizgrad: string;
  readonly title: string;
  readonly nodes: number;
  readonly steps: number;
  readonly arrays: readonly Filed[];
  readonly left_out: number;
  readonly births: readonly Birth[];
}

/**
 * A drawing, and the run before its first step as it is seen there. `nodes` and `groups` are
 * numbers of those in the trace, of which `drawing` has none; `standing` has no storages.
 */
export interface FiledDrawing {
  readonly drawing: Drawing;
  readonly nodes: readonly number[];
  readonly groups: readonly number[];
  readonly standing: Standing;
}

/** The formulas of a node as mathematics. */
export interface FiledMaths {
  readonly node: number;
  readonly maths: readonly Mathematics[];
}

/** A block of so many bytes, in which these nodes have saved something. */
export interface Holding {
  readonly bytes: number;
  readonly nodes: readonly number[];
}

/** The lane within a node (None: that of second order), as `protocol.Lane` has it. */
export interface FiledLane {
  readonly node: number | null;
  readonly made: readonly Made[];
  readonly at: readonly number[];
  readonly drawing: Drawing;
  readonly left_out: number;
}

/** Another run of `recorded` steps, and how it differs, as `protocol.Differences` has it. */
export interface FiledBeside {
  readonly name: string;
  readonly recorded: number;
  readonly total: number;
  readonly differences: readonly Difference[];
  readonly first: number | null;
  readonly text: string;
}

/**
 * The drawings for a view of a trace without a kernel.
 *
 * `drawings` begins with the one that is shown at first; in the others groups are open that are
 * closed there, or the other way. `stops` are where a NaN or an infinity was born. `start` and
 * `records` are those of a recording that can be stepped through; a trace of a session has its own.
 */
export interface FiledView {
  readonly drawings: readonly FiledDrawing[];
  readonly maths: readonly FiledMaths[];
  readonly holdings: readonly Holding[];
  readonly stops: readonly Stopped[];
  readonly leaves: number;
  readonly start: Start | null;
  readonly records: readonly StepRecord[];
  readonly lanes: readonly FiledLane[];
  readonly beside: readonly FiledBeside[];
}

export const readFiled: Reader<Filed> = record<Filed>({
  file: string,
  shape: array(integer),
  dtype: string,
  of: array(readArrayName),
  at: optional(nullable(integer), null)
});

export const readFiledArrays: Reader<FiledArrays> = record<FiledArrays>({
  arrays: array(readFiled)
});

export const readManifest: Reader<Manifest> = record<Manifest>({
  format: string,
  version: integer,
  vizgrad: string,
  title: string,
  nodes: integer,
  steps: integer,
  arrays: optional(array(readFiled), []),
  left_out: optional(integer, 0),
  births: optional(array(readBirth), [])
});

export const readFiledDrawing: Reader<FiledDrawing> = record<FiledDrawing>({
  drawing: readDrawing,
  nodes: array(integer),
  groups: array(integer),
  standing: readStanding
});

export const readFiledMaths: Reader<FiledMaths> = record<FiledMaths>({
  node: integer,
  maths: array(readMathematics)
});

export const readHolding: Reader<Holding> = record<Holding>({
  bytes: integer,
  nodes: array(integer)
});

export const readFiledLane: Reader<FiledLane> = record<FiledLane>({
  node: nullable(integer),
  made: array(readMade),
  at: array(integer),
  drawing: readDrawing,
  left_out: optional(integer, 0)
});

export const readFiledBeside: Reader<FiledBeside> = record<FiledBeside>({
  name: string,
  recorded: integer,
  total: integer,
  differences: array(readDifference),
  first: optional(nullable(integer), null),
  text: optional(string, '')
});

export const readFiledView: Reader<FiledView> = record<FiledView>({
  drawings: array(readFiledDrawing),
  maths: optional(array(readFiledMaths), []),
  holdings: optional(array(readHolding), []),
  stops: optional(array(readStopped), []),
  leaves: optional(integer, 0),
  start: optional(nullable(readStart), null),
  records: optional(array(readStepRecord), []),
  lanes: optional(array(readFiledLane), []),
  beside: optional(array(readFiledBeside), [])
});
