// Made by `make types` from vizgrad/debugger/model/nodes.py: do not edit.
/** A node of the backward graph: where its gradients go, its formulas, what it is called. */
import { array, integer, nullable, optional, record, string } from '../check';
import type { Reader } from '../check';
import { readPlace } from './place';
import type { Place } from './place';
import { readSaved } from './memory';
import type { Saved } from './memory';

/** "op", "function", "leaf", "copy_slices", "root" */
export type NodeKind = string;

/** Where the gradient of one input goes: slot `input_nr` of node `node`; None: nowhere. */
export interface Edge {
  readonly node: number | null;
  readonly input_nr: number;
  /** Name of the forward input this edge stands for (`self`, `other`, `weight`). */
  readonly name: string;
}

/** The derivative for one input: its source text, and the same as a line of mathematics. */
export interface Formula {
  readonly input: string;
  readonly source: string;
  readonly math: string;
}

/**
 * The derivative for one input as mathematics: the text of a `math` element (MathML), the same as a
 * line of text, and what the letters stand for.
 */
export interface Mathematics {
  readonly input: string;
  readonly mathml: string;
  readonly text: string;
  readonly where: string;
}

/**
 * The examples of one `vmap`: `size` of them along dimension `dim`, in which each has so many
 * `rows`.
 */
export interface Batch {
  readonly dim: number;
  readonly size: number;
  readonly rows: number;
}

/**
 * Shape and dtype the gradient for one output slot must have, and where it must be ("unknown" for a
 * node that leads nowhere). A dtype "unknown": the engine does not tell any of it. `batches` are
 * those of each `vmap` that it was computed in, the outermost first.
 */
export interface OutputMeta {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly device: string;
  readonly batches: readonly Batch[];
}

/**
 * One node of the backward graph. `id` is its index in `Graph.nodes`.
 *
 * `label` is the variable's name for a leaf (empty if unknown), `scope` the path of module names
 * and `vg.scope` blocks it was recorded in, outermost first.
 */
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

/**
 * The name of a node: its own, and for a leaf its variable's.
 *
 * `needed` gradients have to arrive at it in this run before it is run; 0 for one that is skipped.
 */
export interface Name {
  readonly node: number;
  readonly name: string;
  readonly label: string;
  readonly needed: number;
}

export const readEdge: Reader<Edge> = record<Edge>({
  node: nullable(integer),
  input_nr: optional(integer, 0),
  name: optional(string, '')
});

export const readFormula: Reader<Formula> = record<Formula>({
  input: string,
  source: string,
  math: optional(string, '')
});

export const readMathematics: Reader<Mathematics> = record<Mathematics>({
  input: string,
  mathml: string,
  text: string,
  where: optional(string, '')
});

export const readBatch: Reader<Batch> = record<Batch>({
  dim: integer,
  size: integer,
  rows: optional(integer, 1)
});

export const readOutputMeta: Reader<OutputMeta> = record<OutputMeta>({
  shape: array(integer),
  dtype: string,
  device: string,
  batches: optional(array(readBatch), [])
});

export const readNode: Reader<Node> = record<Node>({
  id: integer,
  name: string,
  kind: string,
  sequence_nr: integer,
  topological_nr: integer,
  edges: array(readEdge),
  outputs: array(readOutputMeta),
  saved: optional(array(readSaved), []),
  formulas: optional(array(readFormula), []),
  scope: optional(array(string), []),
  place: optional(nullable(readPlace), null),
  label: optional(string, ''),
  hooks: optional(array(string), [])
});

export const readName: Reader<Name> = record<Name>({
  node: integer,
  name: string,
  label: optional(string, ''),
  needed: optional(integer, 0)
});
