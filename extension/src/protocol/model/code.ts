// Made by `make types` from vizgrad/debugger/model/code.py: do not edit.
/**
 * The code within the visit of a node: lines of the user, and operations, which make a lane beside
 * it.
 */
import { array, integer, nullable, oneOf, optional, record, string } from '../check';
import type { Reader } from '../check';
import { readPlace } from './place';
import type { Place } from './place';
import { readTensorSummary } from './arrays';
import type { TensorSummary } from './arrays';
import { readOutputMeta } from './nodes';
import type { OutputMeta } from './nodes';

export const MADE_KINDS = ['operation', 'visit', 'recorded', 'recomputed', 'input'] as const;
export type MadeKind = (typeof MADE_KINDS)[number];
export const readMadeKind = oneOf(MADE_KINDS);

/**
 * One thing of a lane: what ran while a node was visited, in the order in which it ran.
 *
 * - "operation": one that a line of a person's called. "visit": a node that a backward within the
 *   visit ran. "recorded": one that create_graph=True recorded, a node of the graph of second
 *   order.
 * - "recomputed": what a checkpoint computed again, because a node read a value that it had let go
 *   of.
 * - "input": a value from outside, before what uses it; `node` is the node of the graph that it is
 *   of, if it is of one.
 *
 * `inputs` are the numbers of those in the lane that its inputs come from. `value` is what it gave
 * (of a visit what arrived there), None where that is not known; `output` what it gives. `label` is
 * the name that a person gave to it.
 */
export interface Made {
  readonly name: string;
  readonly kind: MadeKind;
  readonly inputs: readonly number[];
  readonly value: TensorSummary | null;
  readonly output: OutputMeta | null;
  readonly label: string;
  readonly node: number | null;
}

/** The variables that a line has assigned. */
export interface BoundValue {
  readonly name: string;
  readonly value: TensorSummary;
}

/**
 * A line of a person's that a node has run, in stage number `stage` of its visit: a hook's or a
 * custom Function's. `values` are the tensors that it gave a name to, `made` what ran since the
 * line before: the lane within the node is that of all its lines, one after another.
 */
export interface CodeStep {
  readonly stage: number;
  readonly place: Place;
  readonly values: readonly BoundValue[];
  readonly made: readonly Made[];
}

export const readMade: Reader<Made> = record<Made>({
  name: string,
  kind: optional(readMadeKind, 'operation'),
  inputs: optional(array(integer), []),
  value: optional(nullable(readTensorSummary), null),
  output: optional(nullable(readOutputMeta), null),
  label: optional(string, ''),
  node: optional(nullable(integer), null)
});

export const readBoundValue: Reader<BoundValue> = record<BoundValue>({
  name: string,
  value: readTensorSummary
});

export const readCodeStep: Reader<CodeStep> = record<CodeStep>({
  stage: integer,
  place: readPlace,
  values: optional(array(readBoundValue), []),
  made: optional(array(readMade), [])
});
