// Made by `make types` from vizgrad/debugger/model/within.py: do not edit.
import { array, integer, optional, record } from '../check';
import type { Reader } from '../check';
import { readCodeStep } from './code';
import type { CodeStep } from './code';
import { readStageRecord } from './records';
import type { StageRecord } from './records';

/**
 * The first `done` of the `stages` of the visit of `node` are shown as done, and the first `lines`
 * of the `code` of a person's that it ran; of what these and the next line made the first `made`.
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
  readonly made: number;
}

export const readWithin: Reader<Within> = record<Within>({
  node: integer,
  done: integer,
  stages: array(readStageRecord),
  lines: optional(integer, 0),
  code: optional(array(readCodeStep), []),
  made: optional(integer, 0)
});
