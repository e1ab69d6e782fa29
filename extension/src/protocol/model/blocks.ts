// Made by `make types` from vizgrad/core/arrays/matrix_blocks.py: do not edit.
import { array, float, integer, optional, pair, record } from '../check';
import type { Reader } from '../check';

/**
 * A part of a matrix: `rows` and `columns` are its first and the one behind its last.
 *
 * A block has `size` elements (rows, columns), those at the end may have fewer. `values` has its
 * element of the largest magnitude, to six digits: NaN if one of its elements is NaN, otherwise inf
 * or -inf if one is infinite. For complex numbers it is the magnitude, and `phases` has the angle,
 * in radians.
 */
export interface Blocks {
  readonly rows: readonly [number, number];
  readonly columns: readonly [number, number];
  readonly size: readonly [number, number];
  readonly values: readonly (readonly number[])[];
  readonly phases: readonly (readonly number[])[];
}

export const readBlocks: Reader<Blocks> = record<Blocks>({
  rows: pair(integer, integer),
  columns: pair(integer, integer),
  size: pair(integer, integer),
  values: array(array(float)),
  phases: optional(array(array(float)), [])
});
