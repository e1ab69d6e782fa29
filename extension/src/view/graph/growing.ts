/**
 * Boxes as wide as their text: where type is larger than they were made for, as when all is zoomed to fit, a box grows
 * into the room beside it, so that names stay whole. It covers no other box, line or frame.
 */
import type { DrawnBox } from '../../protocol';
import { mainText } from './card';
import type { Box } from './geometry';
import { isFolded } from './picture';
import type { Picture } from './picture';
import type { TextMetrics } from './text';
import type { Detail } from './viewport';

/** How far a box may grow to either side. */
interface Room {
  readonly left: number;
  readonly right: number;
}

/** What a box keeps from others, and how far it grows at most. */
const GAP = 6;
const MOST = 400;
/** In a drawing of more boxes none grows: there is no room, and to look for it would take long. */
const MOST_BOXES = 1500;
const BAND = 32;
/** Of the smallest type, that boxes were made for. */
const MADE_FOR = 11;
/** Of a name seen from far away, beside the sign of the state. */
const SIGN = 33;
const END = 6;

const NONE: Room = { left: 0, right: 0 };

/** The rooms beside the boxes of a drawing, by their places in it. */
export function roomsOf({ drawing }: Picture): readonly Room[] {
  const { boxes, lines, frames } = drawing;
  if (boxes.length > MOST_BOXES) {
    return boxes.map(() => NONE);
  }
  const bands = new Map<number, Obstacle[]>();
  const add = (box: Box, grows: boolean): void => {
    const obstacle = { ...box, grows };
    for (let band = bandOf(box.y); band <= bandOf(box.y + box.height); band += 1) {
      const there = bands.get(band);
      if (there) {
        there.push(obstacle);
      } else {
        bands.set(band, [obstacle]);
      }
    }
  };
  boxes.forEach(box => add(box, true));
  for (const { x, y, width, height } of frames) {
    add({ x, y, width: 0, height }, false);
    add({ x: x + width, y, width: 0, height }, false);
  }
  for (const { points } of lines) {
    for (let i = 0; i + 3 < points.length; i += 2) {
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points.slice(i, i + 4);
      const [x, y] = [Math.min(x1, x2), Math.min(y1, y2)];
      add({ x, y, width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) }, false);
    }
  }
  return boxes.map(box => roomBeside(box, bands));
}

type Obstacle = Box & { readonly grows: boolean };

function bandOf(y: number): number {
  return Math.floor(y / BAND);
}

function roomBeside(box: Box, bands: ReadonlyMap<number, readonly Obstacle[]>): Room {
  let left = MOST;
  let right = MOST;
  for (let band = bandOf(box.y); band <= bandOf(box.y + box.height); band += 1) {
    for (const other of bands.get(band) ?? []) {
      // A line that comes in or goes out ends at the edge.
      if (other.y >= box.y + box.height - 1 || other.y + other.height <= box.y + 1) {
        continue;
      }
      const before = box.x - (other.x + other.width);
      const after = other.x - (box.x + box.width);
      if (before >= 0) {
        left = Math.min(left, other.grows ? before / 2 : before);
      } else if (after >= 0) {
        right = Math.min(right, other.grows ? after / 2 : after);
      }
    }
  }
  return { left: Math.max(0, left - GAP), right: Math.max(0, right - GAP) };
}

/** The box as it is drawn; `type` is the smallest type, in pixels of the picture. */
export function grown(
  picture: Picture,
  box: DrawnBox,
  { left, right }: Room = NONE,
  { metrics, type, detail }: { metrics: TextMetrics; type: number; detail: Detail }
): DrawnBox {
  const extra = wanted(picture, box, metrics, type, detail) - box.width;
  if (extra <= 0 || left + right <= 0) {
    return box;
  }
  const half = extra / 2;
  // To both sides alike, so that all lines of a spine come in in the middle; a leaf has one line.
  const alike = Math.floor(Math.min(left, right, half));
  const toLeft =
    box.kind === 'pin' ? Math.floor(Math.min(left, half + Math.max(0, half - right))) : alike;
  const toRight = box.kind === 'pin' ? Math.floor(Math.min(right, extra - toLeft)) : alike;
  return { ...box, x: box.x - toLeft, width: box.width + toLeft + toRight };
}

function wanted(
  { nodes }: Picture,
  box: DrawnBox,
  metrics: TextMetrics,
  type: number,
  detail: Detail
): number {
  if (detail === 'full') {
    return box.width * Math.max(1, type / MADE_FOR);
  }
  const node = nodes.get(box.node ?? -1);
  return detail === 'shape' || isFolded(box) || box.kind === 'result' || !node
    ? box.width
    : SIGN + END + metrics.width(mainText(node), node.kind === 'leaf' ? 'leaf' : 'name');
}
