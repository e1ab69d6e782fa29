/** What the panel of the memory shows of the bytes that are held. */
import type { Held } from '../../store';

export interface Holder {
  readonly node: number;
  readonly bytes: number;
}

/** A curve of more points than it is pixels wide is thinned out. */
const MOST_POINTS = 600;

/** The nodes that hold most now, the largest first. */
export function largestHolders({ byNode }: Held, count: number): readonly Holder[] {
  const best: Holder[] = [];
  const less = (a: Holder, b: Holder): number => b.bytes - a.bytes || a.node - b.node;
  for (const [node, bytes] of byNode) {
    const last = best[count - 1];
    if (last === undefined || less({ node, bytes }, last) < 0) {
      best.push({ node, bytes });
      best.sort(less);
      best.length = Math.min(best.length, count);
    }
  }
  return best;
}

/** Steps with the bytes held after them; of a crowd each the one that holds most. */
export function curvePoints(steps: readonly number[]): readonly (readonly [number, number])[] {
  const stride = Math.ceil(steps.length / MOST_POINTS);
  const points: [number, number][] = [];
  for (let step = 0; step < steps.length; step += stride) {
    let most = step;
    for (let other = step; other < Math.min(step + stride, steps.length); other++) {
      most = (steps[other] ?? 0) > (steps[most] ?? 0) ? other : most;
    }
    points.push([step === 0 ? 0 : most, steps[most] ?? 0]);
  }
  return points;
}
