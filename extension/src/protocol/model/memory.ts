// Made by `make types` from vizgrad/debugger/model/memory.py: do not edit.
/** The values that nodes keep for the backward, and their memory: versions and writes. */
import { array, integer, nullable, oneOf, optional, record, string } from '../check';
import type { Reader } from '../check';
import { readPlace } from './place';
import type { Place } from './place';
import { readTangent } from './arrays';
import type { Tangent } from './arrays';

export const SAVED_STATES = ['alive', 'stale', 'freed', 'packed'] as const;
export type SavedState = (typeof SAVED_STATES)[number];
export const readSavedState = oneOf(SAVED_STATES);

/** One in-place write to a storage: `version` is the counter's value after it. */
export interface Write {
  readonly version: number;
  readonly clock: number;
  readonly op: string;
  readonly place: Place | null;
  /** Name of the variable written through, or a description such as `view of w`. */
  readonly alias: string;
}

/**
 * One saved value of a node. `value` is the repr of a plain (non-tensor) one, else empty.
 *
 * `culprit` is the first write after the save: the one that made it stale. After more than a
 * thousand writes it, and `version_saved`, may not be known any more: both are None then.
 */
export interface Saved {
  readonly name: string;
  readonly state: SavedState;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bytes: number;
  readonly storage: number | null;
  readonly version_saved: number | null;
  readonly version_now: number;
  readonly culprit: Write | null;
  readonly value: string;
  /**
   * In forward mode: one for each level that is active, the outermost first. It goes up, against
   * gradients.
   */
  readonly tangents: readonly Tangent[];
}

/**
 * A mark on a storage's timeline: node `node` saved the value as `name` at `version` (None: it is
 * not known any more).
 */
export interface SaveMark {
  readonly node: number;
  readonly name: string;
  readonly version: number | null;
  readonly clock: number;
  readonly state: SavedState;
}

/**
 * One memory block: its version counter, the writes that moved it, the saves that rely on it.
 *
 * `writes` may be shorter than `version`: the latest are told, and of older ones those that came
 * first after a save (`writes_dropped` says how many are not). A view receives those of many
 * `saves` that matter to it, and some of the others (`saves_dropped`).
 */
export interface Storage {
  readonly id: number;
  readonly label: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bytes: number;
  readonly version: number;
  readonly writes: readonly Write[];
  readonly writes_dropped: number;
  readonly saves: readonly SaveMark[];
  readonly saves_dropped: number;
}

/** A saved value whose state is not what `Graph` says (it was released, or became stale). */
export interface SavedRun {
  readonly node: number;
  readonly name: string;
  readonly state: SavedState;
  readonly version_now: number;
  readonly culprit: Write | null;
}

/**
 * A storage of the graph was written: its counter now (that of all saved values in it), the writes
 * since it was last told of, and the saved values whose state that changed. `opened` is the whole
 * timeline of one that was not told of before.
 */
export interface StorageChange {
  readonly storage: number;
  readonly version: number;
  readonly writes: readonly Write[];
  readonly writes_dropped: number;
  readonly saved: readonly SavedRun[];
  readonly opened: Storage | null;
}

export const readWrite: Reader<Write> = record<Write>({
  version: integer,
  clock: integer,
  op: string,
  place: nullable(readPlace),
  alias: optional(string, '')
});

export const readSaved: Reader<Saved> = record<Saved>({
  name: string,
  state: readSavedState,
  shape: optional(array(integer), []),
  dtype: optional(string, ''),
  bytes: optional(integer, 0),
  storage: optional(nullable(integer), null),
  version_saved: optional(nullable(integer), 0),
  version_now: optional(integer, 0),
  culprit: optional(nullable(readWrite), null),
  value: optional(string, ''),
  tangents: optional(array(readTangent), [])
});

export const readSaveMark: Reader<SaveMark> = record<SaveMark>({
  node: integer,
  name: string,
  version: nullable(integer),
  clock: integer,
  state: readSavedState
});

export const readStorage: Reader<Storage> = record<Storage>({
  id: integer,
  label: string,
  shape: array(integer),
  dtype: string,
  bytes: integer,
  version: integer,
  writes: optional(array(readWrite), []),
  writes_dropped: optional(integer, 0),
  saves: optional(array(readSaveMark), []),
  saves_dropped: optional(integer, 0)
});

export const readSavedRun: Reader<SavedRun> = record<SavedRun>({
  node: integer,
  name: string,
  state: readSavedState,
  version_now: integer,
  culprit: optional(nullable(readWrite), null)
});

export const readStorageChange: Reader<StorageChange> = record<StorageChange>({
  storage: integer,
  version: integer,
  writes: optional(array(readWrite), []),
  writes_dropped: optional(integer, 0),
  saved: optional(array(readSavedRun), []),
  opened: optional(nullable(readStorage), null)
});
