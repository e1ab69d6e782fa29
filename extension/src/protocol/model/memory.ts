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

export const HEAP_USES = [
  'parameter',
  'gradient',
  'optimizer',
  'variable',
  'saved',
  'elsewhere',
  'garbage'
] as const;
export type HeapUse = (typeof HEAP_USES)[number];
export const readHeapUse = oneOf(HEAP_USES);

export const HELD_BYS = [
  'variable',
  'gradient',
  'optimizer',
  'saved',
  'context',
  'hook',
  'leaf',
  'view',
  'numpy',
  'elsewhere',
  'cycle'
] as const;
export type HeldBy = (typeof HELD_BYS)[number];
export const readHeldBy = oneOf(HELD_BYS);

export const HEAP_RELATIONS = ['base', 'view', 'shares', 'saved', 'numpy'] as const;
export type HeapRelation = (typeof HEAP_RELATIONS)[number];
export const readHeapRelation = oneOf(HEAP_RELATIONS);

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

/**
 * `text` is how a person gets at it (`losses[3]`, `.grad of model.0.weight`) or which slot of which
 * node it is.
 *
 * `place`: where that node was recorded; `graphs`: which variables keep it, and `graphs_more`: how
 * many more do.
 */
export interface HeapHolder {
  readonly kind: HeldBy;
  readonly text: string;
  readonly place: Place | null;
  readonly graphs: readonly string[];
  readonly graphs_more: number;
}

/**
 * One that shows the memory, or a part of it. `of` is the alias (its place in the list) that it is
 * a view of, or shares with; None for the first.
 *
 * `version` is its counter now; None where nothing counts (numpy, inference tensors). `maker`: the
 * operation that made a view.
 */
export interface HeapAlias {
  readonly name: string;
  readonly relation: HeapRelation;
  readonly of: number | null;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly version: number | null;
  readonly maker: string;
}

/**
 * A block of memory, counted once however many show it. `holders_more`, `aliases_more`: how many
 * are not told.
 */
export interface HeapStorage {
  readonly id: number;
  readonly name: string;
  readonly use: HeapUse;
  readonly bytes: number;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly device: string;
  readonly version: number | null;
  readonly holders: readonly HeapHolder[];
  readonly holders_more: number;
  readonly aliases: readonly HeapAlias[];
  readonly aliases_more: number;
}

/**
 * Variables that keep a part of the graphs alive: each of them does, and without all of them
 * `nodes` nodes of about `node_bytes` bytes would be gone, and `bytes` bytes of tensors.
 *
 * A single name keeps the part alone; `names_more` are not told. `sessions` are the titles of open
 * sessions that keep it, too, until they are closed. `through`: where in the variable the graph
 * begins. `since`: the line of the oldest node.
 */
export interface HeapKeeper {
  readonly names: readonly string[];
  readonly nodes: number;
  readonly node_bytes: number;
  readonly bytes: number;
  readonly names_more: number;
  readonly sessions: readonly string[];
  readonly through: string;
  readonly since: Place | null;
}

/**
 * Things that lead back to themselves: only the collector frees them.
 *
 * `path` names them in order, the first one again at its end. `held` are variables that still lead
 * there; if there are none it is garbage already, which keeps `nodes` and `bytes` until the
 * collector comes by.
 */
export interface HeapCycle {
  readonly path: readonly string[];
  readonly nodes: number;
  readonly bytes: number;
  readonly held: readonly string[];
  readonly place: Place | null;
}

export interface HeapShare {
  readonly use: HeapUse;
  readonly storages: number;
  readonly bytes: number;
}

/**
 * `bytes` is the sum of `storages` storages, and of `shares`; of `held`, the largest first,
 * `held_more` are not told. `nodes` counts PyTorch's, too. `keepers`: each of vizgrad's own is in
 * one of them; the largest first.
 *
 * `uncounted`: sentences about memory that is no part of it.
 */
export interface Heap {
  readonly bytes: number;
  readonly storages: number;
  readonly nodes: number;
  readonly shares: readonly HeapShare[];
  readonly held: readonly HeapStorage[];
  readonly held_more: number;
  readonly keepers: readonly HeapKeeper[];
  readonly keepers_more: number;
  readonly cycles: readonly HeapCycle[];
  readonly cycles_more: number;
  readonly uncounted: readonly string[];
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

export const readHeapHolder: Reader<HeapHolder> = record<HeapHolder>({
  kind: readHeldBy,
  text: string,
  place: optional(nullable(readPlace), null),
  graphs: optional(array(string), []),
  graphs_more: optional(integer, 0)
});

export const readHeapAlias: Reader<HeapAlias> = record<HeapAlias>({
  name: string,
  relation: readHeapRelation,
  of: nullable(integer),
  shape: array(integer),
  dtype: string,
  version: optional(nullable(integer), null),
  maker: optional(string, '')
});

export const readHeapStorage: Reader<HeapStorage> = record<HeapStorage>({
  id: integer,
  name: string,
  use: readHeapUse,
  bytes: integer,
  shape: array(integer),
  dtype: string,
  device: string,
  version: nullable(integer),
  holders: optional(array(readHeapHolder), []),
  holders_more: optional(integer, 0),
  aliases: optional(array(readHeapAlias), []),
  aliases_more: optional(integer, 0)
});

export const readHeapKeeper: Reader<HeapKeeper> = record<HeapKeeper>({
  names: array(string),
  nodes: integer,
  node_bytes: integer,
  bytes: integer,
  names_more: optional(integer, 0),
  sessions: optional(array(string), []),
  through: optional(string, ''),
  since: optional(nullable(readPlace), null)
});

export const readHeapCycle: Reader<HeapCycle> = record<HeapCycle>({
  path: array(string),
  nodes: integer,
  bytes: integer,
  held: optional(array(string), []),
  place: optional(nullable(readPlace), null)
});

export const readHeapShare: Reader<HeapShare> = record<HeapShare>({
  use: readHeapUse,
  storages: integer,
  bytes: integer
});

export const readHeap: Reader<Heap> = record<Heap>({
  bytes: integer,
  storages: integer,
  nodes: integer,
  shares: optional(array(readHeapShare), []),
  held: optional(array(readHeapStorage), []),
  held_more: optional(integer, 0),
  keepers: optional(array(readHeapKeeper), []),
  keepers_more: optional(integer, 0),
  cycles: optional(array(readHeapCycle), []),
  cycles_more: optional(integer, 0),
  uncounted: optional(array(string), [])
});
