// Made by `make types` from vizgrad/debugger/model/training.py: do not edit.
/** The course of a training: norms of each layer over the steps of its optimizers, in columns. */
import { array, boolean, float, integer, nullable, optional, record, string } from '../check';
import type { Reader } from '../check';

/**
 * The norms of all parameters of a layer together, a number for each entry of
 * `OptimizerCourse.steps`.
 *
 * `gradient` is the one that the step used, `weight` from before the step, `update` the norm of the
 * change. The update is exact for parameters of at most 64 elements, and of larger ones estimated
 * from 64 that are spread evenly: `estimated` says so.
 */
export interface LayerCourse {
  readonly name: string;
  readonly gradient: readonly (number | null)[];
  readonly weight: readonly (number | null)[];
  readonly update: readonly (number | null)[];
  readonly estimated: boolean;
}

/**
 * The steps of one optimizer that were measured: each `stride`-th of `total`.
 *
 * `steps` are their numbers, from 1, `backwards` the calls of backward before each, from 1 (0:
 * none), as `%%vizgrad debug --at` counts them, and `losses` the value of the last one that was a
 * number.
 */
export interface OptimizerCourse {
  readonly title: string;
  readonly total: number;
  readonly stride: number;
  readonly steps: readonly number[];
  readonly backwards: readonly number[];
  readonly losses: readonly (number | null)[];
  readonly layers: readonly LayerCourse[];
}

/** A finding, at the backward where it came up first; `layers` are those that it names. */
export interface CourseMark {
  readonly backward: number;
  readonly text: string;
  readonly layers: readonly string[];
}

/**
 * The course of a training: of each optimizer in the order of their first steps, and what was
 * found.
 */
export interface Course {
  readonly optimizers: readonly OptimizerCourse[];
  readonly marks: readonly CourseMark[];
}

export const readLayerCourse: Reader<LayerCourse> = record<LayerCourse>({
  name: string,
  gradient: array(nullable(float)),
  weight: array(nullable(float)),
  update: array(nullable(float)),
  estimated: optional(boolean, false)
});

export const readOptimizerCourse: Reader<OptimizerCourse> = record<OptimizerCourse>({
  title: string,
  total: integer,
  stride: integer,
  steps: array(integer),
  backwards: array(integer),
  losses: array(nullable(float)),
  layers: array(readLayerCourse)
});

export const readCourseMark: Reader<CourseMark> = record<CourseMark>({
  backward: integer,
  text: string,
  layers: optional(array(string), [])
});

export const readCourse: Reader<Course> = record<Course>({
  optimizers: array(readOptimizerCourse),
  marks: optional(array(readCourseMark), [])
});
