// Made by `make types` from vizgrad/debugger/model/ranks.py: do not edit.
/** One backward in several processes (ranks): a node has a strip with a cell for each rank. */
import { array, boolean, float, integer, nullable, optional, record } from '../check';
import type { Reader } from '../check';

/**
 * One rank at one node. `arrived` is False where the rank has not run the node yet, or does not
 * have it ("absent"); else `norm` is that of the gradient, None an undefined one. `times` is how
 * many times the norm of the other ranks it is, where `leaving` is "size".
 */
export interface RankCell {
  readonly rank: number;
  readonly arrived: boolean;
  readonly norm: number | null;
  readonly seconds: number;
  readonly leaving: Leaving;
  readonly times: number | null;
}

/** All ranks at node `node`, in the order of their numbers. */
export interface RankStrip {
  readonly node: number;
  readonly cells: readonly RankCell[];
}

export const readRankCell: Reader<RankCell> = record<RankCell>({
  rank: integer,
  arrived: boolean,
  norm: optional(nullable(float), null),
  seconds: optional(float, 0),
  leaving: optional(readLeaving, ''),
  times: optional(nullable(float), null)
});

export const readRankStrip: Reader<RankStrip> = record<RankStrip>({
  node: integer,
  cells: array(readRankCell)
});
