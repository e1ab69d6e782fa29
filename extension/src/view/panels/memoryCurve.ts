/** The points of the curve of the bytes that are held. */
/** A curve of more points than it is pixels wide is thinned out. */
const MOST_POINTS = 600;

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
