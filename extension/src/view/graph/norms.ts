/**
 * Equal cells compared: the norm of one gradient in each, as a small curve. From left to right as the
 * run goes, so that a curve that falls is a gradient that vanishes on its way back.
 */
import * as format from '../format';

export type Norms = readonly (number | null)[];

export interface CurveLine {
  /** Path data within the width and height asked for. */
  readonly line: string;
  /** Cells beside which nothing is defined, as dots. */
  readonly dots: string;
  /** Cells whose gradient is zero: it has no logarithm. */
  readonly zeros: string;
  /** Cells whose gradient is not finite. */
  readonly odd: string;
}

/** At least so many powers of ten from bottom to top, as in the static picture: flat is to look flat. */
const LEAST_SPAN = 1;

export function curveLine(norms: Norms, width: number, height: number): CurveLine {
  const { low, high } = range(norms);
  const x = (cell: number): string => round(((cell + 0.5) * width) / norms.length);
  const y = (norm: number): string =>
    round(height - ((Math.log10(norm) - low) / (high - low)) * height);
  const line: string[] = [];
  const dots: string[] = [];
  const zeros = new Set<string>();
  const odd = new Set<string>();
  for (const stretch of stretches(norms)) {
    const points = thinned(stretch, norms, (2 * width) / norms.length);
    const path = points.map(cell => `${x(cell)},${y(norms[cell] as number)}`);
    if (path.length === 1) {
      dots.push(`M${path[0]}h0`);
    } else {
      line.push(`M${path.join('L')}`);
    }
  }
  norms.forEach((norm, cell) => {
    if (norm === 0) {
      zeros.add(`M${x(cell)},${round(height)}h0`);
    } else if (norm !== null && !Number.isFinite(norm)) {
      odd.add(`M${x(cell)},0V${round(height)}`);
    }
  });
  return {
    line: line.join(''),
    dots: dots.join(''),
    zeros: [...zeros].join(''),
    odd: [...odd].join('')
  };
}

/** Powers of ten at the bottom and at the top. */
function range(norms: Norms): { low: number; high: number } {
  let low = Infinity;
  let high = -Infinity;
  for (const norm of norms) {
    if (isDrawn(norm)) {
      low = Math.min(low, Math.log10(norm));
      high = Math.max(high, Math.log10(norm));
    }
  }
  if (low === Infinity) {
    return { low: 0, high: LEAST_SPAN };
  }
  const missing = Math.max(0, LEAST_SPAN - (high - low)) / 2;
  return { low: low - missing, high: high + missing };
}

function isDrawn(norm: number | null | undefined): norm is number {
  return norm !== null && norm !== undefined && norm > 0 && Number.isFinite(norm);
}

/** Cells in a row that can be drawn. */
function stretches(norms: Norms): number[][] {
  const found: number[][] = [];
  norms.forEach((norm, cell) => {
    if (isDrawn(norm)) {
      if (cell > 0 && isDrawn(norms[cell - 1])) {
        found[found.length - 1]?.push(cell);
      } else {
        found.push([cell]);
      }
    }
  });
  return found;
}

/** Of more cells than half pixels (`share` of one each), the smallest and the largest of each few. */
function thinned(cells: readonly number[], norms: Norms, share: number): readonly number[] {
  if (share >= 1) {
    return cells;
  }
  const few = Math.ceil(2 / share);
  const kept: number[] = [];
  for (let at = 0; at < cells.length; at += few) {
    const some = cells.slice(at, at + few);
    const by = [...some].sort((a, b) => (norms[a] as number) - (norms[b] as number));
    const ends = new Set([by[0] as number, by[by.length - 1] as number]);
    kept.push(...some.filter(cell => ends.has(cell)));
  }
  return kept;
}

function round(value: number): string {
  return `${Math.round(value * 10) / 10}`;
}

// --- in words ---

/** What the curve tells, of what has arrived so far. */
export interface Trend {
  readonly first: number;
  readonly last: number;
  /** Last over first: below 1 it falls. Null where one of them is zero or not finite. */
  readonly factor: number | null;
  readonly min: number;
  readonly max: number;
  readonly odd: number;
  readonly zeros: number;
  readonly seen: number;
}

/** Null as long as no gradient has arrived anywhere. */
export function trendOf(norms: Norms): Trend | null {
  const seen = norms.filter(norm => norm !== null);
  const first = seen[0];
  const last = seen[seen.length - 1];
  if (first === undefined || last === undefined) {
    return null;
  }
  let min = Infinity;
  let max = -Infinity;
  for (const norm of seen) {
    if (Number.isFinite(norm)) {
      min = Math.min(min, norm);
      max = Math.max(max, norm);
    }
  }
  return {
    first,
    last,
    factor: isDrawn(first) && isDrawn(last) ? last / first : null,
    min,
    max,
    odd: seen.filter(norm => !Number.isFinite(norm)).length,
    zeros: seen.filter(norm => norm === 0).length,
    seen: seen.length
  };
}

/** Falling or growing by less than this from the first cell to the last is not worth a word. */
const WORTH = 10;

/** "falls 650×", "grows 3e4×", "3 not finite": beside the curve. Empty where nothing is unusual. */
export function trendBrief(trend: Trend | null): string {
  if (trend === null) {
    return '';
  }
  if (trend.odd > 0) {
    return `${trend.odd} not finite`;
  }
  if (trend.last === 0 && trend.first > 0) {
    return 'falls to 0';
  }
  const { factor } = trend;
  if (factor !== null && factor <= 1 / WORTH) {
    return `falls ${times(1 / factor)}×`;
  }
  return factor !== null && factor >= WORTH ? `grows ${times(factor)}×` : '';
}

/**
 * The whole of it, for a tooltip and a screen reader. Of very many cells the kernel tells some in a row as
 * one norm: that of what ran first in them.
 */
export function trendText(norms: Norms, cells: number): string {
  const trend = trendOf(norms);
  if (trend === null) {
    return `gradient norms of ${cells} cells: none yet`;
  }
  const ends =
    trend.seen === 1
      ? format.brief(trend.first)
      : `${format.brief(trend.first)} in the first to run, ${format.brief(trend.last)} in the last`;
  const brief = trendBrief(trend);
  const span =
    trend.min <= trend.max
      ? `smallest ${format.brief(trend.min)}, largest ${format.brief(trend.max)}`
      : '';
  const zeros = trend.zeros > 0 && `${trend.zeros} zero`;
  const so = brief ? `: ${brief.replace('×', ' times')}` : '';
  const of =
    norms.length < cells
      ? `${format.whole(norms.length)} stretches of ${format.whole(cells)} cells`
      : `${format.whole(cells)} cells`;
  const head = `gradient norms in the order of the run, ${trend.seen} of ${of}: ${ends}${so}`;
  return [head, span, zeros].filter(Boolean).join('; ');
}

function times(factor: number): string {
  return format.brief(Number(factor.toPrecision(2)));
}
