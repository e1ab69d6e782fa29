/**
 * Nothing jumps: when another drawing takes the place of one, there is a point in both that stays
 * where it is on the screen.
 */
import type { DrawnBox } from '../../protocol';
import { centre, touches } from './geometry';
import type { Box, Point } from './geometry';
import { boxOf, frameKey, frameOf, isFolded, placeOf } from './picture';
import type { Picture } from './picture';

/** What a person has just opened or closed. */
export interface Toggled {
  readonly group: number;
  /** What was clicked: for a box of cells, the cell that takes its place is what stays there. */
  readonly key: string | null;
}

export interface Held {
  /** Where the point was in the picture before, and is now. */
  readonly was: Point;
  readonly now: Point;
}

/**
 * The point to hold: the corner of what was opened or closed; else that of the first of `keys` that is
 * in both and can be seen; else that of the box nearest to the middle of what is `seen`. Null if there
 * is nothing in common.
 */
export function held(
  before: Picture,
  after: Picture,
  seen: Box,
  toggled: Toggled | null,
  keys: readonly (string | null)[]
): Held | null {
  const shown = (box: Box | undefined): box is Box => box !== undefined && touches(box, seen);
  const pairs = [
    ...(toggled ? pairsOfToggled(before, after, toggled) : []),
    ...keys.map(key => (key === null ? [] : ([placeOf(before, key), placeOf(after, key)] as const)))
  ];
  for (const [was, now] of pairs) {
    if (shown(was) && now) {
      return corners(was, now);
    }
  }
  return nearestInBoth(before, after, seen) ?? nearestAround(before, after, seen);
}

type Pair = readonly [Box | undefined, Box | undefined];

function* pairsOfToggled(before: Picture, after: Picture, toggled: Toggled): Generator<Pair> {
  const { group, key } = toggled;
  const clicked = key === null ? undefined : boxOf(before, key);
  if (clicked?.kind === 'cells') {
    yield [clicked, chosenCell(after, group)];
  }
  yield [placeOfGroup(before, group), placeOfGroup(after, group)];
}

/** The box of a closed group, or the frame of an open one. */
function placeOfGroup(picture: Picture, group: number): Box | undefined {
  return (
    frameOf(picture, frameKey(group)) ??
    picture.drawing.boxes.find(box => box.kind === 'group' && box.group === group)
  );
}

/** What is drawn of the cell that is shown of an open group: a frame or box of its own, if it is one. */
function chosenCell({ drawing, frames }: Picture, group: number): Box | undefined {
  const around = frames.get(group);
  if (around === undefined || drawing.frames[around]?.cell == null) {
    return undefined;
  }
  const inside = [
    ...drawing.frames.filter(({ parent }) => parent === around),
    ...drawing.boxes.filter(({ frame, kind }) => frame === around && kind === 'group')
  ];
  return inside.length === 1 ? inside[0] : undefined;
}

function corners(was: Box, now: Box): Held {
  return { was: { x: was.x, y: was.y }, now: { x: now.x, y: now.y } };
}

/** The box nearest to the middle, among those that are in both drawings. */
function nearestInBoth(before: Picture, after: Picture, seen: Box): Held | null {
  const found = nearest(before.drawing.boxes, seen, ({ key }) => after.boxes.has(key));
  const now = found && placeOf(after, found.key);
  return found && now ? corners(found, now) : null;
}

/** The same, where one of the two holds what the other shows: everything was opened or closed. */
function nearestAround(before: Picture, after: Picture, seen: Box): Held | null {
  const key = (box: DrawnBox): string | undefined => {
    const node = isFolded(box) ? box.first : box.node;
    return node === null ? undefined : after.keysOf(node)[0];
  };
  const found = nearest(before.drawing.boxes, seen, box => key(box) !== undefined);
  const now = found && placeOf(after, key(found) ?? '');
  return found && now ? corners(found, now) : null;
}

function nearest(
  boxes: readonly DrawnBox[],
  seen: Box,
  fits: (box: DrawnBox) => boolean
): DrawnBox | null {
  const middle = centre(seen);
  let best: DrawnBox | null = null;
  let least = Infinity;
  for (const box of boxes) {
    const { x, y } = centre(box);
    const distance = Math.hypot(x - middle.x, y - middle.y);
    if (distance < least && touches(box, seen) && fits(box)) {
      best = box;
      least = distance;
    }
  }
  return best;
}
