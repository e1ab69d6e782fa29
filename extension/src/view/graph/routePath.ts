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

/** About the middle of the route, for a label. */
export function middle({ points, curved }: Route): Point {
  if (!curved || points.length < 4) {
    return points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
  }
  const pieces = Math.floor((points.length - 1) / 3);
  const start = Math.floor((pieces - 1) / 2) * 3;
  const [a, b, c, d] = points.slice(start, start + 4) as [Point, Point, Point, Point];
  return { x: (a.x + 3 * b.x + 3 * c.x + d.x) / 8, y: (a.y + 3 * b.y + 3 * c.y + d.y) / 8 };
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
