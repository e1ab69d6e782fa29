// Made by `make types` from vizgrad/debugger/model/stops.py: do not edit.
/** Why a run stopped, and where a NaN or an infinity was born. */
import {
  array,
  boolean,
  float,
  integer,
  nullable,
  oneOf,
  optional,
  record,
  string
} from '../check';
import type { Reader } from '../check';
import { readPlace } from './place';
import type { Place } from './place';

export const STOP_KINDS = [
  'nonfinite',
  'breakpoint',
  'condition',
  'written',
  'interrupt',
  'pause',
  'error'
] as const;
export type StopKind = (typeof STOP_KINDS)[number];
export const readStopKind = oneOf(STOP_KINDS);

/** The value in a formula at one place. */
export interface Operand {
  readonly name: string;
  readonly value: number;
}

/**
 * A step of which all that arrived was finite made numbers that are not.
 *
 * They are `nans` NaN and `infs` infinite of `size`, in its gradient number `edge` (None: in a
 * leaf's `.grad`, or in what waits at the next node, where it was added up), the first of them at
 * `index`, where `operands` are the saved values that say why. `forward`: one of these was not
 * finite itself, so it came up in the forward pass: in the operation that node `born` stands for,
 * if that can be told. `hook` has made them, if it is named.
 */
export interface Birth {
  readonly node: number;
  readonly nans: number;
  readonly infs: number;
  readonly size: number;
  readonly edge: number | null;
  readonly index: readonly number[] | null;
  readonly operands: readonly Operand[];
  readonly forward: boolean;
  readonly hook: string;
  readonly born: number | null;
}

/**
 * Why a run stands where it does, if something stopped it there. `text` says it all in one line.
 *
 * `node` is the one that it is about, recorded at `place`; of a birth in the forward pass that is
 * the line of the forward operation (`Birth.born`). `breakpoint` is the number of the one that
 * stopped it.
 *
 * - "nonfinite": it has run, and made a NaN or an infinity (`birth`).
 * - "breakpoint": it is about to run. "condition": a condition was true after it had run.
 * - "written": it has run, and memory was written that a breakpoint watches.
 * - "pause", "interrupt": it is about to run, and the user asked to stop.
 * - "error": it raised.
 */
export interface Stopped {
  readonly kind: StopKind;
  readonly text: string;
  readonly position: number;
  readonly node: number | null;
  readonly place: Place | null;
  readonly birth: Birth | null;
  readonly breakpoint: number | null;
}

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
  hook: optional(string, ''),
  born: optional(nullable(integer), null)
});

export const readStopped: Reader<Stopped> = record<Stopped>({
  kind: readStopKind,
  text: string,
  position: integer,
  node: optional(nullable(integer), null),
  place: optional(nullable(readPlace), null),
  birth: optional(nullable(readBirth), null),
  breakpoint: optional(nullable(integer), null)
});
