/** What an edge shows: whether a gradient went over it, and how large it was. */
import { edgeKey } from '../../store';
import type { EdgeRef } from './visible';

export type Flow = 'value' | 'undefined' | 'none';

export interface EdgeFlow {
  readonly flow: Flow;
  /** The largest norm of the gradients, when there was one. */
  readonly norm: number | null;
}

/** A line may stand for several edges: one gradient that flowed makes it a line that flowed. */
export function flowOf(
  edges: readonly EdgeRef[],
  flows: ReadonlyMap<number, number | null>
): EdgeFlow {
  let flow: Flow = 'none';
  let norm: number | null = null;
  for (const { node, edge } of edges) {
    const value = flows.get(edgeKey(node, edge));
    if (value === undefined) {
      continue;
    }
    if (value === null) {
      flow = flow === 'none' ? 'undefined' : flow;
    } else {
      flow = 'value';
      norm = norm === null || Number.isNaN(value) || value > norm ? value : norm;
    }
  }
  return { flow, norm };
}

const THIN = 1.3;
const THICK = 4.5;

/**
 * Line width by the logarithm of the norm, from 1e-6 (thin) to 1e3 (thick). The scale is fixed,
 * so that a width means the same at every step and in every graph.
 */
export function lineWidth({ flow, norm }: EdgeFlow): number {
  if (flow !== 'value' || norm === null || norm <= 0) {
    return THIN;
  }
  if (!Number.isFinite(norm)) {
    return THICK;
  }
  const share = Math.min(Math.max((Math.log10(norm) + 6) / 9, 0), 1);
  return Math.round((THIN + share * (THICK - THIN)) * 10) / 10;
}
