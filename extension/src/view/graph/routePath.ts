/** SVG path data for routes and arrow heads, from numbers only. */
import type { Point, Route } from '../layout/types';

const HEAD = 8;
const HEAD_HALF = 3.6;

export function linePath({ points, curved }: Route): string {
  const [first, ...rest] = points;
  if (!first) {
    return '';
  }
  return `M${at(first)}${curved ? 'C' : 'L'}${rest.map(at).join(' ')}`;
}

/** A filled triangle whose tip is the end of the route. */
export function headPath({ points }: Route): string {
  const tip = points[points.length - 1];
  const before = tip && points.findLast(point => distance(point, tip) > 1);
  if (!tip || !before) {
    return '';
  }
  const length = distance(before, tip);
  const ux = (tip.x - before.x) / length;
  const uy = (tip.y - before.y) / length;
  const base = { x: tip.x - ux * HEAD, y: tip.y - uy * HEAD };
  const left = { x: base.x - uy * HEAD_HALF, y: base.y + ux * HEAD_HALF };
  const right = { x: base.x + uy * HEAD_HALF, y: base.y - ux * HEAD_HALF };
  return `M${at(tip)}L${at(left)} ${at(right)}Z`;
}

/** The point at `share` (0 to 1) of the route, counted in pieces. For labels: near is enough. */
export function pointAt({ points, curved }: Route, share: number): Point {
  const pieces = curved ? Math.floor((points.length - 1) / 3) : points.length - 1;
  if (pieces < 1) {
    return points[0] ?? { x: 0, y: 0 };
  }
  const piece = Math.min(Math.floor(share * pieces), pieces - 1);
  const t = share * pieces - piece;
  const mix = (weights: readonly number[], from: number): Point =>
    weights.reduce(
      (sum, weight, i) => {
        const point = points[from + i] as Point;
        return { x: sum.x + weight * point.x, y: sum.y + weight * point.y };
      },
      { x: 0, y: 0 }
    );
  const u = 1 - t;
  return curved
    ? mix([u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t], 3 * piece)
    : mix([u, t], piece);
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
