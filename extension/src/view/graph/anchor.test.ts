import { expect, test } from 'vitest';

import { box, drawing, frame } from '../../../tests/drawings';
import { held } from './anchor';
import { pictureOf } from './picture';
import type { Picture } from './picture';
import { TextMetrics } from './text';

const seen = { x: 0, y: 0, width: 600, height: 400 };
const picture = (fields: Parameters<typeof drawing>[0]): Picture =>
  pictureOf(drawing(fields), new TextMetrics());
const at = (x: number, y: number) => ({ x, y });

const folded = box('g3', { kind: 'group', group: 3, x: 100, y: 80, first: 4, last: 9 });

test('a group that opens keeps its corner', () => {
  const before = picture({ boxes: [folded, box('n1', { node: 1, x: 290, y: 190 })] });
  const after = picture({
    boxes: [box('n1', { node: 1, x: 500, y: 700 })],
    frames: [frame(3, { x: 250, y: 300 })]
  });
  const toggled = { group: 3, key: 'g3' };
  expect(held(before, after, seen, toggled, [])).toEqual({ was: at(100, 80), now: at(250, 300) });
  const back = { ...seen, y: 200 };
  expect(held(after, before, back, toggled, [])).toEqual({ was: at(250, 300), now: at(100, 80) });
});

test('a cell that is chosen opens where its box was clicked', () => {
  const before = picture({
    frames: [frame(3, { x: 10, y: 10, cell: 0 }), frame(4, { parent: 0, x: 20, y: 40 })],
    boxes: [box('g3 1', { kind: 'cells', group: 3, x: 50, y: 300, cell: 1, cells: 9 })]
  });
  const after = picture({
    frames: [frame(3, { x: 10, y: 10, cell: 1 }), frame(5, { parent: 0, x: 20, y: 90 })],
    boxes: [box('g3 0', { kind: 'cells', group: 3, x: 50, y: 40, cell: 0, cells: 1 })]
  });
  const found = held(before, after, seen, { group: 3, key: 'g3 1' }, []);
  expect(found).toEqual({ was: at(50, 300), now: at(20, 90) });
});

test('else what is selected stays, if it can be seen', () => {
  const near = box('n1', { node: 1, x: 290, y: 190 });
  const before = picture({ boxes: [near, box('n2', { node: 2, x: 10, y: 10 })] });
  const after = picture({ boxes: [{ ...near, y: 500 }, box('n2', { node: 2, x: 30, y: 40 })] });
  expect(held(before, after, seen, null, [null, 'n2'])).toEqual({
    was: at(10, 10),
    now: at(30, 40)
  });
  const below = { ...seen, y: 100 };
  expect(held(before, after, below, null, ['n2'])).toEqual({
    was: at(290, 190),
    now: at(290, 500)
  });
});

test('else the box nearest to the middle that is in both', () => {
  const before = picture({
    boxes: [box('n1', { node: 1, x: 230, y: 180 }), box('n2', { node: 2, x: 20, y: 20 })]
  });
  const after = picture({ boxes: [box('n2', { node: 2, x: 70, y: 20 })] });
  expect(held(before, after, seen, null, [])).toEqual({ was: at(20, 20), now: at(70, 20) });
});

test('where all was closed, the group takes the place of a node in it', () => {
  const before = picture({ boxes: [box('n5', { node: 5, x: 230, y: 180 })] });
  const after = picture({ boxes: [folded] });
  expect(held(before, after, seen, null, [])).toEqual({ was: at(230, 180), now: at(100, 80) });
  expect(held(before, picture({}), seen, null, [])).toBeNull();
});
