import { expect, test } from 'vitest';

import { box, frame } from '../../../tests/drawings';
import { nearestCell } from './cells';

const cells = box('c', { kind: 'cells', group: 3, cell: 5, cells: 10, first: 100, last: 150 });

test('a click opens the cell in which the run is', () => {
  expect([100, 104, 105, 149].map(node => nearestCell(cells, undefined, node))).toEqual([
    5, 5, 6, 14
  ]);
});

test('else the one beside the cell that is shown', () => {
  expect(nearestCell(cells, frame(3, { cell: 4 }), 20)).toBe(5);
  expect(nearestCell(cells, frame(3, { cell: 15 }), null)).toBe(14);
  expect(nearestCell(cells, frame(3), 20)).toBe(5);
});
