/** What a line shows: whether a gradient went over it, and how large it was. */

export type Flow = 'value' | 'undefined' | 'none';

/** Of a norm: null for an undefined gradient, undefined as long as nothing went over the line. */
export function flowOf(norm: number | null | undefined): Flow {
  return norm === undefined ? 'none' : norm === null ? 'undefined' : 'value';
}

const THIN = 1.3;
const THICK = 4.5;

/**
 * Line width by the logarithm of the norm, from 1e-6 (thin) to 1e3 (thick). The scale is fixed,
 * so that a width means the same at every step and in every graph.
 */
export function lineWidth(norm: number | null | undefined): number {
  if (norm === null || norm === undefined || norm <= 0) {
    return THIN;
  }
  if (!Number.isFinite(norm)) {
    return THICK;
  }
  const share = Math.min(Math.max((Math.log10(norm) + 6) / 9, 0), 1);
  return Math.round((THIN + share * (THICK - THIN)) * 10) / 10;
}
