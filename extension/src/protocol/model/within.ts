// Made by `make types` from vizgrad/inspection/model/within.py: do not edit.
/** Where a run stands within the visit of one node. */
import { array, integer, optional, record, string } from '../check';
import type { Reader } from '../check';
import { readPlace } from './place';
import type { Place } from './place';
import { readTensorSummary } from './arrays';
import type { TensorSummary } from './arrays';
import { readStageRecord } from './records';
import type { StageRecord } from './records';

/** What a line has given a name to. */
export interface BoundValue {
  readonly name: string;
  readonly value: TensorSummary;
}

/**
 * A line of a person's that a node has run, in stage number `stage` of its visit: a hook's or a
 * custom Function's. `values` are the tensors that it gave a name to.
 */
export interface CodeStep {
  readonly stage: number;
  readonly place: Place;
  readonly values: readonly BoundValue[];
}

/**
 * The first `done` of the `stages` of the visit of `node` are shown as done, and the first `lines`
 * of the `code` of a person's that it ran.
 *
 * The node has run as a whole when it was gone into: what later stages did to `.grad` and saved
 * values is undone as long as they are not done here, what they did to other objects of Python is
 * not.
 */
export interface Within {
  readonly node: number;
  readonly done: number;
  readonly stages: readonly StageRecord[];
  readonly lines: number;
  readonly code: readonly CodeStep[];
}

export const readBoundValue: Reader<BoundValue> = record<BoundValue>({
  name: string,
  value: readTensorSummary
});

export const readCodeStep: Reader<CodeStep> = record<CodeStep>({
  stage: integer,
  place: readPlace,
  values: optional(array(readBoundValue), [])
});

export const readWithin: Reader<Within> = record<Within>({
  node: integer,
  done: integer,
  stages: array(readStageRecord),
  lines: optional(integer, 0),
  code: optional(array(readCodeStep), [])
});
