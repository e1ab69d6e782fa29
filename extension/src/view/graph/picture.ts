/**
 * A drawing, with what is looked up in it: by key, by node, by group. Made once for each drawing; a
 * step changes nothing in it.
 */
import type { Drawing, DrawnBox, DrawnFrame, Group, Node } from '../../protocol';
import { around } from './geometry';
import type { Box } from './geometry';
import type { TextMetrics } from './text';

export interface Picture {
  readonly drawing: Drawing;
  readonly metrics: TextMetrics;
  readonly nodes: ReadonlyMap<number, Node>;
  readonly groups: ReadonlyMap<number, Group>;
  /** Places in `drawing.boxes`, by key. */
  readonly boxes: ReadonlyMap<string, number>;
  /** Places in `drawing.frames`, by group. */
  readonly frames: ReadonlyMap<number, number>;
  /** How many frames are around each frame. */
  readonly depths: readonly number[];
  /** What each line covers. */
  readonly extents: readonly Box[];
  /** Lines that start at each box, and those that end there. */
  readonly leaving: readonly (readonly number[])[];
  readonly arriving: readonly (readonly number[])[];
  /** Lines that come into each frame from outside. */
  readonly entering: readonly (readonly number[])[];
  /** Where a node is drawn: at several places for a leaf, in the box of its group if that is closed. */
  keysOf(node: number): readonly string[];
}

export function pictureOf(drawing: Drawing, metrics: TextMetrics): Picture {
  const { boxes, lines, frames } = drawing;
  const depths: number[] = [];
  for (const { parent } of frames) {
    depths.push(parent === null ? 0 : (depths[parent] ?? 0) + 1);
  }
  const leaving: number[][] = boxes.map(() => []);
  const arriving: number[][] = boxes.map(() => []);
  lines.forEach(({ source, target }, line) => {
    leaving[source]?.push(line);
    arriving[target]?.push(line);
  });
  return {
    drawing,
    metrics,
    nodes: new Map(drawing.nodes.map(node => [node.id, node])),
    groups: new Map(drawing.groups.map(group => [group.id, group])),
    boxes: new Map(boxes.map(({ key }, index) => [key, index])),
    frames: new Map(frames.map(({ group }, index) => [group, index])),
    depths,
    extents: lines.map(({ points }) => extent(points)),
    leaving,
    arriving,
    entering: enteringLines(drawing),
    keysOf: whereabouts(boxes)
  };
}

/** The key of the frame of an open group; boxes have keys of the kernel's, without a space. */
export function frameKey(group: number): string {
  return `frame ${group}`;
}

/** The frame with this key, if it is one's and it is drawn. */
export function frameOf(picture: Picture, key: string): DrawnFrame | undefined {
  return key.startsWith('frame ')
    ? picture.drawing.frames[picture.frames.get(Number(key.slice(6))) ?? -1]
    : undefined;
}

export function boxOf(picture: Picture, key: string): DrawnBox | undefined {
  return picture.drawing.boxes[picture.boxes.get(key) ?? -1];
}

/** What a key stands for, as far as its place matters. */
export function placeOf(picture: Picture, key: string): Box | undefined {
  return boxOf(picture, key) ?? frameOf(picture, key);
}

export function whole({ drawing: { width, height } }: Picture): Box {
  return { x: 0, y: 0, width, height };
}

/** Whether nodes are behind the box, rather than one node or leaf on it. */
export function isFolded({ kind }: DrawnBox): boolean {
  return kind === 'group' || kind === 'cells';
}

function enteringLines({ boxes, lines, frames }: Drawing): readonly (readonly number[])[] {
  const entering: number[][] = frames.map(() => []);
  lines.forEach(({ source, target }, line) => {
    const from = new Set(framesAround(frames, boxes[source]));
    for (const frame of framesAround(frames, boxes[target])) {
      if (!from.has(frame)) {
        entering[frame]?.push(line);
      }
    }
  });
  return entering;
}

function framesAround(frames: readonly DrawnFrame[], box: DrawnBox | undefined): number[] {
  const around: number[] = [];
  for (let at = box?.frame ?? null; at !== null; at = frames[at]?.parent ?? null) {
    around.push(at);
  }
  return around;
}

function whereabouts(boxes: readonly DrawnBox[]): Picture['keysOf'] {
  const single = new Map<number, string[]>();
  const folded: DrawnBox[] = [];
  for (const box of boxes) {
    if (isFolded(box)) {
      folded.push(box);
    } else if (box.node !== null && box.kind !== 'result') {
      const keys = single.get(box.node);
      if (keys) {
        keys.push(box.key);
      } else {
        single.set(box.node, [box.key]);
      }
    }
  }
  // Closed groups are intervals that do not overlap.
  folded.sort((a, b) => a.first - b.first);
  return node => {
    const keys = single.get(node);
    if (keys) {
      return keys;
    }
    let low = 0;
    let high = folded.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((folded[middle] as DrawnBox).last > node) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const box = folded[low];
    return box && box.first <= node ? [box.key] : [];
  };
}

function extent(points: readonly number[]): Box {
  const corners: Box[] = [];
  for (let i = 0; i + 1 < points.length; i += 2) {
    corners.push({ x: points[i] as number, y: points[i + 1] as number, width: 0, height: 0 });
  }
  return around(corners);
}
