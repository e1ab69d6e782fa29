import { expect, test } from 'vitest';

import { box, drawing, frame, line } from '../../../tests/drawings';
import { partsOn } from './parts';
import { pictureOf } from './picture';
import { TextMetrics } from './text';

const chain = (count: number) =>
  pictureOf(
    drawing({
      boxes: Array.from({ length: count }, (_, i) => box(`n${i}`, { y: 100 * i })),
      lines: Array.from({ length: count - 1 }, (_, i) => {
        const y = 100 * i + 52;
        return line(i, i + 1, { points: [70, y, 70, y + 24, 70, y + 24, 70, y + 48] });
      }),
      frames: [frame(0, { y: 0, height: 300 })]
    }),
    new TextMetrics()
  );
const within = { x: 0, y: 1000, width: 500, height: 180 };

test('a small picture is drawn whole', () => {
  expect(partsOn(chain(150), within, null).boxes).toHaveLength(150);
});

test('of a large one what is on the screen, and what has the focus', () => {
  const { boxes, lines, frames } = partsOn(chain(500), within, 'n3');
  expect(boxes).toEqual([3, 10, 11]);
  expect(lines).toEqual([9, 10, 11]);
  expect(frames).toEqual([]);
});
