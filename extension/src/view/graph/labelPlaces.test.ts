import { expect, test } from 'vitest';

import { touches } from './geometry';
import { headBox, LabelPlaces } from './labelPlaces';

/** Straight down from (100, 40) to (100, 140). */
const route = [100, 40, 100, 90, 100, 90, 100, 140];
const size = { width: 50, height: 14 };
const boxes = [
  { x: 0, y: 0, width: 200, height: 40 },
  { x: 0, y: 140, width: 200, height: 40 },
  headBox(route)
];

test('a label is beside its line, and over no box, no arrow head and no other label', () => {
  const places = new LabelPlaces(boxes);
  const first = places.take(route, size);
  const second = places.take(route, size);
  expect(first && second).toBeTruthy();
  for (const label of [first, second]) {
    expect(label && (label.x > 100 || label.x + label.width < 100)).toBe(true);
    expect(boxes.some(box => label && touches(label, box))).toBe(false);
  }
  expect(first && second && touches(first, second)).toBe(false);
});

test('where there is no room there is no label', () => {
  const short = [100, 40, 100, 45, 100, 45, 100, 52];
  const around = [...boxes.slice(0, 1), { x: 0, y: 52, width: 200, height: 40 }];
  expect(new LabelPlaces(around).take(short, size)).toBeNull();
});
