/**
 * SVG path data of lines and arrow heads. A route is x and y in turn of a chain of cubic Béziers:
 * the start, then three points for each piece. It ends where the arrow's tip is.
 */
import type { Point } from './geometry';

export type Route = readonly number[];

const HEAD = 8;
const HEAD_HALF = 3.6;

/** The line, ending inside the arrow head. */
export function linePath(route: Route): string {
  if (route.length < 8) {
    return '';
  }
  const [x, y, ...rest] = route as [number, number, ...number[]];
  const last = rest.length - 1;
  const end = rest[last] as number;
  // Lines arrive from above; a thick one must not reach past the tip.
  rest[last] = end - 0.7 * HEAD;
  rest[last - 2] = Math.min(rest[last - 2] as number, end - 0.7 * HEAD);
  return `M${round(x)},${round(y)}C${rest.map(round).join(' ')}`;
}

/** A filled triangle whose tip is the end of the route. */
export function headPath(route: Route): string {
  const tip = pointOf(route, route.length / 2 - 1);
  let before = tip;
  for (let i = route.length / 2 - 2; i >= 0 && distance(before, tip) <= 1; i--) {
    before = pointOf(route, i);
  }
  const length = distance(before, tip);
  if (!(length > 1)) {
    return '';
  }
  const ux = (tip.x - before.x) / length;
  const uy = (tip.y - before.y) / length;
  const base = { x: tip.x - ux * HEAD, y: tip.y - uy * HEAD };
  const left = { x: base.x - uy * HEAD_HALF, y: base.y + ux * HEAD_HALF };
  const right = { x: base.x + uy * HEAD_HALF, y: base.y - ux * HEAD_HALF };
  return `M${at(tip)}L${at(left)} ${at(right)}Z`;
}

/** The point at `share` (0 to 1) of the route, counted in pieces. For labels: near is enough. */
export function pointAt(route: Route, share: number): Point {
  const pieces = Math.floor((route.length / 2 - 1) / 3);
  if (pieces < 1) {
    return pointOf(route, 0);
  }
  const piece = Math.min(Math.floor(share * pieces), pieces - 1);
  const t = share * pieces - piece;
  const u = 1 - t;
  const weights = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
  return weights.reduce(
    (sum, weight, i) => {
      const point = pointOf(route, 3 * piece + i);
      return { x: sum.x + weight * point.x, y: sum.y + weight * point.y };
    },
    { x: 0, y: 0 }
  );
}

function pointOf(route: Route, index: number): Point {
  return { x: route[2 * index] ?? 0, y: route[2 * index + 1] ?? 0 };
}

function at({ x, y }: Point): string {
  return `${round(x)},${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
