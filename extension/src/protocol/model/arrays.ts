// Made by `make types` from vizgrad/debugger/model/arrays.py: do not edit.
/** Arrays in numbers, and how a person names one. */
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
import { readBlocks } from './blocks';
import type { Blocks } from './blocks';

export const ARRAY_KINDS = [
  'incoming',
  'waiting',
  'computed',
  'routed',
  'grad',
  'grad_before',
  'grad_after',
  'saved'
] as const;
export type ArrayKind = (typeof ARRAY_KINDS)[number];
export const readArrayKind = oneOf(ARRAY_KINDS);

/**
 * The tangent beside an array under one level of forward mode: how the array changes along it.
 *
 * Shape and type are the array's; `norm`, `values` and `phases` are as in a `TensorSummary`.
 */
export interface Tangent {
  readonly norm: number | null;
  readonly values: readonly number[] | null;
  readonly phases: readonly number[] | null;
}

/**
 * Statistics of one array, of the absolute values of a complex one. Computed once and cheap to
 * keep.
 *
 * `norm` is over all elements: NaN if one is NaN, otherwise inf if one is infinite, 0 if there are
 * none; None if nobody has looked. `min`, `max` and `mean` are over the finite elements, None
 * without any. `values` holds all elements in row-major order when there are at most 8.
 *
 * Only who looks closely is told more: `histogram` counts finite elements in equal bins from `min`
 * to `max`; `heat` is the array as a matrix in blocks, None if it is empty; `phases` are those of
 * complex `values`, in radians.
 */
export interface TensorSummary {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly device: string;
  readonly bytes: number;
  readonly norm: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly zeros: number;
  readonly nans: number;
  readonly infs: number;
  readonly histogram: readonly number[];
  readonly heat: Blocks | null;
  readonly values: readonly number[] | null;
  readonly phases: readonly number[] | null;
  /**
   * A "sparse_coo" tensor and the like store `nnz` values: `bytes` are theirs and their places';
   * norm, min, max, mean and histogram are over them (equal places added up), `heat` is empty.
   */
  readonly layout: string;
  readonly nnz: number | null;
  /**
   * The tangents of a gradient in forward mode: one for each level, the outermost first. It goes
   * down, as the gradient.
   */
  readonly tangents: readonly Tangent[];
}

/** An array that can be looked at: `nr` of `kind`, or a saved value `name`, of a node. */
export interface ArrayName {
  readonly node: number;
  readonly kind: ArrayKind;
  readonly nr: number;
  readonly name: string;
}

/**
 * A part of an array of this `shape`. `at` has an index for each dimension before the last two, or
 * None: all of it, one under another in the rows of the matrix. `blocks` is None where there is
 * nothing.
 *
 * `text` makes it again with numpy: all of it, or, if it was `cut`, the first part.
 */
export interface Part {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly at: readonly (number | null)[];
  readonly blocks: Blocks | null;
  readonly text: string;
  readonly cut: boolean;
}

export const readTangent: Reader<Tangent> = record<Tangent>({
  norm: optional(nullable(float), null),
  values: optional(nullable(array(float)), null),
  phases: optional(nullable(array(float)), null)
});

export const readTensorSummary: Reader<TensorSummary> = record<TensorSummary>({
  shape: array(integer),
  dtype: string,
  device: string,
  bytes: integer,
  norm: optional(nullable(float), null),
  min: optional(nullable(float), null),
  max: optional(nullable(float), null),
  mean: optional(nullable(float), null),
  zeros: optional(integer, 0),
  nans: optional(integer, 0),
  infs: optional(integer, 0),
  histogram: optional(array(integer), []),
  heat: optional(nullable(readBlocks), null),
  values: optional(nullable(array(float)), null),
  phases: optional(nullable(array(float)), null),
  layout: optional(string, 'strided'),
  nnz: optional(nullable(integer), null),
  tangents: optional(array(readTangent), [])
});

export const readArrayName: Reader<ArrayName> = record<ArrayName>({
  node: integer,
  kind: readArrayKind,
  nr: optional(integer, 0),
  name: optional(string, '')
});

export const readPart: Reader<Part> = record<Part>({
  shape: array(integer),
  dtype: string,
  at: array(nullable(integer)),
  blocks: nullable(readBlocks),
  text: string,
  cut: optional(boolean, false)
});
