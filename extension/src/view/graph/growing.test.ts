import { expect, test } from 'vitest';

import type { DrawnBox } from '../../protocol';
import { box, drawing, frame } from '../../../tests/drawings';
import { grown, roomsOf } from './growing';
import { pictureOf } from './picture';
import { TextMetrics } from './text';

const metrics = new TextMetrics(text => 6 * text.length);
const at = (key: string, x: number, y = 0): DrawnBox => box(key, { x, y, width: 100, height: 40 });
const shown = (
  boxes: DrawnBox[],
  type = 16.5,
  others: Partial<Parameters<typeof drawing>[0]> = {}
): DrawnBox[] => {
  const picture = pictureOf(drawing({ boxes, ...others }), metrics);
  const rooms = roomsOf(picture);
  return boxes.map((each, i) => grown(picture, each, rooms[i], { metrics, type, detail: 'full' }));
};
const sides = ({ x, width }: DrawnBox): [number, number] => [x, x + width];

test('a box grows with its type into the room beside it, to both sides alike', () => {
  expect(shown([at('n1', 200)], 11).map(sides)).toEqual([[200, 300]]);
  expect(shown([at('n1', 200)]).map(sides)).toEqual([[175, 325]]);
});

test('no box comes to another, to a line or to a frame', () => {
  const nodes = [at('n1', 200), at('n2', 330)];
  const [left, right] = shown(nodes) as [DrawnBox, DrawnBox];
  expect(sides(left)).toEqual([191, 309]); // its middle stays where the spine is
  expect(sides(right)).toEqual([321, 439]);
  const leaves = shown(nodes.map(each => ({ ...each, kind: 'pin' as const })));
  expect(leaves.map(sides)).toEqual([
    [159, 309], // what it cannot take at the right it takes at the left
    [321, 471]
  ]);
  const below = shown([at('n1', 200), at('n2', 230, 60)]);
  expect(below.map(sides)).toEqual([
    [175, 325],
    [205, 355]
  ]);
  const line = { ...LINE, source: 1, target: 2, points: [310, -100, 310, 100] };
  const [beside] = shown([at('n1', 200), at('n2', 250, -150), at('n3', 250, 110)], 16.5, {
    lines: [line]
  }) as [DrawnBox];
  expect(sides(beside)[1]).toBeLessThan(310);
  const inside = { ...at('n1', 20), frame: 0 };
  const [within] = shown([inside], 16.5, {
    frames: [frame(1, { x: 10, y: -20, width: 130, height: 100 })]
  }) as [DrawnBox];
  expect(sides(within)).toEqual([16, 124]);
});

const LINE = {
  key: 'l',
  source: 0,
  target: 1,
  points: [],
  edges: 1,
  node: 1,
  edge: 0,
  slot: 0,
  name: ''
};
