// Made by `make types` from vizgrad/debugger/model/branches.py: do not edit.
/** Alternatives of a run: its branches, the edits that made them, and how they differ. */
import { array, boolean, float, integer, nullable, optional, record, string } from '../check';
import type { Reader } from '../check';

/** The user's change after `position` steps, in words; `node` is the one that it is about. */
export interface Edit {
  readonly position: number;
  readonly text: string;
  readonly node: number | null;
}

/**
 * One line of a run. The original has no `parent`; others left theirs after `left` steps.
 *
 * `position` is where it stands, or stood when it was left; `recorded` how far it has been. `edits`
 * are its own and those of its parents that it began with. `trace`: it is another run, laid beside
 * this one to be compared with it: nothing goes on there.
 */
export interface Branch {
  readonly name: string;
  readonly current: boolean;
  readonly parent: string;
  readonly left: number;
  readonly position: number;
  readonly recorded: number;
  readonly edits: readonly Edit[];
  readonly trace: boolean;
}

/**
 * The gradients that arrived at `node` in one line of a run and in another: the norms, and the norm
 * of the difference in parts of the first. None where one of them has not run the node, or nothing
 * arrived; infinite where the first is 0 and the other is not. The gradients of all slots count
 * together. `what` says why, where numbers do not: another shape.
 */
export interface Difference {
  readonly node: number;
  readonly relative: number | null;
  readonly here: number | null;
  readonly there: number | null;
  readonly what: string;
}

export const readEdit: Reader<Edit> = record<Edit>({
  position: integer,
  text: string,
  node: optional(nullable(integer), null)
});

export const readBranch: Reader<Branch> = record<Branch>({
  name: string,
  current: boolean,
  parent: optional(string, ''),
  left: optional(integer, 0),
  position: optional(integer, 0),
  recorded: optional(integer, 0),
  edits: optional(array(readEdit), []),
  trace: optional(boolean, false)
});

export const readDifference: Reader<Difference> = record<Difference>({
  node: integer,
  relative: nullable(float),
  here: nullable(float),
  there: nullable(float),
  what: optional(string, '')
});
