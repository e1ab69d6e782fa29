/**
 * How large a gradient is, as one of nine steps of a fixed scale: a colour means the same at every
 * step of the run and in every graph.
 */

/** From -4 (vanished) over 0 (usual) to 4 (exploded); "odd" is what is not finite. */
export type Heat = -4 | -3 | -2 | -1 | 0 | 1 | 2 | 3 | 4 | 'odd';

/** Norms at which the next step begins. The usual is from a hundredth to ten. */
export const BOUNDS: readonly number[] = [1e-8, 1e-6, 1e-4, 1e-2, 1e1, 1e2, 1e3, 1e4];

export const HEATS: readonly Heat[] = [-4, -3, -2, -1, 0, 1, 2, 3, 4];

/** Null for a gradient that is undefined, or has not arrived. */
export function heatOf(norm: number | null | undefined): Heat | null {
  if (norm === null || norm === undefined) {
    return null;
  }
  if (!Number.isFinite(norm)) {
    return 'odd';
  }
  const above = BOUNDS.filter(bound => norm >= bound).length;
  return HEATS[above] as Heat;
}

/** For the style sheet; undefined where colours say something else. */
export function heatName(heat: Heat | null | undefined): string | undefined {
  return heat === undefined ? undefined : heat === null ? 'none' : `${heat}`;
}

/** What a step means, for the legend: "below 1e-8", "0.01 to 10", "1e4 and more". */
export function heatText(heat: Heat): string {
  if (heat === 'odd') {
    return 'NaN or infinite';
  }
  const at = HEATS.indexOf(heat);
  const low = BOUNDS[at - 1];
  const high = BOUNDS[at];
  if (low === undefined) {
    return `below ${power(high as number)}`;
  }
  return high === undefined ? `${power(low)} and more` : `${power(low)} to ${power(high)}`;
}

function power(norm: number): string {
  return norm >= 0.01 && norm <= 1000 ? `${norm}` : norm.toExponential(0).replace('e+', 'e');
}

/**
 * One band for each run of equal cells: what a group of many cells looks like from far away. Cells
 * are told apart down to `most` bands; of several in one the most unusual counts.
 */
export interface Band {
  readonly from: number;
  readonly to: number;
  readonly heat: Heat | null;
}

export function bandsOf(norms: readonly (number | null)[], most = 64): readonly Band[] {
  const count = Math.min(norms.length, most);
  const bands: Band[] = [];
  for (let i = 0; i < count; i++) {
    const start = Math.floor((i * norms.length) / count);
    const end = Math.floor(((i + 1) * norms.length) / count);
    const heat = norms
      .slice(start, end)
      .map(heatOf)
      .reduce((a, b) => (loudness(b) > loudness(a) ? b : a));
    const last = bands[bands.length - 1];
    if (last?.heat === heat) {
      bands[bands.length - 1] = { ...last, to: (i + 1) / count };
    } else {
      bands.push({ from: i / count, to: (i + 1) / count, heat });
    }
  }
  return bands;
}

function loudness(heat: Heat | null): number {
  return heat === null ? -1 : heat === 'odd' ? 9 : Math.abs(heat);
}
