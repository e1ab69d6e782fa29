/**
 * What a debugger can know about a backward pass: the JSON form of `vizgrad/inspection/model.py`.
 *
 * Field names are those of the Python dataclasses, unchanged, so that one word means one thing on
 * both sides of the wire. The meaning of each field is documented there and only there.
 */

/** The largest version of the JSON form this reader understands. */
export const MODEL_VERSION = 1;

export const NODE_KINDS = ['op', 'function', 'leaf', 'copy_slices', 'root'] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

export const NODE_STATES = [
  'waiting',
  'ready',
  'current',
  'done',
  'skipped',
  'captured',
  'error'
] as const;
export type NodeState = (typeof NODE_STATES)[number];

export const SAVED_STATES = ['alive', 'stale', 'freed', 'packed'] as const;
export type SavedState = (typeof SAVED_STATES)[number];

export const RUN_STATUSES = ['paused', 'finished', 'failed', 'closed'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const ACCUMULATIONS = [
  'taken',
  'copied',
  'added in place',
  'new tensor',
  'dropped',
  'undefined'
] as const;
export type Accumulation = (typeof ACCUMULATIONS)[number];

/** The eleven stages of one node visit, in the order they run. */
export const STAGES = [
  'tensor_hooks',
  'retain_grad',
  'capture',
  'prehooks',
  'formula',
  'validate',
  'post_accumulate',
  'posthooks',
  'release',
  'nan_check',
  'deliver'
] as const;
export type Stage = (typeof STAGES)[number];

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly cell: string | null;
  readonly text: string;
}

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
  readonly heat: readonly (readonly (number | null)[])[];
  readonly values: readonly number[] | null;
  readonly layout: string;
  readonly nnz: number | null;
}

export interface Write {
  readonly version: number;
  readonly clock: number;
  readonly op: string;
  readonly place: Place | null;
  readonly alias: string;
}

export interface Saved {
  readonly name: string;
  readonly state: SavedState;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bytes: number;
  readonly storage: number | null;
  /** Null: so many writes ago that it is not known any more. */
  readonly version_saved: number | null;
  readonly version_now: number;
  readonly culprit: Write | null;
  readonly value: string;
}

export interface Edge {
  readonly node: number | null;
  readonly input_nr: number;
  readonly name: string;
}

export interface Formula {
  readonly input: string;
  readonly source: string;
  readonly math: string;
}

export interface OutputMeta {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly device: string;
}

export interface Node {
  readonly id: number;
  readonly name: string;
  readonly kind: NodeKind;
  readonly sequence_nr: number;
  readonly topological_nr: number;
  readonly edges: readonly Edge[];
  readonly outputs: readonly OutputMeta[];
  readonly saved: readonly Saved[];
  readonly formulas: readonly Formula[];
  readonly scope: readonly string[];
  readonly place: Place | null;
  readonly label: string;
  readonly hooks: readonly string[];
}

export interface SaveMark {
  readonly node: number;
  readonly name: string;
  readonly version: number | null;
  readonly clock: number;
  readonly state: SavedState;
}

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
}

export interface Graph {
  readonly nodes: readonly Node[];
  readonly roots: readonly (readonly [number, number])[];
  readonly storages: readonly Storage[];
  readonly title: string;
  readonly truncated: number;
}

export interface StageRecord {
  readonly stage: Stage;
  readonly detail: string;
  readonly before: TensorSummary | null;
  readonly after: TensorSummary | null;
}

export interface Routed {
  readonly edge: Edge;
  readonly computed: TensorSummary | null;
  readonly routed: TensorSummary | null;
  readonly note: string;
}

export interface AccumulateRecord {
  readonly decision: Accumulation;
  readonly reason: string;
  readonly before: TensorSummary | null;
  readonly after: TensorSummary | null;
}

export interface Visit {
  readonly index: number;
  readonly node: number;
  readonly incoming: readonly (TensorSummary | null)[];
  readonly routed: readonly Routed[];
  readonly stages: readonly StageRecord[];
  readonly accumulate: AccumulateRecord | null;
  readonly released_bytes: number;
  readonly seconds: number;
  readonly error: string;
}

export interface Ready {
  readonly node: number;
  readonly priority: number;
}

export interface Buffer {
  readonly node: number;
  readonly input_nr: number;
  readonly value: TensorSummary | null;
}

export interface NodeRun {
  readonly state: NodeState;
  readonly delivered: number;
  readonly needed: number;
  readonly order: number | null;
  readonly reason: string;
  readonly grad_norm: number | null;
}

export interface EdgeRun {
  readonly node: number;
  readonly edge: number;
  readonly norm: number | null;
}

export interface SavedRun {
  readonly node: number;
  readonly name: string;
  readonly state: SavedState;
  readonly version_now: number;
  readonly culprit: Write | null;
}

export interface Modes {
  readonly grad: boolean;
  readonly inference: boolean;
  readonly anomaly: boolean;
  readonly forward_level: number;
  readonly multithreading: boolean;
}

export interface Run {
  readonly status: RunStatus;
  readonly position: number;
  readonly recorded: number;
  readonly total: number;
  readonly current: number | null;
  readonly nodes: readonly NodeRun[];
  readonly ready: readonly Ready[];
  readonly buffers: readonly Buffer[];
  readonly edges: readonly EdgeRun[];
  readonly saved: readonly SavedRun[];
  readonly breakpoints: readonly number[];
  readonly earliest: number;
  readonly error: string;
  readonly modes: Modes;
}
