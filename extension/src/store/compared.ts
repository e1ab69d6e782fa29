/** What is kept of a comparison of two branches, or of another run and this one. */
import type { Difference } from '../protocol';

/** Which two: how `there` differs from `here`. */
export interface Pair {
  readonly here: string;
  readonly there: string;
}

export interface Compared extends Pair {
  /** By node, of those that one of them has run since they parted: those that differ most. */
  readonly nodes: ReadonlyMap<number, Difference>;
  /** How many there are of these nodes. */
  readonly total: number;
  /** The first that differs, in the order in which they ran. */
  readonly first: number | null;
  /** What else there is to say: of nodes that only one of two runs has. */
  readonly text: string;
  /** A branch that was left before its end; empty: neither was. Only nodes that both have run are compared then. */
  readonly unfinished: string;
}
