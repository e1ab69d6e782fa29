// Made by `make types` from vizgrad/debugger/model/breakpoints.py: do not edit.
import { array, boolean, integer, nullable, oneOf, optional, record, string } from '../check';
import type { Reader } from '../check';
import { readPlace } from './place';
import type { Place } from './place';

export const BREAKPOINT_KINDS = ['op', 'node', 'tensor', 'line', 'when', 'data'] as const;
export type BreakpointKind = (typeof BREAKPOINT_KINDS)[number];
export const readBreakpointKind = oneOf(BREAKPOINT_KINDS);

/**
 * One breakpoint of a session, known there by its `id`. `text` says in a few words where it stops:
 *
 * - "op", "node", "tensor", "line": before one of `nodes` (the first of `total`, if they are many),
 *   if `condition` holds of what has arrived there. "line": `place` is the line that recorded them.
 * - "when": behind a visit for which `condition` holds.
 * - "data": behind a visit in which a storage was written.
 *
 * It stops when that has come about for the `hits`th time (0: each time); `hit` is how often
 * Continue has come there, up to where the run stands. A `condition` that is a function is told by
 * its name.
 */
export interface Breakpoint {
  readonly id: number;
  readonly kind: BreakpointKind;
  readonly text: string;
  readonly condition: string;
  readonly hits: number;
  readonly hit: number;
  readonly enabled: boolean;
  readonly nodes: readonly number[];
  readonly total: number;
  readonly place: Place | null;
}

export const readBreakpoint: Reader<Breakpoint> = record<Breakpoint>({
  id: integer,
  kind: readBreakpointKind,
  text: string,
  condition: optional(string, ''),
  hits: optional(integer, 0),
  hit: optional(integer, 0),
  enabled: optional(boolean, true),
  nodes: optional(array(integer), []),
  total: optional(integer, 0),
  place: optional(nullable(readPlace), null)
});
